static char help[] =
  "Matrix products with MATBDIA factors against the same with MATAIJ: all product types, partners aij, dense and bdia,\n\
new values in the same product.\n\n";

#include "pair.h"

#include <cstring>

/* Factor k of a product: for the oracle and for the test */
struct Operand {
  const char *name;
  Mat         plain, test;
};

static const char *const types[] = {"", "AB", "AtB", "ABt", "PtAP", "RARt", "ABC"};

/* C of the given type from A, B (and X for ABC), in the way PETSc's own functions go */
static PetscErrorCode Multiply(MatProductType type, Mat A, Mat B, Mat X, Mat *C)
{
  PetscFunctionBeginUser;
  PetscCall(MatProductCreate(A, B, type == MATPRODUCT_ABC ? X : nullptr, C));
  PetscCall(MatProductSetType(*C, type));
  PetscCall(MatProductSetFill(*C, 2));
  PetscCall(MatProductSetFromOptions(*C));
  PetscCall(MatProductSymbolic(*C));
  PetscCall(MatProductNumeric(*C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The products with dense that PETSc does not have for aij either */
static bool Missing(MatProductType type, const Operand &a, const Operand &b)
{
  PetscMPIInt size;

  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (!strcmp(a.name, "dense")) return type == MATPRODUCT_ABt || type == MATPRODUCT_AtB || type == MATPRODUCT_RARt;
  return size > 1 && type == MATPRODUCT_ABt && !strcmp(b.name, "dense");
}

/* One product; then new values everywhere and the numeric phase again */
static PetscErrorCode Check(MatProductType type, const PairSpec &s, const Pair &p, const Operand &a, const Operand &b,
                            const Operand &x)
{
  Mat C[2];

  PetscFunctionBeginUser;
  const std::string what = std::string(types[type]) + " bs " + std::to_string(s.bs) + ": " + a.name + " " + b.name +
                           (type == MATPRODUCT_ABC ? std::string(" ") + x.name : "");
  if (Missing(type, a, b)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Multiply(type, a.plain, b.plain, x.plain, &C[0]));
  PetscCall(Multiply(type, a.test, b.test, x.test, &C[1]));
  PetscCall(CheckMat(C[0], C[1], 1e-13, what.c_str()));
  for (PetscInt round = 1; round < 3; round++) {
    for (Mat A : {p.aij, p.bdia}) PetscCall(PairFill(A, s, s.seed + round));
    PetscCall(MatDestroy(&C[0])); /* anew: mpiaij does not see new values in ABt */
    PetscCall(Multiply(type, a.plain, b.plain, x.plain, &C[0]));
    PetscCall(MatProductNumeric(C[1]));
    PetscCall(CheckMat(C[0], C[1], 1e-13, (what + ", new values").c_str()));
  }
  for (Mat A : {p.aij, p.bdia}) PetscCall(PairFill(A, s, s.seed));
  for (Mat &c : C) PetscCall(MatDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An interpolation to half as many block rows: bs entries a row */
static PetscErrorCode Interpolation(Mat A, const PairSpec &s, Mat *P)
{
  PetscInt m, start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, nullptr));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), P));
  PetscCall(MatSetSizes(*P, m, PETSC_DECIDE, s.nb * s.bs, (s.nb + 1) / 2 * s.bs));
  PetscCall(MatSetType(*P, MATAIJ));
  for (PetscInt i = start; i < end; i++) {
    const PetscInt    j = i / s.bs / 2 * s.bs + i % s.bs;
    const PetscScalar v = 1 + 0.1 * PairNumber(i, j, 5);
    PetscCall(MatSetValues(*P, 1, &i, 1, &j, &v, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dense, as many rows as A */
static PetscErrorCode Dense(Mat A, PetscInt columns, Mat *D)
{
  PetscInt m, M;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, nullptr));
  PetscCall(MatGetSize(A, &M, nullptr));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)A), m, columns == M ? m : PETSC_DECIDE, M, columns, nullptr, D));
  PetscCall(MatSetRandom(*D, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Products(const PairSpec &s)
{
  Pair p, q;
  Mat  P, R, D, D3;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PairSpec other = s;
  other.off      = s.symmetric ? std::vector<PetscInt>{-2, 0, 2} : std::vector<PetscInt>{-2, 0, 1};
  PetscCall(PairCreate(PETSC_COMM_WORLD, other, &q));
  PetscCall(Interpolation(p.aij, s, &P));
  PetscCall(MatTranspose(P, MAT_INITIAL_MATRIX, &R));
  PetscCall(Dense(p.aij, s.nb * s.bs, &D));
  PetscCall(Dense(p.aij, 3, &D3));
  const Operand A = {"bdia", p.aij, p.bdia}, B = {"other bdia", q.aij, q.bdia}, K = {"aij", q.aij, q.aij},
                prol = {"interpolation", P, P}, rest = {"restriction", R, R}, dense = {"dense", D, D},
                dense3 = {"dense, 3 columns", D3, D3};
  for (MatProductType type : {MATPRODUCT_AB, MATPRODUCT_AtB, MATPRODUCT_ABt, MATPRODUCT_PtAP, MATPRODUCT_RARt}) {
    for (const Operand &o : {A, B, K, dense}) {
      PetscCall(Check(type, s, p, A, o, o));
      PetscCall(Check(type, s, p, o, A, o));
    }
  }
  PetscCall(Check(MATPRODUCT_AB, s, p, A, dense3, A));
  PetscCall(Check(MATPRODUCT_AtB, s, p, A, dense3, A));
  PetscCall(Check(MATPRODUCT_AB, s, p, A, prol, A));
  PetscCall(Check(MATPRODUCT_PtAP, s, p, A, prol, A));
  PetscCall(Check(MATPRODUCT_RARt, s, p, A, rest, A));
  PetscCall(Check(MATPRODUCT_ABC, s, p, rest, A, prol));
  PetscCall(Check(MATPRODUCT_ABC, s, p, A, K, B));
  PetscCall(Check(MATPRODUCT_ABC, s, p, A, B, dense3));
  for (Mat m : {P, R, D, D3}) PetscCall(MatDestroy(&m));
  PetscCall(PairDestroy(&p));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one-call functions with MAT_REUSE_MATRIX, the view of the product, another matrix in its place, another pattern */
static PetscErrorCode Reuse(const PairSpec &s)
{
  Pair p, q;
  Mat  P, C[2];

  PetscFunctionBeginUser;
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &p));
  PetscCall(PairCreate(PETSC_COMM_WORLD, s, &q));
  for (Mat A : {q.aij, q.bdia}) PetscCall(PairFill(A, s, 99));
  PetscCall(Interpolation(p.aij, s, &P));
  for (int k = 0; k < 2; k++) PetscCall(MatPtAP(k ? p.bdia : p.aij, P, MAT_INITIAL_MATRIX, 2, &C[k]));
  PetscCall(CheckMat(C[0], C[1], 1e-13, "MatPtAP"));
  PetscViewer string;
  char        text[4096] = "";
  PetscCall(PetscViewerStringOpen(PETSC_COMM_WORLD, text, sizeof(text), &string));
  PetscCall(MatProductView(C[1], string));
  PetscCall(PetscViewerDestroy(&string));
  for (Mat A : {p.aij, p.bdia}) PetscCall(MatScale(A, 3));
  for (int k = 0; k < 2; k++) PetscCall(MatPtAP(k ? p.bdia : p.aij, P, MAT_REUSE_MATRIX, 2, &C[k]));
  PetscCall(CheckMat(C[0], C[1], 1e-13, "MatPtAP with MAT_REUSE_MATRIX after MatScale()"));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatProductReplaceMats(k ? q.bdia : q.aij, nullptr, nullptr, C[k]));
    PetscCall(MatProductNumeric(C[k]));
  }
  PetscCall(CheckMat(C[0], C[1], 1e-13, "MatProductReplaceMats"));
  for (Mat &c : C) PetscCall(MatDestroy(&c));
  for (int k = 0; k < 2; k++) PetscCall(MatMatMult(k ? p.bdia : p.aij, k ? q.bdia : q.aij, MAT_INITIAL_MATRIX, 2, &C[k]));
  PetscCall(CheckMat(C[0], C[1], 1e-13, "MatMatMult"));
  for (Mat c : C) PetscCall(MatProductClear(c));
  PetscCall(CheckMat(C[0], C[1], 1e-13, "MatMatMult after MatProductClear()"));
  for (Mat &c : C) PetscCall(MatDestroy(&c));
  PetscCall(MatDestroy(&P));
  PetscCall(PairDestroy(&p));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PairSpec s;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(PairEachBlockSize(20, 9, [](PairSpec &s) {
    PetscCall(Products(s));
    return Reuse(s);
  }));
  s.symmetric = true;
  s.bs        = 2;
  s.options   = "-pair_mat_bdia_half";
  PetscCall(Products(s));
  PetscCall(PetscFinalize());
  return 0;
}
