/*
   Applications of the cycle over nested boxes, y = B x. On a level with the matrix A, the preconditioner M (ip) and the boxes P,

     z <- M r
     the next level's r <- P^T (r - A z), and its z by the same cycle, or by its inverse if it is the last
     z <- z + weight P (the next level's z)
     z <- z + M (r - A z)

   B is linear, and symmetric if A is: I - B A = (I - M A)(I - weight P B_next P^T A)(I - M A). With other numbers of smoothing steps the first and the last factor are raised to these powers: B is symmetric if the
   numbers are equal. A W-cycle visits each level except the first and the last twice, the second time for the residual of the first solution: I - B_2 A = (I - B A)^2 there. M may be damped Jacobi, M = 2/3 D^-1:
   with couplings that are not positive and row sums that are not negative the eigenvalues of D^-1 A are at most 2, so those of I - M A are between -1/3 and 1.

   On several MPI processes Halo() receives planes of the neighbors, and Gather() the right-hand side of the level that each process has completely. If Halo() brings several planes of s, the passes of a V-cycle compute what the
   neighbors do on these planes too, on one less after each pass, since it reads one plane beyond; so nothing else is exchanged on the level.
*/
#include "../../../shared/arrays.h"
#include "cycle.h"

using namespace hepta::cycle;
using hepta::Index;

