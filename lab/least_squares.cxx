#include "least_squares.h"

#include <petsctao.h>

namespace
{

struct Problem {
  const HeptaResiduals &f;
  PetscInt              evaluations, most;
};

} // namespace

static PetscErrorCode Evaluate(Tao, Vec p, Vec r, PetscCtx context)
{
  Problem            *problem = (Problem *)context;
  const PetscScalar  *number;
  PetscScalar        *residual;
  PetscInt            n, m;
  std::vector<double> of;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(p, &n));
  PetscCall(VecGetLocalSize(r, &m));
  of.resize((size_t)m);
  PetscCall(VecGetArrayRead(p, &number));
  const std::vector<double> at(number, number + n);
  PetscCall(VecRestoreArrayRead(p, &number));
  problem->evaluations++;
  PetscCall(problem->f(at.data(), of.data()));
  PetscCall(VecGetArrayWrite(r, &residual));
  std::copy(of.begin(), of.end(), residual);
  PetscCall(VecRestoreArrayWrite(r, &residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   TAOPOUNDERS (PETSc 3.26) keeps its points in arrays for 100 more than the most evaluations, but its evaluations of residuals do
   not count against TaoSetMaximumFunctionEvaluations(): it would write beyond the arrays
*/
static PetscErrorCode Test(Tao tao, PetscCtx context)
{
  const Problem     *problem = (const Problem *)context;
  TaoConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(TaoDefaultConvergenceTest(tao, nullptr));
  PetscCall(TaoGetConvergedReason(tao, &reason));
  if (!reason && problem->evaluations >= problem->most) PetscCall(TaoSetConvergedReason(tao, TAO_DIVERGED_MAXFCN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLeastSquares(std::vector<double> *p, size_t n, PetscInt evaluations, const HeptaResiduals &f, double *norm)
{
  const PetscInt size    = (PetscInt)p->size();
  Problem        problem = {f, 0, evaluations};
  PetscScalar   *number;
  PetscReal      root;
  Tao            tao;
  Vec            x, r;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, size, &x));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)n, &r));
  PetscCall(VecGetArrayWrite(x, &number));
  std::copy(p->begin(), p->end(), number);
  PetscCall(VecRestoreArrayWrite(x, &number));
  PetscCall(TaoCreate(PETSC_COMM_SELF, &tao));
  PetscCall(TaoSetType(tao, TAOPOUNDERS));
  PetscCall(TaoSetSolution(tao, x));
  PetscCall(TaoSetResidualRoutine(tao, r, Evaluate, &problem));
  PetscCall(TaoSetConvergenceTest(tao, Test, &problem));
  PetscCall(TaoSetMaximumFunctionEvaluations(tao, evaluations));
  PetscCall(TaoSolve(tao));
  PetscCall(Evaluate(tao, x, r, &problem));
  PetscCall(VecNorm(r, NORM_2, &root));
  PetscCall(VecGetArray(x, &number));
  p->assign(number, number + size);
  PetscCall(VecRestoreArray(x, &number));
  *norm = (double)root;
  PetscCall(TaoDestroy(&tao));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
