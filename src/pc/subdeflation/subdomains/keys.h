/* How subdomains get their numbers */
#pragma once

#include "../subdeflation.h"
#include "subdomains_kernels.hxx"

/* What the subdomain of a block row is found by: a number below `minors` and, where there is one, another before it below `majors` */
struct HeptaSubdomainKeys {
  HeptaValues major, minor;
  PetscInt    majors = 0, minors = 0;
};

/* number.cxx: label and domains of the PC <- the numbers of the keys that occur on any rank; collective */
PETSC_INTERN PetscErrorCode HeptaSubdeflationNumber(PC, const HeptaSpace &, HeptaSubdomainKeys &);
