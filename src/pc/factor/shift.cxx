#include "shift.h"

/*
   positive_definite (Manteuffel): the shift is a fraction of `top`, which makes the matrix diagonally dominant. Bisection after
   each failure, and with `refine` after each success, finds the fraction; the sixth attempt takes the good end of the interval.
   nonzero: the shift is doubled until all pivots are good.
*/
void HeptaShift::Next(bool good, bool refine, PetscReal start, bool *again)
{
  constexpr PetscInt definite_tries = 5, nonzero_tries = 100;

  *again = false;
  if (type == MAT_SHIFT_POSITIVE_DEFINITE) {
    if (good && !(refine && fraction > 0 && tries < definite_tries)) return;
    if (!good && tries > definite_tries) return;
    if (good) high = fraction;
    else if (tries < definite_tries) low = fraction;
    fraction = !good && tries == definite_tries ? high : (high + low) / 2;
    amount   = fraction * top;
  } else if (type == MAT_SHIFT_NONZERO) {
    if (good || tries >= nonzero_tries) return;
    amount = tries ? 2 * amount : start;
  } else return;
  tries++;
  *again = true;
}

PetscErrorCode HeptaShift::View(PetscViewer viewer) const
{
  PetscFunctionBegin;
  std::string shift = type == MAT_SHIFT_NONE ? "" : ": none was needed";
  if (type == MAT_SHIFT_INBLOCKS && pivots)
    shift = HeptaFormat(": %g added to %" PetscInt64_FMT " pivots", (double)amount, pivots);
  else if (tries) shift = HeptaFormat(": %g added to the diagonal, after %" PetscInt_FMT " attempts", (double)amount, tries + 1);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  shift %s%s\n", MatFactorShiftTypes[type], shift.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}
