/* The null spaces that a program gives, for preconditioners of singular matrices */
#pragma once

#include <petsc/private/pcimpl.h>

/* A matrix whose null spaces were found to be null, its own and that of its transpose, by their numbers; 0: none */
struct HeptaCheckedNull {
  PetscObjectId    matrix = 0, space[2] = {0, 0};
  PetscObjectState state = -1;

  bool operator==(const HeptaCheckedNull &o) const
  {
    return matrix == o.matrix && space[0] == o.space[0] && space[1] == o.space[1] && state == o.state;
  }
};

/*
   subdeflation/null_check.cxx: an error if a vector that MatSetNullSpace() or MatSetTransposeNullSpace() gave the
   preconditioner's matrix, or the operator, is not null; collective
*/
PETSC_INTERN PetscErrorCode HeptaCheckNullSpaces(PC, HeptaCheckedNull checked[2]);
