/* The caller's indices in the memory where they are needed */
#pragma once

#include <petscdevice.h>

#include "../../shared/space.h"

namespace hepta::blocked
{

/*
   Row and column indices of COO entries or blocks, given in host or device memory, and copies in the other memory, which live as
   long as this object
*/
class GivenIndices {
public:
  /* an error for device memory without device kernels */
  PetscErrorCode Set(const PetscInt i[], const PetscInt j[])
  {
    PetscMemType type;

    PetscFunctionBegin;
    given[0] = i;
    given[1] = j;
    for (int k = 0; k < 2; k++) {
      PetscCall(PetscGetMemType(given[k], &type));
      PetscCall(HeptaSpaceOf(type, &from[k]));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  bool OnDevice() const { return from[0].device || from[1].device; }
  /* p <- the n row and the n column indices in the given space: without a copy if the given indices are there */
  PetscErrorCode Get(PetscCount n, const HeptaSpace &wanted, const PetscInt *p[2])
  {
    PetscFunctionBegin;
    for (int k = 0; k < 2; k++) {
      p[k] = given[k];
#if defined(HEPTA_HAVE_CUDA)
      const size_t bytes = n * sizeof(PetscInt);
      PetscInt    *to;
      if (from[k].device == wanted.device || !n) continue;
      PetscCall(copy[k].Make(wanted, (size_t)n, &to));
      PetscCallHepta(wanted.device ? hepta::copy_to_device(to, given[k], bytes, wanted.stream)
                                   : hepta::copy_to_host(to, given[k], bytes, from[k].stream));
      PetscCall(wanted.device ? PetscLogCpuToGpu((PetscLogDouble)bytes) : PetscLogGpuToCpu((PetscLogDouble)bytes));
      p[k] = to;
#else
      (void)n, (void)wanted;
#endif
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  const PetscInt *given[2] = {};
  HeptaSpace      from[2];
  HeptaValues     copy[2];
};

} // namespace hepta::blocked
