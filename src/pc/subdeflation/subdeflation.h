/* Subdomain deflation on the PETSc side */
#pragma once

#include <map>
#include <string>
#include <petsc/private/kspimpl.h>

#include "../grid.h"
#include "../operator.h"
#include "../../shared/exchange.h"
#include "../../shared/transport/rank_sums.h"
#include "subdeflation_kernels.hxx"

/* The operator by rows: block diagonals, or the compressed rows of an aij and, on several ranks, its two parts */
struct HeptaRows {
  HeptaOperator             op;
  Mat                       A    = nullptr;                /* the matrix of op */
  Mat                       diag = nullptr, off = nullptr; /* the parts of an aij, borrowed */
  std::vector<PetscInt>     ghosts;                        /* global columns of the ghost part, ascending */
  PetscSF                   sf = nullptr;                  /* brings the ghosts' numbers from their owners */
  HeptaTable<hepta::Index>  border;                        /* Ghost::border on the device */
  hepta::blocked::EntryList list;                          /* the list of set entries of block diagonals, while it is needed */

  PetscErrorCode Update(PC, bool *same_structure);
  PetscErrorCode Reset();
  PetscErrorCode Space(HeptaSpace *) const;
};

/*
   A Z by entries, as in subdeflation_kernels.hxx. `segment`, `own`, `column`, `column_at` and `ghost_label` are made on the host,
   `partial` where the vectors are, all further arrays where the matrix is. Numbers are of type Index, positions of type size_t.
*/
struct HeptaAZ {
  bool                  found = false; /* are the members below valid for the present structure? */
  size_t                rows = 0, entries = 0, chunks = 0, segments = 0, columns = 0;
  HeptaValues           label, ghost_label;   /* the subdomains of rows and ghost columns, numbered over all ranks */
  HeptaValues           row, subdomain;       /* row and subdomain of each entry */
  HeptaValues           chunk, own;           /* where chunks begin, and the end; a byte for each */
  HeptaValues           segment;              /* where segments begin, in chunks, and the end */
  std::vector<PetscInt> segment_e, segment_f; /* e and f of each segment */
  /* where each subdomain of this rank begins, in chunks, and the end; the subdomain's number (size_t) */
  HeptaValues column, column_at;
  bool        by_rows = false;      /* are row_first and row_entry set? The first product A Z y sets both. */
  HeptaValues row_first, row_entry; /* where each row begins in row_entry; entries by rows */
  HeptaValues values, partial;

  PetscErrorCode GetLabels(const HeptaSpace &, hepta::subdeflation::Labels *);
};

/* The distinct entries of E */
struct HeptaCoarseEntries {
  std::vector<size_t>      at; /* f*d + e */
  std::vector<PetscScalar> value;
};

/* The coarse problem E y = q, E = Z^T A Z of d x d */
struct HeptaCoarse {
  PetscInt                              d         = 0;
  bool                                  symmetric = false, single = false;
  bool                                  solvable        = false; /* E^-1 is ready */
  PetscCount                            made            = 0;     /* set-ups so far */
  bool                                  found_constants = false; /* the program gave no null space, but A 1 = 0 to rounding */
  std::vector<std::vector<PetscScalar>> null;                    /* orthonormal null vectors of E */
  HeptaValues                           inverse, q, y;
  /* work space: segment sums, E, its entries, a null vector; kept, since freeing invalidates recordings */
  HeptaValues           sums, dense, locations, given, vector;
  std::shared_ptr<void> solver; /* cuSOLVER's */
  KSP                   ksp = nullptr;
  Mat                   E   = nullptr; /* sparse */
  Vec                   eq = nullptr, ey = nullptr;
  HeptaRankSums         of_ranks; /* adds q over ranks */
  HeptaHalo             parts;    /* on several ranks: gathers the ranks' parts of the KSP's solution */
  PetscErrorCode        Reset();
};

/* Options that have no setters */
struct HeptaSubdomainChoice {
  HeptaMatStorage storage = HEPTA_MAT_STORAGE_DOUBLE;
  PetscInt        count = 0, nsize = 0, size[3] = {0, 0, 0}, grid_given[3] = {0, 0, 0}, most = 8192;
  PetscReal       strength = 0.08;

  PetscErrorCode FromOptions(PC, PetscOptionItems);
};

