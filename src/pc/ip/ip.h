/* The Incomplete Poisson preconditioner on the PETSc side */
#pragma once

#include "../operator.h"
#include "ip_kernels.hxx"

/* The blocks of S from other ranks, and the sums with a ghost; found once for a structure */
struct HeptaIPGhosts {
  HeptaHalo                  halo;                       /* sends the blocks that other ranks requested */
  std::vector<size_t>        send;                       /* the positions in S of the blocks that other ranks requested */
  std::vector<size_t>        target, first, left, right; /* as in Terms */
  std::vector<unsigned char> lower;                      /* for each ghost block: is it below the diagonal? */
  PetscInt                   received = 0;               /* blocks that arrive */
  HeptaTable<size_t>         tables[5];
  HeptaTable<unsigned char>  lower_table;
};

/* One of the matrices that make up the preconditioner */
struct HeptaIPFactor : hepta::ip::Form {
  Mat                            M = nullptr;
  std::vector<hepta::Index>      from, first, left, right; /* as in Recipe */
  HeptaTable<hepta::Index>       tables[4];
  std::unique_ptr<HeptaIPGhosts> ghosts; /* null on one rank */

  ~HeptaIPFactor() { (void)MatDestroy(&M); }
  PetscErrorCode Recipe(const HeptaSpace &, hepta::ip::Recipe *);
};

/* A matrix without block diagonals: blocks of bs x bs, by columns, in block rows and columns numbered from 0 in ascending order
   of their global numbers */
class HeptaIPRows {
public:
  ~HeptaIPRows();
  PetscErrorCode SetStructure(Mat A);
  PetscErrorCode SetValues(Mat A, hepta::ip::Found *);
  PetscErrorCode CreateFactor(PC, HeptaIPFactor &);
  PetscErrorCode FillFactor(HeptaIPFactor &, hepta::ip::Found *);
  void           ForgetValues(); /* frees the values of A and S, after the factors have been computed */

private:
  IS                       is  = nullptr; /* on several ranks: the rows of the submatrix */
  Mat                     *sub = nullptr; /* the submatrix of A in these rows and columns */
  PetscInt                 bs = 1, first = 0, own = 0;
  std::vector<PetscInt>    number;        /* the global number of each row; rows first ... first + own - 1 are this rank's */
  std::vector<size_t>      begin;         /* blocks of row m: begin[m] ... begin[m + 1] - 1 */
  std::vector<PetscInt>    col;           /* the columns of the blocks, ascending */
  std::vector<PetscScalar> v, s, inverse; /* the values of A; S without the diagonal; the inverses of A's diagonal blocks */
  std::vector<bool>        there;         /* is the block of S not zero? */
  std::vector<size_t>      position;      /* of each column: its block in the present row, or SIZE_MAX */

  PetscErrorCode                    GetSubMatrix(Mat A, MatReuse reuse);
  PetscErrorCode                    FindRows(Mat A);
  template <class F> PetscErrorCode ForRow(Mat A, PetscInt m, F);
  void                              Mark(PetscInt m, bool there);
  void                              Scale(const HeptaIPFactor &);
  void                              Combine(const HeptaIPFactor &, PetscInt m, PetscScalar *w) const;
  bool                              Has(const HeptaIPFactor &, PetscInt m, size_t p) const;
};

struct PC_IP : HeptaPCData {
  HeptaIPVariant                              variant = HEPTA_IP_SCALED;
  HeptaMatStorage                             storage = HEPTA_MAT_STORAGE_DOUBLE;
  HeptaOperator                               op;
  std::vector<std::unique_ptr<HeptaIPFactor>> factors;        /* applied in this order */
  std::unique_ptr<HeptaIPRows>                rows;           /* for a matrix in neither block diagonals nor blocked rows */
  Vec                                         work = nullptr; /* the vector between two factors */
  HeptaValues                                 inverse;        /* blocked rows: 1 / a_ii */
  HeptaValues                                 found;          /* a Found */
};

/* ip.cxx: does the matrix fit block diagonals? The next set-up, from scratch, takes the converted matrix; collective */
PETSC_INTERN PetscErrorCode HeptaIPFits(PC, bool *fits);
/* ip_setup.cxx: sets up the structure of the factors, and computes their values */
PETSC_INTERN PetscErrorCode HeptaIPStructure(PC);
PETSC_INTERN PetscErrorCode HeptaIPValues(PC);
/* ip_brow.cxx: *M <- a matrix of blocked rows for n entries at (i, j), which are overwritten */
PETSC_INTERN PetscErrorCode HeptaIPCreateBROW(PC, size_t n, PetscInt *i, PetscInt *j, Mat *M);
/* creates a factor of A in blocked rows of single entries, on one process, and computes its values */
PETSC_INTERN PetscErrorCode HeptaIPCreateBlockRows(PC, HeptaIPFactor &);
PETSC_INTERN PetscErrorCode HeptaIPBlockRowsValues(Mat A, HeptaIPFactor &, const HeptaSpace &, HeptaValues &inverse,
                                                   hepta::ip::Found *);
/* ip_blocks.cxx: the values of one factor, for blocks or on several ranks */
PETSC_INTERN PetscErrorCode HeptaIPValuesByBlocks(Mat A, HeptaIPFactor &, const HeptaSpace &, hepta::ip::Found *);
/* ip_ghosts.cxx: collective */
PETSC_INTERN PetscErrorCode HeptaIPPlanGhosts(Mat A, HeptaIPFactor &);
/* receives the requested blocks in the third part of S; collective */
PETSC_INTERN PetscErrorCode HeptaIPExchange(HeptaIPGhosts &, const HeptaSpace &, const hepta::ip::Work &S);
