/* Numbering of subdomains by keys */
#pragma once

#include "../subdeflation.h"
#include "subdomains_kernels.hxx"

/* The key by which the subdomain of a block row is found: a number below `minors`, perhaps preceded by a more significant one below `majors` */
struct HeptaSubdomainKeys {
  HeptaValues major, minor;
  PetscInt    majors = 0, minors = 0;
};

/* number.cxx: order <- the n numbers k by major[k] (null: all are 0), minor[k] and k, as order_by_pairs() */
PETSC_INTERN PetscErrorCode HeptaOrderByPairs(const HeptaSpace &, size_t n, const hepta::Index *major, PetscInt majors, const hepta::Index *minor, PetscInt minors, HeptaValues &order, hepta::Index **ordered);
/* label and domains of the PC <- the numbers of the keys that occur on any rank; collective */
PETSC_INTERN PetscErrorCode HeptaSubdeflationNumber(PC, const HeptaSpace &, HeptaSubdomainKeys &);
