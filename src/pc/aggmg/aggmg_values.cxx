/* The values of the levels */
#include "../../mat/blocked/blocked.h"
#include "../gridmg/gridmg_level.hxx"
#include "aggmg.h"

using namespace hepta::aggmg;
using hepta::Index;

constexpr size_t DENSE = hepta::gridmg::DENSE_TILE;

template <class T> PetscErrorCode HeptaAggMG::TakeValues(const HeptaSpace &space)
{
  HeptaAggMGLevel &L = *levels[0];
  Pattern          p;
  long long       *from;
  Scale           *s;
  T               *val;
  void            *ghost;

  PetscFunctionBegin;
  PetscCall(L.A.View(space, &p));
  PetscCall(L.from.Access(space, HeptaAccess::read, &from));
  PetscCall(L.A.val.Make(space, L.A.Values(), &val));
  PetscCall(scale.Access(space, HeptaAccess::read_write, &s));
  PetscCall(MatBlocked(op.A)->ghost.values.Access(space, HeptaAccess::read, &ghost));
  PetscCall(HeptaVisitValues(*MatBlocked(op.A)->local, space, HeptaAccess::read, [&](const auto *v) {
    HeptaLaunchEach(space, take_unit, p, L.A.br, (const long long *)from, v, &s->unit);
    PetscCall(ShareUnit(space, &s->unit));
    HeptaLaunchEach(space, take_values, L.A.Values(), (const long long *)from, v, (std::decay_t<decltype(v)>)ghost,
                    (const double *)&s->unit, val);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal of a level, w <- 1 / D */
template <class T> PetscErrorCode HeptaAggMG::Diagonal(const HeptaSpace &space, size_t l)
{
  HeptaAggMGLevel &L = *levels[l];
  Tiles<T>         A;
  Found           *f;
  double          *w, *sums;
  long long       *largest;

  PetscFunctionBegin;
  PetscCall(L.A.Typed(space, HeptaAccess::read, &A));
  PetscCall(L.w.Make(space, L.Rows(), &w));
  PetscCall(L.sums.Make(space, L.Rows(), &sums));
  PetscCall(found.Access(space, HeptaAccess::read_write, &f));
  PetscCall(rowsum.Make(space, 1, &largest));
  PetscCall(rowsum.Zero(space));
  PetscCall(rowsum.Access(space, HeptaAccess::read_write, &largest));
  HeptaLaunchEach(space, take_diagonal, A, L.A.tiles, l > 0, w, sums, largest, f);
  PetscCall(Largest(space, l, largest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next level's values, P^T (A P) */
template <class T> PetscErrorCode HeptaAggMG::Project(const HeptaSpace &space, size_t l)
{
  HeptaAggMGLevel &L = *levels[l], &C = *levels[l + 1];
  Tiles<T>         A, P, R, AP;
  Pattern          ap, c;
  Products         products;
  Index           *at;
  T               *product, *val, *all;

  PetscFunctionBegin;
  PetscCall(L.A.Typed(space, HeptaAccess::read, &A));
  PetscCall(L.P.Typed(space, HeptaAccess::read, &P));
  PetscCall(L.R.Typed(space, HeptaAccess::read, &R));
  PetscCall(L.AP.View(space, &ap));
  PetscCall(L.AP.val.Make(space, L.AP.Values(), &product));
  PetscCall(L.for_AP.View(space, &products));
  HeptaLaunchEach(space, multiply, A, P, ap, products, L.AP.own, product);
  if (Distributed(l)) PetscCall(L.part.AP.Bring({space, product, product}));
  PetscCall(L.AP.Typed(space, HeptaAccess::read, &AP));
  HeptaTiles &own = Distributed(l) ? L.part.coarse : C.A;
  PetscCall(own.View(space, &c));
  PetscCall(own.val.Make(space, own.Values(), &val));
  PetscCall(L.for_next.View(space, &products));
  HeptaLaunchEach(space, multiply, R, AP, c, products, own.tiles, val);
  if (Distributed(l)) {
    PetscCall(C.A.val.Make(space, C.A.Values(), &all));
    if (Distributed(l + 1)) {
      PetscCall(L.part.at.Access(space, HeptaAccess::read, &at));
      HeptaLaunchEach(space, take_tiles, C.A.tiles, k * k, (const Index *)at, (const T *)val, all);
    } else PetscCall(L.part.matrix.Bring({space, val, all}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rounding of the energy of a null vector of norm 1 on the last level, by the values of the levels and of the matrix */
template <class T> static constexpr double RoundingOf()
{
  return std::is_same_v<T, float> || std::is_same_v<hepta::Scalar, float> ? 2e-6 : 1e-12;
}

/* The near null vectors that are null vectors of the last level join its matrix */
template <class T>
PetscErrorCode HeptaAggMG::AddNull(const HeptaSpace &space, const Tiles<T> &A, const double *w, size_t N, double *dense)
{
  HeptaWorkSpace sums;
  double        *s, *B;

  PetscFunctionBegin;
  PetscCall(sums.Make(space, 2 * SUM, &s));
  PetscCall(levels.back()->null.Access(space, HeptaAccess::read, &B));
  for (int c = 0; c < k; c++) {
    HeptaLaunchEach(space, find_energy, A, k, (const double *)B + c, w, s, s + SUM);
    HeptaLaunchEach(space, add_null, levels.back()->Rows(), N, k, (const double *)B + c, w, (const double *)s,
                    (const double *)s + SUM, RoundingOf<T>(), dense);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The inverse of the last level */
template <class T> PetscErrorCode HeptaAggMG::Invert(const HeptaSpace &space)
{
  HeptaAggMGLevel &L = *levels.back();
  const size_t     n = L.Rows(), N = (n + DENSE - 1) / DENSE * DENSE;
  Tiles<T>         A;
  double          *e[2], *w;
  T               *b;

  PetscFunctionBegin;
  PetscCall(L.A.Typed(space, HeptaAccess::read, &A));
  PetscCall(L.w.Access(space, HeptaAccess::read, &w));
  for (HeptaValues &v : elimination) PetscCall(v.Reserve(N * N * sizeof(double)));
  PetscCall(elimination[0].Zero(space));
  for (int m = 0; m < 2; m++) PetscCall(elimination[m].Access(space, HeptaAccess::read_write, &e[m]));
  PetscCall(inverse.Make(space, n * n, &b));
  HeptaLaunchEach(space, fill_dense, A, (const double *)w, N, RoundingOf<T>(), e[0]);
  PetscCall(AddNull(space, A, w, N, e[0]));
  for (size_t first = 0; first < N; first += DENSE) {
    HeptaLaunch(space, hepta::gridmg::eliminate, N, first, e[0], e[1], (hepta::gridmg::Found *)nullptr);
    std::swap(e[0], e[1]);
  }
  HeptaLaunchEach(space, take_dense, n, N, (const double *)w, (const double *)e[0], b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The skew part of a level: 0 if PETSc knows that the matrix is symmetric */
template <class T> PetscErrorCode HeptaAggMG::FindSkew(const HeptaSpace &space, size_t l)
{
  HeptaAggMGLevel &L = *levels[l];
  HeptaWorkSpace   sums;
  Tiles<T>         A, all = {};
  T               *val, *ghosts;
  double          *s, both[2]; /* the skew part, and the whole */

  PetscFunctionBegin;
  L.skew = 0;
  if (symmetric_known || (l && IsSymmetric())) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(L.A.Typed(space, HeptaAccess::read, &A));
  if (Distributed(l)) {
    PetscCall(ExtendMatrix(space, l));
    PetscCall(L.A.val.Access(space, HeptaAccess::read, &val));
    PetscCall(L.part.rows.val.Make(space, L.part.rows.Values(), &ghosts));
    PetscCall(L.part.A.Bring({space, val, ghosts}));
    PetscCall(L.part.rows.Typed(space, HeptaAccess::read, &all));
  }
  PetscCall(sums.Make(space, 2 * SUM, &s));
  HeptaLaunchEach(space, find_skew, A, all, (Index)(FirstRow(l) / (size_t)L.A.br), s, s + SUM);
  for (int m = 0; m < 2; m++) HeptaLaunchEach(space, hepta::fetch, (const double *)s + m * SUM, &both[m]);
  if (Distributed(l))
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)op.A)));
  L.skew = both[1] > 0 ? both[0] / both[1] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for the vectors of the cycle */
template <class T> PetscErrorCode HeptaAggMG::Vectors(const HeptaSpace &space)
{
  PetscFunctionBegin;
  for (auto &L : levels) {
    T *v;
    for (HeptaValues *x : {&L->b, &L->r, &L->z, &L->d[0], &L->d[1]})
      PetscCall(x->Make(space, (size_t)L->A.columns * (size_t)L->A.bc, &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaAggMG::IsLast(size_t l) const
{
  const bool small = !Distributed(l) && levels[l]->Rows() <= (size_t)choice.coarse_size; /* a distributed level has no inverse */

  return small || (choice.levels && l + 1 >= (size_t)choice.levels + levels[0]->part.copies);
}

template <class T> PetscErrorCode HeptaAggMG::Build(const HeptaSpace &space, bool same)
{
  PetscFunctionBegin;
  PetscCall(TakeValues<T>(space));
  for (size_t l = 0; l < levels.size(); l++) {
    const bool before = levels[l]->NearlySymmetric();
    PetscCall(Diagonal<T>(space, l));
    PetscCall(FindSkew<T>(space, l));
    if (same && before != levels[l]->NearlySymmetric()) {
      levels.resize(l + 1);
      same = false;
    }
    bool coarser = l + 1 < levels.size();
    if (!same) {
      PetscCall(Check());
      if (!IsLast(l)) PetscCall(Aggregate<T>(space, l, &coarser));
      if (coarser) PetscCall(Patterns(space, l));
      dense = !coarser && levels[l]->Rows() <= (size_t)PetscMax(choice.coarse_size, 1000) && !Distributed(l);
    }
    if (coarser || !dense) PetscCall(Bound<T>(space, l, same));
    if (!coarser) break;
    if (!same || !choice.reuse) PetscCall(Interpolate<T>(space, l));
    PetscCall(Project<T>(space, l));
  }
  if (dense) PetscCall(Invert<T>(space));
  PetscCall(Vectors<T>(space));
  PetscCall(Check());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error that names the first row of a matrix that is not definite, or not finite; collective */
PetscErrorCode HeptaAggMG::Check()
{
  const PetscInt start = op.A->rmap->rstart, none = PETSC_INT_MAX;
  Found         *f;

  PetscFunctionBegin;
  PetscCall(found.Access(HeptaSpace(), HeptaAccess::read, &f));
  const PetscInt first[2] = {(PetscInt)hepta::first_noted(f->finite), (PetscInt)hepta::first_noted(f->diagonal)};
  PetscInt       row[2]   = {first[0] < 0 ? none : start + first[0], first[1] < 0 ? none : start + first[1]};
  if (ranks.size > 1) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, row, 2, MPIU_INT, MPI_MIN, PetscObjectComm((PetscObject)op.A)));
  const char *range = choice.single ? "; -pc_aggmg_storage double has a larger range" : "";
  PetscCheck(row[0] == none, PetscObjectComm((PetscObject)op.A), PETSC_ERR_FP,
             "PC aggmg: row %" PetscInt_FMT " of the matrix, or of a level made of it, has an entry that is Inf or NaN%s", row[0],
             range);
  PetscCheck(row[1] == none, PetscObjectComm((PetscObject)op.A), PETSC_ERR_SUP,
             "PC aggmg needs diagonal entries of one sign, as definite matrices have: the diagonal entry of row %" PetscInt_FMT
             " is 0 or of another sign than that of the first row, in the matrix or in a level made of it%s",
             row[1], range);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMG::SetUp(PC pc)
{
  PetscBool    bdia;
  HeptaSpace   space;
  MatNullSpace given;
  bool         same;

  PetscFunctionBegin;
  PetscCall(HeptaCheckSquare(pc, pc->pmat));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc->pmat, &bdia, MATSEQBDIA, MATSEQBDIACUDA, MATMPIBDIA, MATMPIBDIACUDA, ""));
  op.plain = true;
  PetscCall(op.Update(pc, bdia ? HeptaForm::diagonals : HeptaForm::block_rows, &same));
  PetscCall(HeptaOperatorSpaceOfAll(op.A, &space));
  PetscCall(MatGetNearNullSpace(pc->pmat, &given));
  const PetscObjectId id = given ? ((PetscObject)given)->id : 0;
  same                   = same && !levels.empty() && near_null == id;
  near_null              = id;
  PetscCall(found.Reserve(sizeof(Found))); /* the same memory again, for recordings */
  PetscCall(found.Zero());
  PetscCall(HeptaKnownSymmetric(pc->pmat, &symmetric_known));
  if (!same) {
    levels.clear();
    PetscCall(scale.Resize(sizeof(Scale)));
    levels.emplace_back(new HeptaAggMGLevel);
    PetscCall(FirstLevel(space));
    PetscCall(NearNull(space, given));
  }
  PetscCall(choice.single ? Build<float>(space, same) : Build<double>(space, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMG::Reset()
{
  PetscFunctionBegin;
  PetscCall(op.Reset());
  PetscCall(ranks.gather.Reset());
  PetscCall(ranks.all.Free());
  levels.clear();
  for (HeptaValues *v : {&inverse, &elimination[0], &elimination[1], &scale, &found, &rowsum, &lanczos, &vectors, &work})
    PetscCall(v->Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}
