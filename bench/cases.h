/* The General Hepta configurations of L. A. Firdaus, table 5.1: grid J x H x I = 2J and Nc unknowns per cell, found from their
   numbers of entries, Nc^2 (7M - 2(1 + J + JH)) */
#pragma once

#include <petscsys.h>

struct HeptaCase {
  PetscInt J, H, I, nc;
};

static const HeptaCase heptaCases[] = {
  {16, 16, 32, 8}, {16, 32, 32, 8},  {16, 16, 32, 16}, {32, 64, 64, 4},  {16, 32, 32, 16},
  {32, 32, 64, 8}, {32, 128, 64, 4}, {32, 64, 64, 8},  {32, 32, 64, 16}, {32, 128, 64, 8},
};
