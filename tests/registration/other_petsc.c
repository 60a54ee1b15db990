/* Loaded before libpetsc: a PETSc that differs in the one respect that OTHER names from the PETSc of the headers */
#include <petscsys.h>
#include <stdlib.h>

static int differs(const char *what)
{
  const char *other = getenv("OTHER");

  return other && !strcmp(other, what);
}

PetscErrorCode PetscHasExternalPackage(const char package[], PetscBool *has)
{
  (void)package;
  *has = (PetscBool)(PetscDefined(HAVE_CUDA) != differs("cuda"));
  return PETSC_SUCCESS;
}

PetscErrorCode PetscDataTypeGetSize(PetscDataType type, size_t *size)
{
  if (type == PETSC_INT) *size = sizeof(PetscInt) + (differs("indices") ? 4 : 0);
  else *size = sizeof(PetscScalar) * (differs("scalars") ? 2 : 1);
  return PETSC_SUCCESS;
}
