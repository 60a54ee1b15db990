/* Options of the cycle over levels of matrices */
#include "../subdeflation.h"

/* An error for a smoother that is no preconditioner, or this one */
static PetscErrorCode CheckSmoother(PC pc, const char type[])
{
  PetscErrorCode (*create)(PC);

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PCList, type, &create));
  PetscCheck(create && strcmp(type, PCSUBDEFLATION), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_UNKNOWN_TYPE, "-pc_subdeflation_smoother %s is no preconditioner that can smooth: take ip, l1jacobi, jacobi, pbjacobi, blockic or another type",
             type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevelsChoice::FromOptions(PC pc, PetscOptionItems PetscOptionsObject)
{
  static const char *const cycles[] = {"v", "w"};
  PetscInt                 cycle = w;
  char                     type_name[256];
  PetscBool                flg;

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal("-pc_subdeflation_overcorrection", "Factor of the coarse corrections of the cycle", "PCSUBDEFLATION", overcorrection, &overcorrection, &flg));
  overcorrection_given = (PetscBool)(overcorrection_given || flg);
  PetscCheck(overcorrection > 0 && overcorrection <= 16, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_overcorrection %g must be positive and at most 16", (double)overcorrection);
  PetscCall(PetscOptionsReal("-pc_subdeflation_axis_strength", "Axes with couplings so strong against the strongest are coarsened", "PCSUBDEFLATION", strong, &strong, nullptr));
  PetscCheck(strong >= 0 && strong <= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_axis_strength %g must be between 0 and 1", (double)strong);
  PetscCall(PetscOptionsInt("-pc_subdeflation_levels", "Levels of the cycle (default: until a dense inverse is cheap)", "PCSUBDEFLATION", levels, &levels, nullptr));
  PetscCall(HeptaCheckNotNegative(pc, "-pc_subdeflation_levels", levels));
  PetscCall(PetscOptionsEList("-pc_subdeflation_cycle_type", "V-cycle or W-cycle", "PCSUBDEFLATION", cycles, 2, cycles[cycle], &cycle, &flg));
  w       = (PetscBool)(cycle == 1);
  w_given = (PetscBool)(w_given || flg);
  PetscCall(PetscOptionsFList("-pc_subdeflation_smoother", "Smoother of the cycle", "PCSUBDEFLATION", PCList, smoother.c_str(), type_name, sizeof(type_name), &flg));
  smoother_given = (PetscBool)(smoother_given || flg);
  if (flg) {
    PetscCall(CheckSmoother(pc, type_name));
    smoother = type_name;
  }
  PetscCall(PetscOptionsInt("-pc_subdeflation_smooth_pre", "Smoothing steps before a coarse correction", "PCSUBDEFLATION", pre, &pre, nullptr));
  PetscCall(HeptaCheckNotNegative(pc, "-pc_subdeflation_smooth_pre", pre));
  PetscCall(PetscOptionsInt("-pc_subdeflation_smooth_post", "Smoothing steps after a coarse correction", "PCSUBDEFLATION", post, &post, nullptr));
  PetscCall(HeptaCheckNotNegative(pc, "-pc_subdeflation_smooth_post", post));
  PetscCheck(pre || post, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_smooth_pre and -pc_subdeflation_smooth_post must not both be 0: give at least one step");
  PetscFunctionReturn(PETSC_SUCCESS);
}
