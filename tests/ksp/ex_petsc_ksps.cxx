static char help[] = "PETSc's Krylov methods with matrices and preconditioners of ours beside the same with PETSc's own, or with "
                     "preconditioners by dense arithmetic.\n\n";

#include "beside_aij.h"

typedef std::vector<Preconditioner> Preconditioners;

struct Method {
  const char *options;
  PetscReal   tol; /* of the norms: rounding, which the methods with short recurrences for any matrix magnify */
};

static const PetscReal steady = 1e-11, lively = 1e-8;

/* For symmetric positive definite matrices and preconditioners */
static const std::vector<Method> symmetric_methods = {
  {"cg", steady},
  {"cg -ksp_norm_type unpreconditioned", steady},
  {"cg -ksp_norm_type natural", steady},
  {"cg -ksp_cg_single_reduction", steady},
  {"pipecg", steady},
  {"pipecg -ksp_norm_type unpreconditioned", steady},
  {"pipecg -ksp_norm_type natural", steady},
  {"minres", steady},
  {"minres -ksp_norm_type unpreconditioned", steady},
};

/* For any. bcgsl with the preconditioner on the right is left out: in PETSc 3.26.1 it lacks the last step, x <- M^-1 x, whatever
   the matrix. */
static const std::vector<Method> methods = {
  {"gmres", steady},
  {"gmres -ksp_pc_side right", steady},
  {"fgmres", steady},
  {"gcr", steady},
  {"bcgs", lively},
  {"bcgs -ksp_pc_side right", lively},
  {"bcgsl -ksp_bcgsl_ell 1", lively},
  {"bcgsl -ksp_bcgsl_ell 2", lively},
  {"bcgsl -ksp_bcgsl_ell 3", lively},
  {"bcgsl -ksp_bcgsl_ell 4", lively},
  {"bcgsl -ksp_bcgsl_ell 5", lively},
  {"bcgsl -ksp_bcgsl_ell 6", lively},
  {"bcgsl -ksp_bcgsl_ell 7", lively},
  {"bcgsl -ksp_bcgsl_ell 8", lively},
  {"bcgsl -ksp_bcgsl_ell 9", lively},
  {"tfqmr", lively},
  {"tfqmr -ksp_pc_side right", lively},
  {"cgs", lively},
  {"cgs -ksp_pc_side right", lively},
  {"idr", lively},
  {"idr -ksp_pc_side right", lively},
  {"idr -ksp_idr_s 1", lively},
};

/* PETSc's preconditioners, which ask the matrix for its diagonal, blocks or factors */
static void AddPETScs(const Problem &p, Preconditioners *list)
{
  const std::string factor = p.e.symmetric ? "icc" : "ilu";

  for (const std::string &pc : {std::string("jacobi"), std::string("pbjacobi"), factor, "bjacobi -sub_pc_type " + factor,
                                std::string("asm -sub_pc_type ilu"), std::string("lu")}) {
    Preconditioner c;
    if (p.rank.back() > 0 && (pc == factor || pc == "lu")) continue;
    c.ours = c.theirs = " -pc_type " + pc;
    c.symmetric       = pc.find("asm") == std::string::npos;
    c.exact           = pc == "lu";
    list->push_back(c);
  }
}

