/* Incomplete factors, or a triangular matrix, and the data for solves with them */
#pragma once

#include "../factor/pivots.hxx"
#include "../operator.h"
#include "../factor/shift.h"
#include "triangle.h"

/* The pattern of a Mat for the triangular solver: the block rows, and the position of each value in the Mat's array */
struct HeptaPattern {
  PetscInt                  n = 0, bs = 1; /* block rows */
  std::vector<hepta::Index> i, j;          /* block columns, ascending after Permute() */
  /* positions in the Mat's array of the blocks' values, by columns; -1 for a zero; empty for values in the order of the Mat */
  std::vector<hepta::Index> from;

  /* HeptaPattern::Read - for MATSEQAIJ and its relatives, MATSEQBAIJ, MATSEQBDIA and MATSEQBROW; size: of the blocks, 1 for
     MATSEQAIJ */
  PetscErrorCode Read(Mat A, PetscInt size);
  /* Reads a MATSEQBDIA in full storage, with all blocks on its stored diagonals, set or not */
  PetscErrorCode ReadDiagonals(Mat A);
  /*
     Makes row row[m] the m-th and column col[c] the c-th, and sorts the columns of each row. symmetric: the transpose of the
     upper triangle replaces the lower triangle. part: the part of each block row; couplings between parts are dropped, missing
     diagonal blocks are added.
  */
  void Permute(const std::vector<hepta::Index> &row, const std::vector<hepta::Index> &col, bool symmetric,
               const std::vector<PetscInt> *part);
  /* Finds the diagonal blocks; an error names the first row without a diagonal block; row: as for Permute() */
  PetscErrorCode Diagonals(const std::vector<hepta::Index> &row, std::vector<hepta::Index> *diagonal) const;
  bool           Ascends() const; /* do the columns of each row? */

private:
  PetscErrorCode ReadBlocked(Mat A);
};

/* Is A one of the types that HeptaPattern reads? */
PETSC_INTERN PetscErrorCode HeptaPatternCanRead(Mat A, bool *can);
/* Where the values of A are: on the device for matrices that compute on the device */
PETSC_INTERN PetscErrorCode HeptaPatternSpace(Mat A, HeptaSpace *);
/* An error if an Index, with -1 for none, cannot count `values` values */
PETSC_INTERN PetscErrorCode HeptaPatternCheckSize(size_t values);
/* w[k] <- value from[k] of A, k < n, in the given space; from: in the given space, or null for the first n values */
PETSC_INTERN PetscErrorCode HeptaPatternGather(Mat A, const HeptaSpace &, size_t n, const hepta::Index *from, hepta::Scalar *w);

/* The message of a value that overflows in single precision; argument: the row */
#define HEPTA_BBS_OVERFLOW \
  "bbs: the factors have a value in row %" PetscInt_FMT " that single precision cannot hold: take -mat_bbs_storage double"

/* The matrix of a solve: the product of the factors, its transpose, or a half; a half of IC(0) includes the square root of D */
enum class HeptaSolve {
  all,
  transposed,
  lower,
  upper
};

/* The first four have the numbers of the values of -pc_bbs_triangle */
enum class HeptaBBSKind {
  triangle, /* upper or lower: found when the structure is set */
  upper,
  lower,
  both, /* unit lower L and upper U in one matrix */
  ilu,
  icc
};

class HeptaFactors {
public:
  HeptaBBSKind    kind = HeptaBBSKind::ilu;
  HeptaBBSOptions options;
  HeptaShift      shift;
  HeptaStructure  structure; /* of the matrix whose structure was set, unknown after an error */

