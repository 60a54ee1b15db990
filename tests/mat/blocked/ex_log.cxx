static char help[] = "Log events of MATBDIA: how often and with how many flops. Run with -log_view to see them.\n\n";

#include "core.h"

#include <cctype>

/* what: the name without the kind, Mult of HeptaBDIAMult */
static PetscErrorCode CheckEvent(MPI_Comm comm, const char what[], int count, PetscReal flops, PetscReal at_most)
{
  PetscLogEvent      event;
  PetscEventPerfInfo info;
  PetscReal          sum;
  std::string        kind = TestKind();

  PetscFunctionBegin;
  for (char &c : kind) c = (char)std::toupper(c);
  const std::string whole = "Hepta" + kind + what;
  const char *const name  = whole.c_str();
  PetscCall(PetscLogEventGetId(name, &event));
  PetscCheck(event >= 0, comm, PETSC_ERR_PLIB, "No event %s", name);
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
  PetscCheck(info.count == count, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s was logged %d times instead of %d", name, info.count,
             count);
  sum = info.flops;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, comm));
  PetscCheck(sum >= flops && sum <= at_most, comm, PETSC_ERR_PLIB, "%s: %g flops instead of %g", name, (double)sum,
             (double)flops);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The flops of a product are MATAIJ's: 2 for each entry less 1 for each row, whatever is stored */
static PetscErrorCode Test(MPI_Comm comm, const char prefix[])
{
  Mat            A, B;
  Vec            x, y;
  MatInfo        info;
  const PetscInt rows = 34;
  Shape          s;

  PetscFunctionBegin;
  s.bs  = 2;
  s.nbr = s.nbc = rows / 2;
  PetscCall(NewMat(comm, s, MATAIJ, prefix, &A));
  for (const Block &b : MakeBlocks(s, {-4, -1, 0, 1, 4}, 0)) {
    for (PetscInt k = 0; k < 4; k++) {
      const PetscInt i = 2 * b.first + k / 2, j = 2 * b.second + k % 2;
      if (PairNumber(PetscMin(i, j), PetscMax(i, j), 3) > -0.8) PetscCall(MatSetValue(A, i, j, 1, INSERT_VALUES));
    }
  }
  PetscCall(Assemble(A));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(VecSet(x, 1));
  for (PetscInt k = 0; k < 3; k++) PetscCall(MatMult(B, x, y));
  PetscCall(MatMultTranspose(B, x, y));
  const PetscReal one = 2 * info.nz_used - rows, most = PETSC_MAX_REAL;
  PetscCall(CheckEvent(comm, "Mult", 3, 3 * one, 3 * one));
  PetscCall(CheckEvent(comm, "MultTr", 1, one, most)); /* the scatter adds at the other ranks, and counts that */
  PetscCall(CheckEvent(comm, "Convert", 1, 0, most));
  PetscCall(CheckEvent(comm, "Assembly", 1, 0, most));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-half_mat_bdia_half").c_str()));
  for (const char *prefix : {"full_", "half_"}) { /* a stage each: the counts begin anew */
    PetscLogStage stage;
    PetscCall(PetscLogStageRegister(prefix, &stage));
    PetscCall(PetscLogStagePush(stage));
    PetscCall(Test(PETSC_COMM_WORLD, prefix));
    PetscCall(PetscLogStagePop());
  }
  PetscCall(PetscFinalize());
  return 0;
}
