/* The block incomplete Cholesky preconditioner on the PETSc side */
#pragma once

#include "../bbs/factors.h"
#include "../grid.h"
#include "../operator.h"
#include "../factor/shift.h"
#include "blockic_kernels.hxx"

/* Blocks of consecutive rows of a MATBDIA of block size 1 whose couplings allow scans */
class HeptaBlockICScan {
public:
  /*
     Fits(): do the couplings of the blocks allow scans? most: rows of the largest block. Build() follows a true answer; block b
     has the rows first[b] ... first[b + 1] - 1.
  */
  bool Fits(const hepta::bdia::Diagonals &, const std::vector<PetscInt> &block_of_row, PetscInt most);
  void Build(const hepta::bdia::Diagonals &, const std::vector<hepta::Index> &first);
  /* The views for launchers */
  PetscErrorCode Views(const HeptaSpace &, HeptaAccess to_values, hepta::blockic::Factors *, hepta::blockic::Blocks *);
  /* The triangular solves, in the order in which they are done */
  template <class V>
  void Sweeps(const hepta::blockic::Factors &, const V *values, bool transpose, hepta::blockic::Sweep<V> sweep[2]) const;

  HeptaValues values, rounded; /* the factors: Factors::v and Factors::rounded */

private:
  enum Part {
    FIRST,
    PLAN_OF,
    PLAN,
    OFF,
    TARGET,
    PARTS
  };
  std::vector<hepta::Index> part[PARTS]; /* the arrays of Factors and Blocks */
  HeptaTable<hepta::Index>  tables[PARTS];
  hepta::Index              reach = 0, most = 0;
  size_t                    ld     = 0;
  int                       widest = 1, main = 0;
};

struct PC_BlockIC : HeptaPCData {
  PetscInt           given_blocks = PETSC_DECIDE; /* HeptaBlockICBlocks */
  PetscInt           given_size   = PETSC_DECIDE;
  PetscInt           given_shift  = PETSC_DECIDE;
  PetscReal          given_amount = PETSC_DECIDE;
  PetscInt           grid[3]      = {0, 0, 0};
  bool               single       = false;              /* do solves read factors in single precision? */
  HeptaBlockICBlocks blocks       = HEPTA_BLOCKIC_ROWS; /* the kind in use */
  PetscInt           size         = 0;
  bool               symmetric = false, steep = false; /* is the factorization IC(0)? would scans lose accuracy? */
  /* the matrix blocks of all ranks; the block rows of the largest matrix block */
  PetscInt64                    total = 0, most = 0;
  HeptaOperator                 op;
  std::unique_ptr<HeptaFactors> factors; /* without scans */
  HeptaBlockICScan              scan;    /* with scans */
  HeptaValues                   report;
  HeptaShift                    shift;
  bool                          built = false;
};

static inline PC_BlockIC *BlockIC(PC pc)
{
  return (PC_BlockIC *)pc->data;
}

/* blockic_factor.cxx: sets up the structure if it changed, and the factors; collective */
PETSC_INTERN PetscErrorCode HeptaBlockICFactor(PC, bool same_structure);
