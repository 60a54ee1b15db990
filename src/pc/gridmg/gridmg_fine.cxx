/* The first level of multigrid on boxes, from the values of the matrix, and its use by solvers */
#include "gridmg_cycle.h"

using namespace hepta::gridmg;

/* Access for writing allocates the matrix, zero around the cells */
PetscErrorCode HeptaGridMG::FirstMatrix(const HeptaSpace &space, HeptaAccess access, FloatMatrix *M)
{
  const HeptaGridMGLevel &c = levels[0];
  float                  *p;

  PetscFunctionBegin;
  if (access == HeptaAccess::write) PetscCall(matrix.Make(space, ((size_t)axes + 1) * c.size, &p));
  else PetscCall(matrix.Access(space, access, &p));
  for (int a = 0; a < axes; a++) M->a[a] = p + c.before + (size_t)a * c.size;
  M->row_sum = p + c.before + (size_t)axes * c.size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first level from the values of A, and the matrix in float if wanted */
template <class T, class U> PetscErrorCode HeptaGridMG::BuildFine(const HeptaSpace &space, T *values, Found *f)
{
  const Level<T, U> L      = InSetUp(Own<T, U>(space, 0, values));
  const double     *border = nullptr;
  FloatMatrix       M      = {};
  Scales           *s;

  PetscFunctionBegin;
  if (ranks.several) PetscCall(ReadBorder(space, L.g, f, &border));
  PetscCall(scales.Access(space, HeptaAccess::read_write, &s));
  wants_matrix = wants_matrix && Single();
  if (wants_matrix) PetscCall(FirstMatrix(space, HeptaAccess::write, &M));
  auto &A = *MatBDIADiagonals(op.A);
  PetscCall(HeptaVisitLaunchEach(A, space, HeptaAccess::read, build_fine, axes, diagonals, L, M, border, s, f));
  PetscCall((Share<T, U>(space, 0, values)));
  if (M.row_sum) PetscCall(Halo(space, 0, M.a[axes - 1]));
  has_matrix = wants_matrix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::MakeMatrix(const HeptaSpace &space)
{
  float *values;
  Found *f;

  PetscFunctionBegin;
  if (has_matrix) PetscFunctionReturn(PETSC_SUCCESS);
  wants_matrix = true;
  PetscCall(arrays.Access(space, HeptaAccess::read_write, &values));
  PetscCall(found.Access(space, HeptaAccess::read_write, &f));
  if (choice.bf16) PetscCall((BuildFine<float, Bf16>(space, values, f)));
  else PetscCall((BuildFine<float, float>(space, values, f)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::Border(const HeptaSpace &space, const double **border)
{
  double *entries = nullptr;

  PetscFunctionBegin;
  if (ranks.several) PetscCall(ranks.entries.Access(space, HeptaAccess::read, &entries));
  *border = entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::IsOf(Mat A, bool *is) const
{
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  *is = built_of == ((PetscObject)A)->id && built == state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::FirstLevel(const HeptaSpace &space, Level<float> *L)
{
  float *values;

  PetscFunctionBegin;
  PetscCall(arrays.Access(space, HeptaAccess::read_write, &values));
  *L = choice.bf16 ? without_couplings(Typed<float, Bf16>(space, 0, values)) : without_couplings(Typed<float>(space, 0, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode HeptaGridMG::BuildFine<float, Bf16>(const HeptaSpace &, float *, Found *);
template PetscErrorCode HeptaGridMG::BuildFine<float, float>(const HeptaSpace &, float *, Found *);
template PetscErrorCode HeptaGridMG::BuildFine<double, double>(const HeptaSpace &, double *, Found *);