/* One smoothing step at level l: z <- M r, or zero without `step`. Before it u <- 0 if `start`, and u <- u + t if `corrected`. Not used by the default V-cycle. */
template <class T> PetscErrorCode HeptaCycle::Smooth(const HeptaSpace &space, size_t l, bool start, bool corrected, bool step, T *values)
{
  const Level<T> L       = Typed(space, l, values);
  const T        damping = T(choice.jacobi && step ? 2. / 3 : 0);

  PetscFunctionBegin;
  if (start || corrected || choice.jacobi || !step) HeptaLaunchEach(space, damp, damping, start, corrected, L);
  if (step && !choice.jacobi) {
    PetscCall(Halo(space, l, L.s));
    HeptaLaunchEach(space, smooth_first, axes, L);
  }
  PetscCall(Halo(space, l, L.z)); /* needed next for the residual of z, or its restriction */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level l of a general cycle: u <- its approximate solution, improved if the level is visited `again`; on the last level z <- the solution */
template <class T> PetscErrorCode HeptaCycle::Visit(const HeptaSpace &space, size_t l, bool again, bool transposed, T *values, const double *inv, Scales *s)
{
  const size_t   last = levels.size() - 1;
  const Level<T> L    = Typed(space, l, values);
  const PetscInt pre = transposed ? choice.post : choice.pre, post = transposed ? choice.pre : choice.post;

  PetscFunctionBegin;
  if (!again) PetscCall(Gather(space, l, Own(space, l, values).t, L.s));
  if (l == last) {
    HeptaLaunch(space, solve_last, L, levels[last].cells, inv, (Scales *)nullptr);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Smooth(space, l, !again, false, pre > 0, values));
  for (PetscInt k = 1; k < pre; k++) {
    HeptaLaunchEach(space, absorb, axes, L);
    PetscCall(Smooth(space, l, false, false, true, values));
  }
  HeptaLaunch(space, restrict_residual, axes, L, Sent(space, l + 1, values), l ? (Scales *)nullptr : s);
  PetscCall(Visit(space, l + 1, false, transposed, values, inv, s));
  if (choice.w && l + 1 < last) PetscCall(Visit(space, l + 1, true, transposed, values, inv, s));
  Level<T> next = Own(space, l + 1, values);
  if (l + 1 < last) next.z = next.u;
  PetscCall(Halo(space, l + 1, next.z));
  HeptaLaunch(space, correct, axes, T(choice.overcorrection), L, next);
  PetscCall(Smooth(space, l, false, true, post > 0, values));
  for (PetscInt k = 0; k < post; k++) {
    if (k) PetscCall(Smooth(space, l, false, false, true, values));
    HeptaLaunchEach(space, absorb, axes, L);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The first level's slab on several MPI processes, as smooth_input, and on the neighbors' planes. Between devices those of s arrive while z is computed on the slab; then z follows on its first and last plane and beyond. smooth_input
   stores s of the planes that are being sent once more, the same numbers; MPI on the host does not allow that before the exchange has ended.
*/
template <class T> PetscErrorCode HeptaCycle::SmoothSlab(const HeptaSpace &space, T *values, const PetscScalar *x, const Scales *s)
{
  Level<T>              slab = Typed(space, 0, values);
  const Index           n = slab.g.n[axes - 1], ghosts = levels[0].ghosts, face = PlaneCells(slab.g);
  const auto            planes   = [&](Index first) { return Part(space, 0, first, ghosts, values); };
  const HeptaHaloArrays s_planes = HaloArrays(space, 0, slab.s);

  PetscFunctionBegin;
  if (ranks.below) HeptaLaunch(space, scale_input, planes(0), x, s);
  if (ranks.above) HeptaLaunch(space, scale_input, planes(n - ghosts), x + (size_t)(n - ghosts) * face, s);
  PetscCall(ranks.halo[0].Begin(s_planes));
  const bool meanwhile = space.device && ranks.halo[0].InPlace(space);
  if (!meanwhile) PetscCall(ranks.halo[0].End(s_planes));
  slab.beside = meanwhile && ranks.halo[0].Sends();
  HeptaLaunch(space, smooth_input, axes, slab, x, s);
  if (meanwhile) PetscCall(ranks.halo[0].End(s_planes));
  if (ranks.below) HeptaLaunchEach(space, smooth_first, axes, planes(1 - ghosts));
  if (ranks.above) HeptaLaunchEach(space, smooth_first, axes, planes(n - 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The V-cycle with one ip step before and after each correction, from the right-hand side of the first level to y */
template <class T> PetscErrorCode HeptaCycle::VCycle(const HeptaSpace &space, T *values, const double *inv, Scales *s, PetscScalar *y)
{
  const size_t last     = levels.size() - 1;
  const auto   level    = [&](size_t l) { return Typed(space, l, values); };
  const auto   own      = [&](size_t l) { return Own(space, l, values); };
  const auto   extended = [&](size_t l, Index passes) { return Extended(space, l, levels[l].ghosts - passes, values); }; /* and the planes that are known after so many passes */
  const auto   narrow   = [&](size_t l) { return levels[l].ghosts == 1; };                                               /* it takes an exchange before each pass */
  const T      weight   = T(choice.overcorrection);

  PetscFunctionBegin;
  for (size_t l = 0; l < last; l++) {
    if (l || (ranks.several && !ranks.gathered)) { /* else z is known */
      PetscCall(Halo(space, l, level(l).s));
      PetscCall(Gather(space, l, own(l).t, level(l).s));
      HeptaLaunchEach(space, smooth_first, axes, extended(l, 1));
    }
    if (narrow(l)) PetscCall(Halo(space, l, level(l).z));
    HeptaLaunch(space, restrict_residual, axes, level(l), Sent(space, l + 1, values), l ? (Scales *)nullptr : s);
  }
  PetscCall(Gather(space, last, own(last).t, level(last).s));
  HeptaLaunch(space, solve_last, level(last), levels[last].cells, inv, last ? (Scales *)nullptr : s);
  for (size_t l = last; l-- > 0;) {
    if (narrow(l + 1)) PetscCall(Halo(space, l + 1, level(l + 1).z));
    HeptaLaunch(space, correct, axes, weight, extended(l, 2), own(l + 1));
    if (narrow(l)) PetscCall(Halo(space, l, level(l).s));
    if (l) HeptaLaunchEach(space, smooth_last, axes, extended(l, 3));
    else HeptaLaunch(space, finish, axes, own(l), (const Scales *)s, y);
  }
  if (!last) HeptaLaunch(space, finish_dense, own(0), (const Scales *)s, y);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of an application, in the space; (*s)->largest <- that of the right-hand side x, or a guess */
template <class T, class U>
PetscErrorCode HeptaCycle::Begin(const HeptaSpace &space, const PetscScalar *x, T **values, double **inv, Scales **s)
{
  PetscFunctionBegin;
  PetscCall(arrays.Access(space, HeptaAccess::read_write, values));
  PetscCall(inverse.Access(space, HeptaAccess::read, inv));
  PetscCall(scales.Access(space, HeptaAccess::read_write, s));
  const Level<T, U> first = Own<T, U>(space, 0, *values);
  if (product) HeptaLaunchEach(space, guess_scale, first, product, *s);
  else {
    HeptaLaunch(space, find_largest, first, x, *s);
    if (ranks.several) PetscCall(LargestOfAll(space, &(*s)->largest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode HeptaCycle::Begin<float, Bf16>(const HeptaSpace &, const PetscScalar *, float **, double **, Scales **);
template PetscErrorCode HeptaCycle::Begin<float, float>(const HeptaSpace &, const PetscScalar *, float **, double **, Scales **);
template PetscErrorCode HeptaCycle::Begin<double, double>(const HeptaSpace &, const PetscScalar *, double **, double **, Scales **);

template <class T> PetscErrorCode HeptaCycle::Launch(const HeptaSpace &space, const PetscScalar *x, PetscScalar *y, bool transposed)
{
  T      *values;
  double *inv;
  Scales *s;

  PetscFunctionBegin;
  PetscCall((Begin<T, T>(space, x, &values, &inv, &s)));
  Level<T> first = Own(space, 0, values);
  if (ranks.several) {
    if (!ranks.gathered || choice.General()) HeptaLaunch(space, scale_input, Sent(space, 0, values), x, (const Scales *)s);
    else PetscCall(SmoothSlab(space, values, x, s));
  } else HeptaLaunch(space, smooth_input, axes, first, x, (const Scales *)s);
  if (levels.size() == 1 || !choice.General()) PetscCall(VCycle(space, values, inv, s, y));
  else {
    PetscCall(Visit(space, 0, false, transposed, values, inv, s));
    first.z = first.u;
    HeptaLaunch(space, finish_dense, first, (const Scales *)s, y);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The flops of the products with M and A, and of the transfers */
static PetscLogDouble Flops(const HeptaCycle &c)
{
  const PetscLogDouble n = (PetscLogDouble)c.levels.back().cells, product = 4. * c.axes + 1, steps = (PetscLogDouble)(c.choice.pre + c.choice.post), smoother = c.choice.jacobi ? 1 : product;
  PetscLogDouble       cells = 0, visits = 1;

  for (size_t l = 0; l + 1 < c.levels.size(); l++, visits *= c.choice.w ? 2 : 1) cells += visits * (PetscLogDouble)c.levels[l].cells;
  if (c.choice.w && c.levels.size() > 1) visits /= 2;
  return cells * (steps * (product + smoother) + 2 * 2. * c.axes + 10) + visits * 2 * n * n;
}

PetscErrorCode HeptaCycle::Apply(Vec x, Vec y, bool transposed)
{
  HeptaArrays a;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(x, nullptr, y, &a));
  if (choice.bf16) PetscCall((RedBlack<float, Bf16>(a.space, a.x, a.y)));
  else if (choice.red_black) PetscCall(choice.storage == HEPTA_MAT_STORAGE_SINGLE ? RedBlack<float, float>(a.space, a.x, a.y) : RedBlack<double, double>(a.space, a.x, a.y));
  else PetscCall(choice.storage == HEPTA_MAT_STORAGE_SINGLE ? Launch<float>(a.space, a.x, a.y, transposed) : Launch<double>(a.space, a.x, a.y, transposed));
  PetscCall(HeptaArraysRestore(x, nullptr, y, &a));
  PetscCall(HeptaLogFlops(a.space, Flops(*this)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The cycle in float is linear and symmetric up to 1e-7. These methods use it only for directions and compute residuals of the system itself; others would report less than their true residual,
   or break down: for them the cycle is in double, unless the program has chosen the precision.
*/
PetscErrorCode HeptaCycle::TakeArithmetic(PC pc, KSP ksp, bool *changed)
{
  PetscBool any;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &any, KSPCG, KSPFCG, KSPFUSEDCG, KSPMINRES, KSPFGMRES, KSPGCR, KSPCHEBYSHEV,
                                      KSPRICHARDSON, KSPPREONLY, KSPNONE, ""));
  *changed = !choice.storage_given && choice.storage == HEPTA_MAT_STORAGE_SINGLE && !pc->reusepreconditioner && !any;
  if (!*changed) PetscFunctionReturn(PETSC_SUCCESS);
  choice.storage = HEPTA_MAT_STORAGE_DOUBLE;
  choice.bf16    = false;
  PetscCall(HeptaPCStartAnew(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaCycle::View(PetscViewer viewer) const
{
  double bytes = 0;

  PetscFunctionBegin;
  std::string steps = "before and after", smoother = choice.jacobi ? "damped jacobi" : "ip", type = HeptaMatStorages[choice.storage];
  if (choice.red_black) smoother = HeptaFormat("%" PetscInt_FMT " red-black sweep%s", choice.sweeps, choice.sweeps > 1 ? "s" : "");
  if (choice.bf16) type += ", couplings in bf16";
  if (choice.pre != 1 || choice.post != 1) steps = HeptaFormat("%" PetscInt_FMT " before and %" PetscInt_FMT " after", choice.pre, choice.post);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s-cycle over %d levels of nested boxes, %s %s, over-correction %g, in %s\n", choice.w ? "W" : "V", (int)levels.size(), smoother.c_str(), steps.c_str(),
                                   (double)choice.overcorrection, type.c_str()));
  if (choice.pre != choice.post) PetscCall(PetscViewerASCIIPrintf(viewer, "    not symmetric, because the steps before and after differ\n"));
  std::string few;
  if (ranks.few) few = HeptaFormat(", because a process has %" PetscInt_FMT " planes of it", (PetscInt)ranks.few);
  if (ranks.several) PetscCall(PetscViewerASCIIPrintf(viewer, "    levels of which each MPI process has planes of its own: %d; level %d and those that follow are gathered by each%s\n", (int)ranks.gathered, (int)ranks.gathered, few.c_str()));
  for (size_t l = 0; l < ranks.gathered; l++) {
    const PetscInt planes = levels[l].ghosts;
    if (choice.red_black) PetscCall(PetscViewerASCIIPrintf(viewer, "    level %d: %" PetscInt_FMT " planes of each neighbor on the way down and up\n", (int)l, planes));
    else if (planes == 1) PetscCall(PetscViewerASCIIPrintf(viewer, "    level %d: one plane of each neighbor before each pass\n", (int)l));
    else PetscCall(PetscViewerASCIIPrintf(viewer, "    level %d: %" PetscInt_FMT " planes of each neighbor, once in an application\n", (int)l, planes));
  }
  for (size_t l = 0; l < levels.size(); l++) {
    Grid g = levels[l].grid;
    if (l < ranks.gathered) g.n[axes - 1] = levels[l].first.back();
    bytes += (double)(levels[l].size * CellSize(l));
    PetscCall(PetscViewerASCIIPrintf(viewer, "    level %d: %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells%s\n", (int)l, (PetscInt)g.n[0], (PetscInt)g.n[1], (PetscInt)g.n[2], l + 1 < levels.size() ? "" : ", dense inverse"));
  }
  const double n = (double)levels.back().cells, N = (double)LastRows();
  bytes += (n * n + 2 * N * N) * (double)sizeof(double);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)op.A)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "    %.1f bytes for each row beside the matrix\n", bytes / (double)op.A->rmap->N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

PetscErrorCode HeptaCycleChoice::FromOptions(PC pc, PetscOptionItems PetscOptionsObject)
{
  static const char *const cycles[] = {"v", "w"};
  PetscInt                 type = storage, cycle = w;
  char                     type_name[256];
  PetscBool                flg;

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal("-pc_subdeflation_overcorrection", "Factor of the coarse corrections of the cycle", "PCSUBDEFLATION", overcorrection, &overcorrection, &flg));
  overcorrection_given = (PetscBool)(overcorrection_given || flg);
  PetscCheck(overcorrection > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_overcorrection %g must be positive", (double)overcorrection);
  PetscCall(PetscOptionsReal("-pc_subdeflation_axis_strength", "Axes with couplings so strong against the strongest are coarsened", "PCSUBDEFLATION", strong, &strong, nullptr));
  PetscCheck(strong >= 0 && strong <= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_axis_strength %g must be between 0 and 1", (double)strong);
  PetscCall(PetscOptionsInt("-pc_subdeflation_levels", "Levels of the cycle (default: until a dense inverse is cheap)", "PCSUBDEFLATION", levels, &levels, nullptr));
  PetscCheck(levels >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_levels %" PetscInt_FMT " must not be negative", levels);
  PetscCall(PetscOptionsInt("-pc_subdeflation_gather", "Most cells of a level of the cycle that each of several MPI processes gathers", "PCSUBDEFLATION", gather, &gather, &flg));
  gather_given = (PetscBool)(gather_given || flg);
  PetscCheck(gather >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_gather %" PetscInt_FMT " must not be negative", gather);
  PetscCall(PetscOptionsEList("-pc_subdeflation_cycle_storage", "Type of the cycle's arithmetic", "PCSUBDEFLATION", HeptaMatStorages, 2, HeptaMatStorages[storage], &type, &flg));
  storage       = (HeptaMatStorage)type;
  storage_given = storage_given || flg;
  PetscCall(PetscOptionsEList("-pc_subdeflation_cycle_type", "V-cycle or W-cycle", "PCSUBDEFLATION", cycles, 2, cycles[cycle], &cycle, &flg));
  w       = (PetscBool)(cycle == 1);
  w_given = (PetscBool)(w_given || flg);
  PetscCall(PetscOptionsFList("-pc_subdeflation_smoother", "Smoother of the cycle", "PCSUBDEFLATION", PCList, smoother.c_str(), type_name, sizeof(type_name), &flg));
  smoother_given = (PetscBool)(smoother_given || flg);
  if (flg) {
    PetscCall(CheckSmoother(pc, type_name));
    smoother = type_name;
    jacobi   = (PetscBool)(smoother == PCJACOBI);
  }
  PetscCall(PetscOptionsInt("-pc_subdeflation_smooth_pre", "Smoothing steps before a coarse correction", "PCSUBDEFLATION", pre, &pre, nullptr));
  PetscCheck(pre >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_smooth_pre %" PetscInt_FMT " must not be negative", pre);
  PetscCall(PetscOptionsInt("-pc_subdeflation_smooth_post", "Smoothing steps after a coarse correction", "PCSUBDEFLATION", post, &post, nullptr));
  PetscCheck(post >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_smooth_post %" PetscInt_FMT " must not be negative", post);
  PetscCheck(pre || post, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_subdeflation_smooth_pre and -pc_subdeflation_smooth_post must not both be 0: give at least one step");
  PetscFunctionReturn(PETSC_SUCCESS);
}
