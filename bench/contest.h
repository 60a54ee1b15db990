/* Contests of products on one GPU: what multiplies by one matrix, and the tables that its times go to */
#pragma once

#include <memory>

#include "cusparse.h"
#include "petsc_types.h"
#include "spmv_device.h"

enum Table {
  DOUBLE,
  SINGLE,
  THROUGH_PETSC,
  HALF,
  COO_VALUES,
  COO_LOCATIONS,
  BLOCKS_DOUBLE,
  BLOCKS_SINGLE,
  DENSE_DOUBLE,
  DENSE_SINGLE,
  CONVERSION,
  MANY_ROWS,
  MANY,
  TABLES
};

/* All that multiplies by one matrix */
struct Contest {
  CSR                                           A;
  std::vector<PetscScalar>                      x;
  std::vector<double>                           y; /* A x, from the host */
  PetscInt                                      calls;
  Mat                                           aij = nullptr;
  std::vector<std::unique_ptr<DeviceMatrix>>    matrices;
  std::vector<std::unique_ptr<CusparseProduct>> products;
  std::vector<Mat>                              mats;
  std::vector<Vec>                              vecs;
  std::vector<DeviceContestant>                 contestants;
};

struct Bench {
  DeviceTimer              timer;
  cusparseHandle_t         handle = nullptr;
  std::vector<ReportTable> tables;
};

/* What cuSPARSE has for A, with values in double for one table and, unless that is negative, in float for another, there under
   float and double vectors; blocks where A.nc > 1 */
PetscErrorCode AddCusparse(Bench &b, Contest &c, int double_table, int single_table);
/* A matrix of PETSc or ours with vectors of its own, as one contestant for each table that it stands in */
PetscErrorCode AddMat(Contest &c, MatType type, const char option[], const char value[], double tolerance,
                      const std::vector<std::pair<int, std::string>> &tables);
/* Vectors, the answer and the aij of c.A */
PetscErrorCode Start(Contest &c);
/* Checks, times, writes down and takes apart; bytes[t]: what must move in table t's product */
PetscErrorCode Finish(Bench &b, Contest &c, const std::string &what, const std::vector<std::pair<int, double>> &bytes);
/* spmv_blocks.cxx: matrices of blocks, the files of -f as they are and repeated up to -copies_to rows, finite elements and wells
   with sides of n */
PetscErrorCode CompareBlocks(Bench &b, PetscInt n);
/* conversion_device.cxx: MatConvert() from aijcusparse to brow with tiles of bs, and with its choice of tiles, against csr2bsr */
PetscErrorCode AddConversions(Bench &b, Contest &c, PetscInt bs);
/* dense_device.cxx: a dense matrix of n rows */
PetscErrorCode CompareDense(Bench &b, PetscInt n);
