/* Where processes whose arrays may be in different memories work together */
#pragma once

#include "../space.h"
#include "transport.h"

#if defined(HEPTA_HAVE_CUDA)
/*
   The memory, the same on all processes, where they do something that they do again and again with arrays that each has in one memory or the other. Once the arrays of all have been on devices it is the device, since a process that has
   some on the host later cannot tell the others. Until then the processes ask each other, and it is the host. They do not ask for arrays on the host where the arrays of all have been there before and no process had initialized its device
   when they last asked, so that programs without devices lose no time.
*/
class HeptaCommonSpace {
public:
  /* *where <- that memory, for arrays in the given space; collective */
  PetscErrorCode Find(MPI_Comm, const HeptaSpace &, HeptaSpace *where);

private:
  bool agreed[2] = {false, false}; /* the arrays of all processes have been on the host, on devices */
};
#endif
