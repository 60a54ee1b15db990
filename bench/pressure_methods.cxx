/* The methods of bench/pressure, which of them this PETSc has, and the options that depend on the dimension */
#include "pressure.h"

#include <algorithm>
#include <map>
#include <set>

static MethodOptions Fused(const char precision[])
{
  return {{"ksp_type", "fusedcg"}, {"ksp_fusedcg_precision", precision}};
}

static MethodOptions Gamg(const char reuse[], const char threshold[])
{
  return {{"pc_gamg_reuse_interpolation", reuse}, {"pc_gamg_threshold", threshold}};
}

static std::vector<Method> GridMethods(void)
{
  /* a tolerance would make each application compute norms. PETSc 3.26 drops skip_relax in its set-up, but 1 is hypre's default */
  const MethodOptions pfmg = {{"pc_pfmg_relax_type", "Weighted-Jacobi"}, {"pc_pfmg_skip_relax", "1"}, {"pc_pfmg_tol", "0"}};

  return {
    {"ours", "gridmg", true, "gridmg", 0, {}},
    {"gridmg", "gridmg, fusedcg", true, "gridmg", 0, {{"ksp_type", "fusedcg"}}},
    {"gridmg_single", "gridmg, fusedcg in single", true, "gridmg", 0, Fused("single")},
    {"gridmg_double", "gridmg, fusedcg in double", true, "gridmg", 0, Fused("double")},
    {"gridmg_one", "gridmg, one sweep, fusedcg", true, "gridmg", 0, {{"ksp_type", "fusedcg"}, {"pc_gridmg_sweeps", "1"}}},
    {"aggmg", "aggmg, fusedcg", true, "aggmg", 0, {{"ksp_type", "fusedcg"}}},
    {"boxes8", "subdeflation, boxes of 8", true, "subdeflation", 8, {{"pc_subdeflation_size", "8"}}},
    {"boxes16", "subdeflation, boxes of 16", true, "subdeflation", 16, {{"pc_subdeflation_size", "16"}}},
    {"material", "subdeflation, materials in boxes", true, "subdeflation", 0, {{"pc_subdeflation_type", "materialboxes"}}},
    {"gamg", "gamg, new interpolation", false, PCGAMG, 0, {{"pc_gamg_reuse_interpolation", "false"}}},
    {"gamg_reuse", "gamg, reused interpolation", false, PCGAMG, 0, {{"pc_gamg_reuse_interpolation", "true"}}},
    {"gamg_threshold", "gamg, reused interpolation, threshold 0.02", false, PCGAMG, 0, Gamg("true", "0.02")},
    {"jacobi", "jacobi", false, PCJACOBI, 0, {}},
    {"icc", "icc", false, PCICC, 0, {}},
    {"boomeramg", "hypre boomeramg", false, PCHYPRE, 0, {{"pc_hypre_type", "boomeramg"}}},
    {"pfmg", "hypre pfmg", false, PCPFMG, 0, pfmg},
  };
}

static std::vector<Method> MeshMethods(void)
{
  return {
    {"aggmg", "aggmg, fusedcg", true, "aggmg", 0, {{"ksp_type", "fusedcg"}}},
    {"fused_jacobi", "jacobi, fusedcg", true, PCJACOBI, 0, {{"ksp_type", "fusedcg"}}},
    {"gamg_0", "gamg, new interpolation, threshold 0", false, PCGAMG, 0, Gamg("false", "0")},
    {"gamg_02", "gamg, new interpolation, threshold 0.02", false, PCGAMG, 0, Gamg("false", "0.02")},
    {"gamg_reuse_0", "gamg, reused interpolation, threshold 0", false, PCGAMG, 0, Gamg("true", "0")},
    {"gamg_reuse_02", "gamg, reused interpolation, threshold 0.02", false, PCGAMG, 0, Gamg("true", "0.02")},
    {"boomeramg", "hypre boomeramg", false, PCHYPRE, 0, {{"pc_hypre_type", "boomeramg"}}},
  };
}

