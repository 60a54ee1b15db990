/* Matrices with the structure of a bdia matrix, or of its lower or upper part */
#include <algorithm>

#include "bdia.h"

using namespace hepta::bdia;

PetscErrorCode MatBDIACreatePart(Mat A, HeptaMatStorage storage, bool lower, bool upper, Mat *B)
{
  Mat_Blocked          *a = MatBlocked(A), *b;
  Diagonals            *D = MatBDIADiagonals(A), *P;
  std::vector<PetscInt> offsets;

  PetscFunctionBegin;
  PetscCall(MatBlockedCreateLike(A, storage, (PetscBool)(D->half && lower && upper), B));
  b = MatBlocked(*B);
  P = MatBDIADiagonals(*B);
  for (const Diagonal &d : D->diag) {
    if (d.off == 0 || (d.off > 0 ? upper : lower)) offsets.push_back(d.off);
    if (d.off > 0 && D->half && !P->half && lower) offsets.push_back(-d.off); /* the mirror image */
  }
  std::sort(offsets.begin(), offsets.end());
  PetscCall(P->Preset(offsets));
  for (Diagonal &d : P->diag) { /* copies the bits of set slots that A stores; mirrored entries of half storage count as set */
    const int from = D->Find(d.off);
    if (from >= 0) PetscCall(PetscArraycpy(d.set, D->diag[from].set, D->DiagonalSize() / 32));
    else std::fill_n(d.set, D->DiagonalSize() / 32, ~0u);
  }
  PetscCall(b->ghost.Copy(a->ghost, false));
  b->ghost.single = storage == HEPTA_MAT_STORAGE_SINGLE;
  PetscCall(b->ghost.Forget());
  PetscCall(P->Count());
  PetscCall(MatBlockedBuildHalo(*B));
  b->ready        = true;
  (*B)->assembled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
