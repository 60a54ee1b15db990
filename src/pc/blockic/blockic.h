/* The block incomplete Cholesky preconditioner on the PETSc side */
#pragma once

#include "../bbs/factors.h"
#include "../grid.h"
#include "../operator.h"
#include "../shift.h"
#include "blockic_kernels.hxx"

enum class HeptaBlockICBlocks {
  lines,
  boxes,
  rows
};

/* The matrix blocks of a rank, and in which order their rows stand */
class HeptaBlockICStructure {
public:
  bool                             natural = false; /* positions are block rows, for the scans */
  hepta::Index                     nblocks = 0, most = 0;
  hepta::Index                     nbr    = 0; /* the block diagonals when the structure was built: the matrix may change before the next set-up */
  int                              bs     = 1;
  size_t                           ld     = 0;
  int                              widest = 1, main = -1;
  hepta::Index                     reach[2]; /* natural: as in Sweep, of couplings down and up */
  void                             Count(const std::vector<PetscInt> &block_of_row);
  PetscErrorCode                   Build(const hepta::bdia::Diagonals &, const std::vector<PetscInt> &block_of_row, bool allow_scan);
  PetscErrorCode                   Views(const HeptaSpace &, hepta::blockic::Factors *, hepta::blockic::Blocks *);
  const std::vector<hepta::Index> &OffsetsThen() const { return part[OFF]; }

private:
  enum Part {
    FIRST,
    SHAPE,
    FIRST_LEVEL,
    LEVEL,
    FIRST_ORDER,
    ORDER,
    OFF,
    TARGET,
    PLUS,
    MINUS,
    ROW,
    COL,
    PARTS
  };
  std::vector<hepta::Index> part[PARTS];
  HeptaTable<hepta::Index>  tables[PARTS];

  bool CanScan(const hepta::bdia::Diagonals &, bool consecutive);
  void Offsets(const hepta::bdia::Diagonals &, std::vector<hepta::Index> *columns);
  void OrderNatural(const std::vector<hepta::Index> &columns);
  void OrderByLevels(const std::vector<hepta::Index> &columns, const std::vector<PetscInt> &block_of_row, const std::vector<hepta::Index> &rows);
};

struct PC_BlockIC : HeptaPCData {
  PetscInt                      given_blocks = PETSC_DECIDE; /* HeptaBlockICBlocks */
  PetscInt                      given_size   = PETSC_DECIDE;
  PetscInt                      given_shift  = PETSC_DECIDE;
  PetscReal                     given_amount = PETSC_DECIDE;
  PetscInt                      grid[3]      = {0, 0, 0};
  HeptaBlockICBlocks            blocks       = HeptaBlockICBlocks::rows; /* in use */
  PetscInt                      size         = 0;
  bool                          symmetric = false, steep = false; /* IC(0); the scans would lose accuracy */
  PetscInt64                    total = 0, most = 0;              /* matrix blocks of all ranks, block rows of the largest one */
  HeptaOperator                 op;
  HeptaBlockICStructure         structure;
  std::unique_ptr<HeptaFactors> rows; /* in place of the structure and the values below, for a matrix without block diagonals */
  HeptaShift                    shift;
  HeptaValues                   factors, work, report;
  bool                          built = false;
};

static inline PC_BlockIC *BlockIC(PC pc)
{
  return (PC_BlockIC *)pc->data;
}

/* blockic_blocks.cxx: the matrix block of each local block row, numbered from 0 on, and what the options leave open; collective */
PETSC_INTERN PetscErrorCode HeptaBlockICPartition(PC, std::vector<PetscInt> *block_of_row);
/* blockic_factor.cxx: sets up the structure where it changed, and the factors; collective */
PETSC_INTERN PetscErrorCode HeptaBlockICFactor(PC, bool same_structure);
