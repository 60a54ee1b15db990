/* The Incomplete Poisson preconditioner on the PETSc side */
#pragma once

#include "../operator.h"
#include "ip_kernels.hxx"

/* The blocks of S that come from other ranks, and the sums that need a ghost; found once for a structure */
struct HeptaIPGhosts {
  PetscSF                    sf = nullptr;               /* of the requests: leaves the blocks wanted, roots their block rows */
  std::vector<size_t>        send;                       /* where the blocks stand that other ranks want, in S */
  std::vector<size_t>        target, first, left, right; /* as in Terms */
  std::vector<unsigned char> lower;                      /* for each ghost block: below the diagonal? */
  PetscInt                   received = 0;               /* blocks that arrive */
  HeptaTable<size_t>         tables[5];
  HeptaTable<unsigned char>  lower_table;
  ~HeptaIPGhosts() { (void)PetscSFDestroy(&sf); }
};

/* One of the matrices that make up the preconditioner */
struct HeptaIPFactor {
  Mat                            M          = nullptr;
  bool                           left_lower = false, scale = false, keep_lower = true, keep_upper = true, pairs = false;
  std::vector<hepta::Index>      from, first, left, right; /* as in Recipe */
  HeptaTable<hepta::Index>       tables[4];
  std::unique_ptr<HeptaIPGhosts> ghosts; /* on several ranks */

  PetscErrorCode Recipe(const HeptaSpace &, hepta::ip::Recipe *);
};

struct PC_IP {
  HeptaIPVariant                              variant = HEPTA_IP_SCALED;
  HeptaMatStorage                             storage = HEPTA_MAT_STORAGE_DOUBLE;
  HeptaOperator                               op;
  std::vector<std::unique_ptr<HeptaIPFactor>> factors;        /* applied in this order */
  Vec                                         work = nullptr; /* between two of them */
  HeptaValues                                 bad;            /* notes the first local row without a pivot: note_first() */
};

/* ip_setup.cxx: the structure of the factors; and their values */
PETSC_INTERN PetscErrorCode HeptaIPStructure(PC);
PETSC_INTERN PetscErrorCode HeptaIPValues(PC);
/* ip_blocks.cxx: the values of one factor, for blocks or on several ranks; bad notes the first local row without a pivot */
PETSC_INTERN PetscErrorCode HeptaIPValuesByBlocks(Mat A, HeptaIPFactor &, const HeptaSpace &, HeptaValues &bad);
/* ip_ghosts.cxx: collective */
PETSC_INTERN PetscErrorCode HeptaIPPlanGhosts(Mat A, HeptaIPFactor &);
/* brings the blocks wanted into the third part of S; collective */
PETSC_INTERN PetscErrorCode HeptaIPExchange(HeptaIPGhosts &, const HeptaSpace &, const hepta::ip::Work &S);
