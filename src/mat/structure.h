/* Records the matrix that cached data were made from, and announces changes of a matrix to all holders of cached data */
#pragma once

#include <array>

#include "../shared/heptaimpl.h"

/* The identity of a matrix when data were made from it: the object, its type, sizes and nonzero locations, without the values */
class HeptaStructure {
public:
  void Note(Mat A);
  void Forget() { id = 0; }
  bool Known() const { return id != 0; }
  /* Is A still the same in these respects? In-place conversions and MatHeaderReplace() change the id, type or sizes. */
  bool Of(Mat A) const;

private:
  PetscObjectId           id    = 0;
  PetscObjectState        state = -1;
  std::string             type;
  std::array<PetscInt, 4> size = {-1, -1, -1, -1};
};

/*
   take: MatHeaderReplace() or MatHeaderMerge(), which give A the nonzero state of C. That may be the one that a PC or a factor
   has recorded for the old A, so it is then increased above the old one. Collective.
*/
PETSC_INTERN PetscErrorCode HeptaTakeHeader(PetscErrorCode (*take)(Mat, Mat *), Mat A, Mat *C);
/* A's nonzero state becomes larger than it is and than `old`; collective */
PETSC_INTERN PetscErrorCode HeptaRaiseNonzeroState(Mat A, PetscObjectState old);
/*
   To be called when A's factorization has failed: increases A's nonzero state. Otherwise PCSetUp() of PCILU and PCICC would treat
   the factor, which is marked as failed, as failed again even if the values have changed; for another nonzero state it makes a
   new factor.
*/
PETSC_INTERN PetscErrorCode HeptaFactorFailed(Mat A);