static PetscErrorCode AddByHand(const Problem &p, const std::string &options, const Dense &M, Preconditioners *list)
{
  Preconditioner c;

  PetscFunctionBeginUser;
  c.ours = " -pc_type " + options;
  PetscCall(MatFromDense(p.theirs, M, &c.M));
  list->push_back(c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::string Grid(const Problem &p)
{
  return std::to_string(p.size[0]) + "," + std::to_string(p.size[1]) + "," + std::to_string(p.size[2]);
}

/* A limit that no matrix here keeps, so that brow is worked on by rows */
static const char *const by_rows = " -mat_bdia_max_offsets 1";

static PetscErrorCode AddOurs(const Problem &p, Preconditioners *list)
{
  const std::string grid   = " -pc_blockic_grid " + Grid(p);
  const Dense       scaled = DenseIP(p.a, p.e.bs, "scaled"), full = DenseIP(p.a, p.e.bs, "full");
  Dense             M;

  PetscFunctionBeginUser;
  PetscCall(AddByHand(p, "ip", scaled, list));
  PetscCall(AddByHand(p, "ip -pc_ip_variant full", full, list));
  for (const char *blocks : {"lines", "boxes", "rows"}) {
    PetscCall(DenseBlockIC(p, blocks, 3, false, &M));
    PetscCall(AddByHand(p, std::string("blockic -pc_blockic_size 3 -pc_blockic_blocks ") + blocks + grid, M, list));
  }
  if (!TestIsBDIA()) {
    PetscCall(AddByHand(p, std::string("ip") + by_rows, scaled, list));
    PetscCall(DenseBlockIC(p, "lines", 3, true, &M));
    PetscCall(AddByHand(p, "blockic -pc_blockic_size 3 -pc_blockic_blocks lines" + grid + by_rows, M, list));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddTriangles(const Problem &p, Preconditioners *list)
{
  PetscFunctionBeginUser;
  for (const char *triangle : {"both", "lower", "upper"}) {
    const Dense       T   = DenseTriangle(p, triangle);
    const std::string sub = p.rank.back() > 0 ? "sub_" : "";
    if (p.e.symmetric && std::string(triangle) != "both") continue;
    PetscCall(AddByHand(p,
                        (sub.empty() ? "" : "bjacobi -sub_pc_type ") + std::string("bbs -") + sub + "pc_bbs_triangle " + triangle,
                        DenseOfTriangle(p, T, triangle), list));
    PetscCall(MatOfTriangle(p, T, &list->back().P));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddDeflated(const Problem &p, const std::string &options, const Dense &inner, const Dense &Q,
                                  HeptaSubdeflationVariant variant, Preconditioners *list)
{
  PetscFunctionBeginUser;
  PetscCall(AddByHand(p, std::string("subdeflation -pc_subdeflation_variant ") + HeptaSubdeflationVariants[variant] + options,
                      DenseDeflated(p.a, Q, inner, variant), list));
  Preconditioner &c   = list->back();
  c.deflation.on      = true;
  c.deflation.variant = variant;
  c.symmetric         = variant != HEPTA_SUBDEFLATION_DEF1 && variant != HEPTA_SUBDEFLATION_ADEF1;
  PetscCall(MatFromDense(p.theirs, Q, &c.deflation.Q));
  PetscCall(MatFromDense(p.theirs, inner, &c.deflation.inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddDeflations(const Problem &p, Preconditioners *list)
{
  const std::string boxes   = " -pc_subdeflation_type boxes -pc_subdeflation_size 4 -pc_subdeflation_grid " + Grid(p),
                    stripes = " -pc_subdeflation_type stripes -pc_subdeflation_count 5";
  PetscInt          count;
  Dense             blockic;

  PetscFunctionBeginUser;
  std::vector<PetscInt> label = Subdomains(p, true, 4, &count);
  const Dense           Q = DenseCoarse(p.a, DenseIndicators(label, p.e.bs), count * p.e.bs), ip = DenseIP(p.a, p.e.bs, "scaled");
  for (int v = HEPTA_SUBDEFLATION_DEF1; v <= HEPTA_SUBDEFLATION_BNN; v++)
    PetscCall(AddDeflated(p, boxes + " -pc_subdeflation_pc_type ip", ip, Q, (HeptaSubdeflationVariant)v, list));
  PetscCall(AddDeflated(p, boxes + " -pc_subdeflation_pc_type jacobi", DenseJacobi(p.a), Q, HEPTA_SUBDEFLATION_ADEF2, list));
  PetscCall(DenseBlockIC(p, "lines", 3, false, &blockic));
  const std::string lines = boxes +
                            " -pc_subdeflation_pc_type blockic -pc_subdeflation_pc_blockic_size 3 "
                            "-pc_subdeflation_pc_blockic_blocks lines -pc_subdeflation_pc_blockic_grid " +
                            Grid(p);
  PetscCall(AddDeflated(p, lines, blockic, Q, HEPTA_SUBDEFLATION_ADEF2, list));
  label = Subdomains(p, false, 5, &count);
  PetscCall(AddDeflated(p, stripes, ip, DenseCoarse(p.a, DenseIndicators(label, p.e.bs), count * p.e.bs),
                        HEPTA_SUBDEFLATION_ADEF2, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool OnTheRight(const std::string &method)
{
  return method.find("right") != std::string::npos || method == "fgmres" || method == "gcr";
}

/* cgs and tfqmr lose a guess, with which def2 and adef2 start, if the preconditioner is on the right */
static bool Loses(const std::string &method, HeptaSubdeflationVariant variant)
{
  return OnTheRight(method) && (method.find("cgs ") == 0 || method.find("tfqmr ") == 0) &&
         (variant == HEPTA_SUBDEFLATION_DEF2 || variant == HEPTA_SUBDEFLATION_ADEF2);
}

/* A method can be compared with PETSc's own for this preconditioner */
static bool Compatible(const Preconditioner &c, const std::string &method)
{
  /* these go on from the rounding that is left */
  if (c.exact && (method.find("bcgsl") == 0 || method.find("tfqmr") == 0)) return false;
  return !c.deflation.on ||
         !(Loses(method, c.deflation.variant) || (c.deflation.variant == HEPTA_SUBDEFLATION_DEF1 && OnTheRight(method)));
}

/* Every method with every preconditioner; on several ranks, which wait for each other, one pair in five, and in a quick run one
   in twenty */
static bool Taken(const Problem &p)
{
  static int     pairs = 0;
  const PetscInt each  = TestQuick() ? 20 : p.rank.back() > 0 ? 5 : 1;

  return pairs++ % each == 0;
}

static PetscErrorCode CompareAll(const Problem &p, const Preconditioner &c, const std::vector<Method> &list, bool transposed)
{
  PetscFunctionBeginUser;
  for (const Method &m : list) {
    if (Compatible(c, m.options) && Taken(p))
      PetscCall(CompareWithPETSc(p, c, std::string("-ksp_type ") + m.options, m.tol, transposed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveSystem(const std::vector<PetscInt> &size, PetscInt bs, PetscReal wind, PetscReal dominance)
{
  /* gmres, fgmres and bcgs, for what preconditioners do with symmetric matrices alone */
  static const std::vector<Method> few = {methods[0], methods[1], methods[2], methods[4]};
  Problem                          p;
  Preconditioners                  list;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate(size, bs, wind, dominance, &p));
  AddPETScs(p, &list);
  PetscCall(AddOurs(p, &list));
  PetscCall(AddTriangles(p, &list));
  PetscCall(AddDeflations(p, &list));
  for (Preconditioner &c : list) {
    for (bool transposed : {false, true}) {
      if (transposed && c.deflation.on && !p.e.symmetric) continue; /* refused */
      if (p.e.symmetric && c.symmetric) PetscCall(CompareAll(p, c, symmetric_methods, transposed));
      PetscCall(CompareAll(p, c, p.e.symmetric ? few : methods, transposed));
    }
    PetscCall(PreconditionerDestroy(&c));
  }
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What would give a wrong answer */
static PetscErrorCode Refused(void)
{
  Problem p;
  KSP     ksp;
  Vec     x;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate({5, 4}, 1, 0.3, 1.1, &p));
  PetscCall(VecDuplicate(p.b, &x));
  for (const char *type : {KSPCGS, KSPTFQMR, KSPTCQMR, KSPIBCGS}) {
    for (const char *variant : {"def2", "adef2"}) {
      PetscCall(NewMethod(p.ours, p.ours,
                          std::string("-ksp_pc_side right -pc_type subdeflation -pc_subdeflation_count 3 -ksp_type ") + type +
                            " -pc_subdeflation_variant " + variant,
                          &ksp));
      PetscCall(ExpectError(PETSC_ERR_SUP,
                            std::string("The variant ") + variant + " starts from a guess, which " + type + " loses",
                            [&] { return KSPSolve(ksp, p.b, x); }));
      PetscCall(KSPDestroy(&ksp));
    }
  }
  PetscCall(NewMethod(p.ours, p.ours, "-pc_type subdeflation -pc_subdeflation_count 3 -ksp_type gmres", &ksp));
  PetscCall(ExpectError(PETSC_ERR_SUP, "needs a matrix known to be symmetric", [&] { return KSPSolveTranspose(ksp, p.b, x); }));
  PetscCall(Destroy(&ksp, &x));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, [] {
    for (PetscReal wind : {0., 0.3}) {
      PetscCall(SolveSystem({12, 9}, 1, wind, 1.1));
      PetscCall(SolveSystem({6, 4, 3}, 2, wind, 1.12));
    }
    PetscCall(Refused());
    return PETSC_SUCCESS;
  });
}
