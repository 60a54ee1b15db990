/* Which matrix something kept was made of, and changes of a matrix that must be seen by all who keep something */
#pragma once

#include "../shared/heptaimpl.h"

/* A matrix as it was when something was made of it: the object, its type, sizes and nonzero locations, without the values */
class HeptaStructure {
public:
  void Note(Mat A);
  void Forget() { id = 0; }
  bool Known() const { return id != 0; }
  /* Is A still so? In-place conversions and MatHeaderReplace() give a matrix another id, type or size */
  bool Of(Mat A) const;

private:
  PetscObjectId    id    = 0;
  PetscObjectState state = -1;
  std::string      type;
  PetscInt         size[4] = {-1, -1, -1, -1};
};

/*
   MatHeaderReplace() and MatHeaderMerge() give A the nonzero state of C, which may be the one that a PC or a factor has noted for the old A. These raise it
   above the old one. Collective.
*/
PETSC_INTERN PetscErrorCode HeptaHeaderReplace(Mat A, Mat *C);
PETSC_INTERN PetscErrorCode HeptaHeaderMerge(Mat A, Mat *C);
/* A's nonzero state becomes larger than it is and than `old`; collective */
PETSC_INTERN PetscErrorCode HeptaRaiseNonzeroState(Mat A, PetscObjectState old);
/*
   A's factorization has failed. PCSetUp() of PCILU and PCICC takes a factor with the mark of a failure for one that fails again, whatever the values are by
   then; for another nonzero state it makes a new factor.
*/
PETSC_INTERN PetscErrorCode HeptaFactorFailed(Mat A);
