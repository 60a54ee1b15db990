static char help[] = "Pivots that fail in factors by the solver type bbs: PETSc's shifts, with its restarts.\n\n";

#include "pivots.h"

/* As with PETSc's own factors of aij. PCILU turns nonzero into inblocks for all other types, which then do other things. */
static PetscErrorCode AsPETSc(const Entries &e, MatType type, const std::string &method, const std::string &shift,
                              const std::string &more)
{
  const std::string  what  = method + shift + " " + more + " of " + type;
  const bool         other = strcmp(type, MATAIJ) && strstr(method.c_str(), "ilu") && shift.substr(0, 7) == "nonzero";
  PetscInt           its[2];
  KSPConvergedReason reason[2];
  Mat                A;
  Vec                z[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(Make(PETSC_COMM_SELF, k ? type : MATAIJ, e, &A));
    PetscCall(Solve(A,
                    method + (!k && other ? "inblocks" + shift.substr(7) : shift) +
                      (k ? " -pc_factor_mat_solver_type bbs " + more : " -pc_factor_mat_solver_type petsc"),
                    &its[k], &reason[k], &z[k]));
    PetscCall(MatDestroy(&A));
  }
  /* a shift of 2e-14 leaves pivots that only rounding decides about */
  const bool lost = reason[0] <= 0 && reason[0] != KSP_DIVERGED_PC_FAILED;
  PetscCheck((lost || PetscAbsInt(its[0] - its[1]) <= 1) && (reason[0] > 0) == (reason[1] > 0), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: %d iterations (%s) with bbs, %d (%s) with PETSc's factors", what.c_str(), (int)its[1],
             KSPConvergedReasons[reason[1]], (int)its[0], KSPConvergedReasons[reason[0]]);
  PetscCheck((reason[0] == KSP_DIVERGED_PC_FAILED) == (reason[1] == KSP_DIVERGED_PC_FAILED), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: %s with bbs", what.c_str(), KSPConvergedReasons[reason[1]]);
  if (reason[0] > 0) PetscCall(CheckVec(z[0], z[1], 1e-8, what.c_str()));
  for (Vec &v : z) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shifts(void)
{
  const char *const shifts[]    = {"none",
                                   "nonzero",
                                   "nonzero -pc_factor_shift_amount 0.7",
                                   "positive_definite",
                                   "positive_definite -pc_factor_zeropivot 1e-2",
                                   "inblocks",
                                   "inblocks -pc_factor_shift_amount 3",
                                   "inblocks -pc_factor_shift_amount 2 -pc_factor_zeropivot 1e-1",
                                   "nonzero -pc_factor_shift_amount 0.5 -pc_factor_zeropivot 1e-1"};
  const Entries     symmetric[] = {Kershaw(7), FivePoint(13, 11, 4, 1), FivePoint(13, 11, 2.5, 1), FivePoint(13, 11, 3.3, 1),
                                   FivePoint(12, 9, 1, 1)};
  const Entries     general[]   = {FivePoint(13, 11, 4, 0.5), FivePoint(13, 11, 2.5, 0.9), FivePoint(13, 11, 0.3, 0.5),
                                   FivePoint(12, 9, 1, 0.7),  FivePoint(12, 9, 0, 0.5),    Kershaw(7)};

  PetscFunctionBegin;
  for (const char *shift : shifts) {
    /* a shift so small that rounding, with multiplications and additions in one, tells on it */
    if (TestOnDevice() && (!strcmp(shift, "nonzero") || !strcmp(shift, "inblocks"))) continue;
    for (MatType type : {TestOnDevice() ? TestAIJ() : (MatType)MATAIJ, TestType()}) {
      for (const char *more : {"", "-mat_bbs_ordering level"}) {
        for (const Entries &e : symmetric)
          PetscCall(AsPETSc(e, type, "-ksp_type gmres -pc_type icc -pc_factor_shift_type ", shift, more));
        for (const Entries &e : general)
          PetscCall(AsPETSc(e, type, "-ksp_type gmres -pc_type ilu -pc_factor_shift_type ", shift, more));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Shifts);
}
