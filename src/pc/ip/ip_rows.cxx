/*
   The Incomplete Poisson preconditioner of a matrix without block diagonals, on the host. Row m of the products needs the rows k
   of A coupled with row m, in the columns of row m. A rank needs the submatrix of A in the rows and columns of its own rows and
   of its ghosts; on one rank the submatrix is A.
*/
#include <algorithm>

#include "../../shared/each.hxx"
#include "ip.h"
#include "ip_row.hxx"

using namespace hepta::ip;

HeptaIPRows::~HeptaIPRows()
{
  if (sub) (void)MatDestroySubMatrices(1, &sub);
  (void)ISDestroy(&is);
}

/*
   Extracts the submatrix from a copy of A: PETSc calls MatGetRow(), whose buffers may be too short in A (see HeptaForRows()), but
   are new in a copy
*/
PetscErrorCode HeptaIPRows::GetSubMatrix(Mat A, MatReuse reuse)
{
  Mat copy;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &copy));
  PetscCall(MatCreateSubMatrices(copy, 1, &is, &is, reuse, &sub));
  PetscCall(MatDestroy(&copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the block rows of the submatrix, and extracts the submatrix */
PetscErrorCode HeptaIPRows::FindRows(Mat A)
{
  const PetscInt  start = A->rmap->rstart / bs, end = A->rmap->rend / bs;
  const PetscInt *ghost = nullptr;
  PetscBool       mpi;
  Mat             off;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, nullptr, &off, &ghost));
  const auto add_ghosts = [&](bool below) {
    for (PetscInt g = 0; mpi && g < off->cmap->n; g++) {
      const PetscInt m = ghost[g] / bs;
      if ((m < start) == below && (number.empty() || number.back() != m)) number.push_back(m);
    }
  };
  add_ghosts(true);
  first = (PetscInt)number.size();
  own   = end - start;
  for (PetscInt m = start; m < end; m++) number.push_back(m);
  add_ghosts(false);
  if (!mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, bs, (PetscInt)number.size(), number.data(), PETSC_COPY_VALUES, &is));
  PetscCall(GetSubMatrix(A, MAT_INITIAL_MATRIX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f(row in the block, column, value) for the entries of block row m of the submatrix */
template <class F> PetscErrorCode HeptaIPRows::ForRow(Mat A, PetscInt m, F f)
{
  const Mat S = sub ? sub[0] : A;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < bs; r++) {
    PetscInt           n;
    const PetscInt    *j;
    const PetscScalar *a;
    PetscCall(MatGetRow(S, m * bs + r, &n, &j, &a));
    for (PetscInt k = 0; k < n; k++) f(r, j[k], a[k]);
    PetscCall(MatRestoreRow(S, m * bs + r, &n, &j, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the structure: blocks with stored entries, and diagonal blocks */
PetscErrorCode HeptaIPRows::SetStructure(Mat A)
{
  std::vector<PetscInt> cols;

  PetscFunctionBegin;
  bs = HeptaBlockSize(A->rmap);
  PetscCall(FindRows(A));
  begin.assign(1, 0);
  for (PetscInt m = 0; m < (PetscInt)number.size(); m++) {
    cols.assign(1, m);
    PetscCall(ForRow(A, m, [&](PetscInt, PetscInt j, PetscScalar) {
      if (cols.back() != j / bs) cols.push_back(j / bs);
    }));
    std::sort(cols.begin(), cols.end());
    cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    col.insert(col.end(), cols.begin(), cols.end());
    begin.push_back(col.size());
  }
  position.assign(number.size(), SIZE_MAX);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* position[c] <- the block of row m in column c, for each block of the row; if `there` is false, SIZE_MAX again */
void HeptaIPRows::Mark(PetscInt m, bool there)
{
  for (size_t p = begin[m]; p < begin[m + 1]; p++) position[col[p]] = there ? p : SIZE_MAX;
}

/* Copies the blocks of A, and inverts those on the diagonal */
PetscErrorCode HeptaIPRows::SetValues(Mat A, Found *found)
{
  const size_t              block = (size_t)bs * bs;
  std::vector<hepta::Index> pivot(bs);

  PetscFunctionBegin;
  if (sub) PetscCall(GetSubMatrix(A, MAT_REUSE_MATRIX));
  v.assign(col.size() * block, 0);
  inverse.resize(number.size() * block);
  for (PetscInt m = 0; m < (PetscInt)number.size(); m++) {
    PetscScalar largest = 0, *const inv = inverse.data() + m * block;
    const bool mine = m >= first && m < first + own;
    Mark(m, true);
    PetscCall(ForRow(A, m, [&](PetscInt r, PetscInt j, PetscScalar a) {
      v[position[j / bs] * block + j % bs * bs + r] = a;
      if (mine && !hepta::finite(a)) hepta::note_first(&found->infinite, (long long)(m - first) * bs + r);
    }));
    std::copy_n(v.data() + position[m] * block, block, inv);
    Mark(m, false);
    for (size_t e = 0; e < block; e++) largest = PetscMax(largest, PetscAbsScalar(inv[e]));
    const hepta::Index column =
      hepta::invert_block((hepta::Index)bs, inv, bs, pivot.data(), bs > 1 ? largest * rounding : PetscScalar(0));
    if (column >= 0 && mine) hepta::note_first(&found->pivot, (long long)(m - first) * bs + column);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c <- c + a b, blocks by columns */
static void AddProduct(int bs, const PetscScalar *a, const PetscScalar *b, PetscScalar *c)
{
  for (int s = 0; s < bs; s++) {
    for (int r = 0; r < bs; r++) c[s * bs + r] += block_product(bs, r, s, a, bs, b, bs);
  }
}

/* Computes S off the diagonal; there[p] <- is block p of S not zero? */
void HeptaIPRows::Scale(const HeptaIPFactor &f)
{
  const size_t block = (size_t)bs * bs;

  s.assign(v.size(), 0);
  there.assign(col.size(), false);
  for (PetscInt m = 0; m < (PetscInt)number.size(); m++) {
    for (size_t p = begin[m]; p < begin[m + 1]; p++) {
      const PetscInt c = col[p];
      if (c == m) continue;
      if (f.left_lower && c < m) AddProduct((int)bs, v.data() + p * block, inverse.data() + c * block, s.data() + p * block);
      else AddProduct((int)bs, inverse.data() + m * block, v.data() + p * block, s.data() + p * block);
      for (size_t e = 0; e < block; e++) there[p] = there[p] || s[p * block + e] != 0;
    }
  }
}

/* Row m of W (ip_kernels.hxx), in the pattern of A's blocks */
void HeptaIPRows::Combine(const HeptaIPFactor &f, PetscInt m, PetscScalar *w) const
{
  const size_t block = (size_t)bs * bs;

  for (size_t p = begin[m]; p < begin[m + 1]; p++) {
    for (size_t e = 0; e < block; e++)
      w[(p - begin[m]) * block + e] = col[p] == m ? PetscScalar(e % (bs + 1) == 0) : -s[p * block + e];
  }
  for (size_t p = begin[m]; p < begin[m + 1] && f.pairs; p++) {
    const PetscInt k = col[p];
    if (f.left_lower ? k >= m : k <= m) continue;
    for (size_t q = begin[k]; q < begin[k + 1]; q++) {
      const bool   second = f.left_lower ? col[q] > k : col[q] < k; /* is the block in the second factor? */
      const size_t target = second ? position[col[q]] : SIZE_MAX;
      if (target == SIZE_MAX || (col[q] != m && !there[target])) continue;
      AddProduct((int)bs, s.data() + p * block, s.data() + q * block, w + (target - begin[m]) * block);
    }
  }
}

/* Does the factor have block p of row m? */
bool HeptaIPRows::Has(const HeptaIPFactor &f, PetscInt m, size_t p) const
{
  return col[p] == m || (col[p] < m ? f.keep_lower : f.keep_upper);
}

PetscErrorCode HeptaIPRows::CreateFactor(PC pc, HeptaIPFactor &f)
{
  std::vector<PetscInt> i, j;

  PetscFunctionBegin;
  for (PetscInt m = first; m < first + own; m++) {
    for (size_t p = begin[m]; p < begin[m + 1]; p++) {
      for (PetscInt e = 0; e < bs * bs && Has(f, m, p); e++) {
        i.push_back(number[m] * bs + e % bs);
        j.push_back(number[col[p]] * bs + e / bs);
      }
    }
  }
  PetscCall(HeptaIPCreateBROW(pc, i.size(), i.data(), j.data(), &f.M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPRows::FillFactor(HeptaIPFactor &f, Found *found)
{
  const size_t             block  = (size_t)bs * bs;
  const bool               single = MatBlocked(f.M)->local->single;
  std::vector<PetscScalar> w, all;

  PetscFunctionBegin;
  Scale(f);
  for (PetscInt m = first; m < first + own; m++) {
    w.resize((begin[m + 1] - begin[m]) * block);
    Mark(m, true);
    Combine(f, m, w.data());
    Mark(m, false);
    for (size_t p = begin[m]; p < begin[m + 1]; p++) {
      const PetscScalar *const from = w.data() + (p - begin[m]) * block;
      if (!Has(f, m, p)) continue;
      if (f.scale) {
        all.resize(all.size() + block, 0);
        AddProduct((int)bs, from, inverse.data() + col[p] * block, all.data() + all.size() - block);
      } else all.insert(all.end(), from, from + block);
      for (size_t e = 0; e < block; e++) {
        const PetscScalar value = all[all.size() - block + e];
        if (!hepta::finite(single ? (PetscScalar)(float)value : value))
          hepta::note_first(&found->infinite, (long long)(m - first) * bs + e % bs);
      }
    }
  }
  PetscCall(MatSetValuesCOO(f.M, all.data(), INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaIPRows::ForgetValues()
{
  for (auto *values : {&v, &s, &inverse}) std::vector<PetscScalar>().swap(*values);
}
