/* Options of the subdomain deflation */
#include <tuple>

#include "subdeflation.h"

/* Checks that up to three positive numbers were read */
static PetscErrorCode TakePositive(PC pc, const char key[], const PetscInt read[], PetscInt count, PetscInt values[3])
{
  PetscFunctionBegin;
  PetscCheck(count > 0 && count <= 3, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONG, "%s takes one to three numbers",
             key);
  for (PetscInt k = 0; k < count; k++) {
    PetscCheck(read[k] > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "%s %" PetscInt_FMT " must be positive",
               key, read[k]);
    values[k] = read[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of the inner preconditioner; the set-up chooses a type that the user leaves open */
static PetscErrorCode InnerFromOptions(PC pc)
{
  PC        inner = Subdeflation(pc)->inner;
  PCType    type;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(HeptaSubdeflationInnerPrefix(pc));
  PetscCall(PetscOptionsHasName(((PetscObject)pc)->options, ((PetscObject)inner)->prefix, "-pc_type", &given));
  PetscCall(PCGetType(inner, &type));
  if (given || type) PetscCall(PCSetFromOptions(inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The choices on which the set-up depends, without the choices that setters compare */
static auto Choices(const PC_Subdeflation *s)
{
  const auto cell = [s](PetscInt x) { return x < s->nsize ? s->size[x] : 0; };

  return std::make_tuple(s->storage, s->count, s->nsize, cell(0), cell(1), cell(2), s->grid_given[0], s->grid_given[1],
                         s->grid_given[2], s->strength, s->most);
}

PetscErrorCode HeptaSubdomainChoice::FromOptions(PC pc, PetscOptionItems PetscOptionsObject)
{
  PetscInt  values = storage, read[4] = {0}, nread = 4, grid[4] = {0}, ngrid = 4;
  PetscBool flg;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-pc_subdeflation_coarse_storage", "Type of the inverse's values", "PCSUBDEFLATION",
                              HeptaMatStorages, 2, HeptaMatStorages[values], &values, nullptr));
  storage = (HeptaMatStorage)values;
  PetscCall(PetscOptionsInt("-pc_subdeflation_count", "Subdomains of stripes and graph", "PCSUBDEFLATION", count, &count, &flg));
  PetscCheck(!flg || count > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_subdeflation_count %" PetscInt_FMT " must be positive", count);
  PetscCall(PetscOptionsIntArray("-pc_subdeflation_size", "Cells a side of the boxes", "PCSUBDEFLATION", read, &nread, &flg));
  if (flg) PetscCall(TakePositive(pc, "-pc_subdeflation_size", read, nsize = nread, size));
  PetscCall(PetscOptionsIntArray("-pc_subdeflation_grid", "Grid of the block rows in natural order", "PCSUBDEFLATION", grid,
                                 &ngrid, &flg));
  if (flg) PetscCall(TakePositive(pc, "-pc_subdeflation_grid", grid, ngrid, grid_given));
  PetscCall(PetscOptionsReal("-pc_subdeflation_strength", "Couplings at least as strong join rows of one material",
                             "PCSUBDEFLATION", strength, &strength, nullptr));
  PetscCheck(strength > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_subdeflation_strength %g must be positive", (double)strength);
  PetscCall(PetscOptionsInt("-pc_subdeflation_max", "The most materials", "PCSUBDEFLATION", most, &most, nullptr));
  PetscCheck(most > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_subdeflation_max %" PetscInt_FMT " must be positive", most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_Subdeflation(PC pc, PetscOptionItems PetscOptionsObject)
{
  PC_Subdeflation     *s    = Subdeflation(pc);
  PetscInt             type = s->type_given ? s->type : HEPTA_SUBDEFLATION_AUTO, variant = s->variant, coarse = s->coarse_type;
  const auto           before     = Choices(s);
  HeptaSubdomainChoice subdomains = *s; /* copies, which are taken over only if all options are valid */
  PetscBool            flg;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Subdomain deflation options");
  PetscCall(PetscOptionsEList("-pc_subdeflation_type", "Kind of subdomains (auto: boxes where a grid is known, else stripes)",
                              "PCSubdeflationSetType", HeptaSubdeflationTypes, 8, HeptaSubdeflationTypes[type], &type, &flg));
  if (flg) PetscCall(PCSubdeflationSetType(pc, (HeptaSubdeflationType)type));
  PetscCall(PetscOptionsEList("-pc_subdeflation_variant", "How the levels are joined", "PCSubdeflationSetVariant",
                              HeptaSubdeflationVariants, 5, HeptaSubdeflationVariants[variant], &variant, &flg));
  if (flg) PetscCall(PCSubdeflationSetVariant(pc, (HeptaSubdeflationVariant)variant));
  PetscCall(PetscOptionsEList(
    "-pc_subdeflation_coarse", "Solver of the coarse problem (default: inverse up to 8192 subdomains, else ksp)",
    "PCSubdeflationSetCoarse", HeptaSubdeflationCoarses, 3, HeptaSubdeflationCoarses[coarse], &coarse, &flg));
  if (flg) PetscCall(PCSubdeflationSetCoarse(pc, (HeptaSubdeflationCoarse)coarse));
  PetscCall(subdomains.FromOptions(pc, PetscOptionsObject));
  static_cast<HeptaSubdomainChoice &>(*s) = subdomains;
  PetscOptionsHeadEnd();
  if (before != Choices(s)) PetscCall(HeptaPCStartAnew(pc));
  PetscCall(InnerFromOptions(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
