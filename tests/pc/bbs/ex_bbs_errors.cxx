static char help[] = "What PC bbs refuses, on several processes too, where it works in block Jacobi.\n\n";

#include "triangle.h"

#include <limits>

static PetscErrorCode Fails(MPI_Comm comm, MatType type, const Entries &e, const std::string &options, PetscErrorCode code,
                            const std::string &words)
{
  return ExpectRefused(comm, type, e, "-pc_type bbs " + options, code, words);
}

static const PetscReal bad_values[] = {std::numeric_limits<PetscReal>::quiet_NaN(), std::numeric_limits<PetscReal>::infinity()};

static PetscErrorCode BlockErrors(void)
{
  const Entries blocks = Scattered(10, 2, 9, false, 1);

  PetscFunctionBegin;
  for (MatType type : {TestType(), (MatType)MATBAIJ}) {
    PetscCall(
      Fails(PETSC_COMM_SELF, type, blocks, "-pc_bbs_triangle upper", PETSC_ERR_ARG_WRONG, "row 2 has an entry in column 0"));
    Entries singular = With(With(Part(blocks, Kind::upper), 6, 6, 1), 6, 7, 2);
    PetscCall(Fails(PETSC_COMM_SELF, type, With(With(singular, 7, 6, 2), 7, 7, 4), "", PETSC_ERR_MAT_LU_ZRPVT,
                    "its diagonal block is singular"));
    for (PetscReal bad : bad_values) {
      PetscCall(Fails(PETSC_COMM_SELF, type, With(Part(blocks, Kind::upper), 6, 6, bad), "", PETSC_ERR_FP,
                      "row 6 has an entry that is Inf or NaN"));
      PetscCall(Fails(PETSC_COMM_SELF, type, With(Part(blocks, Kind::lower), 7, 7, bad), "-pc_bbs_triangle lower", PETSC_ERR_FP,
                      "row 7 has an entry that is Inf or NaN"));
    }
    PetscCall(Fails(PETSC_COMM_SELF, type, Without(Part(blocks, Kind::lower), 4), "-pc_bbs_triangle lower",
                    PETSC_ERR_ARG_WRONGSTATE, "row 8 has no diagonal entry"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor that single precision cannot hold, in the block of the first process: the solve fails on all processes */
static PetscErrorCode OverflowOfOneProcess(void)
{
  const PetscInt     n = 12;
  Mat                A;
  KSP                ksp;
  Vec                x, b;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  if (PetscDefined(USE_REAL_SINGLE)) PetscFunctionReturn(PETSC_SUCCESS);
  for (MatType type : {(MatType)MATAIJ, TestType()}) {
    PetscCall(Make(PETSC_COMM_WORLD, type, With(With(Chain(n), 0, 0, 1e-20), 0, 1, 1e30), &A));
    PetscCall(NewKSP(A,
                     "-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_mat_solver_type bbs "
                     "-sub_pc_factor_zeropivot 1e-200 -sub_mat_bbs_storage single",
                     &ksp));
    PetscCall(NewVecs(A, &x, &b));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCheck(reason == KSP_DIVERGED_PC_FAILED, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %s", type,
               KSPConvergedReasons[reason]);
    PetscCall(Destroy(&x, &b, &ksp, &A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A quotient of 1e50, which double precision alone holds */
static PetscErrorCode Overflow(void)
{
  const std::string words = "the factors have a value in row 5 that single precision cannot hold";
  Mat               A;
  PC                pc;

  PetscFunctionBegin;
  if (PetscDefined(USE_REAL_SINGLE)) PetscFunctionReturn(PETSC_SUCCESS);
  for (MatType type : {TestAIJ(), TestType()}) {
    for (Kind kind : {Kind::upper, Kind::lower, Kind::both}) {
      const std::string options = Names(kind).back();
      const Entries     e       = With(With(Part(Chain(9), kind), 5, 5, 1e-20), 5, kind == Kind::lower ? 4 : 6, 1e30);
      PetscCall(Fails(PETSC_COMM_SELF, type, e, options + " -mat_bbs_storage single", PETSC_ERR_FP, words));
      PetscCall(Make(PETSC_COMM_SELF, type, e, &A));
      PetscCall(NewPC(A, "-pc_type bbs " + options, &pc));
      PetscCall(Destroy(&pc, &A));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first row that is wrong has its name in the message */
static PetscErrorCode Errors(void)
{
  const Entries chain = Chain(20);

  PetscFunctionBegin;
  for (MatType type : {TestAIJ(), TestType(), (MatType)MATBAIJ}) {
    for (const char *options : {"", "-pc_bbs_triangle upper"})
      PetscCall(Fails(PETSC_COMM_SELF, type, chain, options, PETSC_ERR_ARG_WRONG,
                      "the matrix is not upper triangular: row 1 has an entry in column 0"));
    PetscCall(Fails(PETSC_COMM_SELF, type, Part(chain, Kind::upper), "-pc_bbs_triangle lower", PETSC_ERR_ARG_WRONG,
                    "the matrix is not lower triangular: row 0 has an entry in column 1"));
    for (Kind kind : {Kind::upper, Kind::lower, Kind::both}) {
      const std::string options = Names(kind).back();
      const Entries     e       = Part(chain, kind);
      PetscCall(Fails(PETSC_COMM_SELF, type, With(e, 7, 7, 0), options, PETSC_ERR_MAT_LU_ZRPVT, "row 7 is zero"));
      PetscCall(Fails(PETSC_COMM_SELF, type, Without(e, 7), options, PETSC_ERR_ARG_WRONGSTATE, "row 7 has no diagonal entry"));
      for (PetscReal bad : bad_values) {
        PetscCall(
          Fails(PETSC_COMM_SELF, type, With(e, 7, 7, bad), options, PETSC_ERR_FP, "row 7 has an entry that is Inf or NaN"));
        PetscCall(Fails(PETSC_COMM_SELF, type, With(e, 7, kind == Kind::lower ? 6 : 8, bad), options, PETSC_ERR_FP,
                        "row 7 has an entry that is Inf or NaN"));
      }
    }
  }
  PetscCall(BlockErrors());
  PetscCall(Fails(PETSC_COMM_SELF, MATDENSE, Part(chain, Kind::upper), "", PETSC_ERR_SUP, "not seqdense"));
  PetscCall(Fails(PETSC_COMM_SELF, MATMPIAIJ, Part(chain, Kind::upper), "", PETSC_ERR_SUP, "not mpiaij"));
  PetscCall(Fails(PETSC_COMM_SELF, TestAIJ(), chain, "-pc_bbs_triangle left", PETSC_ERR_USER, "left"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc takes the set-up that failed for done, and applies the preconditioner all the same: the error comes again, until the
   values are good */
static PetscErrorCode FailsAgain(MatType type)
{
  System s;

  PetscFunctionBegin;
  PetscCall(SystemCreate(PETSC_COMM_SELF, type, Part(Chain(20), Kind::upper), "-pc_type bbs", &s));
  PetscCall(PCApply(s.pc, s.b, s.x));
  for (PetscReal bad : {std::numeric_limits<PetscReal>::quiet_NaN(), (PetscReal)2}) {
    PetscCall(MatSetValue(s.A, 7, 7, bad, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(s.A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(s.A, MAT_FINAL_ASSEMBLY));
    for (int k = 0; k < 2; k++) {
      if (bad == 2) PetscCall(PCApply(s.pc, s.b, s.x));
      else PetscCall(ExpectError(PETSC_ERR_FP, "row 7 has an entry that is Inf or NaN", [&] { return PCApply(s.pc, s.b, s.x); }));
    }
  }
  PetscCall(SystemDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rectangular(void)
{
  Mat A;
  PC  pc = nullptr;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 4, 5, 1, nullptr, &A));
  for (PetscInt i = 0; i < 4; i++) PetscCall(MatSetValue(A, i, i, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(ExpectError(PETSC_ERR_ARG_SIZ, "PC bbs needs a square matrix", [&] { return NewPC(A, "-pc_type bbs", &pc); }));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix on several processes is refused; in block Jacobi each takes its own part */
static PetscErrorCode Parallel(void)
{
  const Entries e = Part(Jumps({12, 9}, 1, 0.3, 1), Kind::lower);
  Entries       mine;
  System        s;
  PetscInt      start, end;
  Numbers       given, got;

  PetscFunctionBegin;
  for (MatType type : {TestAIJ(), TestType()}) {
    PetscCall(Fails(PETSC_COMM_WORLD, type, e, "", PETSC_ERR_SUP, "on several MPI processes use it inside -pc_type bjacobi"));
    PetscCall(SystemCreate(PETSC_COMM_WORLD, type, e, "-pc_type bjacobi -sub_pc_type bbs", &s));
    PetscCall(ToNumbers(s.b, &given));
    PetscCall(PCApply(s.pc, s.b, s.x));
    PetscCall(ToNumbers(s.x, &got));
    PetscCall(MatGetOwnershipRange(s.A, &start, &end));
    mine   = Entries();
    mine.n = end - start;
    for (size_t k = 0; k < e.v.size(); k++) {
      if (PetscMin(e.i[k], e.j[k]) >= start && PetscMax(e.i[k], e.j[k]) < end) mine.Add(e.i[k] - start, e.j[k] - start, e.v[k]);
    }
    PetscCheck(Distance(ByHand(mine, Kind::lower, false, given), got) <= 1e-13, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s in block Jacobi differs from the answer", type);
    PetscCall(SystemDestroy(&s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, [] {
    PetscMPIInt size;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(OverflowOfOneProcess());
    if (size > 1) PetscCall(Parallel());
    else {
      PetscCall(Errors());
      PetscCall(Overflow());
      for (MatType type : {TestAIJ(), TestType()}) PetscCall(FailsAgain(type));
      PetscCall(Rectangular());
    }
    return PETSC_SUCCESS;
  });
}
