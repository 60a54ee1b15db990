/* The grid behind the rows of a matrix, for preconditioners that partition it into lines and boxes */
#pragma once

#include <petscdm.h>

#include "../shared/heptaimpl.h"

/*
   Block rows are cells of a grid of n[0] x n[1] x n[2] cells, the first index fastest. Without a DMDA cells are numbered in
   natural order, and a rank has the cells from `first` on. With a DMDA a rank has the box of size[] cells at start[], numbered in
   natural order within the box.
*/
struct HeptaGrid {
  PetscInt dim      = 0; /* 0: no grid is known */
  PetscInt n[3]     = {1, 1, 1};
  bool     box      = false;
  PetscInt start[3] = {0, 0, 0}, size[3] = {1, 1, 1}; /* of the box */
  PetscInt first = 0;

  /* The cell of a local block row */
  void Cell(PetscInt row, PetscInt c[3]) const
  {
    const PetscInt *w = box ? size : n, k = box ? row : first + row;

    c[0] = k % w[0];
    c[1] = k / w[0] % w[1];
    c[2] = k / w[0] / w[1];
    for (int x = 0; x < 3 && box; x++) c[x] += start[x];
  }
};

/*
   HeptaGridOf - the grid of A's block rows: the first of the given grid (the positive sizes of `given`), the grid of dm or of A's
   DM, if a DMDA with A's block size, and the grid of a MATBDIA; grid->dim is 0 without a grid

   Collective. option names the option behind `given` in error messages.
*/
PETSC_INTERN PetscErrorCode HeptaGridOf(Mat A, DM dm, const PetscInt given[3], const char option[], HeptaGrid *grid);
