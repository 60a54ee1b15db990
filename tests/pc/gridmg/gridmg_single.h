/* Solves by fusedcg with gridmg in both precisions */
#pragma once

#include "cycle_grid.h"

/* What a solve of A x = b from `guess` gave */
struct Solved {
  PetscInt           its;
  PetscReal          norm, truth, b; /* the norm that ended the iterations, and those of b - A x and of b */
  KSPConvergedReason reason;
  std::string        view;
};

static inline PetscErrorCode Solve(KSP ksp, PetscReal guess, Solved *s)
{
  Mat A;
  Vec x, b, r;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(CycleRandom(x, 3));
  PetscCall(MatMult(A, x, b));
  PetscCall(VecScale(x, guess));
  PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)(guess != 0)));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &s->truth));
  PetscCall(VecNorm(b, NORM_2, &s->b));
  PetscCall(KSPGetIterationNumber(ksp, &s->its));
  PetscCall(KSPGetResidualNorm(ksp, &s->norm));
  PetscCall(KSPGetConvergedReason(ksp, &s->reason));
  PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_DEFAULT, &s->view));
  PetscCall(Destroy(&x, &b, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode NewSolver(Mat A, const std::string &options, const char precision[], KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(CycleKSP(A, "-pc_type gridmg -ksp_type fusedcg " + options + " -ksp_fusedcg_precision " + precision, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both precisions end for the same reason, in about as many iterations, at true norms; the view of single has the words */
static inline PetscErrorCode Compare(Mat A, const std::string &what, const std::string &options, PetscReal guess,
                                     const char words[])
{
  Solved      s[2];
  PetscMPIInt rank; /* the first process has the view */

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  for (int single = 0; single < 2; single++) {
    KSP ksp;
    PetscCall(NewSolver(A, options, single ? "single" : "double", &ksp));
    PetscCall(Solve(ksp, guess, &s[single]));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscInt wasted = s[1].view.find("then in double") != std::string::npos ? 10 : 0;
  PetscCallMPI(MPI_Bcast(&wasted, 1, MPIU_INT, 0, PetscObjectComm((PetscObject)A)));
  PetscCheck(s[1].reason == s[0].reason && s[1].its <= s[0].its + 3 + s[0].its / 8 + wasted && s[0].its <= s[1].its + 3,
             PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: %" PetscInt_FMT " iterations in single, reason %d; %" PetscInt_FMT " in double, reason %d", what.c_str(),
             s[1].its, (int)s[1].reason, s[0].its, (int)s[0].reason);
  /* processes that share a GPU add up their numbers on the host, where single does not pay */
  const bool shared = s[1].view.find("shares its GPU") != std::string::npos && std::string(words).find("in single") == 0;
  if (shared) words = "in double, because the sums of the MPI processes meet on the host";
  PetscCheck(rank || s[1].view.find(words) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: no \"%s\" in\n%s",
             what.c_str(), words, s[1].view.c_str());
  PetscCheck(options.find("_norm_type") != std::string::npos ||
               PetscAbsReal(s[1].norm - s[1].truth) <= 1e-4 * s[1].truth + 1e-14 * s[1].b,
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the norm of %g is reported for a residual of %g", what.c_str(),
             (double)s[1].norm, (double)s[1].truth);
  PetscFunctionReturn(PETSC_SUCCESS);
}
