/* Sums over ranks of a few numbers of each rank, such as coarse vectors, where the vectors are */
#pragma once

#include "halo.h"

class HeptaRankSums {
public:
  /*
     q <- the sums of the ranks' n numbers; collective. The devices add by ascending rank if the vectors of all ranks are or have
     been on devices and exchanges do not need the host. Otherwise MPI adds.
  */
  PetscErrorCode Add(MPI_Comm, const HeptaSpace &, PetscInt n, HeptaValues &q);
  PetscErrorCode Reset();

private:
#if defined(HEPTA_HAVE_CUDA)
  HeptaHalo        gather; /* gathers d numbers of each rank */
  HeptaValues      all;    /* the gathered numbers */
  PetscInt         d = 0;
  HeptaCommonSpace common;
  PetscErrorCode   AddThere(MPI_Comm, const HeptaSpace &, PetscInt n, HeptaValues &q);
#endif
};
