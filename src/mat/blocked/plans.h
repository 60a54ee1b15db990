/* Plans of how values come to their slots, made once for a structure */
#pragma once

#include <vector>

#include "../../shared/transport/halo.h"

namespace hepta::blocked
{

/* Values by slot: each slot's run in slot and perm, and where these begin and the end */
struct COORuns {
  size_t      n = 0, count = 0;  /* values, and runs of them */
  HeptaValues slot, perm, first; /* of size_t */

  /* from values and their slots in any order; those that share a slot keep theirs */
  PetscErrorCode Set(const std::vector<size_t> &slots, const std::vector<size_t> &values);
};

/*
   Where each COO value goes (MatSetPreallocationCOO()). Value k is the k-th given one for k < n, and the (k - n)-th that
   arrives from other ranks otherwise.
*/
struct COOPlan {
  std::vector<uint32_t> source;           /* for each slot of the block diagonals, 1 + the first given value that goes there, or 0; */
  size_t                on_device = 0;    /* its length, where it was made on the device and is not here: Source() brings it */
  COORuns               runs, ghost_runs; /* further values for the block diagonals, and those for the ghost part */
  std::vector<size_t>   order;            /* given values that other ranks own, in sending order */
  std::vector<PetscInt> i, j;             /* half storage: the locations themselves, */
  std::vector<size_t>   perm;             /* and the value for each */
  PetscCount            n        = 0;     /* entries given here */
  PetscInt              received = 0;     /* entries that arrive */
  HeptaHalo             halo;             /* brings them */
  HeptaTable<uint32_t>  source_table;
  HeptaTable<size_t>    order_table;
  HeptaValues           sent, arrived; /* buffers of the exchange */

  /* source in the given space */
  PetscErrorCode Source(const HeptaSpace &space, const uint32_t **p)
  {
    PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
    if (on_device && !space.device) {
      HeptaSpace device;
      PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &device));
      PetscCall(source_table.Bring(device, on_device, source));
      on_device = 0;
    }
#endif
    PetscCall(source_table.Get(space, source, p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* The aijcusparse last converted from or to, which has the same entries; and, once they are asked for, the slots of the set entries in the order of an aij's compressed rows */
struct CSRPlan {
  PetscObjectState    nonzerostate = -1, partner_nonzerostate = -1;
  PetscObjectId       partner = -1;
  bool                listed  = false;  /* the slots are there */
  std::vector<size_t> slot, ghost_slot; /* of the diagonal block and of the ghost part */
  HeptaTable<size_t>  tables[2];
};

} // namespace hepta::blocked
