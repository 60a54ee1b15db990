/* The solve of fused CG in float, see grid_row.hxx */
#include "../../pc/gridmg/gridmg_kernels.hxx"
#include "grid_method.h"
#include "grid_replace.hxx"

using namespace hepta::ksp;

constexpr int UNITS = 4; /* the first of two vectors that Plan() may overwrite */

/*
   Rows from which on float pays, unless the program chose float: with fewer rows an iteration takes as long in double, on host
   and device
*/
constexpr PetscInt ENOUGH = 300000;

/* z' <- M^-1 r', and the sums with z' */
PetscErrorCode HeptaGridCG::Precondition(const HeptaSpace &space)
{
  bool summed;

  PetscFunctionBegin;
  /* the pass sums squares in double, since squares of floats may be too small for floats */
  PetscCall(cycle.ApplyInFloat(space, c.norm == Norm::preconditioned ? nullptr : c.parts, &summed));
  if (summed) HeptaLaunchEach(space, run_pass, by_parts(c));
  else HeptaLaunchEach(space, run_pass, pass_of<GridSums>(c));
  PetscCall(iterations.Reduce(space, index_rz, 2, HeptaEndOf<GridSums>(c)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x, the residual and r' from d times `sign`, if a replacement is due or always */
PetscErrorCode HeptaGridCG::Replace(const HeptaSpace &space, const GridCG &pass, PetscScalar sign, bool always)
{
  auto                    &A = *MatBDIADiagonals(cycle.op.A);
  hepta::gridmg::Diagonals d = cycle.diagonals;

  PetscFunctionBegin;
  for (int a = 0; cycle.symmetric && a < 3; a++) d.lower[a] = d.upper[a]; /* fewer bytes to read */
  PetscCall(HeptaVisit(A, space, HeptaAccess::read, [&](auto view) {
    HeptaLaunchEach(space, run_pass, replace_pass(view, d, cycle.levels[0].grid, pass, sign, always));
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridCG::Start()
{
  const HeptaSpace space = ops.arrays.space;

  PetscFunctionBegin;
  PetscCall(ops.arrays.Get());
  HeptaLaunchEach(space, grid_take, cycle.levels[0].grid, c);
  PetscCall(Precondition(space));
  PetscCall(ops.arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridCG::Iterate(const HeptaSpace &space)
{
  PetscFunctionBegin;
  HeptaLaunch(space, grid_product, c);
  PetscCall(iterations.Reduce(space, index_pq, 1));
  HeptaLaunchEach(space, run_pass, pass_of<GridUpdate>(c));
  PetscCall(iterations.Reduce(space, index_rz + 1, 1, HeptaEndOf<GridUpdate>(c)));
  if (space.device || c.solve->due) { /* on a device the pass reads `due`, and in a recording the cycle sees the pause */
    PetscCall(Replace(space, c, 1, false));
    PetscCall(iterations.Reduce(space, index_true, 1, HeptaEndOf<GridReplace<double>>(c)));
  }
  if (!space.device && c.state->pause) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Precondition(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replace() while the iterations pause */
PetscErrorCode HeptaGridCG::AddToX(PetscScalar sign)
{
  PetscFunctionBegin;
  PetscCall(ops.arrays.Get());
  GridCG pass = c;
  pass.ends   = false;
  pass.team   = nullptr;
  PetscCall(own.state.Make(ops.arrays.space, 1, &pass.state));
  PetscCall(own.state.Zero(ops.arrays.space));
  PetscCall(Replace(ops.arrays.space, pass, sign, true));
  PetscCall(ops.arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridCG::Bring()
{
  GridSolve *p;

  PetscFunctionBegin;
  PetscCall(own.solve.Access(HeptaSpace(), HeptaAccess::read, &p));
  brought = *p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Completes x. An increment that made the residual larger is taken back, and the residual is computed from x anew, since the
   rounding of the increment in x and in the residual may exceed the former residual.
*/
PetscErrorCode HeptaGridCG::Finish()
{
  PetscFunctionBegin;
  if (finished) PetscFunctionReturn(PETSC_SUCCESS);
  finished  = true;
  own.clean = finite(brought.norm) && !spoiled;
  if (brought.grown) {
    PetscCall(AddToX(-1));
    ksp->guess_zero = PETSC_FALSE;
    PetscCall(HeptaKSPResidual(ksp, Work(R)));
  } else if (!brought.stagnates && ksp->its != brought.replaced) PetscCall(AddToX(1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where float goes no further, double goes on */
PetscErrorCode HeptaGridCG::Broken(const State &s)
{
  PetscFunctionBegin;
  PetscCall(Bring());
  spoiled = s.breakdown == Breakdown::not_finite;
  left    = (brought.stagnates || s.breakdown != Breakdown::none) && ksp->its < ksp->max_it;
  if (left) PetscCall(Finish());
  else PetscCall(HeptaFusedCGMethod::Broken(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the iterations with PC gridmg are in double; empty if they can be in float */
static PetscErrorCode FindWhyDouble(KSP ksp, bool null_last, std::string *why)
{
  const KSP_FusedCG *cg = (const KSP_FusedCG *)ksp->data;
  Mat                A, P;
  MatNullSpace       null;
  bool               norm_only, is_of;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, &P));
  PetscCall(MatGetNullSpace(A, &null));
  PetscCall(HeptaKSPLooksAtNormOnly(ksp, &norm_only));
  PetscCall(GridMG(ksp->pc)->mg.IsOf(A, &is_of));
  if (cg->single || cg->flexible) *why = "so is this form of the method";
  else if (GridMG(ksp->pc)->mg.choice.storage != HEPTA_MAT_STORAGE_SINGLE) *why = "PC gridmg works in double";
  else if (!GridMG(ksp->pc)->mg.Single()) *why = "each MPI process has all of the first level, or a part of a line";
  else if (A != P) *why = "the preconditioner is that of another matrix";
  else if (!is_of) *why = "the preconditioner is that of earlier values of the matrix";
  else if (ksp->transpose_solve) *why = "the solve is transposed";
  else if (null && !null_last) *why = "each iteration removes a null space";
  else if (ksp->normtype == KSP_NORM_NONE || ksp->converged == KSPConvergedSkip) *why = "no norm is tested";
  else if (cg->estimates) *why = "errors are estimated";
  else if (!norm_only) *why = "a monitor or a convergence test looks at more than the norm of each iteration";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Vectors of floats count half: the product and p before, on the device in one pass; the update; and the sums, unless the cycle
   has made the sums. Replacements are left out.
*/
double HeptaGridCG::Vectors() const
{
  const bool device = ops.arrays.space.device, sums = !device || c.norm == Norm::preconditioned;

  return ((device ? 4 : 7) + 6 + (sums ? 2 : 0)) / 2.;
}

/* The iterations */
static PetscErrorCode Iterations(HeptaGridCG &solve)
{
  const KSP ksp = solve.ksp;
  PetscReal rho = ksp->rnorm;
  PetscInt  rows;

  PetscFunctionBegin;
  if (ksp->normtype != KSP_NORM_UNPRECONDITIONED) PetscCall(VecNorm(solve.Work(R), NORM_2, &rho));
  PetscCall(solve.Begin(rho));
  PetscCall(VecGetLocalSize(ksp->vec_sol, &rows));
  PetscCall(solve.Describe(solve.c, {10, 0, 0, solve.Vectors()}));
  /* of a coupling for each axis, and the row sum */
  solve.traffic.of_matrices = (solve.cycle.axes + 1.) * (double)rows * sizeof(float);
  solve.flops += (6. * solve.cycle.axes + 1) * (double)rows; /* a (p_q - p_m) for each neighbor, and the row sum */
  PetscCall(HeptaMatAppendKey(solve.cycle.op.A, &solve.key));
  if (solve.cycle.symmetric) solve.key += "s"; /* an argument of the replacement */
  PetscCall(solve.iterations.Run(solve, {}));
  PetscCall(solve.Bring());
  PetscCall(solve.Finish());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFusedCGIterateGrid(KSP ksp, bool null_last, int *it, bool *left)
{
  KSP_FusedCG *cg     = (KSP_FusedCG *)ksp->data;
  const bool   gridmg = HeptaIsGridMG(ksp->pc), wanted = cg->precision == HeptaGridCGData::SINGLE;
  PetscInt     rows;
  std::string  why;

  PetscFunctionBegin;
  *left = true;
  cg->grid.words.clear();
  if (cg->precision == HeptaGridCGData::DOUBLE || cg->deflated || (!wanted && !gridmg)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetSize(ksp->vec_sol, &rows));
  if (!wanted && rows < ENOUGH) PetscFunctionReturn(PETSC_SUCCESS);
  if (gridmg) PetscCall(FindWhyDouble(ksp, null_last, &why));
  else why = "the preconditioner is not gridmg";
  if (!why.empty()) {
    if (wanted) cg->grid.words = "in double, because " + why;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  HeptaGridCG solve(ksp);
  solve.ops.null_last = null_last;
  PetscCall(solve.ops.Plan(ksp, ksp->pc, UNITS, false, solve.iterations, solve.c));
  if (!solve.iterations.EndsThere()) {
    if (wanted) cg->grid.words = "in double, because the sums of the MPI processes meet on the host";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Iterations(solve));
  *left          = solve.left;
  *it            = ksp->its;
  cg->grid.words = "in single, residuals replaced " + std::to_string(solve.brought.count) + " times";
  if (solve.left) cg->grid.words += ", then in double, because single goes no further";
  PetscFunctionReturn(PETSC_SUCCESS);
}
