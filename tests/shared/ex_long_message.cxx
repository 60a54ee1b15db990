static char help[] = "Messages of any length, whole on every rank.\n\n";

#include <petscsys.h>

#include "../../src/shared/heptaimpl.h"
#include "failure.h"

int main(int argc, char **argv)
{
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (size_t n : {size_t(0), size_t(3), size_t(1000), size_t(1022), size_t(1023), size_t(1024), size_t(1500), size_t(100000)}) {
    const std::string long_name(n, 'x'), text = HeptaFormat("%s of %" PetscInt_FMT, long_name.c_str(), (PetscInt)7);
    PetscCheck(text == long_name + " of 7", PETSC_COMM_SELF, PETSC_ERR_PLIB, "A message of %d characters came with %d",
               (int)n + 5, (int)text.size());
  }
  const std::string text = HeptaFormat("%s the end", std::string(1500, 'y').c_str());
  PetscCall(ExpectError(PETSC_ERR_USER, "y the end", [&] {
    return HeptaAgreeOnError(PETSC_COMM_WORLD, rank ? PETSC_SUCCESS : PETSC_ERR_USER, rank ? "" : text);
  }));
  PetscCall(PetscFinalize());
  return 0;
}
