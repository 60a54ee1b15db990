/* Exchanges between MPI processes in set-ups and applications of the cycle over nested boxes */
#include <algorithm>

#include "cycle.h"

using namespace hepta::cycle;
using hepta::Index;

template <class T> static PetscErrorCode Bring(HeptaHalo &halo, const HeptaSpace &space, const T *from, T *to)
{
  return halo.Bring({space, (void *)from, to, sizeof(T)});
}

template <class T> PetscErrorCode HeptaCycle::Halo(const HeptaSpace &space, size_t l, T *v)
{
  PetscFunctionBegin;
  if (l < ranks.gathered) PetscCall(ranks.halo[l].Bring(HaloArrays(space, l, v)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T> PetscErrorCode HeptaCycle::Gather(const HeptaSpace &space, size_t l, const T *from, T *to)
{
  PetscFunctionBegin;
  if (ranks.several && l == ranks.gathered) PetscCall(Bring(ranks.planes, space, from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T> PetscErrorCode HeptaCycle::Share(const HeptaSpace &space, size_t l, T *values)
{
  const Level<T> all = Typed(space, l, values), own = Own(space, l, values);
  const size_t   bytes = (size_t)own.g.n[axes - 1] * own.g.stride[axes - 1] * sizeof(T);

  PetscFunctionBegin;
  /* one after the other, because mailboxes have room for as many arrays as are exchanged at once */
  PetscCall(Halo(space, l, all.e));
  PetscCall(Halo(space, l, all.a[axes - 1]));
  if (levels[l].ghosts > 1) { /* passes over the neighbors' planes read the rest too */
    PetscCall(Halo(space, l, all.row_sum));
    for (int a = 0; a + 1 < axes; a++) PetscCall(Halo(space, l, all.a[a]));
  }
  if (!ranks.several || l != ranks.gathered) PetscFunctionReturn(PETSC_SUCCESS);
  for (auto [from, to] : {
         std::pair{own.e,       all.e      },
         {own.row_sum, all.row_sum},
         {own.a[0],    all.a[0]   },
         {own.a[1],    all.a[1]   },
         {own.a[2],    all.a[2]   }
  }) {
    if (!from) continue;
    PetscCall(HeptaCopy(space, own.t, from, bytes));
    PetscCall(Gather(space, l, own.t, to));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaCycle::ReadBorder(const HeptaSpace &space, const Grid &g, Found *f, const double **border)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)op.A);
  const Index   *columns;
  double        *p, scale = 0;
  Scales        *s;
  PetscMPIInt    root = 0; /* the process that has the first row */

  PetscFunctionBegin;
  while (!levels[0].first[root + 1]) root++;
  PetscCall(ranks.columns.Get(space, ranks.column, &columns));
  PetscCall(ranks.entries.Zero(space));
  PetscCall(ranks.entries.Access(space, HeptaAccess::read_write, &p));
  PetscCall(HeptaVisitLaunchEach(MatBlocked(op.A)->ghost, space, HeptaAccess::read, read_border, axes, g, columns, p, f));
  PetscCall(Bring(ranks.border, space, (const double *)p, p));
  if (root == ranks.rank) {
    PetscCall(HeptaVisit(*MatBDIADiagonals(op.A), space, HeptaAccess::read, [&](auto A) {
      std::decay_t<decltype(*A.v)> first;
      HeptaLaunchEach(space, hepta::fetch, A.v + (size_t)diagonals.main * A.ld, &first);
      scale = first;
      return PETSC_SUCCESS;
    }));
  }
  PetscCallMPI(MPI_Bcast(&scale, 1, MPI_DOUBLE, root, comm));
  PetscCall(scales.Access(HeptaSpace(), HeptaAccess::read_write, &s));
  s->diagonal = scale;
  *border     = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaCycle::LargestOfAll(const HeptaSpace &space, unsigned long long *largest)
{
  const int           size = (int)levels[0].first.size() - 1;
  unsigned long long *all;

  PetscFunctionBegin;
  if (!op.A->rmap->n) PetscCall(HeptaZero(space, largest, sizeof(*largest))); /* without rows no kernel was launched, and the value is that of an older right-hand side */
  PetscCall(ranks.numbers.Access(space, HeptaAccess::write, &all));
  PetscCall(Bring(ranks.number, space, (const double *)largest, (double *)all));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) PetscCallHepta(hepta::transport::largest_cuda(size, all, largest, space.stop, space.stream));
#endif
  if (!space.device) *largest = *std::max_element(all, all + size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HEPTA_CYCLE_OF(T) \
  template PetscErrorCode HeptaCycle::Halo(const HeptaSpace &, size_t, T *); \
  template PetscErrorCode HeptaCycle::Gather(const HeptaSpace &, size_t, const T *, T *); \
  template PetscErrorCode HeptaCycle::Share(const HeptaSpace &, size_t, T *);
HEPTA_CYCLE_OF(float)
HEPTA_CYCLE_OF(double)