/* Why the method cannot run here, or null */
static const char *Missing(const PressureOptions &o, const Method &m, PetscMPIInt size)
{
  const std::string pc         = m.pc;
  PetscErrorCode (*create)(PC) = nullptr;

  if (pc == PCICC && (o.device || size > 1)) return "it runs on one process of the host";
#ifndef PETSC_HAVE_HYPRE
  if (pc == PCHYPRE || pc == PCPFMG) return "PETSc was configured without hypre: add --download-hypre or --with-hypre-dir";
#endif
#ifndef PETSC_HAVE_HYPRE_DEVICE
  if (pc == PCHYPRE && o.device) return "hypre was built without CUDA: build it with CUDA, or leave out -device";
#endif
  if (pc == PCPFMG && o.device) return "PETSc gives hypre's grids arrays of the host: leave out -device";
  if (PetscFunctionListFind(PCList, m.pc, &create) || !create) return "there is no such type of PC";
  return nullptr;
}

/* Without -methods all that run here, and once a line for each reason that others do not */
static PetscErrorCode Available(const PressureOptions &o, PetscMPIInt size, std::vector<Method> *methods)
{
  static std::set<std::string>       told;
  std::map<std::string, std::string> left; /* reason -> tags */
  std::vector<Method>                kept;

  PetscFunctionBegin;
  for (const Method &m : *methods) {
    const char *why = Missing(o, m, size);
    if (!why) kept.push_back(m);
    else left[why] += (left[why].empty() ? "" : ", ") + std::string(m.tag);
  }
  for (const auto &[why, tags] : left) {
    if (told.insert(why + tags).second)
      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, PETSC_STDERR, "pressure: left out: %s; %s\n", tags.c_str(), why.c_str()));
  }
  *methods = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Method *Find(const std::vector<Method> &methods, const std::string &tag)
{
  const auto m = std::find_if(methods.begin(), methods.end(), [&](const Method &a) { return tag == a.tag; });

  return m == methods.end() ? nullptr : &*m;
}

PetscErrorCode PressureMethods(const PressureOptions &o, bool grid, std::vector<Method> *methods)
{
  const std::vector<Method> all = grid ? GridMethods() : MeshMethods(), others = grid ? MeshMethods() : GridMethods();
  char                     *tags[32];
  PetscInt                  n = 32;
  PetscBool                 set;
  PetscMPIInt               size;

  PetscFunctionBegin;
  *methods = all;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, "-methods", tags, &n, &set));
  if (!set) {
    PetscCall(Available(o, size, methods));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const std::vector<std::string> wanted(tags, tags + n);
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFree(tags[k]));
  for (const std::string &w : wanted) {
    const Method *m = Find(all, w);
    PetscCheck(m || Find(others, w), PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-methods knows no \"%s\": the help lists them",
               w.c_str());
    const char *why = m ? Missing(o, *m, size) : nullptr;
    PetscCheck(!why, PETSC_COMM_WORLD, PETSC_ERR_SUP, "-methods %s: %s", w.c_str(), why);
  }
  const auto unwanted = [&](const Method &m) { return std::find(wanted.begin(), wanted.end(), m.tag) == wanted.end(); };
  methods->erase(std::remove_if(methods->begin(), methods->end(), unwanted), methods->end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Those that take hypre the least time: thresholds from its manual; with rap 1 (non-Galerkin) the coarse matrices of PFMG have as
   many points as the first one. What BoomerAMG can do on a device PETSc chooses by itself: PMIS, ext+i, l1scaled-Jacobi.
*/
std::vector<std::pair<const char *, const char *>> MethodOptionsIn(const Method &m, PetscInt dim)
{
  const std::string pc = m.pc;

  if (pc == PCHYPRE) return {{"pc_hypre_boomeramg_strong_threshold", dim > 2 ? "0.5" : "0.25"}};
  if (pc == PCPFMG) return {{"pc_pfmg_rap_type", dim > 2 ? "Galerkin" : "non-Galerkin"}};
  return {};
}
