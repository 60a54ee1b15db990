/*
   The cycle. The smoother is the optimal fourth-kind Chebyshev polynomial (J. Lottes, Optimal polynomial smoothers for multigrid
   V-cycles, Numer. Linear Algebra Appl. 30, 2023): with W = 1 / (rho D) and s_0 = r,

     d_1 = 4/3 W r,   s_k = s_(k-1) - A d_k,   d_(k+1) = (2 k - 1) / (2 k + 3) d_k + (8 k + 4) / (2 k + 3) W s_k,
     z <- z + beta_1 d_1 + beta_2 d_2 + ...

   s_k is not the residual of z: the residual takes a further product.
*/
#include "../../shared/arrays.h"
#include "aggmg.h"

using namespace hepta::aggmg;

template <class T> PetscErrorCode HeptaAggMG::LevelOf(const HeptaSpace &space, size_t l, Level<T> *to)
{
  HeptaAggMGLevel &L = *levels[l];
  T               *w;

  PetscFunctionBegin;
  PetscCall(L.A.Typed(space, HeptaAccess::read, &to->A));
  const bool smooths = !dense || l + 1 < levels.size();
  PetscCall(L.scaled.Access(space, HeptaAccess::read, &w));
  PetscCall(L.b.Access(space, HeptaAccess::read_write, &to->b));
  PetscCall(L.r.Access(space, HeptaAccess::read_write, &to->r));
  PetscCall(L.z.Access(space, HeptaAccess::read_write, &to->z));
  for (int k = 0; smooths && k < 2; k++) PetscCall(L.d[k].Access(space, HeptaAccess::read_write, &to->d[k]));
  to->tiles = L.A.tiles;
  to->w     = w;
  to->stop  = space.stop;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The factors of the terms of the Chebyshev polynomials of degrees 2 to 4 */
static const double betas[3][4] = {{1.02387287570313, 1.26408905371085, 0, 0},
                                   {1.00842544782028, 1.08867839208730, 1.33753125909618, 0},
                                   {1.00391310427285, 1.04035811188593, 1.14863498546254, 1.38268869241000}};

/*
   The terms after d_1 = FirstFactor() W r in d[0]: of a Chebyshev polynomial, or, on levels that are not nearly symmetric, of the
   damped method of Jacobi. zero: z = 0 before; out: the output of the application's last step, otherwise empty
*/
template <class T>
PetscErrorCode HeptaAggMG::Smooth(const HeptaSpace &space, size_t l, const Level<T> &L, bool zero, const Step<T> &out)
{
  const int     degree = (int)choice.degree;
  const double *beta   = betas[degree - 2];
  const bool    nearly = levels[l]->NearlySymmetric();

  PetscFunctionBegin;
  for (int k = 1; k < degree; k++) {
    const bool last = k + 1 == degree;
    Step<T>    s    = last ? out : Step<T>{};

    s.from  = (k + 1) % 2;
    s.first = k == 1;
    s.zero  = k == 1 && zero;
    s.last  = last;
    s.a     = nearly ? T(2 * k - 1) / (2 * k + 3) : T(0);
    s.b     = nearly ? T(8 * k + 4) / (2 * k + 3) : T(levels[l]->FirstFactor());
    s.beta  = nearly ? T(beta[k]) : T(1);
    s.begin = nearly ? T(beta[0]) : T(1);
    PetscCall(BringNodes(space, l, L.d[s.from]));
    HeptaLaunchEach(space, smooth_step, L, s);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A last level without an inverse is smoothed twice: the error of one polynomial has negative eigenvalues, its square none */
template <class T>
PetscErrorCode HeptaAggMG::SmoothTwice(const HeptaSpace &space, size_t l, const Level<T> &L, const Step<T> &out)
{
  Level<T> residual = L;

  PetscFunctionBegin;
  residual.b = L.r;
  PetscCall(Smooth(space, l, L, true, {}));
  PetscCall(BringNodes(space, l, L.z));
  HeptaLaunchEach(space, find_residual, L);
  HeptaLaunchEach(space, begin_level, residual, T(levels[l]->FirstFactor()));
  PetscCall(Smooth(space, l, L, false, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The scale of x, unless the product of the application before gives the scale */
PetscErrorCode HeptaAggMG::FindScale(const HeptaSpace &space, const PetscScalar *x, Scaling *to)
{
  Scale *s;

  PetscFunctionBegin;
  PetscCall(scale.Access(space, HeptaAccess::read_write, &s));
  *to = {s, product, 0};
  if (!product) {
    HeptaLaunchEach(space, fill_with, (size_t)1, 0LL, &s->largest);
    HeptaLaunchEach(space, find_largest, levels[0]->Rows(), x, s, space.stop);
    PetscCall(Largest(space, 0, &s->largest));
  }
  if (!space.device) to->size = size_of(*to);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next level's right-hand side and first term; the right-hand side of a gathered level is gathered */
template <class T> PetscErrorCode HeptaAggMG::Restrict(const HeptaSpace &space, size_t l, const Level<T> &L, const Level<T> &C)
{
  const T  factor = T(levels[l + 1]->FirstFactor());
  Level<T> own    = C;
  Tiles<T> R;

  PetscFunctionBegin;
  PetscCall(levels[l]->R.Typed(space, HeptaAccess::read, &R));
  PetscCall(BringNodes(space, l, L.r));
  if (Distributed(l) == Distributed(l + 1)) {
    HeptaLaunchEach(space, restrict_residual, L, R, levels[l]->R.tiles, C, factor);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  own.b    = C.r; /* this process's part of the right-hand side */
  own.d[0] = nullptr;
  HeptaLaunchEach(space, restrict_residual, L, R, levels[l]->R.tiles, own, factor);
  PetscCall(levels[l]->part.right.Bring({space, C.r, C.b}));
  if (C.d[0]) HeptaLaunchEach(space, begin_level, C, factor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T> PetscErrorCode HeptaAggMG::Cycle(const HeptaSpace &space, const PetscScalar *x, PetscScalar *y)
{
  const size_t          last = levels.size() - 1;
  std::vector<Level<T>> of(levels.size());
  Step<T>               out = {};
  Tiles<T>              P, AP;
  T                    *b;

  PetscFunctionBegin;
  PetscCall(FindScale(space, x, &out.scaling));
  for (size_t l = 0; l <= last; l++) PetscCall(LevelOf<T>(space, l, &of[l]));
  out.y = y;
  HeptaLaunchEach(space, take_input, of[0], x, out.scaling, T(levels[0]->FirstFactor()));
  for (size_t l = 0; l < last; l++) {
    PetscCall(Smooth(space, l, of[l], true, {}));
    PetscCall(BringNodes(space, l, of[l].z));
    HeptaLaunchEach(space, find_residual, of[l]);
    PetscCall(Restrict<T>(space, l, of[l], of[l + 1]));
  }
  if (dense) {
    PetscCall(inverse.Access(space, HeptaAccess::read, &b));
    HeptaLaunchEach(space, solve_dense, of[last], levels[last]->Rows(), (const T *)b, out.scaling, last ? nullptr : y);
  } else PetscCall(SmoothTwice(space, last, of[last], last ? Step<T>{} : out));
  for (size_t l = last; l-- > 0;) {
    PetscCall(levels[l]->P.Typed(space, HeptaAccess::read, &P));
    PetscCall(levels[l]->AP.Typed(space, HeptaAccess::read, &AP));
    if (Distributed(l + 1)) {
      PetscCall(BringNodes(space, l + 1, of[l + 1].z));
      PetscCall(levels[l]->part.P_column.Access(space, HeptaAccess::read, &P.col));
      PetscCall(levels[l]->part.AP_column.Access(space, HeptaAccess::read, &AP.col));
    }
    const T weight = T(levels[l]->NearlySymmetric() || SmoothsProlongation(l) || levels[l]->part.copies ? 1 : 1.5);
    HeptaLaunchEach(space, correct, of[l], P, AP, levels[l]->AP.own, of[l + 1], weight, T(levels[l]->FirstFactor()));
    PetscCall(Smooth(space, l, of[l], false, l ? Step<T>{} : out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Flops of an application: `degree` products with A before the next level, degree - 1 products after, and the transfers with A P
*/
static PetscLogDouble Flops(const HeptaAggMG &mg)
{
  PetscLogDouble flops = 0;

  for (size_t l = 0; l + 1 < mg.levels.size(); l++) {
    const HeptaAggMGLevel &L = *mg.levels[l];
    flops += (4. * (PetscLogDouble)mg.choice.degree - 2) * (PetscLogDouble)L.A.Values() + 4. * (PetscLogDouble)L.P.Values() +
             2. * (PetscLogDouble)L.AP.Values() + 16. * (PetscLogDouble)L.Rows();
  }
  const HeptaAggMGLevel &last = *mg.levels.back();
  const PetscLogDouble   n    = (PetscLogDouble)last.Rows();
  return flops + (mg.dense ? 2 * n * n : (4. * (PetscLogDouble)mg.choice.degree - 2) * (PetscLogDouble)last.A.Values());
}

PetscErrorCode HeptaAggMG::Apply(Vec x, Vec y)
{
  HeptaArrays a;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(x, nullptr, y, &a));
  HeptaSpace space = a.space;
#if defined(HEPTA_HAVE_CUDA)
  space.stop = HeptaRecording::Stop();
#endif
  PetscCall(choice.single ? Cycle<float>(space, a.x, a.y) : Cycle<double>(space, a.x, a.y));
  PetscCall(HeptaArraysRestore(x, nullptr, y, &a));
  PetscCall(HeptaLogFlops(a.space, Flops(*this)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows, values and bytes of a level: summed over the processes if the level is distributed, otherwise of one copy */
PetscErrorCode HeptaAggMG::Sizes(size_t l, double sizes[3]) const
{
  const HeptaAggMGLevel &L    = *levels[l];
  const double           size = choice.single ? sizeof(float) : sizeof(double);

  PetscFunctionBegin;
  sizes[0] = (double)L.Rows();
  sizes[1] = (double)L.A.Values();
  sizes[2] = (double)(L.A.Values() + L.P.Values() + L.R.Values() + L.AP.Values()) * size +
             (double)((2 * (L.A.tiles + L.P.tiles + L.AP.tiles) + 3 * L.R.tiles) * sizeof(PetscInt));
  for (const HeptaProducts *p : {&L.for_AP, &L.for_next}) sizes[2] += (double)p->bytes;
  sizes[2] += (double)((L.tentative.Values() + (size_t)k * L.Rows()) * sizeof(double) +
                       (3 * L.tentative.tiles + 2 * L.filtered.tiles) * sizeof(PetscInt)) +
              (double)L.filtered.Values() * size;
  /* of the method of Lanczos */
  if (!l) sizes[2] += (double)((STEPS + 1) * L.Rows() + (size_t)L.A.columns * (size_t)L.A.bc) * sizeof(double);
  sizes[2] += sizes[0] * (6 * size + 3 * sizeof(PetscInt) + 2 * sizeof(double)) + (l ? 0 : sizes[1] * sizeof(long long));
  for (const HeptaTiles *t : {&L.part.coarse, &L.part.rows}) {
    sizes[2] += (double)t->Values() * size + (double)(3 * t->tiles * sizeof(PetscInt));
  }
  if (Distributed(l + 1)) sizes[2] += (double)((L.part.coarse.tiles + L.P.own + L.AP.own) * sizeof(PetscInt));
  if (Distributed(l))
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sizes, 3, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)op.A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMG::View(PetscViewer viewer) const
{
  double all[3] = {0, 0, 0}, first[2] = {0, 0}, sizes[3];
  size_t gathered = 0; /* the first gathered level */

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "  V-cycle over %d levels of aggregates, Chebyshev smoothing of degree %" PetscInt_FMT ", in %s\n",
    (int)levels.size(), choice.degree, choice.single ? "single" : "double"));
  if (choice.threshold > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "    couplings weaker than %g of the diagonals' mean do not aggregate\n",
                                     (double)choice.threshold));
  while (Distributed(gathered)) gathered++;
  if (!gathered) gathered = levels.size();
  for (size_t l = 0; l < levels.size(); l++) {
    const bool  last = l + 1 == levels.size();
    std::string how  = last && dense ? "dense inverse" : last ? "smoothed alone" : "";
    double     *rho;
    if (!last || !dense) {
      PetscCall(levels[l]->rho.Access(HeptaSpace(), HeptaAccess::read, &rho));
      if (!how.empty()) how += ", ";
      if (levels[l]->NearlySymmetric()) how += HeptaFormat("eigenvalues of D^-1 A up to %.3g", *rho);
      else how += "not symmetric, the method of Jacobi";
    }
    PetscCall(Sizes(l, sizes));
    for (int k = 0; k < 3; k++) all[k] += sizes[k];
    for (int k = 0; !l && k < 2; k++) first[k] = sizes[k];
    PetscCall(PetscViewerASCIIPrintf(viewer, "    level %d: %.0f rows, %.1f entries a row, %s\n", (int)l, sizes[0],
                                     sizes[1] / PetscMax(sizes[0], 1.), how.c_str()));
  }
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "    operator complexity %.3g, %.1f bytes for each row beside the matrix%s\n", all[1] / PetscMax(first[1], 1.),
    all[2] / PetscMax(first[0], 1.),
    gathered < levels.size() ? HeptaFormat(", and levels from %d on again on each process", (int)gathered).c_str() : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
