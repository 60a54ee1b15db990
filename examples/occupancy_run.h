/* What the example occupancy prints, and what it checks on a GPU */
#pragma once

#include "hepta_lab.h"

#include <vector>

struct Options {
  PetscBool             named = PETSC_FALSE, thesis = PETSC_FALSE;
  PetscInt              device  = 0; /* which of the known ones, if named */
  std::vector<PetscInt> threads = {48, 128, 256, 512, 1024}, registers = {32, 64, 128, 255}, shared = {0};
};

/* A block's threads and bytes of shared memory, a thread's registers */
struct Launch {
  PetscInt threads, registers, shared;
};

struct Row {
  Launch             launch;
  PetscInt           by[4], blocks;
  HeptaResidentLimit least;
};

/* Those of the options; by default none, the third of the thesis's, 32 KB and the largest */
std::vector<PetscInt> SharedSizes(const Options &, const HeptaDeviceLimits &);

PetscErrorCode PrintLimits(const char name[], const HeptaDeviceLimits &);
/* The heads of the columns, with those of the checks on the device */
PetscErrorCode PrintHead(PetscBool checks);
PetscErrorCode RowGet(const HeptaDeviceLimits &, const Launch &, Row *);
/* A whole line, or the part of it that checks follow */
PetscErrorCode RowPrint(const Row &, PetscBool checks);

/* The table of this GPU, each row checked; one sentence where there is none */
PetscErrorCode OnDevice(const Options &);