  /*
     Sets the structure; row and col: the permutations, or null for the natural order. part: the part of each block row; each part
     of A is factored by itself, by ILU(0) in natural order, for a MATSEQBDIA, which must be in full storage, in the pattern of
     its stored diagonals. With `part` Attempt() is called instead of SetValues().
  */
  PetscErrorCode SetStructure(Mat A, HeptaBBSKind, IS row, IS col, const HeptaBBSOptions &,
                              const std::vector<PetscInt> *part = nullptr);
  /*
     Sets the values; *bad <- the first row of A without a good pivot after all shifts, *infinite <- the first row with a value
     that is not finite; -1 for none
  */
  PetscErrorCode SetValues(Mat A, const MatFactorInfo &, PetscInt *bad, PetscInt *infinite);
  /* One factorization of A with the present shift, or one scaling of a triangle's rows, and its report */
  PetscErrorCode Attempt(Mat A, const hepta::factor::PivotRule &, hepta::factor::Report *);
  /* *most <- the maximum over the rows of sum |a_ij|, j != i, minus a_ii */
  PetscErrorCode Excess(Mat A, PetscReal *most);
  /* Prepares the triangles, without the transposed triangles, for Solve(); otherwise the first Solve() prepares the triangles */
  PetscErrorCode Prepare();
  /* The first row of A with a value that -mat_bbs_storage single cannot hold, among the prepared triangles; -1 for none */
  PetscInt       Overflow() const;
  /* x <- the solution for b, where the vectors are; x may not be b */
  PetscErrorCode Solve(HeptaSolve, Vec b, Vec x);
  /* X <- the solutions for the columns of B, dense matrices */
  PetscErrorCode Solve(HeptaSolve, Mat B, Mat X);
  PetscErrorCode View(PetscViewer);

  PetscInt       Rows() const { return n * bs; }
  PetscLogDouble Entries() const { return (PetscLogDouble)values; }

private:
  PetscInt n = 0, bs = 1; /* block rows */
  size_t   values = 0;    /* the number of values in the pattern */
  size_t   below  = 0;    /* the number of values below the diagonal */
  /* the pattern: see hepta::bbs::Blocks; empty if the structure was set on the device, until the host needs it */
  std::vector<hepta::Index>      i, j, diagonal;
  std::vector<hepta::Index>      from; /* as in HeptaPattern */
  HeptaTable<hepta::Index>       i_table, j_table, diagonal_table, from_table;
  std::vector<hepta::Index>      row;           /* the permutation of block rows; empty for the natural order */
  HeptaValues                    scalar_row[2]; /* the permutations of scalar rows and columns; empty for the natural order */
  HeptaValues                    w, inverse, root, scratch, pivot, done, report, intermediate, work;
  bool                           root_current = false; /* does `root` belong to the present values? */
  std::unique_ptr<HeptaTriangle> triangles[4];         /* L, L transposed, U, U transposed: see Number() */

  static int     Number(bool upper, bool transposed) { return 2 * upper + transposed; }
  bool           Eliminated() const { return kind == HeptaBBSKind::ilu || kind == HeptaBBSKind::icc; }
  /* the row of A of row k in the order of the factorization; -1 for -1 */
  PetscInt       Original(PetscInt k) const { return k < 0 || row.empty() ? k : (PetscInt)row[k / bs] * bs + k % bs; }
  bool           Has(bool upper) const { return kind != (upper ? HeptaBBSKind::lower : HeptaBBSKind::upper); }
  PetscErrorCode GetPermutation(IS, std::vector<hepta::Index> *, HeptaValues *scalar) const;
  PetscErrorCode CheckTriangular(const HeptaPattern &);
  PetscErrorCode SetStructureOnDevice(Mat A, bool *taken);
  PetscErrorCode SetStructureOnHost(Mat A, const std::vector<hepta::Index> &col, const std::vector<PetscInt> *part);
  PetscErrorCode Resize();
  /* the pattern and the values, without the work space of a factorization */
  PetscErrorCode GetMatrix(const HeptaSpace &, HeptaAccess, hepta::bbs::Blocks *);
  PetscErrorCode GetBlocks(const HeptaSpace &, HeptaAccess, hepta::bbs::Blocks *);
  PetscErrorCode Gather(Mat A, const HeptaSpace &);
  PetscErrorCode GetTriangle(bool upper, bool transposed, const HeptaSpace &, HeptaTriangle **);
  PetscErrorCode GetRoot(const HeptaSpace &, const hepta::Scalar **);
  PetscErrorCode SolveWith(bool upper, bool transposed, const HeptaSpace &, hepta::bbs::Vectors);
  PetscErrorCode SolveBoth(bool transposed, const HeptaSpace &, const hepta::bbs::Vectors &);
  PetscErrorCode Solve(HeptaSolve, const HeptaSpace &, hepta::bbs::Vectors);
};