struct PC_Subdeflation : HeptaPCData, HeptaSubdomainChoice {
  HeptaSubdeflationType         type        = HEPTA_SUBDEFLATION_BOXES;
  HeptaSubdeflationVariant      variant     = HEPTA_SUBDEFLATION_ADEF2;
  HeptaSubdeflationCoarse       coarse_type = HEPTA_SUBDEFLATION_COARSE_INVERSE;
  bool                          type_given = false, coarse_given = false;
  IS                            labels = nullptr;
  std::vector<Vec>              vectors, az_vectors; /* user vectors: Z before scaling, and A Z */
  std::vector<PetscReal>        scale;
  std::vector<PetscObjectState> states;          /* of the vectors at the last good set-up */
  HeptaCheckedNull              checked_null[2]; /* of the preconditioner's matrix; of an operator that is another matrix */

  PC          inner = nullptr;
  std::string inner_chosen; /* the type of the inner preconditioner, if the set-up has chosen it */
  HeptaRows   rows;
  HeptaGrid   grid;
  PetscInt    boxes[3] = {0, 0, 0}; /* of the grid, when type is boxes */
  HeptaValues label;                /* Index, of local block rows: 0 ... domains - 1; where the matrix is */
  PetscInt    domains = 0, dropped = 0;
  HeptaAZ     az;
  HeptaCoarse coarse;
  Vec         work[2]    = {nullptr, nullptr};
  bool        transposed = false; /* true while a KSP solves the transposed system */
  bool        started    = false; /* has some variant set a KSP's initial guess? */

  bool UsesLabels() const { return type != HEPTA_SUBDEFLATION_VECTORS; }
  /* Do the subdomains depend on the matrix values? */
  bool FollowsValues() const { return type == HEPTA_SUBDEFLATION_MATERIAL || type == HEPTA_SUBDEFLATION_MATERIALBOXES; }
  /* the object states of the user vectors; a changed state shows a changed vector */
  std::vector<PetscObjectState> VectorStates() const
  {
    std::vector<PetscObjectState> now;

    for (Vec z : vectors) now.push_back(((PetscObject)z)->state);
    return now;
  }
};

static inline PC_Subdeflation *Subdeflation(PC pc)
{
  return (PC_Subdeflation *)pc->data;
}

/* Is this a PC subdeflation? */
static inline bool HeptaDeflates(PC pc)
{
  PetscBool deflation;

  (void)PetscObjectTypeCompare((PetscObject)pc, PCSUBDEFLATION, &deflation);
  return deflation;
}

/* subdomains/labels.cxx: label and domains, found in the space, where the matrix is; collective */
PETSC_INTERN PetscErrorCode HeptaSubdeflationLabel(PC, const HeptaSpace &);
/* order <- the n numbers k by major[k] (null: all are 0), minor[k] and k, as order_by_pairs() */
PETSC_INTERN PetscErrorCode HeptaOrderByPairs(const HeptaSpace &, size_t n, const hepta::Index *major, PetscInt majors,
                                              const hepta::Index *minor, PetscInt minors, HeptaValues &order,
                                              hepta::Index **ordered);
/*
   label[m] <- the number of the pair (major[m], minor[m]) among the distinct pairs of this rank, *n <- the number of distinct
   pairs; major[m] < majors (null: all are 0), minor[m] < minors
*/
PETSC_INTERN PetscErrorCode HeptaNumberLocal(const HeptaSpace &, size_t rows, HeptaValues *major, PetscInt majors,
                                             HeptaValues &minor, PetscInt minors, HeptaValues &label, PetscInt *n);
/* label[m] <- the position of key[m] among the distinct keys of all ranks, *n <- the number of distinct keys; collective */
PETSC_INTERN PetscErrorCode HeptaNumberKeys(MPI_Comm, const std::vector<PetscInt64> &key, std::vector<PetscInt> &label,
                                            PetscInt *n);
/* subdomains/material.cxx: the connected components of strongly coupled block rows, numbered from 0; collective */
PETSC_INTERN PetscErrorCode HeptaSubdeflationMaterial(PC, const HeptaSpace &, HeptaValues &label, PetscInt *n);
/* subdomains/structure.cxx: the entries of A Z for the labels; az.cxx: their values */
PETSC_INTERN PetscErrorCode HeptaSubdeflationStructure(PC, const HeptaSpace &);
PETSC_INTERN PetscErrorCode HeptaSubdeflationValues(PC, const HeptaSpace &);
PETSC_INTERN PetscErrorCode HeptaAZReset(HeptaAZ &);
/* sets row_first and row_entry, the entries by rows, unless by_rows */
PETSC_INTERN PetscErrorCode HeptaAZByRows(HeptaAZ &);
/* partial <- the sums over the chunks of A Z, as chunk_sums() in subdeflation_kernels.hxx */
PETSC_INTERN PetscErrorCode HeptaAZSums(HeptaAZ &, const HeptaSpace &, const PetscScalar r[], const PetscScalar w[],
                                        const PetscScalar **partial);
