static char help[] =
  "The factors of ILU(0) and ICC(0) by the solver type bbs, entry by entry, against elimination by hand in dense arithmetic.\n\n";

#include "dense.h"
#include "twin.h"

/* T from T^-1, whose columns are the solutions for unit vectors */
static PetscErrorCode Recover(Mat A, Mat F, Solver solve, Dense *T)
{
  Dense inverse;

  PetscFunctionBegin;
  PetscCall(DenseFromColumns(A, [&](Vec b, Vec x) { return solve(F, b, x); }, &inverse));
  *T = DenseInverse(inverse);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Block (m, c) of size bs */
static Dense Block(const Dense &A, PetscInt bs, PetscInt m, PetscInt c)
{
  Dense B(bs);

  for (PetscInt r = 0; r < bs; r++) {
    for (PetscInt s = 0; s < bs; s++) B(r, s) = A(m * bs + r, c * bs + s);
  }
  return B;
}

static void SetBlock(Dense &A, PetscInt m, PetscInt c, const Dense &B)
{
  for (PetscInt r = 0; r < B.n; r++) {
    for (PetscInt s = 0; s < B.n; s++) A(m * B.n + r, c * B.n + s) = B(r, s);
  }
}

/* *L, *U <- unit lower and upper factor of the blocks: L_ik = a_ik u_kk^-1, a_ij <- a_ij - L_ik u_kj where A has a block */
static PetscErrorCode Eliminate(const Entries &e, Dense *L, Dense *U)
{
  const PetscInt                          bs = e.bs, nb = e.n / bs;
  std::set<std::pair<PetscInt, PetscInt>> locations;

  PetscFunctionBegin;
  *L = DenseIdentity(e.n);
  *U = Dense(e.n);
  for (size_t k = 0; k < e.v.size(); k++) {
    (*U)(e.i[k], e.j[k]) = PetscRealPart(e.v[k]);
    locations.insert({e.i[k] / bs, e.j[k] / bs});
  }
  for (PetscInt i = 0; i < nb; i++) {
    for (PetscInt k = 0; k < i; k++) {
      if (!locations.count({i, k})) continue;
      const Dense l = DenseProduct(Block(*U, bs, i, k), DenseInverse(Block(*U, bs, k, k)));
      SetBlock(*L, i, k, l);
      SetBlock(*U, i, k, Dense(bs));
      for (PetscInt j = k + 1; j < nb; j++) {
        if (locations.count({k, j}) && locations.count({i, j}))
          SetBlock(*U, i, j, DenseSum(1, Block(*U, bs, i, j), -1, DenseProduct(l, Block(*U, bs, k, j))));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each entry to 1e-12 of the largest of its row */
static PetscErrorCode CheckEntries(const Dense &expected, const Dense &got, const std::string &what)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < expected.n; i++) {
    PetscReal largest = 0;
    for (PetscInt j = 0; j < expected.n; j++) largest = PetscMax(largest, PetscAbsReal(expected(i, j)));
    for (PetscInt j = 0; j < expected.n; j++) {
      PetscCheck(PetscAbsReal(expected(i, j) - got(i, j)) <= 1e-12 * largest, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "%s: entry (%d, %d) is %.15g instead of %.15g", what.c_str(), (int)i, (int)j, (double)got(i, j),
                 (double)expected(i, j));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* IC(0) shares the diagonal: L sqrt(D) and its transpose */
static PetscErrorCode Check(const Entries &e, MatType type, bool icc, const std::string &options)
{
  const std::string what =
    std::string(icc ? "icc" : "ilu") + " of " + type + " with blocks of " + std::to_string(e.bs) + " " + options;
  Dense L, U, l, u;
  Mat   A, F;
  PC    pc;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, type, e, &A));
  PetscCall(
    NewFactor(A, std::string("-pc_type ") + (icc ? "icc " : "ilu ") + "-pc_factor_mat_solver_type bbs " + options, &pc, &F));
  PetscCall(Recover(A, F, MatForwardSolve, &l));
  PetscCall(Recover(A, F, MatBackwardSolve, &u));
  PetscCall(Eliminate(e, &L, &U));
  if (icc) {
    Dense root(e.n), inverse(e.n);
    for (PetscInt i = 0; i < e.n; i++) {
      root(i, i)    = PetscSqrtReal(U(i, i));
      inverse(i, i) = 1 / root(i, i);
    }
    L = DenseProduct(L, root);
    U = DenseProduct(inverse, U);
  }
  PetscCall(CheckEntries(L, l, what + ", lower factor"));
  PetscCall(CheckEntries(U, u, what + ", upper factor"));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test()
{
  PetscFunctionBegin;
  for (const char *options :
       {"", "-mat_bbs_engine levels", "-mat_bbs_engine syncfree", "-mat_bbs_engine together", "-mat_bbs_chunk 8"}) {
    for (MatType type : {TestAIJ(), TestType()}) {
      for (const Entries &e : {Scattered(60, 1, 3, false, 1), Jumps({8, 7}, 1, 0.3, 2)})
        PetscCall(Check(e, type, false, options));
      for (const Entries &e : {Scattered(60, 1, 3, true, 3), Jumps({4, 4, 3}, 1, 0, 4)}) PetscCall(Check(e, type, true, options));
    }
    for (MatType type : {(MatType)MATBAIJ, TestType()}) {
      for (PetscInt bs : {2, 3, 5}) PetscCall(Check(Scattered(15, bs, 2, false, 5), type, false, options));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Test);
}
