/* Matrices as CSR arrays, written down directly and once, so that every contestant is made from the same arrays */
#pragma once

#include <petscmat.h>

#include <vector>

struct CSR {
  PetscInt                 rows = 0, nc = 1; /* nc: unknowns per cell, the block size */
  std::vector<PetscInt>    ptr, col;         /* columns ascend in each row */
  std::vector<PetscScalar> val;
};

/* The structure of HeptaMatCreateGeneralHepta(), nc unknowns per cell, with values that are cheaper to make: off the diagonal
   negative, a_ii = 1.02 sum_{j != i} |a_ij| */
CSR CSRGeneralHepta(PetscInt J, PetscInt H, PetscInt I, PetscInt nc);
/* 27 neighbors of each of k x k x k nodes, as trilinear finite elements have them, nc unknowns per node; values as above */
CSR CSRElasticity(PetscInt k, PetscInt nc);
/* 7-point on k x k x k cells, and a well in each `every`-th, which couples to `length` cells anywhere; values as above */
CSR CSRWells(PetscInt k, PetscInt nc, PetscInt every, PetscInt length);
/* 5-point (nz = 1) or 7-point Poisson matrix, symmetric */
CSR CSRPoisson(PetscInt nx, PetscInt ny, PetscInt nz);
/* Blocks of nc x nc, which must divide the rows: ptr and col count blocks, values of a block in rows or in columns, zeros where A
   has none */
CSR CSRToBlocks(const CSR &A, bool columns);
/* Sliced ELL: ptr counts values, a slice of `slice` rows is stored by columns; padding has column -1 and value 0 */
CSR CSRToSlices(const CSR &A, PetscInt slice);
/* y <- A x, the reference */
std::vector<double> CSRMult(const CSR &A, const std::vector<PetscScalar> &x);
/* An aij that uses A's arrays, so A must live longer */
PetscErrorCode CSRGetAIJ(CSR &A, Mat *B);
