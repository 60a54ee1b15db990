/* The solve of fused CG in float, see grid_row.hxx */
#include "grid_method.h"

using namespace hepta::ksp;

/* Numbers of vectors: 0 is x, then those of ksp->work */
enum {
  X,
  R,
  P0 = 4
};

/*
   Rows from which on float pays, unless the program chose it: with fewer an iteration takes as long in double, and a replacement
   costs a pause of the device
*/
constexpr PetscInt ENOUGH = 250000, ENOUGH_ON_DEVICE = 2000000;
/*
   Where a replaced residual is larger than that of the recurrence by this part of it, the next replacements come whenever the norm
   has fallen by it: the error of a residual in float is some roundings, 6e-8, of the last replaced one, times the contrast of the
   couplings, since differences of p carry p's rounding
*/
constexpr PetscReal LESS = 0.1;

PetscErrorCode HeptaGridCG::Iterate(const HeptaSpace &space)
{
  PetscFunctionBegin;
  HeptaLaunch(space, grid_product, c);
  HeptaLaunch(space, grid_update, c);
  if (!space.device && c.state->pause) PetscFunctionReturn(PETSC_SUCCESS); /* on a device the cycle sees this itself */
  PetscCall(cycle.ApplyInFloat(space));
  HeptaLaunch(space, grid_sums, c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x, r and r' from d times `sign` */
PetscErrorCode HeptaGridCG::AddToX(PetscScalar sign)
{
  const HeptaSpace          space = ops.arrays.space;
  const hepta::cycle::Grid &g     = cycle.levels[0].grid;

  PetscFunctionBegin;
  PetscCall(ops.arrays.Get());
  PetscScalar *const x = ops.arrays.a[X], *const r = ops.arrays.a[R];
  auto &A = *MatBDIADiagonals(cycle.op.A);
  PetscCall(HeptaVisitLaunchEach(A, space, HeptaAccess::read, grid_replace, cycle.diagonals, g, c, sign, x, r));
  PetscCall(ops.arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes back an increment that made the residual larger, whose rounding in x and r may be larger than r was */
PetscErrorCode HeptaGridCG::Undo(PetscReal *norm)
{
  PetscFunctionBegin;
  PetscCall(AddToX(-1));
  ksp->guess_zero = PETSC_FALSE;
  PetscCall(HeptaKSPResidual(ksp, Work(R)));
  *norm = last;
  if (early(c)) PetscCall(VecNorm(Work(R), NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r' from the residual in double */
PetscErrorCode HeptaGridCG::TakeResidual()
{
  PetscFunctionBegin;
  PetscCall(ops.arrays.Get());
  HeptaLaunchEach(ops.arrays.space, grid_take, cycle.levels[0].grid, c, (const PetscScalar *)ops.arrays.a[R]);
  PetscCall(ops.arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum <- the sums with r' and z' in a state of their own; with `apply` z' is made from r' first */
PetscErrorCode HeptaGridCG::Sum(bool apply, PetscScalar sum[2])
{
  const HeptaSpace space = ops.arrays.space;
  GridCG           now;
  State           *there;

  PetscFunctionBegin;
  PetscCall(own.state.Make(space, 1, &there));
  PetscCall(own.state.Zero(space));
  PetscCall(ops.arrays.Get());
  now       = c;
  now.ends  = false;
  now.state = there;
  if (apply) {
    HeptaLaunch(space, grid_input, now);
    PetscCall(cycle.ApplyInFloat(space));
  }
  HeptaLaunch(space, grid_sums, now);
  PetscCall(ops.arrays.Restore());
  PetscCall(own.state.Access(HeptaSpace(), HeptaAccess::read, &there));
  std::copy_n(there->sum + index_rz, 2, sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridCG::Replace(State *s, Entry *entry)
{
  const PetscReal enough = last * PetscPowReal(10, (replaced - s->it) / 2.5); /* a factor of 10 in 2.5 iterations */
  const bool      grown  = !(entry->norm < last);
  PetscReal       norm   = last;
  PetscScalar     sum[2] = {0, 0};

  PetscFunctionBegin;
  if (!grown) { /* otherwise x stays what it was, and so its residual */
    PetscCall(AddToX(1));
    PetscCall(Sum(!early(c), sum));
    norm = scales.norm * norm_of(c.norm, sum[0], sum[1]);
    if (!(norm < last)) PetscCall(Undo(&norm));
  }
  stagnates = !(norm <= enough);
  if (norm > (1 + LESS) * entry->norm) fall = LESS;
  replaced = s->it;
  count++;
  last = entry->norm = norm;
  PetscCall(ClearIncrement());
  if (stagnates) PetscFunctionReturn(PETSC_SUCCESS);
  if (early(c) && norm > ksp->ttol) PetscCall(Sum(true, sum));
  s->beta = early(c) ? sum[0] / s->rho : s->beta * sum[0] / s->rho;
  s->rho  = sum[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridCG::ClearIncrement()
{
  PetscFunctionBegin;
  PetscCall(ops.arrays.Get());
  PetscCall(HeptaZero(ops.arrays.space, c.d, (size_t)c.cells * sizeof(float)));
  PetscCall(ops.arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where float goes no further double does */
PetscErrorCode HeptaGridCG::Broken(const State &s)
{
  PetscFunctionBegin;
  left = ksp->its < ksp->max_it && (stagnates || s.breakdown != Breakdown::none);
  if (!left) PetscCall(HeptaFusedCGMethod::Broken(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the iterations with PC gridmg are in double; empty if they can be in float */
static PetscErrorCode FindWhyDouble(KSP ksp, bool null_last, std::string *why)
{
  const KSP_FusedCG *cg = (const KSP_FusedCG *)ksp->data;
  Mat                A, P;
  MatNullSpace       null;
  bool               norm_only;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, &P));
  PetscCall(MatGetNullSpace(A, &null));
  PetscCall(HeptaKSPLooksAtNormOnly(ksp, &norm_only));
  if (cg->single || cg->flexible) *why = "so is this form of the method";
  else if (GridMG(ksp->pc)->cycle.choice.storage != HEPTA_MAT_STORAGE_SINGLE) *why = "PC gridmg works in double";
  else if (A->rmap->size > 1) *why = "there are several MPI processes";
  else if (A != P) *why = "the preconditioner is that of another matrix";
  else if (ksp->transpose_solve) *why = "the solve is transposed";
  else if (null && !null_last) *why = "each iteration removes a null space";
  else if (ksp->normtype == KSP_NORM_NONE || ksp->converged == KSPConvergedSkip) *why = "no norm is tested";
  else if (!norm_only) *why = "a monitor or a convergence test looks at more than the norm of each iteration";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterations */
static PetscErrorCode Iterations(HeptaGridCG &solve)
{
  const KSP   ksp   = solve.ksp;
  PetscReal   rho   = ksp->rnorm;
  State       state = {};
  PetscScalar sum[2];

  PetscFunctionBegin;
  if (ksp->normtype != KSP_NORM_UNPRECONDITIONED) PetscCall(VecNorm(solve.Work(R), NORM_2, &rho));
  PetscCall(solve.Begin(rho));
  PetscCall(solve.TakeResidual());
  PetscCall(solve.Sum(true, sum));
  solve.last     = ksp->rnorm;
  solve.replaces = true;
  state.rho      = sum[0];
  if (!finite(state.rho)) state.breakdown = Breakdown::not_finite;
  else if (state.rho == 0) state.breakdown = Breakdown::zero_residual;
  PetscCall(solve.Describe(solve.c, 4));
  PetscCall(solve.iterations.Run(solve, state));
  if (ksp->its != solve.replaced) PetscCall(solve.AddToX(1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are the rows so many that float pays? */
static PetscErrorCode IsLarge(KSP ksp, bool *large)
{
  Mat      A;
  PetscInt rows;
  bool     device;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(HeptaHasDeviceVecs(A, &device));
  PetscCall(VecGetSize(ksp->vec_sol, &rows));
  *large = rows >= (device ? ENOUGH_ON_DEVICE : ENOUGH);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFusedCGIterateGrid(KSP ksp, bool null_last, int *it, bool *left)
{
  KSP_FusedCG *cg     = (KSP_FusedCG *)ksp->data;
  const bool   gridmg = HeptaIsGridMG(ksp->pc), wanted = cg->precision == HeptaGridCGData::SINGLE;
  bool         large = true;
  std::string  why;

  PetscFunctionBegin;
  *left = true;
  cg->grid.words.clear();
  if (cg->precision == HeptaGridCGData::DOUBLE || cg->deflated || (!wanted && !gridmg)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!wanted) PetscCall(IsLarge(ksp, &large));
  if (!large) PetscFunctionReturn(PETSC_SUCCESS);
  if (gridmg) PetscCall(FindWhyDouble(ksp, null_last, &why));
  else why = "the preconditioner is not gridmg";
  if (!why.empty()) {
    if (wanted) cg->grid.words = "in double, because " + why;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  HeptaGridCG solve(ksp);
  solve.ops.null_last = null_last;
  PetscCall(solve.ops.Plan(ksp, ksp->pc, P0, false, solve.iterations, solve.c));
  PetscCall(Iterations(solve));
  *left          = solve.left;
  *it            = ksp->its;
  cg->grid.words = "in single, residuals replaced " + std::to_string(solve.count) + " times";
  if (solve.left) cg->grid.words += ", then in double, because single goes no further";
  PetscFunctionReturn(PETSC_SUCCESS);
}
