/* In place of matrix_market.cxx where CHOLMOD or zlib was not found: programs generate matrices, and refuse files */
#include "matrix_market.h"

static PetscErrorCode Refuse_Private(MPI_Comm comm, const char file[])
{
  PetscFunctionBegin;
  SETERRQ(comm, PETSC_ERR_SUP,
          "%s: Matrix Market files need CHOLMOD and zlib, which CMake did not find: install SuiteSparse and zlib (apt-get "
          "install libsuitesparse-dev zlib1g-dev) and build again",
          file);
}

PetscErrorCode HeptaMatReadMatrixMarket(MPI_Comm comm, const char file[], PetscInt, Mat *)
{
  PetscFunctionBegin;
  PetscCall(Refuse_Private(comm, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaVecReadMatrixMarket(const char file[], Vec b)
{
  PetscFunctionBegin;
  PetscCall(Refuse_Private(PetscObjectComm((PetscObject)b), file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMatWriteMatrixMarket(Mat A, const char file[])
{
  PetscFunctionBegin;
  PetscCall(Refuse_Private(PetscObjectComm((PetscObject)A), file));
  PetscFunctionReturn(PETSC_SUCCESS);
}
