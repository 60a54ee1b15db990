/* Moves matrix entries to the ranks that own their rows, and gathers lists of all ranks */
#pragma once

#include <petscsf.h>
#include <vector>

#include "heptaimpl.h"
#include "space.h"

/* A matrix entry to be sent: global row, global column, value and whether it is inserted or added */
struct HeptaEntry {
  PetscInt    i, j;
  PetscScalar v;
  InsertMode  mode;
};

/*
   HeptaExchangeCreate - plans the exchange that sends n entries to the owners of the given global rows

   Collective. On return, order[k] is the entry at position k of the send buffer, received the number of entries
   that arrive here (by ascending sending rank), and PetscSFBcast with sf moves a send buffer (roots) into a receive
   buffer (leaves), with any MPI datatype.
*/
PETSC_INTERN PetscErrorCode HeptaExchangeCreate(PetscLayout map, const std::vector<PetscInt> &rows, std::vector<PetscInt> &order,
                                                PetscInt *received, PetscSF *sf);

/*
   HeptaExchangeEntries - sends each entry to the owner of its row. `in` holds the arriving entries by ascending sending rank,
   entries of one rank in the order of that rank. Collective.
*/
PETSC_INTERN PetscErrorCode HeptaExchangeEntries(PetscLayout map, const std::vector<HeptaEntry> &out,
                                                 std::vector<HeptaEntry> &in);

/* all <- the ranks' numbers one after another; collective */
template <class T>
PetscErrorCode HeptaGatherAll(MPI_Comm comm, MPI_Datatype type, const std::vector<T> &mine, std::vector<T> &all)
{
  PetscMPIInt size, n, total = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMPIIntCast((PetscCount)mine.size(), &n));
  std::vector<PetscMPIInt> counts(size), first(size);
  PetscCallMPI(MPI_Allgather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, comm));
  for (PetscMPIInt r = 0; r < size; r++) {
    first[r] = total;
    total += counts[r];
  }
  all.resize(total);
  PetscCallMPI(MPI_Allgatherv(mine.data(), n, type, all.data(), counts.data(), first.data(), type, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
