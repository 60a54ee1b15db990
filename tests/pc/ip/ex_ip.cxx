static char help[] =
  "PCIP against dense matrices: variants, block sizes, storages, changed values, rows of Poisson's equation, errors.\n\n";

#include "ip_dense.h"

#include <petscdmda.h>

#include "failure.h"

static PetscErrorCode NewPC(Mat A, const char variant[], HeptaMatStorage storage, PC *pc)
{
  PetscInt which = 0;

  PetscFunctionBeginUser;
  while (std::string(HeptaIPVariants[which]) != variant) which++;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetType(*pc, PCIP));
  PetscCall(PCIPSetVariant(*pc, (HeptaIPVariant)which));
  PetscCall(PCIPSetStorage(*pc, storage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both matrices, before and after a change of values and of structure */
static PetscErrorCode Case(const TestCase &c)
{
  Pair        p;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(c.comm, &size));
  PetscCall(PairCreate(c.comm, c.spec, &p));
  for (const char *variant : {"scaled", "published", "full"}) {
    for (Mat A : {p.aij, p.bdia}) {
      const HeptaMatStorage storage = c.spec.seed % 2 ? HEPTA_MAT_STORAGE_DOUBLE : HEPTA_MAT_STORAGE_SINGLE;
      const PetscReal       tol     = storage == HEPTA_MAT_STORAGE_SINGLE ? 1e-5 : c.storage.tol;
      const std::string     what    = std::string(variant) + ", " + ((PetscObject)A)->type_name;
      PC                    pc;

      if (size > 1 && c.spec.bs > 3 && (A == p.aij || std::string(variant) != "scaled")) continue; /* many columns, slowly */
      PetscCall(PetscOptionsInsertString(nullptr, "-mat_bdia_max_fill 100"));
      PetscCall(NewPC(A, variant, storage, &pc));
      PetscCall(CheckIP(pc, p.aij, variant, A == p.aij ? PetscMax(tol, 1e-12) : tol, what));
      for (Mat B : {p.aij, p.bdia}) PetscCall(MatScale(B, -3));
      for (Mat B : {p.aij, p.bdia}) PetscCall(MatShift(B, 0.5));
      PetscCall(CheckIP(pc, p.aij, variant, tol, what + ", changed values"));
      PetscCall(PCDestroy(&pc));
    }
  }
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills of two steps fall on the pattern: 9 points */
static PetscErrorCode Fills(MPI_Comm comm)
{
  PetscFunctionBeginUser;
  for (PetscInt bs : {1, 2}) {
    TestCase c;
    c.comm         = comm;
    c.storage      = TestStorages()[0];
    c.spec.bs      = bs;
    c.spec.nb      = 36;
    c.spec.seed    = 1;
    c.spec.options = c.storage.options;
    c.spec.off     = {-7, -6, -5, -2, -1, 0, 1, 2, 5, 6, 7};
    PetscCall(Case(c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* diagonal in the main diagonal of an assembled matrix, -1 at its other locations */
static PetscErrorCode SetStencil(Mat A, PetscReal diagonal)
{
  PetscInt start, end;
  Mat      pattern;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &pattern));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscInt        n;
    const PetscInt *j;
    PetscCall(MatGetRow(pattern, i, &n, &j, nullptr));
    for (PetscInt k = 0; k < n; k++) PetscCall(MatSetValue(A, i, j[k], j[k] == i ? diagonal : -1, INSERT_VALUES));
    PetscCall(MatRestoreRow(pattern, i, &n, &j, nullptr));
  }
  PetscCall(MatDestroy(&pattern));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StarGrid(MPI_Comm comm, PetscInt dim, PetscInt n, DM *da)
{
  PetscFunctionBeginUser;
  if (dim == 2)
    PetscCall(DMDACreate2d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, n, PETSC_DECIDE, PETSC_DECIDE, 1, 1,
                           nullptr, nullptr, da));
  else
    PetscCall(DMDACreate3d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, n, n, PETSC_DECIDE,
                           PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr, da));
  PetscCall(DMSetMatType(*da, TestType()));
  PetscCall(DMSetUp(*da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The inner rows of Poisson's equation in the published form: (1/4, 1/4, 9/8, 1/4, 1/4), and 1 + 3/36 on the diagonal in 3-D */
static PetscErrorCode PoissonRows(MPI_Comm comm, PetscInt dim)
{
  const PetscInt n = 6;
  DM             da;
  Mat            A;
  PC             pc;
  Dense          a, m;
  PetscInt       inner = 0;

  PetscFunctionBeginUser;
  PetscCall(StarGrid(comm, dim, n, &da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(SetStencil(A, 2 * dim));
  PetscCall(NewPC(A, "published", HEPTA_MAT_STORAGE_DOUBLE, &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(DenseFromMat(A, &a));
  PetscCall(DenseFromPC(pc, A, false, &m));
  for (PetscInt i = 0; i < a.n; i++) {
    PetscInt lower = 0, upper = 0;
    for (PetscInt j = 0; j < a.n; j++) {
      if (a(i, j) == 0) continue;
      if (j != i)
        PetscCheck(std::abs(m(i, j) - 0.5 / dim) < TestTolerance(1e-14), comm, PETSC_ERR_PLIB,
                   "Row %" PetscInt_FMT " has %g beside the diagonal", i, (double)m(i, j));
      lower += j < i;
      upper += j > i;
    }
    PetscCheck(std::abs(m(i, i) - (1 + lower / (4. * dim * dim))) < TestTolerance(1e-14), comm, PETSC_ERR_PLIB,
               "Row %" PetscInt_FMT " has %g on the diagonal", i, (double)m(i, i));
    inner += lower == dim && upper == dim;
  }
  PetscCheck(inner > 0, comm, PETSC_ERR_PLIB, "No inner row was looked at");
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A zero pivot in global block 5 */
static PetscErrorCode Refused(MPI_Comm comm, PetscInt bs)
{
  PairSpec s;
  Pair     p;
  PC       pc;
  PetscInt start, end;

  PetscFunctionBeginUser;
  s.bs = bs;
  PetscCall(PairCreate(comm, s, &p));
  PetscCall(MatGetOwnershipRange(p.bdia, &start, &end));
  for (PetscInt i = 5 * bs; i < 6 * bs; i++) {
    for (PetscInt j = 5 * bs; j < 6 * bs && i >= start && i < end; j++)
      PetscCall(MatSetValue(p.bdia, i, j, bs > 1 ? 1 : 0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(p.bdia, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p.bdia, MAT_FINAL_ASSEMBLY));
  PetscCall(NewPC(p.bdia, "scaled", HEPTA_MAT_STORAGE_DOUBLE, &pc));
  PetscCall(ExpectError(PETSC_ERR_MAT_LU_ZRPVT, "row " + std::to_string(bs > 1 ? 5 * bs + 1 : 5), [&] { return PCSetUp(pc); }));
  PetscCall(PCDestroy(&pc));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(TestEach(PETSC_COMM_WORLD, Case));
  PetscCall(Fills(PETSC_COMM_WORLD));
  for (PetscInt dim : {2, 3}) PetscCall(PoissonRows(PETSC_COMM_WORLD, dim));
  for (PetscInt bs : {1, 2}) PetscCall(Refused(PETSC_COMM_WORLD, bs));
  PetscCall(PetscFinalize());
  return 0;
}
