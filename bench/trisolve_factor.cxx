#include "trisolve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

/* where[j]: the position of column j in the current row, -1 where there is none */
static PetscErrorCode Eliminate(PetscInt i, CSR &F, const std::vector<PetscInt> &diag, std::vector<PetscInt> &where)
{
  PetscFunctionBegin;
  for (PetscInt k = F.ptr[i]; k < F.ptr[i + 1]; k++) where[F.col[k]] = k;
  for (PetscInt k = F.ptr[i]; k < diag[i]; k++) { /* a_i* <- a_i* - (a_ik / a_kk) a_k* on the pattern of row i */
    const PetscInt j = F.col[k];
    F.val[k] /= F.val[diag[j]];
    for (PetscInt l = diag[j] + 1; l < F.ptr[j + 1]; l++) {
      if (where[F.col[l]] >= 0) F.val[where[F.col[l]]] -= F.val[k] * F.val[l];
    }
  }
  for (PetscInt k = F.ptr[i]; k < F.ptr[i + 1]; k++) where[F.col[k]] = -1;
  PetscCheck(F.val[diag[i]] != 0 && std::isfinite(F.val[diag[i]]), PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
             "ILU(0) has the pivot %g in row %" PetscInt_FMT ": choose a matrix that has the factor", (double)F.val[diag[i]], i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriILU(const CSR &A, CSR *U)
{
  CSR                   F = A;
  std::vector<PetscInt> diag(A.rows), where(A.rows, -1);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < A.rows; i++) {
    const auto begin = F.col.begin() + F.ptr[i], end = F.col.begin() + F.ptr[i + 1], d = std::lower_bound(begin, end, i);
    PetscCheck(d != end && *d == i, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "Row %" PetscInt_FMT " has no diagonal entry, which ILU(0) needs: choose another matrix", i);
    diag[i] = (PetscInt)(d - F.col.begin());
    PetscCall(Eliminate(i, F, diag, where));
  }
  *U      = {};
  U->rows = A.rows;
  U->ptr  = {0};
  for (PetscInt i = 0; i < A.rows; i++) {
    U->col.insert(U->col.end(), F.col.begin() + diag[i], F.col.begin() + F.ptr[i + 1]);
    U->val.insert(U->val.end(), F.val.begin() + diag[i], F.val.begin() + F.ptr[i + 1]);
    U->ptr.push_back((PetscInt)U->col.size());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next of a sequence of numbers in [0, 1) (splitmix64) */
static double Random(std::uint64_t *state)
{
  std::uint64_t z = *state += 0x9e3779b97f4a7c15U;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* The row of the given columns behind its diagonal, 1, with entries that add up to less than 0.9, so that answers stay small */
static void AddRow(CSR &U, std::vector<PetscInt> &columns, std::uint64_t *state)
{
  const PetscInt i = (PetscInt)U.ptr.size() - 1;

  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  U.col.push_back(i);
  U.val.push_back(1);
  for (PetscInt j : columns) {
    U.col.push_back(j);
    U.val.push_back((PetscScalar)((1.8 * Random(state) - 0.9) / (double)columns.size()));
  }
  U.ptr.push_back((PetscInt)U.col.size());
}

/* U whose row i has the columns that columns(i, list, state) puts into the empty list, with random numbers from the seed on */
template <class Columns> static CSR Triangle(PetscInt rows, std::uint64_t seed, Columns columns)
{
  std::vector<PetscInt> list;
  CSR                   U;

  U.rows = rows;
  U.ptr  = {0};
  for (PetscInt i = 0; i < rows; i++) {
    list.clear();
    columns(i, list, &seed);
    AddRow(U, list, &seed);
  }
  return U;
}

/* Level l, counted from the last rows, has the rows from Begin(l) to Begin(l - 1) */
CSR TriLevels(PetscInt rows, PetscInt levels, PetscInt most)
{
  const auto begin = [=](PetscInt level) { return rows - (PetscInt)((double)rows * (double)level / (double)levels); };
  PetscInt   level = levels;

  return Triangle(rows, 1, [&](PetscInt i, std::vector<PetscInt> &columns, std::uint64_t *state) {
    const double r = Random(state);
    while (level > 1 && i >= begin(level - 1)) level--;
    if (level == 1) return;
    const PetscInt below = begin(level - 1), next = begin(level - 2);
    /* the first entry sets the level, the others are anywhere below it */
    columns.push_back(below + (PetscInt)(Random(state) * (double)(next - below)));
    for (PetscInt k = 2 + (PetscInt)(r * r * (double)(most - 1)); k > 2; k--)
      columns.push_back(below + (PetscInt)(Random(state) * (double)(rows - below)));
  });
}

CSR TriArrow(PetscInt rows)
{
  return Triangle(rows, 2, [=](PetscInt i, std::vector<PetscInt> &columns, std::uint64_t *) {
    for (PetscInt j = 1; i == 0 && j < rows; j++) columns.push_back(j);
  });
}

CSR TriChain(PetscInt rows)
{
  return Triangle(
    rows, 3, [=](PetscInt i, std::vector<PetscInt> &columns, std::uint64_t *) { columns.assign(i + 1 < rows ? 1 : 0, i + 1); });
}
