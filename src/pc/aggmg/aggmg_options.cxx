/* What the program chooses for PC aggmg */
#include "aggmg.h"

/* The choices on which a set-up depends */
static auto Choices(const HeptaAggMGChoice &c)
{
  return std::make_tuple(c.threshold, c.degree, c.levels, c.coarse_size, c.gather, c.smooth, c.reuse, c.single);
}

PetscErrorCode HeptaAggMGChoose(PC pc, const HeptaAggMGChoice &c)
{
  PetscFunctionBegin;
  if (Choices(AggMG(pc)->mg.choice) != Choices(c)) PetscCall(HeptaPCStartAnew(pc));
  AggMG(pc)->mg.choice = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many levels, and the ranks of the coarse ones */
static PetscErrorCode LevelOptions(PC pc, PetscOptionItems PetscOptionsObject, HeptaAggMGChoice *c)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsInt("-pc_aggmg_levels", "Most levels (default: until a dense inverse is cheap)", "PCAGGMG", c->levels,
                            &c->levels, nullptr));
  PetscCall(HeptaCheckNotNegative(pc, "-pc_aggmg_levels", c->levels));
  PetscCall(PetscOptionsInt("-pc_aggmg_coarse_size", "Most rows of a level that is solved by its dense inverse", "PCAGGMG",
                            c->coarse_size, &c->coarse_size, nullptr));
  PetscCheck(c->coarse_size >= 1 && c->coarse_size <= 4096, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_aggmg_coarse_size %" PetscInt_FMT " must be from 1 to 4096", c->coarse_size);
  PetscCall(PetscOptionsInt("-pc_aggmg_gather", "Most rows of a level that each of several MPI processes gathers", "PCAGGMG",
                            c->gather, &c->gather, nullptr));
  PetscCall(HeptaCheckNotNegative(pc, "-pc_aggmg_gather", c->gather));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMGSetFromOptions(PC pc, PetscOptionItems PetscOptionsObject)
{
  static const char *const storages[] = {"single", "double"};
  const MPI_Comm           comm       = PetscObjectComm((PetscObject)pc);
  HeptaAggMGChoice         c          = AggMG(pc)->mg.choice; /* a copy, which is taken over only if all options are valid */
  PetscInt                 storage    = !c.single;
  PetscBool                flg;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Algebraic multigrid by smoothed aggregation");
  PetscCall(PetscOptionsReal(
    "-pc_aggmg_threshold",
    "Couplings weaker than this, relative to the diagonals, do not aggregate; halved on each level, at least 0.03 on coarse ones",
    "PCAggMGSetThreshold", c.threshold, &c.threshold, nullptr));
  PetscCheck(c.threshold >= 0 && c.threshold < 1, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_aggmg_threshold %g must be from 0 to below 1", (double)c.threshold);
  PetscCall(PetscOptionsInt("-pc_aggmg_degree", "Degree of the Chebyshev polynomials before and after a coarse correction",
                            "PCAGGMG", c.degree, &c.degree, nullptr));
  PetscCheck(c.degree >= 2 && c.degree <= 4, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_aggmg_degree %" PetscInt_FMT " must be from 2 to 4", c.degree);
  PetscCall(LevelOptions(pc, PetscOptionsObject, &c));
  PetscCall(PetscOptionsBool3("-pc_aggmg_smooth_prolongation",
                              "Smooth the prolongation (default: of levels that are nearly symmetric)", "PCAGGMG", c.smooth,
                              &c.smooth, nullptr));
  PetscCall(PetscOptionsBool("-pc_aggmg_reuse_interpolation", "Keep the prolongation when values change",
                             "PCAggMGSetReuseInterpolation", c.reuse, &c.reuse, nullptr));
  PetscCall(
    PetscOptionsEList("-pc_aggmg_storage", "Type of the levels", "PCAGGMG", storages, 2, storages[storage], &storage, &flg));
  c.storage_given = c.storage_given || flg;
  c.single        = !storage;
  PetscOptionsHeadEnd();
  PetscCall(HeptaAggMGChoose(pc, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCAggMGSetThreshold - Sets below which size couplings do not aggregate in `PCAGGMG`

  Logically Collective

  Input Parameters:
+ pc        - the preconditioner
- threshold - nodes i and j aggregate if |A_ij| > threshold sqrt(|A_ii| |A_jj|), in norms of blocks; from 0 to below 1, by default
              0.01; halved on each level, but at least 0.03 on coarse levels

  Options Database Key:
. -pc_aggmg_threshold <0.01> - the threshold

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. After set-up it makes the next `PCSetUp()` start anew.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a threshold below 0, of 1 or more, or NaN.

.seealso: `PCAGGMG`, `PCAggMGSetReuseInterpolation()`, `PCGAMGSetThreshold()`
@*/
PetscErrorCode PCAggMGSetThreshold(PC pc, PetscReal threshold)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, threshold, 2);
  PetscCheck(threshold >= 0 && threshold < 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCAggMGSetThreshold(): the threshold %g must be from 0 to below 1", (double)threshold);
  PetscTryMethod(pc, "PCAggMGSetThreshold_C", (PC, PetscReal), (pc, threshold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCAggMGSetReuseInterpolation - Sets whether `PCAGGMG` keeps its prolongation when the values of the matrix change and its
  structure does not

  Logically Collective

  Input Parameters:
+ pc    - the preconditioner
- reuse - `PETSC_TRUE`, the default, to keep it; `PETSC_FALSE` to make it again from the new values, with the same aggregates

  Options Database Key:
. -pc_aggmg_reuse_interpolation <true> - keep it

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. After set-up it makes the next `PCSetUp()` start anew.

.seealso: `PCAGGMG`, `PCAggMGSetThreshold()`, `PCGAMGSetReuseInterpolation()`
@*/
PetscErrorCode PCAggMGSetReuseInterpolation(PC pc, PetscBool reuse)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveBool(pc, reuse, 2);
  PetscTryMethod(pc, "PCAggMGSetReuseInterpolation_C", (PC, PetscBool), (pc, reuse));
  PetscFunctionReturn(PETSC_SUCCESS);
}
