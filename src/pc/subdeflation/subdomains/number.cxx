/* Numbering of the subdomains that have rows */
#include <algorithm>

#include "../subdeflation.h"
#include "subdomains_kernels.hxx"

using hepta::Index;
using namespace hepta::subdeflation;

/* Sorts v and removes duplicates */
static void Distinct(std::vector<PetscInt64> &v)
{
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

PetscErrorCode HeptaNumberKeys(MPI_Comm comm, const std::vector<PetscInt64> &key, std::vector<PetscInt> &label, PetscInt *n)
{
  std::vector<PetscInt64> mine(key), all;

  PetscFunctionBegin;
  Distinct(mine);
  PetscCall(HeptaGatherAll(comm, MPIU_INT64, mine, all));
  Distinct(all);
  label.resize(key.size());
  for (size_t m = 0; m < key.size(); m++) label[m] = (PetscInt)(std::lower_bound(all.begin(), all.end(), key[m]) - all.begin());
  *n = (PetscInt)all.size();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaOrderByPairs(const HeptaSpace &space, size_t n, const Index *major, PetscInt majors, const Index *minor,
                                 PetscInt minors, HeptaValues &order, Index **ordered)
{
  HeptaValues a, b, c, first;
  PairRoom    room;

  PetscFunctionBegin;
  PetscCall(order.Make(space, n, ordered));
  PetscCall(a.Make(space, n, &room.a));
  PetscCall(b.Make(space, n, &room.b));
  PetscCall(c.Make(space, n, &room.c));
  PetscCall(first.Make(space, (size_t)PetscMax(majors, minors) + 1, &room.first));
  HeptaLaunchEach(space, order_by_pairs, n, major, (Index)majors, minor, (Index)minors, room, *ordered);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaNumberLocal(const HeptaSpace &space, size_t rows, HeptaValues *major, PetscInt majors, HeptaValues &minor,
                                PetscInt minors, HeptaValues &label, PetscInt *n)
{
  HeptaValues order, rank;
  Index      *first = nullptr, *second, *ordered, *ranks, *numbers;

  PetscFunctionBegin;
  if (major) PetscCall(major->Access(space, HeptaAccess::read, &first));
  PetscCall(minor.Access(space, HeptaAccess::read, &second));
  PetscCall(HeptaOrderByPairs(space, rows, first, majors, second, minors, order, &ordered));
  PetscCall(rank.Make(space, rows + 1, &ranks));
  PetscCall(label.Make(space, rows, &numbers));
  HeptaLaunchEach(space, number_pairs, rows, first, second, ordered, ranks, numbers, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}
