/* What the triangular solver takes from a Mat: its block rows, and where each value stands in the Mat's own array */
#pragma once

#include <vector>

#include "../operator.h"
#include "bbs_kernels.hxx"

struct HeptaPattern {
  PetscInt                  n = 0, bs = 1; /* block rows */
  std::vector<hepta::Index> i, j;          /* block columns, ascending after Permute() */
  std::vector<hepta::Index> from;          /* of each block's values, by columns: the place in the Mat's array, -1 for a zero */

  /* HeptaPattern::Read - for MATSEQAIJ and its relatives, MATSEQBAIJ, MATSEQBDIA and MATSEQBROW */
  PetscErrorCode Read(Mat A);
  /* The matrix with row row[m] as its m-th and column col[c] as its c-th; of a symmetric one the upper triangle is taken, twice. Columns ascend then. */
  void Permute(const std::vector<hepta::Index> &row, const std::vector<hepta::Index> &col, bool symmetric);
  /* Without the couplings between block rows of different parts, and with a diagonal block in every row */
  void Separate(const std::vector<PetscInt> &part);
  /* The diagonal blocks; an error names the first row without one; row: as for Permute() */
  PetscErrorCode Diagonals(const std::vector<hepta::Index> &row, std::vector<hepta::Index> *diagonal) const;

private:
  bool           Ascends() const;
  PetscErrorCode ReadRows(Mat A, bool blocks);
  PetscErrorCode ReadBlocked(Mat A);
};

/* Is A one of the types that HeptaPattern reads? */
PETSC_INTERN PetscErrorCode HeptaPatternCanRead(Mat A, bool *can);
/* Is A an aijcusparse that computes on the device? */
PETSC_INTERN PetscErrorCode HeptaPatternIsCUSPARSE(Mat A, bool *is);
/* Where the values of A are: the device for matrices that compute there */
PETSC_INTERN PetscErrorCode HeptaPatternSpace(Mat A, HeptaSpace *);
/* w[k] <- the values of A at from[k], in the given space; from: n places there, null for the first n */
PETSC_INTERN PetscErrorCode HeptaPatternGather(Mat A, const HeptaSpace &, size_t n, const hepta::Index *from, hepta::Scalar *w);
