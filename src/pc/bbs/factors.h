/* Incomplete factors, or a triangular matrix, with all that solving with them needs */
#pragma once

#include "../blockic/blockic_pivots.hxx"
#include "../shift.h"
#include "pattern.h"
#include "triangle.h"

enum class HeptaBBSKind {
  ilu,
  icc,
  upper,
  lower,
  both,    /* unit lower L and upper U in one matrix */
  triangle /* upper or lower: found when the structure is set */
};

class HeptaFactors {
public:
  HeptaBBSKind    kind = HeptaBBSKind::ilu;
  HeptaBBSOptions options;
  HeptaShift      shift;

  /* The structure; row and col: the permutations, or null for the natural order */
  PetscErrorCode SetStructure(Mat A, HeptaBBSKind, IS row, IS col, const HeptaBBSOptions &);
  /* The same for ILU(0) in natural order of each of several parts of A by itself; part: of each block row. Then Attempt() in place of SetValues(). */
  PetscErrorCode SetParts(Mat A, const std::vector<PetscInt> &part, const HeptaBBSOptions &);
  /* The values; *bad <- the first row of A without a good pivot, which no shift has cured, *infinite <- the first with a value that is not finite; -1 for none */
  PetscErrorCode SetValues(Mat A, const MatFactorInfo &, PetscInt *bad, PetscInt *infinite);
  /* One factorization of A with the shift in use, and what it found: a blockic::Report */
  PetscErrorCode Attempt(Mat A, const hepta::blockic::Pivots &, HeptaValues &report);
  /* *most <- the largest over the rows of the sum of |a_ij|, j != i, minus a_ii */
  PetscErrorCode Excess(Mat A, PetscReal *most);
  /* Makes what Solve() needs, without the transposed triangles; Solve() does it otherwise */
  PetscErrorCode Prepare();
  /* Solves for `count` vectors */
  PetscErrorCode Solve(bool transposed, const HeptaSpace &, const hepta::bbs::Vectors &);
  /* The two halves of Solve(); IC(0): with the square root of D in each */
  PetscErrorCode SolveHalf(bool upper, const HeptaSpace &, const hepta::bbs::Vectors &);
  PetscErrorCode View(PetscViewer);

  PetscInt       Rows() const { return pattern.n * pattern.bs; }
  PetscLogDouble Entries() const { return (PetscLogDouble)values; }

private:
  HeptaPattern                   pattern;
  std::vector<hepta::Index>      diagonal;       /* where the diagonal blocks are */
  bool                           lean   = false; /* pattern and diagonal are in device_i, _j and _diagonal instead, until the host needs them; places are the Mat's own */
  size_t                         values = 0;     /* in the pattern, */
  size_t                         below  = 0;     /* and below the diagonal */
  std::vector<hepta::Index>      row, col;       /* permutations of block rows; empty: natural */
  std::vector<hepta::Index>      entry[2];       /* of row and col, for the rows of the scalar matrix */
  HeptaTable<hepta::Index>       i_table, j_table, from_table, diagonal_table, entry_table[2];
  HeptaValues                    device_i, device_j, device_diagonal, order; /* order: in which the device eliminates; empty: not found yet */
  HeptaValues                    w, inverse, root, scratch, pivot, done, report, between, work;
  bool                           rooted = false; /* root is that of these values */
  HeptaLevels                    levels[2][2];   /* upper, transposed */
  std::unique_ptr<HeptaTriangle> half[2][2];     /* upper, transposed */

  bool                    Eliminated() const { return kind == HeptaBBSKind::ilu || kind == HeptaBBSKind::icc; }
  bool                    Has(bool upper) const { return kind != (upper ? HeptaBBSKind::lower : HeptaBBSKind::upper); }
  PetscErrorCode          SetPermutation(IS, std::vector<hepta::Index> *);
  void                    FindTriangle();
  PetscErrorCode          CheckTriangular();
  PetscErrorCode          CheckSize();
  PetscErrorCode          SetStructureOnDevice(Mat A, IS row, IS col);
  PetscErrorCode          SetStructureOnHost(Mat A, IS row, IS col, const std::vector<PetscInt> *part);
  PetscErrorCode          BringPattern();
  PetscErrorCode          FindOrder(const HeptaSpace &, const hepta::bbs::Blocks &);
  PetscErrorCode          Resize();
  PetscErrorCode          GetBlocks(const HeptaSpace &, HeptaAccess, hepta::bbs::Blocks *);
  PetscErrorCode          Gather(Mat A, const HeptaSpace &);
  PetscErrorCode          Load(Mat A, const HeptaSpace &, hepta::bbs::Blocks *);
  PetscErrorCode          Attempt(Mat A, const HeptaSpace &, const hepta::bbs::PivotRule &, hepta::bbs::FactorReport *);
  PetscErrorCode          GetTriangle(bool upper, bool transposed, const HeptaSpace &, HeptaTriangle **);
  template <class F> void ForHalves(F f);
  PetscErrorCode          GetRoot(const HeptaSpace &, const hepta::Scalar **);
  PetscErrorCode          Permuted(bool columns, const HeptaSpace &, const hepta::Index **);
  PetscErrorCode          SolveWith(HeptaTriangle *, const HeptaSpace &, hepta::bbs::Vectors);
  PetscErrorCode          SolveBoth(bool transposed, const HeptaSpace &, const hepta::bbs::Vectors &);
  PetscErrorCode          SolveOne(bool transposed, const HeptaSpace &, const hepta::bbs::Vectors &);
};
