static char help[] =
  "PCSUBDEFLATION against dense matrices: variants, subdomains, coarse solvers, block sizes, changed values, errors.\n\n";

#include "deflation_dense.h"

#include <petsc/private/pcimpl.h>

#include "failure.h"
#include "phases.h"

static PetscErrorCode NewPC(Mat A, HeptaSubdeflationVariant variant, PC *pc)
{
  PC inner;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetType(*pc, PCSUBDEFLATION));
  PetscCall(PCSubdeflationSetVariant(*pc, variant));
  PetscCall(PCSubdeflationGetPC(*pc, &inner));
  PetscCall(PCSetType(inner, PCJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckPC(PC pc, Mat A, const Dense &Z, PetscInt d, HeptaSubdeflationVariant variant, PetscReal tol,
                              const std::string &what)
{
  Dense     a, m;
  PetscBool known, symmetric;

  PetscFunctionBeginUser;
  PetscCall(PCSetUp(pc));
  PetscCall(DenseFromMat(A, &a));
  const Dense expected = DenseDeflated(a, DenseCoarse(a, Z, d), DenseJacobi(a), variant);
  PetscCall(DenseFromPC(pc, A, false, &m));
  PetscCall(CheckDense(expected, m, tol, what));
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  if (!known || !symmetric) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DenseFromPC(pc, A, true, &m));
  PetscCall(CheckDense(DenseTranspose(expected), m, tol, what + ", transposed"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's part of labels given for all block rows */
static PetscErrorCode LocalLabels(Mat A, const std::vector<PetscInt> &label, IS *is)
{
  const PetscInt bs = A->rmap->bs;

  PetscFunctionBeginUser;
  PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)A), A->rmap->n / bs, label.data() + A->rmap->rstart / bs,
                            PETSC_COPY_VALUES, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every variant, on aij and bdia, for labels that jump between the subdomains, before and after a change of values */
static PetscErrorCode Case(const TestCase &c)
{
  Pair                  p;
  PetscMPIInt           size;
  const PetscInt        d = 5, bs = c.spec.bs;
  std::vector<PetscInt> label;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(c.comm, &size));
  if (bs > 3) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PairCreate(c.comm, c.spec, &p));
  for (PetscInt m = 0; m < c.spec.nb; m++) label.push_back(m * 7 % d);
  const Dense Z = DenseIndicators(label, bs);
  for (int v = HEPTA_SUBDEFLATION_DEF1; v <= HEPTA_SUBDEFLATION_BNN; v++) {
    const HeptaSubdeflationVariant variant = (HeptaSubdeflationVariant)v;
    for (Mat A : {p.aij, p.bdia}) {
      const std::string what = std::string(HeptaSubdeflationVariants[v]) + ", " + ((PetscObject)A)->type_name;
      PC                pc;
      IS                is;

      if (size > 1 && (bs > 2 || (A == p.aij) != (v % 2 == 0))) continue;
      PetscCall(NewPC(A, variant, &pc));
      PetscCall(LocalLabels(A, label, &is));
      PetscCall(PCSubdeflationSetLabels(pc, is));
      PetscCall(ISDestroy(&is));
      PetscCall(CheckPC(pc, p.aij, Z, d * bs, variant, PetscMax(c.storage.tol, 1e-11), what));
      for (Mat B : {p.aij, p.bdia}) PetscCall(MatShift(B, 0.5));
      PetscCall(CheckPC(pc, p.aij, Z, d * bs, variant, PetscMax(c.storage.tol, 1e-11), what + ", changed values"));
      PetscCall(PCDestroy(&pc));
    }
  }
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The subdomains that options make are those of d labels */
static PetscErrorCode CheckKind(Mat A, const std::string &type, const char options[], const std::vector<PetscInt> &label,
                                PetscInt d)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(nullptr, options));
  PetscCall(NewPC(A, HEPTA_SUBDEFLATION_ADEF2, &pc));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(CheckPC(pc, A, DenseIndicators(label, 1), d, HEPTA_SUBDEFLATION_ADEF2, 1e-10, type + " " + options));
  PetscCall(PCDestroy(&pc));
  for (const char *key : {"-pc_subdeflation_type", "-pc_subdeflation_count", "-pc_subdeflation_size", "-pc_subdeflation_grid",
                          "-pc_subdeflation_coarse", "-pc_subdeflation_coarse_pc_type", "-pc_subdeflation_coarse_ksp_rtol"})
    PetscCall(PetscOptionsClearValue(nullptr, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Subdomains that options make, against the labels they stand for */
static PetscErrorCode Kinds(MPI_Comm comm, const char type[])
{
  const PetscInt        n = 6;
  Mat                   A;
  std::vector<PetscInt> stripes, boxes, material, both;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, 6, type, true, &A));
  for (PetscInt i = 0; i < n * n; i++) {
    const PetscInt x = i % n, y = i / n, heavy = y >= 3 && x >= 2;
    stripes.push_back(i * 7 / 36);
    boxes.push_back((y / 4) * 2 + x / 4);
    material.push_back(heavy);
    both.push_back(heavy * 4 + boxes.back());
  }
  const struct {
    const char                  *options;
    const std::vector<PetscInt> &label;
    PetscInt                     d;
  } kinds[] = {
    {"-pc_subdeflation_type stripes -pc_subdeflation_count 7", stripes, 7},
    {"-pc_subdeflation_type boxes -pc_subdeflation_size 4 -pc_subdeflation_grid 6,6", boxes, 4},
    {"-pc_subdeflation_type material", material, 2},
    {"-pc_subdeflation_type materialboxes -pc_subdeflation_size 4 -pc_subdeflation_grid 6,6", both, 8},
    {"-pc_subdeflation_type boxes -pc_subdeflation_size 4 -pc_subdeflation_grid 6,6 -pc_subdeflation_coarse cholesky", boxes, 4},
    {"-pc_subdeflation_type boxes -pc_subdeflation_size 4 -pc_subdeflation_grid 6,6 -pc_subdeflation_coarse ksp "
     "-pc_subdeflation_coarse_pc_type jacobi -pc_subdeflation_coarse_ksp_rtol 1e-13",
     boxes, 4},
  };
  for (const auto &kind : kinds) PetscCall(CheckKind(A, type, kind.options, kind.label, kind.d));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z of user vectors */
static PetscErrorCode Vectors(MPI_Comm comm)
{
  Mat   A;
  Vec   z[2];
  PC    pc;
  Dense Z(36);

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, 6, TestType(), true, &A));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(A, &z[k], nullptr));
    for (PetscInt i = 0; i < 36; i++) {
      Z(i, k) = PairNumber(i, k, 5);
      if (i >= A->rmap->rstart && i < A->rmap->rend) PetscCall(VecSetValue(z[k], i, Z(i, k), INSERT_VALUES));
    }
    PetscCall(VecAssemblyBegin(z[k]));
    PetscCall(VecAssemblyEnd(z[k]));
  }
  for (int v = HEPTA_SUBDEFLATION_DEF1; v <= HEPTA_SUBDEFLATION_BNN; v++) {
    PetscCall(NewPC(A, (HeptaSubdeflationVariant)v, &pc));
    PetscCall(PCSubdeflationSetVectors(pc, 2, z));
    PetscCall(CheckPC(pc, A, Z, 2, (HeptaSubdeflationVariant)v, 1e-10, std::string("vectors, ") + HeptaSubdeflationVariants[v]));
    PetscCall(PCDestroy(&pc));
  }
  for (Vec &v : z) PetscCall(VecDestroy(&v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values where the second rank has no rows: of 3 A it is a third */
static PetscErrorCode EmptyRank(MPI_Comm comm, const char *type)
{
  Mat         A;
  PC          pc;
  Vec         x, y, z;
  PetscReal   norm, difference;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatCreate(comm, &A));
  PetscCall(MatSetSizes(A, rank == 1 ? 0 : 20, rank == 1 ? 0 : 20, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(A, type));
  PetscCall(MatSetUp(A));
  for (PetscInt i = A->rmap->rstart; i < A->rmap->rend; i++) {
    for (PetscInt j = PetscMax(0, i - 1); j <= PetscMin(i + 1, A->cmap->N - 1); j++)
      PetscCall(MatSetValue(A, i, j, i == j ? 3 : -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecSetRandom(x, nullptr));
  PetscCall(NewPC(A, HEPTA_SUBDEFLATION_ADEF2, &pc));
  PetscCall(PetscOptionsInsertString(nullptr, "-pc_subdeflation_type stripes -pc_subdeflation_count 5"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCApply(pc, x, y));
  PetscCall(MatScale(A, 3));
  PetscCall(PCApply(pc, x, z));
  PetscCall(VecNorm(y, NORM_2, &norm));
  PetscCall(VecAXPY(y, -3, z));
  PetscCall(VecNorm(y, NORM_2, &difference));
  PetscCheck(norm > 0 && difference < TestTolerance(1e-12) * norm, comm, PETSC_ERR_PLIB,
             "%s, a rank without rows: %g apart after new values, of %g", type, (double)difference, (double)norm);
  for (const char *key : {"-pc_subdeflation_type", "-pc_subdeflation_count"}) PetscCall(PetscOptionsClearValue(nullptr, key));
  for (Vec *v : {&x, &y, &z}) PetscCall(VecDestroy(v));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refused(MPI_Comm comm)
{
  Mat                   A;
  PC                    pc;
  IS                    is;
  std::vector<PetscInt> label(36, 0);

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, 6, TestType(), false, &A));
  PetscCall(NewPC(A, HEPTA_SUBDEFLATION_ADEF2, &pc));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_count) are more than", [&] {
    PetscCall(PetscOptionsInsertString(nullptr, "-pc_subdeflation_type stripes -pc_subdeflation_count 37"));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(PetscOptionsClearValue(nullptr, "-pc_subdeflation_type"));
    PetscCall(PetscOptionsClearValue(nullptr, "-pc_subdeflation_count"));
    return PCSetUp(pc);
  }));
  PetscCall(PCDestroy(&pc));
  label[35] = 36;
  PetscCall(LocalLabels(A, label, &is));
  PetscCall(NewPC(A, HEPTA_SUBDEFLATION_ADEF2, &pc));
  PetscCall(PCSubdeflationSetLabels(pc, is));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "Block row 35 has label 36", [&] { return PCSetUp(pc); }));
  PetscCall(ISDestroy(&is));
  PetscCall(PCDestroy(&pc));
  label[35] = 3; /* 1 and 2 are empty; and A is singular without a null space: E is not positive definite */
  PetscCall(LocalLabels(A, label, &is));
  PetscCall(NewPC(A, HEPTA_SUBDEFLATION_ADEF2, &pc));
  PetscCall(PCSubdeflationSetLabels(pc, is));
  PetscCall(MatScale(A, -1));
  PetscCall(ExpectError(PETSC_ERR_MAT_CH_ZRPVT, "of size 2 is not positive definite: its pivot", [&] { return PCSetUp(pc); }));
  PetscCall(ISDestroy(&is));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(TestEach(PETSC_COMM_WORLD, Case));
  for (const char *type : {(const char *)MATAIJ, (const char *)TestType()}) {
    PetscCall(Kinds(PETSC_COMM_WORLD, type));
    PetscCall(EmptyRank(PETSC_COMM_WORLD, type));
  }
  PetscCall(Vectors(PETSC_COMM_WORLD));
  PetscCall(Refused(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}
