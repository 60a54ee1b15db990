/* Moves matrix entries to the ranks that own their rows */
#pragma once

#include <petscsf.h>
#include <vector>

#include "heptaimpl.h"
#include "space.h"

/* A matrix entry on its way: global row, global column, value and how it is to be put */
struct HeptaEntry {
  PetscInt    i, j;
  PetscScalar v;
  InsertMode  mode;
};

/*
   HeptaExchangeCreate - plans the way of n entries to the owners of the given global rows

   Collective. On return, order[k] is the entry at position k of the send buffer, received the number of entries
   that arrive here (by ascending sending rank), and PetscSFBcast with sf moves a send buffer (roots) into a receive
   buffer (leaves), any unit.
*/
PETSC_INTERN PetscErrorCode HeptaExchangeCreate(PetscLayout map, const std::vector<PetscInt> &rows, std::vector<PetscInt> &order, PetscInt *received, PetscSF *sf);

/* HeptaExchangeEntries - sends each entry to the owner of its row; collective; `in` holds what arrives, by ascending sending rank, each rank's in its own order */
PETSC_INTERN PetscErrorCode HeptaExchangeEntries(PetscLayout map, const std::vector<HeptaEntry> &out, std::vector<HeptaEntry> &in);
