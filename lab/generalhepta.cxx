/*
   General Hepta test matrices: the block 7-point structure of a reservoir on a J x H x I grid

   L. A. Firdaus, "CUDA Optimization of a Class of Iterative Linear Algebra Solver", KFUPM: algorithms 3 to 5 and table 5.1.
*/
#include <hepta.h>
#include <petsc/private/matimpl.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "hepta_lab.h"
#include "shared/nothrow.h"

namespace
{

/* the relative margin of the diagonal entry over the sum of the absolute values of the rest of its row */
constexpr PetscReal MARGIN = 0.02;

/* The seven couplings of a cell m = j + h*J + i*J*H, and the distinct ones among them */
struct Stencil {
  std::array<PetscInt, 7> off;      /* {-JH, -J, -1, 0, 1, J, JH}, ascending */
  std::vector<PetscInt>   distinct; /* the same without repetition */
  PetscInt                M;        /* cells */
};

/* One block row: the block columns inside the matrix and its values, Nc rows of Nc for each of them */
struct BlockRow {
  std::vector<PetscInt>    cols;
  std::vector<PetscScalar> v;
};

} // namespace

/* Finalizer of SplitMix64: every bit of the argument changes every bit of the result */
static inline std::uint64_t Mix(std::uint64_t z)
{
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/* A random number in (0,1) that depends only on (seed, row, column, number of the coupling), and so neither on the number of
   ranks nor on the type */
static inline PetscReal Random(PetscInt seed, PetscInt row, PetscInt col, int k)
{
  const std::uint64_t z = Mix(Mix(Mix(Mix((std::uint64_t)seed) ^ (std::uint64_t)row) ^ (std::uint64_t)col) ^ (std::uint64_t)k);

  return (PetscReal)(((double)(z >> 12) + 0.5) * 0x1p-52);
}

static Stencil StencilCreate(PetscInt J, PetscInt H, PetscInt I)
{
  Stencil st;

  st.M   = J * H * I;
  st.off = {-J * H, -J, -1, 0, 1, J, J * H}; /* ascending, because 1 <= J <= JH */
  std::unique_copy(st.off.begin(), st.off.end(), std::back_inserter(st.distinct));
  return st;
}

/* Block columns of block row m that lie inside the matrix; couplings continue across the ends of grid lines and planes */
static void BlockRowColumns(const Stencil &st, PetscInt m, std::vector<PetscInt> &cols)
{
  cols.clear();
  for (PetscInt o : st.distinct) {
    if (m + o >= 0 && m + o < st.M) cols.push_back(m + o);
  }
}

/*
   Values of block row m: off the diagonal a_ij = - sum of Random() over the couplings k with m + off_k = n, and on it

     a_ii = (1 + MARGIN) sum_{j != i} |a_ij| + MARGIN,

   which is strictly diagonally dominant in every row, also if the row has no other entries
*/
static void BlockRowValues(const Stencil &st, PetscInt m, PetscInt Nc, PetscInt seed, BlockRow &row)
{
  row.v.resize(row.cols.size() * (size_t)Nc * (size_t)Nc);
  PetscScalar *v = row.v.data();
  for (PetscInt r = 0; r < Nc; r++) {
    const PetscInt i    = m * Nc + r;
    PetscScalar   *diag = nullptr;
    PetscReal      sum  = 0.0;

    for (PetscInt n : row.cols) {
      for (PetscInt s = 0; s < Nc; s++, v++) {
        const PetscInt j = n * Nc + s;

        *v = 0.0;
        if (i == j) diag = v;
        else {
          for (int k = 0; k < 7; k++) {
            if (m + st.off[k] == n) *v -= Random(seed, i, j, k);
          }
          sum += PetscAbsScalar(*v);
        }
      }
    }
    *diag = (1.0 + MARGIN) * sum + MARGIN;
  }
}

/* Preallocates with the exact numbers of block columns; types without preallocation ignore the call */
static PetscErrorCode GeneralHeptaPreallocate_Private(Mat A, const Stencil &st, PetscInt Nc)
{
  std::vector<PetscInt> cols;
  PetscInt              start, end;
  PetscBool             sym;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &sym, MATSBAIJ, MATSEQSBAIJ, MATMPISBAIJ, ""));
  PetscCheck(!sym, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "A General Hepta matrix is not symmetric and cannot be of type sbaij: use bdia, baij or aij");
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  start /= Nc;
  end /= Nc;
  std::vector<PetscInt> dnnz(end - start, 0), onnz(end - start, 0);
  for (PetscInt m = start; m < end; m++) {
    BlockRowColumns(st, m, cols);
    for (PetscInt n : cols) (n >= start && n < end ? dnnz : onnz)[m - start]++;
  }
  PetscCall(MatXAIJSetPreallocation(A, Nc, dnnz.data(), onnz.data(), nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GeneralHeptaCheck_Private(MPI_Comm comm, PetscInt J, PetscInt H, PetscInt I, PetscInt Nc)
{
  PetscFunctionBegin;
  PetscCheck(J > 0 && H > 0 && I > 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Grid must be positive in all three directions: J %" PetscInt_FMT ", H %" PetscInt_FMT ", I %" PetscInt_FMT, J, H,
             I);
  PetscCheck(Nc > 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "Number of unknowns per cell Nc must be positive: %" PetscInt_FMT, Nc);
  /* J*H*I*Nc <= PETSC_INT_MAX, tested by divisions because the product itself may not fit */
  PetscCheck(J <= PETSC_INT_MAX / H && J * H <= PETSC_INT_MAX / I && J * H * I <= PETSC_INT_MAX / Nc, comm,
             PETSC_ERR_ARG_OUTOFRANGE,
             "J*H*I*Nc = %" PetscInt_FMT "*%" PetscInt_FMT "*%" PetscInt_FMT "*%" PetscInt_FMT
             " rows are more than a PetscInt of %d bits can count; configure PETSc with --with-64-bit-indices",
             J, H, I, Nc, (int)(8 * sizeof(PetscInt)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GeneralHeptaFill_Private(Mat A, const Stencil &st, PetscInt Nc, PetscInt seed)
{
  PetscInt start, end;
  BlockRow row;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt m = start / Nc; m < end / Nc; m++) {
    BlockRowColumns(st, m, row.cols);
    BlockRowValues(st, m, Nc, seed, row);
    PetscCall(MatSetValuesBlocked(A, 1, &m, (PetscInt)row.cols.size(), row.cols.data(), row.v.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateGeneralHepta(MPI_Comm comm, PetscInt J, PetscInt H, PetscInt I, PetscInt Nc, PetscInt seed,
                                         MatType type, Mat *A)
{
  PetscInt  n = PETSC_DECIDE, N;
  PetscBool bdia;
  Stencil   st;

  PetscFunctionBegin;
  PetscAssertPointer(A, 8);
  PetscCall(GeneralHeptaCheck_Private(comm, J, H, I, Nc));
  st = StencilCreate(J, H, I);
  N  = st.M * Nc;
  PetscCall(PetscSplitOwnershipBlock(comm, Nc, &n, &N));
  PetscCall(HeptaRegisterAll());
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, n, n, N, N));
  PetscCall(MatSetBlockSize(*A, Nc));
  PetscCall(MatSetType(*A, type ? type : MATBDIA));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)*A, &bdia, MATSEQBDIA, MATMPIBDIA, ""));
  if (bdia) PetscCall(MatBDIASetGrid(*A, J, H, I));
  else PetscCall(GeneralHeptaPreallocate_Private(*A, st, Nc));
  PetscCall(GeneralHeptaFill_Private(*A, st, Nc, seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaMatCreateGeneralHepta - Creates a General Hepta matrix: the block 7-point structure of a reservoir grid with random,
  strictly diagonally dominant values

  Collective

  Input Parameters:
+ comm - MPI communicator
. J    - cells in the fastest direction
. H    - cells in the second direction
. I    - cells in the slowest direction
. Nc   - unknowns per cell, the block size
. seed - any integer; another one gives other values
- type - matrix type, or `NULL` for `MATBDIA`

  Output Parameter:
. A - the assembled matrix

  Level: intermediate

  Notes:
  Cell m = j + h*J + i*J*H is coupled with the cells m + {-JH, -J, -1, 0, 1, J, JH} that lie inside the matrix, by full blocks;
  the couplings run on over the ends of grid lines and planes. With M = JHI cells and distinct offsets the matrix has Nc^2 (7M -
  2(1 + J + JH)) entries. Where two of the offsets are the same (`J` = 1 or `H` = 1) their blocks add up.

  Off the diagonal the values are negative random numbers, the diagonal is a little larger than the sum of their magnitudes in the
  row, so Krylov methods converge. The values depend on the seed, the row and the column only: any number of MPI processes and any
  type give the same matrix.

  Each MPI process gets whole cells. Options are not read: use `MatConvert()` for another type or storage.

  The structure is that of algorithms 3 to 5 of L. A. Firdaus, "CUDA Optimization of a Class of Iterative Linear Algebra Solver",
  KFUPM.

.seealso: `MATBDIA`, `MatBDIASetGrid()`, `MatCreateBAIJ()`, `MatSetValuesBlocked()`
@*/
PetscErrorCode HeptaMatCreateGeneralHepta(MPI_Comm comm, PetscInt J, PetscInt H, PetscInt I, PetscInt Nc, PetscInt seed,
                                          MatType type, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<CreateGeneralHepta>(comm, J, H, I, Nc, seed, type, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
