/* The caller's indices in the memory where they are needed */
#pragma once

#include "../../shared/space.h"

namespace hepta::blocked
{

/* A copy in the other memory, which lives as long as this object */
class IndexCopy {
public:
  /* *p <- the n indices, given in space `from`, in space `wanted`: without a copy if they are there */
  PetscErrorCode Get(PetscCount n, const PetscInt given[], const HeptaSpace &from, const HeptaSpace &wanted, const PetscInt **p)
  {
    PetscFunctionBegin;
    *p = given;
#if defined(HEPTA_HAVE_CUDA)
    const size_t bytes = n * sizeof(PetscInt);
    PetscInt    *to;
    if (from.device == wanted.device || !n) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(copy.Make(wanted, (size_t)n, &to));
    PetscCallHepta(wanted.device ? hepta::copy_to_device(to, given, bytes, wanted.stream) : hepta::copy_to_host(to, given, bytes, from.stream));
    PetscCall(wanted.device ? PetscLogCpuToGpu((PetscLogDouble)bytes) : PetscLogGpuToCpu((PetscLogDouble)bytes));
    *p = to;
#else
    (void)n;
    (void)from;
    (void)wanted;
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  HeptaValues copy;
};

} // namespace hepta::blocked
