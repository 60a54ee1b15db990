static char help[] = "Solves with MATIS whose local matrices are of the tested type: as many iterations as with PETSc's own, and "
                     "what there is for preconditioners that want an assembled matrix.\n\n";

#include <petsc/private/kspimpl.h>

#include "failure.h"
#include "program.h"
#include "solve.h"
#include "substructures.h"

static const Elements grid = {2, {5, 4, 1}, 2, true, 0};

/* The matrix of the elements as MATIS with local matrices of the type */
static PetscErrorCode Create(MatType local, Mat *A)
{
  Part p;

  PetscFunctionBeginUser;
  PetscCall(PartOf(PETSC_COMM_WORLD, grid, &p));
  PetscCall(NewMatIS(PETSC_COMM_WORLD, grid, p, local, A));
  PetscCall(AddElements(*A, grid, p, 1, true));
  PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other values, so that preconditioners are set up again */
static PetscErrorCode NewValues(Mat A)
{
  Part p;

  PetscFunctionBeginUser;
  PetscCall(PartOf(PETSC_COMM_WORLD, grid, &p));
  PetscCall(MatZeroEntries(A));
  PetscCall(AddElements(A, grid, p, 2, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckIterations(const std::string &what, PetscInt ours, PetscInt theirs)
{
  PetscFunctionBeginUser;
  PetscCheck(PetscAbsInt(ours - theirs) <= 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %d iterations instead of %d", what.c_str(),
             (int)ours, (int)theirs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are the iterations of a method of ours recorded on a device? One process, since transports differ */
static PetscErrorCode CheckRecorded(KSP ksp, const std::string &what)
{
  PetscMPIInt size;
  PetscBool   ours;
  Mat         A, local;
  std::string view;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &ours, KSPFUSEDCG, KSPFUSEDBCGS, ""));
  if (!ours || !TestOnDevice() || size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(MatISGetLocalMat(A, &local));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)local, MATSEQAIJ, &ours));
  PetscCall(MatISRestoreLocalMat(A, &local));
  PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_DEFAULT, &view));
  const char *words = ours ? "passes launched one by one" : "passes recorded for ";
  PetscCheck(view.find(words) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the view does not hold \"%s\":\n%s",
             what.c_str(), words, view.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both solve with as many iterations, and again with new values. KSPs are of A[k] preconditioned by B[k]. */
static PetscErrorCode SolveBoth(const Mat A[2], const char ksp_type[], const char pc_type[], const std::string &what)
{
  KSP ksp[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(NewKSP(A[k], pc_type, &ksp[k]));
    PetscCall(KSPSetType(ksp[k], ksp_type));
  }
  for (int values = 0; values < 2; values++) {
    PetscInt its[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      if (values) PetscCall(NewValues(A[k]));
      PetscCall(CheckSolve(ksp[k], what, &its[k]));
    }
    PetscCall(CheckIterations(what, its[1], its[0]));
  }
  for (KSP k : ksp) PetscCall(CheckRecorded(k, what));
  for (KSP &k : ksp) PetscCall(KSPDestroy(&k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As with local matrices of type aij; vectors: of A, null for those of the local type */
static PetscErrorCode TestUnassembled(MatType local, const char ksp_type[], const char pc_type[], VecType vectors = nullptr)
{
  Mat               A[2];
  const std::string what = std::string(ksp_type) + " and " + pc_type + " with " + local +
                           (vectors ? std::string(" and vectors of type ") + vectors : "");

  PetscFunctionBeginUser;
  PetscCall(Create(MATAIJ, &A[0]));
  PetscCall(Create(local, &A[1]));
  if (vectors) PetscCall(MatSetVecType(A[1], vectors));
  PetscCall(SolveBoth(A, ksp_type, pc_type, what));
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner of ours assembles the matrix, and a program may do it for any other: as many iterations as with the assembled
   matrix alone */
static PetscErrorCode TestAssembled(const char pc_type[], bool by_program)
{
  Mat               A, B;
  KSP               ksp, whole;
  PetscInt          its[2];
  const std::string what = std::string(pc_type) + " of the assembled matrix";

  PetscFunctionBeginUser;
  PetscCall(Create(TestType(), &A));
  PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCall(NewKSP(A, pc_type, &ksp));
  if (by_program) PetscCall(KSPSetOperators(ksp, A, B));
  PetscCall(NewKSP(B, pc_type, &whole));
  for (int values = 0; values < 2; values++) {
    if (values) PetscCall(NewValues(A));
    if (values) PetscCall(MatConvert(A, TestType(), MAT_REUSE_MATRIX, &B));
    PetscCall(CheckSolve(ksp, what, &its[0]));
    PetscCall(CheckSolve(whole, what, &its[1]));
    PetscCall(CheckIterations(what, its[0], its[1]));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(KSPDestroy(&whole));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On several processes PETSc does not assemble local matrices of our types: an error that names the type */
static PetscErrorCode TestRefused(const char pc_type[])
{
  Mat         A;
  KSP         ksp;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Create(TestType(), &A));
  PetscCall(NewKSP(A, pc_type, &ksp));
  PetscCall(ExpectError(PETSC_ERR_SUP, std::string("Not for matrix type seq") + TestType(), [&] { return KSPSetUp(ksp); }));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product with a duplicate of a work vector, which the work vector survives */
static PetscErrorCode CheckDuplicate(Mat A, Mat B, Vec work, const std::string &what)
{
  Vec x, y, z, kept;

  PetscFunctionBeginUser;
  for (Vec *v : {&x, &y, &z, &kept}) PetscCall(VecDuplicate(work, v));
  PetscCall(VecSetRandom(x, nullptr));
  PetscCall(VecSet(work, 3));
  PetscCall(VecCopy(work, kept));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMult(B, x, z));
  PetscCall(CheckVec(z, y, TestTolerance(1e-13), (what + ": a duplicate").c_str()));
  PetscCall(CheckVec(kept, work, 0, (what + ": the vector of a duplicate").c_str()));
  for (Vec *v : {&x, &y, &z, &kept}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The link of a chain that begins at the node: positive definite */
static std::array<PetscScalar, 4> Spring(PetscInt node)
{
  const PetscScalar w = 2 + PairNumber(node, 1, 2);
  return {w + 1, -w, -w, w + 1};
}

/*
   Work vectors lie in local vectors on several processes. The same KSP then solves with matrices of other mappings: more nodes,
   as many nodes of which others are the process's own, own nodes backwards; and after the first matrix is gone.
*/
static PetscErrorCode TestVectorsInside(const char ksp_type[])
{
  const Links       links[] = {{1, 0, false}, {0, 1, false}, {2, 0, false}, {1, 0, true}};
  const std::string name    = std::string(ksp_type) + " on a chain, mapping ";
  Mat               A[4], B[4];
  KSP               ksp, whole;
  PetscObject       local;
  PetscInt          its[2];
  PetscMPIInt       size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int k = 0; k < 4; k++) PetscCall(NewChain(40, links[k], &A[k], &B[k], Spring));
  PetscCall(NewKSP(A[0], PCJACOBI, &ksp));
  PetscCall(KSPSetType(ksp, ksp_type));
  PetscCall(NewKSP(B[0], PCJACOBI, &whole));
  PetscCall(KSPSetType(whole, ksp_type));
  for (int k : {0, 1, 2, 3, 0, 3}) {
    PetscCall(KSPSetOperators(ksp, A[k], A[k]));
    PetscCall(KSPSetOperators(whole, B[k], B[k]));
    PetscCall(CheckSolve(ksp, name + std::to_string(k), &its[0]));
    PetscCall(CheckSolve(whole, name + std::to_string(k), &its[1]));
    PetscCall(CheckIterations(name + std::to_string(k), its[0], its[1]));
    PetscCall(PetscObjectQuery((PetscObject)ksp->work[0], "HeptaLocalVec", &local));
    PetscCheck((size > 1) == (local != nullptr), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: work vectors lie in %s", name.c_str(),
               local ? "local vectors" : "no local vector");
    PetscCall(CheckDuplicate(A[k], B[k], ksp->work[0], name + std::to_string(k)));
  }
  for (Mat *M : {&A[0], &B[0]}) PetscCall(MatDestroy(M));
  PetscCall(CheckSolve(ksp, "after the first matrix is gone", &its[0]));
  PetscCall(CheckIterations("after the first matrix is gone", its[0], its[1]));
  for (KSP *k : {&ksp, &whole}) PetscCall(KSPDestroy(k));
  for (int k = 1; k < 4; k++) {
    for (Mat *M : {&A[k], &B[k]}) PetscCall(MatDestroy(M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const std::string under_aij = "seqaij" + TestKind();

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsInsertString(nullptr, "-sub_pc_type ilu")); /* PETSc 3.26.1 crashes in ICC(0) of no rows with blocks */
  PetscCall(TestUnassembled(TestType(), KSPCG, PCNONE));
  PetscCall(TestUnassembled(TestType(), KSPFUSEDCG, PCJACOBI));
  PetscCall(TestUnassembled(TestType(), KSPFUSEDBCGS, PCJACOBI));
  for (const char *ksp : {KSPFUSEDCG, KSPFUSEDBCGS}) {
    if (TestOnDevice()) PetscCall(TestUnassembled(TestKind().c_str(), ksp, PCJACOBI, VECCUDA));
  }
  for (const char *ksp : {KSPFUSEDCG, KSPFUSEDBCGS}) PetscCall(TestVectorsInside(ksp));
  PetscCall(TestUnassembled(TestType(), KSPCG, PCBDDC));
  PetscCall(TestUnassembled(under_aij.c_str(), KSPCG, PCBDDC));
  PetscCall(TestUnassembled(under_aij.c_str(), KSPCG, PCBJACOBI));
  PetscCall(TestUnassembled(under_aij.c_str(), KSPGMRES, PCASM));
  for (const char *pc : {PCIP, PCBLOCKIC, PCSUBDEFLATION}) PetscCall(TestAssembled(pc, false));
  PetscCall(TestAssembled(PCBJACOBI, true));
  for (const char *pc : {PCBJACOBI, PCASM}) PetscCall(TestRefused(pc));
  PetscCall(PetscFinalize());
  return 0;
}