/* coarse.cxx: E from the values of A Z, made ready for solves; y <- E^-1 q, both in coarse */
PETSC_INTERN PetscErrorCode HeptaSubdeflationCoarseSetUp(PC, const HeptaSpace &);
PETSC_INTERN PetscErrorCode HeptaSubdeflationCoarseSolve(PC, const HeptaSpace &);
/* coarse_dense.cxx: inverse <- E^-1, on every rank; an error if E has none */
PETSC_INTERN PetscErrorCode HeptaSubdeflationDenseInverse(PC, const HeptaSpace &, const HeptaCoarseEntries &);
/* coarse_ksp.cxx: a sparse E and its KSP; y <- E^-1 q by the KSP */
PETSC_INTERN PetscErrorCode HeptaSubdeflationKSPSetUp(PC, const HeptaSpace &, const std::vector<PetscScalar> &value);
PETSC_INTERN PetscErrorCode HeptaSubdeflationKSPSolve(PC);
/* transfer.cxx: q <- Z^T r - (A Z)^T w summed over ranks, r or w may be null (zero). z <- w + Z y. t <- r - A Z y */
PETSC_INTERN PetscErrorCode HeptaSubdeflationRestrict(PC, Vec r, Vec w);
PETSC_INTERN PetscErrorCode HeptaSubdeflationProlong(PC, Vec w, Vec z);
PETSC_INTERN PetscErrorCode HeptaSubdeflationSubtractAZ(PC, Vec r, Vec t);
/* condition.cxx: an error, with the reason, if E is singular to rounding; called after the set-up of E's solver; collective */
PETSC_INTERN PetscErrorCode HeptaSubdeflationCheckCoarse(PC, const HeptaSpace &);
/* vectors.cxx: A Z for user vectors, which must be independent; t <- column k of Z */
PETSC_INTERN PetscErrorCode HeptaSubdeflationMultiplyVectors(PC);
PETSC_INTERN PetscErrorCode HeptaSubdeflationScaledVector(PC, size_t k, Vec t);
/* options.cxx */
PETSC_INTERN PetscErrorCode PCSetFromOptions_Subdeflation(PC, PetscOptionItems);
/* setup.cxx: the inner preconditioner's options prefix; a new coarse problem if the program has changed its vectors */
PETSC_INTERN PetscErrorCode HeptaSubdeflationInnerPrefix(PC);
PETSC_INTERN PetscErrorCode HeptaSubdeflationFollowVectors(PC);
PETSC_INTERN PetscErrorCode HeptaSubdeflationSetUp(PC);
/* null.cxx: the null vectors of E; collective */
PETSC_INTERN PetscErrorCode HeptaSubdeflationNullVectors(PC);
/* null_check.cxx: unit vectors that span a null space, in copies */
PETSC_INTERN PetscErrorCode HeptaSubdeflationNullBasis(PC, MatNullSpace, std::vector<Vec> &basis);
/* *wrong <- the first of the unit vectors v that violates A v = 0 (transposed: A^T v = 0), or -1; *ratio <- |A v| / (|A| |v|) */
PETSC_INTERN PetscErrorCode HeptaSubdeflationFindWrong(Mat A, bool transposed, const std::vector<Vec> &basis, PetscInt *wrong,
                                                       PetscReal *ratio);
/* *size <- |A|: the largest entry of A's diagonal; without a diagonal of A v, v random from 1 to 2; v and w are overwritten */
PETSC_INTERN PetscErrorCode HeptaSubdeflationSize(Mat A, Vec v, Vec w, PetscReal *size);
/* t in |A v| <= t |A| |v| for a null vector v; t allows for matrices read from text or float */
constexpr PetscReal HEPTA_SUBDEFLATION_NULL_TOLERANCE = 1e-5;
/* presolve.cxx: raises an error, with the reason, if KSP dpcg cannot use this preconditioner or its matrix */
PETSC_INTERN PetscErrorCode HeptaSubdeflationServeDPCG(PC, KSP dpcg);
/* apply.cxx: work vectors; y <- E^-1 q where the vector is */
PETSC_INTERN PetscErrorCode HeptaSubdeflationWork(PC, Vec like);
PETSC_INTERN PetscErrorCode HeptaSubdeflationSolveLike(PC, Vec like);
/* applications */
template <bool transposed> PetscErrorCode PCApply_Subdeflation(PC, Vec, Vec);
/* an error if the preconditioner has no transposed application */
PETSC_INTERN PetscErrorCode HeptaSubdeflationCheckTransposed(PC);
/* presolve.cxx: the starts and corrections of the variants */
PETSC_INTERN PetscErrorCode HeptaSubdeflationPreSolve(PC, KSP);
PETSC_INTERN PetscErrorCode PCPostSolve_Subdeflation(PC, KSP, Vec, Vec);
