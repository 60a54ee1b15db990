/* The same solve by a method of PETSc's with a matrix and preconditioner of ours, and with PETSc's matrix and one that is known:
   norm by norm */
#pragma once

#include "beside_cg.h"
#include "by_hand.h"

/* The subdeflation's part beside M: starts and corrections */
struct Deflation {
  bool                     on      = false;
  HeptaSubdeflationVariant variant = HEPTA_SUBDEFLATION_BNN;
  Mat                      Q = nullptr, inner = nullptr;
};

struct Preconditioner {
  std::string ours;                     /* options */
  std::string theirs;                   /* options of PETSc's own that is the same, or nothing: then it is M */
  bool        symmetric = true;         /* serves methods for symmetric matrices */
  bool        exact     = false;        /* leaves rounding after one application */
  Mat         M = nullptr, P = nullptr; /* P: what ours is made from where that is not the system's matrix */
  Deflation   deflation;
};

static inline PetscErrorCode PreconditionerDestroy(Preconditioner *c)
{
  PetscFunctionBeginUser;
  PetscCall(Destroy(&c->M, &c->P, &c->deflation.Q, &c->deflation.inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode NewMethod(Mat A, Mat P, const std::string &options, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(SetOptions("-ksp_rtol 1e-9 -ksp_max_it 300 " + options));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, A, P));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(KSPSetResidualHistory(*ksp, nullptr, 1000, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   What PCSUBDEFLATION says of its variants. def2 and adef2 start from x = Q b. For def1 and def2 a preconditioned norm is
   measured by the inner preconditioner's norm of b, and nothing counts as divergence.
*/
static inline PetscErrorCode Start(const Deflation &d, KSP ksp, Vec b, Run *run)
{
  const bool  def1 = d.variant == HEPTA_SUBDEFLATION_DEF1, def2 = d.variant == HEPTA_SUBDEFLATION_DEF2;
  KSPNormType type;
  PetscReal   rtol, norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &run->x));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetNormType(ksp, &type));
  if ((def1 || def2) && type == KSP_NORM_PRECONDITIONED) {
    PetscCall(KSPGetTolerances(ksp, &rtol, nullptr, nullptr, nullptr));
    PetscCall(MatMult(d.inner, b, run->x));
    PetscCall(VecNorm(run->x, NORM_2, &norm));
    PetscCall(KSPSetTolerances(ksp, rtol, rtol * norm, PETSC_MAX_REAL, PETSC_CURRENT));
  }
  PetscCall(VecSet(run->x, 0));
  if (def2 || d.variant == HEPTA_SUBDEFLATION_ADEF2) {
    PetscCall(MatMult(d.Q, b, run->x));
    PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* def1 ends with x <- x + Q (b - A x) */
static inline PetscErrorCode Correct(const Deflation &d, Mat A, Vec b, Vec x)
{
  Vec r, c;

  PetscFunctionBeginUser;
  if (d.variant != HEPTA_SUBDEFLATION_DEF1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecDuplicate(b, &c));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(MatMult(d.Q, r, c));
  PetscCall(VecAXPY(x, 1, c));
  PetscCall(Destroy(&r, &c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode SolveByPETSc(const Problem &p, const Preconditioner &c, const std::string &method, bool transposed,
                                          Run *run)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(NewMethod(p.theirs, c.M ? c.M : p.theirs, method + (c.M ? " -pc_type mat" : c.theirs), &ksp));
  if (c.M) {
    PetscCall(KSPGetPC(ksp, &pc));
    /* a variant's own form in transposed solves too */
    PetscCall(PCMatSetApplyOperation(pc, c.deflation.on && transposed ? MATOP_MULT_TRANSPOSE : MATOP_MULT));
  }
  if (c.deflation.on) PetscCall(Start(c.deflation, ksp, p.their_b, run));
  PetscCall(Solve(ksp, p.their_b, run, transposed));
  if (c.deflation.on) PetscCall(Correct(c.deflation, p.theirs, p.their_b, run->x));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode SolveByOurs(const Problem &p, const Preconditioner &c, const std::string &method, bool transposed,
                                         Run *run)
{
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(NewMethod(p.ours, c.P ? c.P : p.ours, method + c.ours, &ksp));
  PetscCall(Solve(ksp, p.b, run, transposed));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The answer against PETSc's residual and the direct solver's answer */
static inline PetscErrorCode CheckAnswer(const Problem &p, bool transposed, Vec x, const std::string &what)
{
  Vec       y, r;
  PetscReal nb, nr;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(p.their_b, &y));
  PetscCall(VecDuplicate(p.their_b, &r));
  PetscCall(VecCopy(x, y)); /* to the host */
  PetscCall((transposed ? MatMultTranspose : MatMult)(p.theirs, y, r));
  PetscCall(VecAYPX(r, -1, p.their_b));
  PetscCall(VecNorm(r, NORM_2, &nr));
  PetscCall(VecNorm(p.their_b, NORM_2, &nb));
  PetscCheck(nr <= TestTolerance(1e-6) * nb, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: a residual of %g of %g is left", what.c_str(),
             (double)nr, (double)nb);
  PetscCall(VecAXPY(y, -1, p.x[transposed]));
  PetscCall(VecNorm(y, NORM_2, &nr));
  PetscCall(VecNorm(p.x[transposed], NORM_2, &nb));
  PetscCheck(nr <= TestTolerance(1e-6) * nb, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: the answer is %g of %g from the direct solver's", what.c_str(), (double)nr, (double)nb);
  PetscCall(Destroy(&y, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations by which a method may end sooner or later where rounding decides: bcgsl ends after multiples of -ksp_bcgsl_ell */
static inline PetscInt Steps(const std::string &method)
{
  const std::string option = "-ksp_bcgsl_ell ";
  const size_t      at     = method.find(option);

  return at == std::string::npos ? 1 : PetscMax(1, (PetscInt)std::atoi(method.c_str() + at + option.size()));
}

/* The same reason, as many iterations within one or one step, and norms that differ by `tol` of the first at most */
static inline PetscErrorCode SameNorms(const Run &petsc, const Run &ours, PetscReal tol, const std::string &what)
{
  const size_t n = PetscMin(petsc.history.size(), ours.history.size());

  PetscFunctionBeginUser;
  PetscCheck(petsc.reason == ours.reason && PetscAbsInt(petsc.its - ours.its) <= Steps(what), PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: reason %d after %" PetscInt_FMT " iterations, by PETSc's own %d after %" PetscInt_FMT, what.c_str(),
             (int)ours.reason, ours.its, (int)petsc.reason, petsc.its);
  PetscCheck(n > 1 && PetscMax(petsc.history.size(), ours.history.size()) <= n + 1 + (size_t)Steps(what), PETSC_COMM_WORLD,
             PETSC_ERR_PLIB, "%s: %d norms instead of %d", what.c_str(), (int)ours.history.size(),
             (int)petsc.history.size()); /* tfqmr has two in an iteration */
  for (size_t k = 0; k < n; k++) {
    const PetscReal d = PetscAbsReal(petsc.history[k] - ours.history[k]);
    PetscCheck(d <= TestTolerance(tol) * petsc.history[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "%s: norm %d is %.16g instead of %.16g, the first is %g", what.c_str(), (int)k, (double)ours.history[k],
               (double)petsc.history[k], (double)petsc.history[0]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One method with one preconditioner */
static inline PetscErrorCode CompareWithPETSc(const Problem &p, const Preconditioner &c, const std::string &method, PetscReal tol,
                                              bool transposed)
{
  const std::string what = p.name + (transposed ? ", transposed, " : ", ") + method + c.ours;
  Run               run[2];

  PetscFunctionBeginUser;
  PetscCall(SolveByPETSc(p, c, method, transposed, &run[0]));
  PetscCall(SolveByOurs(p, c, method, transposed, &run[1]));
  PetscCall(SameNorms(run[0], run[1], tol, what));
  PetscCheck(c.exact || run[1].its > 3, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %d iterations show nothing", what.c_str(),
             (int)run[1].its);
  PetscCall(CheckAnswer(p, transposed, run[1].x, what));
  for (Run &r : run) PetscCall(VecDestroy(&r.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
