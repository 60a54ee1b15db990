/* The values of an Incomplete Poisson factor step by step: for block sizes above 1, and on several ranks */
#include "ip.h"

using hepta::Index;
using hepta::Scalar;
using namespace hepta::bdia;
using namespace hepta::blocked;
using namespace hepta::ip;

/* Work space of a set-up */
struct Space {
  const HeptaSpace &where;
  HeptaWorkSpace    inverse, ghost_inverse, pivot, w, s;
  Scalar           *inv = nullptr, *ghost_inv = nullptr;
  Work              S{}, W{};

  explicit Space(const HeptaSpace &space) : where(space) {}
};

static PetscErrorCode Allocate(HeptaIPFactor &f, Space *x)
{
  const Mat_Blocked *m  = MatBlocked(f.M);
  const Diagonals   &D  = *MatBDIADiagonals(f.M);
  const size_t       bs = D.bs, n = D.Size() + m->ghost.Size();
  const size_t       extra = f.ghosts ? f.ghosts->received * bs * bs : 0;

  PetscFunctionBegin;
  x->S = {nullptr, D.Size(), m->ghost.Size(), D.ld, m->ghost.ld, (int)bs};
  x->W = x->S;
  PetscCall(x->inverse.Make(x->where, bs * D.ld, &x->inv));
  PetscCall(x->ghost_inverse.Make(x->where, m->ghost.garray.size() * bs * bs, &x->ghost_inv));
  PetscCall(x->s.Make(x->where, n + extra, &x->S.v));
  PetscCall(x->w.Make(x->where, n, &x->W.v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The inverses of the diagonal blocks, and of the ghosts' diagonal blocks, whose columns one exchange brings */
static PetscErrorCode Invert(Mat A, Space *x, Found *found)
{
  Mat_Blocked *a  = MatBlocked(A);
  Diagonals   &D  = *MatBDIADiagonals(A);
  const size_t bs = D.bs;
  Index       *pivot;

  PetscFunctionBegin;
  PetscCall(x->pivot.Make(x->where, (size_t)A->rmap->n, &pivot));
  PetscCall(HeptaVisitLaunchEach(D, x->where, HeptaAccess::read, invert, x->inv, pivot, found));
  if (a->halo)
    PetscCall(a->halo.Bring({x->where, x->inv, x->ghost_inv, D.bs, D.ld, a->ghost.garray.size() * bs}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Scale(Mat A, HeptaIPFactor &f, const Recipe &r, Space *x)
{
  Mat_Blocked         *a     = MatBlocked(A);
  const unsigned char *lower = nullptr;

  PetscFunctionBegin;
  PetscCall(HeptaVisit(*MatBDIADiagonals(A), x->where, HeptaAccess::read, [&](auto D) {
    return HeptaVisitLaunchEach(*MatBDIADiagonals(f.M), x->where, HeptaAccess::read, scale, D, r, x->inv, x->S);
  }));
  if (!f.ghosts || a->ghost.row.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(f.ghosts->lower_table.Get(x->where, f.ghosts->lower, &lower));
  PetscCall(HeptaVisitLaunchEach(a->ghost, x->where, HeptaAccess::read, scale_ghost, r, lower, MatBDIADiagonals(A)->ld, x->inv,
                                 x->ghost_inv, x->S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddTerms(HeptaIPFactor &f, Space *x)
{
  HeptaIPGhosts *g = f.ghosts.get();
  const size_t  *p[4];
  const int      d0 = MatBDIADiagonals(f.M)->Find(0);

  PetscFunctionBegin;
  if (!g || g->target.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const std::vector<size_t> *const v[4] = {&g->target, &g->first, &g->left, &g->right};
  for (int k = 0; k < 4; k++) PetscCall(g->tables[k].Get(x->where, *v[k], &p[k]));
  const Terms  t    = {g->target.size(), p[0], p[1], p[2], p[3]};
  const size_t main = d0 < 0 ? SIZE_MAX / 2 : (size_t)d0 * MatBDIADiagonals(f.M)->DiagonalSize();
  HeptaLaunchEach(x->where, add_terms, t, main, x->S, x->W);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Finish(HeptaIPFactor &f, const Recipe &r, Space *x, Found *found)
{
  Mat_Blocked *m = MatBlocked(f.M);

  PetscFunctionBegin;
  /* slots outside the matrix do not change */
  PetscCall(HeptaVisitLaunchEach(*MatBDIADiagonals(f.M), x->where, HeptaAccess::read_write, finish, r, x->inv, x->W, found));
  if (m->ghost.row.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaVisitLaunchEach(m->ghost, x->where, HeptaAccess::read_write, finish_ghost, r, x->ghost_inv, x->W, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPValuesByBlocks(Mat A, HeptaIPFactor &f, const HeptaSpace &space, Found *found)
{
  Space  x(space);
  Recipe r;

  PetscFunctionBegin;
  PetscCall(f.Recipe(space, &r));
  PetscCall(Allocate(f, &x));
  PetscCall(Invert(A, &x, found));
  PetscCall(Scale(A, f, r, &x));
  if (f.ghosts) PetscCall(HeptaIPExchange(*f.ghosts, space, x.S));
  PetscCall(HeptaVisitLaunchEach(*MatBDIADiagonals(f.M), space, HeptaAccess::read, combine, r, x.S, x.W));
  PetscCall(AddTerms(f, &x));
  PetscCall(Finish(f, r, &x, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}
