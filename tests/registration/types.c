/*
   Registers, uses, finalizes and starts again: the types must be there each time, and registering twice must add nothing.

   With LINKED the program calls HeptaRegisterAll() itself; without, it knows only PETSc and expects -dll_append.
*/
#include <petscksp.h>
#include <petsc/private/matimpl.h>
#if defined(LINKED)
  #include <hepta.h>
#endif

typedef struct {
  int mat, seqaij, roots, pc, ksp;
} Counts;

static PetscErrorCode CountList(PetscFunctionList list, int *n)
{
  const char **names;

  PetscFunctionBeginUser;
  PetscCall(PetscFunctionListGet(list, &names, n));
  PetscCall(PetscFree(names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count(Counts *c)
{
  PetscFunctionBeginUser;
  PetscCall(CountList(MatList, &c->mat));
  PetscCall(CountList(MatSeqAIJList, &c->seqaij));
  PetscCall(CountList(PCList, &c->pc));
  PetscCall(CountList(KSPList, &c->ksp));
  c->roots = 0;
  for (MatRootName r = MatRootNameList; r; r = r->next) c->roots++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How often a root name stands in PETSc's list, which never removes duplicates */
static int CountRoot(const char name[])
{
  int n = 0;

  for (MatRootName r = MatRootNameList; r; r = r->next) n += !strcmp(r->rname, name);
  return n;
}

static PetscErrorCode CheckTypes(void)
{
  const char *types[] = {"seqbdia", "mpibdia", "seqaijbdia"};
  PetscErrorCode (*create)(Mat);
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *);
  PetscBool found;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(types); i++) {
    PetscCall(PetscFunctionListFind(MatList, types[i], &create));
    PetscCheck(create, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mat type %s is not registered", types[i]);
  }
  PetscCall(PetscFunctionListFind(MatSeqAIJList, "seqaijbdia", &convert));
  PetscCheck(convert, PETSC_COMM_SELF, PETSC_ERR_PLIB, "seqaijbdia is no choice for -mat_seqaij_type");
  PetscCheck(CountRoot("bdia") == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Root name bdia stands %d times in the list",
             CountRoot("bdia"));
  /* our registration must not keep PETSc's own solver types from being registered */
  PetscCall(MatSolverTypeGet("petsc", MATSEQAIJ, MAT_FACTOR_LU, NULL, &found, NULL));
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "PETSc's own LU for seqaij is gone");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The 1-D Laplacian: A u for u = 1 is zero but at the two ends */
static PetscErrorCode CheckMult(void)
{
  Mat       A;
  Vec       u, f;
  PetscInt  start, end, n = 17;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(A, "bdia"));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(A, i, i - 1, -1, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(A, i, i + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &u, &f));
  PetscCall(VecSet(u, 1));
  PetscCall(MatMult(A, u, f));
  PetscCall(VecNorm(f, NORM_1, &norm));
  PetscCheck(PetscAbsReal(norm - 2) < 1e-6, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "|A 1|_1 is %g, not 2", (double)norm);
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&f));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Registering again leaves every list as it is; a program that was not linked has nothing to call */
static PetscErrorCode CheckTwice(void)
{
#if defined(LINKED)
  Counts before, after;

  PetscFunctionBeginUser;
  PetscCall(HeptaRegisterAll());
  PetscCall(Count(&before));
  PetscCall(HeptaRegisterAll());
  PetscCall(Count(&after));
  PetscCheck(!memcmp(&before, &after, sizeof(before)), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Registering twice changed the lists: %d to %d Mat types, %d to %d root names", before.mat, after.mat, before.roots,
             after.roots);
  PetscFunctionReturn(PETSC_SUCCESS);
#else
  return PETSC_SUCCESS;
#endif
}

int main(int argc, char **argv)
{
  Counts first = {0}, now = {0};

  MPI_Init(&argc, &argv); /* ours, so that PetscFinalize() leaves it and PetscInitialize() may come again */
  for (int round = 0; round < 3; round++) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(KSPInitializePackage());
    PetscCall(CheckTwice());
    PetscCall(CheckTypes());
    PetscCall(CheckMult());
    PetscCall(Count(&now));
    if (!round) first = now;
    /* the other lists differ: PETSc itself registers its lmvm types in the first round only */
    PetscCheck(first.roots == now.roots, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Round %d: %d root names, first %d", round, now.roots,
               first.roots);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "round %d: %d Mat types, %d root names\n", round, now.mat, now.roots));
    PetscCall(PetscFinalize());
  }
  MPI_Finalize();
  return 0;
}
