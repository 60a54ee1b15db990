/* MPI between the ranks of a pair; what comes before and after a message depends on where the data are */
#pragma once

#include <memory>

#include "transfer.h"

/* What a rank sends from and gets into, and the other rank of its pair */
struct Ends {
  Memory                                out, in;
  MPI_Comm                              comm = MPI_COMM_NULL;
  Partners                              who{};
  std::function<PetscErrorCode(size_t)> before = [](size_t) { return PETSC_SUCCESS; }; /* until out holds what is sent */
  std::function<PetscErrorCode(size_t)> after  = [](size_t) { return PETSC_SUCCESS; }; /* with what has come in */
  std::function<PetscErrorCode()>       wait   = []() { return PETSC_SUCCESS; };
};

/* Memory of that kind on this rank */
PetscErrorCode TransferMakeEnds(const TransferOptions &, const Group &, MemoryKind, std::shared_ptr<Ends> *);
/* Way w, whose names are given; the bytes come into `last` */
void TransferAddEnds(const std::shared_ptr<Ends> &, const std::shared_ptr<Memory> &last, Way w, std::vector<Way> *);
/* Through the host, synchronously and not, and from device memory where unaware, which says why MPI does not know it, is empty */
PetscErrorCode TransferMPIDevice(const TransferOptions &, const Group &, const std::string &unaware, std::vector<Way> *);
/* PETSc tries its MPI with device memory when it takes a device into use, and stops the program where that fails, unless
   -use_gpu_aware_mpi 0 says that it would */
PetscErrorCode TransferMPIAware(std::string *unaware);
