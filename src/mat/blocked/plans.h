/* Plans that tell the slot of each value, made once for a structure */
#pragma once

#include <vector>

#include "../../shared/transport/halo.h"
#include "../structure.h"

namespace hepta::blocked
{

/* Values sorted by slot: run k is perm[first[k]] ... perm[first[k + 1] - 1], with slot slot[first[k]] */
struct COORuns {
  size_t      n = 0, count = 0;  /* values, and runs of values */
  HeptaValues slot, perm, first; /* of size_t */

  /* sorts values by their slots; values of one slot keep their order */
  PetscErrorCode Set(const std::vector<size_t> &slots, const std::vector<size_t> &values);
};

/* COO entries and the numbers of their values, as in COOPlan */
struct RankEntries {
  std::vector<PetscInt> i, j;
  std::vector<size_t>   perm;
};

/*
   Where each COO value goes (MatSetPreallocationCOO()). Value k is the k-th given value for k < n, otherwise the (k - n)-th value
   that arrives from other ranks.
*/
struct COOPlan {
  /* of uint32_t, for each slot of the local part: 1 + the number of the first given value, or 0 */
  HeptaValues         source;
  COORuns             runs, ghost_runs; /* further values for the local part, and all values for the ghost part */
  std::vector<size_t> order;            /* given values that other ranks own, in sending order */
  RankEntries         half;             /* the entries, if storage is half */
  PetscCount          n        = 0;     /* entries given on this rank */
  PetscInt            received = 0;     /* entries that arrive */
  HeptaHalo           halo;             /* sends and receives entries */
  HeptaTable<size_t>  order_table;
  HeptaValues         sent, arrived; /* buffers of the exchange */
};

/*
   The aijcusparse of the last conversion, which has the same entries; and, once needed, the slots of the set entries in the order
   of an aij's compressed rows
*/
struct CSRPlan {
  HeptaStructure      structure, partner; /* of this matrix, and of the aijcusparse */
  bool                listed = false;     /* have the slots been listed? */
  std::vector<size_t> slot, ghost_slot;   /* of the diagonal block and of the ghost part */
  HeptaTable<size_t>  tables[2];
};

/* Of a submatrix of unknowns: the slots of its COO entries in the local part and in the ghost part of the matrix */
struct FieldsPlan {
  HeptaStructure      structure, own; /* of the matrix, and of the submatrix */
  bool                whole = false;  /* all unknowns: the submatrix has the matrix's slots */
  std::vector<size_t> slot[2];
  HeptaTable<size_t>  table[2];
};

} // namespace hepta::blocked
