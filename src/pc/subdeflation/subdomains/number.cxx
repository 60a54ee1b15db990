/* The numbers of subdomains among those that have rows */
#include <algorithm>

#include "keys.h"

using hepta::Index;
using namespace hepta::subdeflation;

/* Sorted, each once */
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

/* label <- the numbers of the keys that occur on this rank */
static PetscErrorCode NumberPairs(const HeptaSpace &space, size_t rows, HeptaSubdomainKeys &key, HeptaValues &label, PetscInt *n)
{
  HeptaValues order, a, b, c, groups;
  PairRoom    room;
  Index      *major = nullptr, *minor, *ordered, *numbers;

  PetscFunctionBegin;
  if (key.majors) PetscCall(key.major.Access(space, HeptaAccess::read, &major));
  PetscCall(key.minor.Access(space, HeptaAccess::read, &minor));
  for (auto &take : {
         std::pair<HeptaValues *, Index **>{&order, &ordered},
            {&a,     &room.a },
            {&b,     &room.b },
            {&c,     &room.c }
  })
    PetscCall(take.first->Make(space, rows + 1, take.second));
  PetscCall(groups.Make(space, (size_t)PetscMax(key.majors, key.minors) + 1, &room.first));
  PetscCall(label.Make(space, rows, &numbers));
  HeptaLaunchEach(space, order_by_pairs, rows, (const Index *)major, (Index)key.majors, (const Index *)minor, (Index)key.minors, room, ordered);
  HeptaLaunchEach(space, number_pairs, rows, (const Index *)major, (const Index *)minor, (const Index *)ordered, room.a, numbers, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaNumberLocal(const HeptaSpace &space, size_t rows, HeptaValues &key, PetscInt keys, HeptaValues &label, PetscInt *n)
{
  HeptaSubdomainKeys k;

  PetscFunctionBegin;
  k.minors = keys;
  k.minor.Swap(key);
  const PetscErrorCode code = NumberPairs(space, rows, k, label, n);
  k.minor.Swap(key);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationNumber(PC pc, const HeptaSpace &space, HeptaSubdomainKeys &key)
{
  PC_Subdeflation        *s    = Subdeflation(pc);
  const size_t            rows = (size_t)(s->rows.A->rmap->n / s->rows.A->rmap->bs);
  std::vector<PetscInt64> keys;
  std::vector<PetscInt>   labels;
  Index                  *major = nullptr, *minor;
  PetscMPIInt             size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size));
  if (size == 1) {
    PetscCall(NumberPairs(space, rows, key, s->label, &s->domains));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (key.majors) PetscCall(key.major.Access(HeptaSpace(), HeptaAccess::read, &major));
  PetscCall(key.minor.Access(HeptaSpace(), HeptaAccess::read, &minor));
  keys.resize(rows);
  for (size_t m = 0; m < rows; m++) keys[m] = (major ? (PetscInt64)major[m] * key.minors : 0) + minor[m];
  PetscCall(HeptaNumberKeys(PetscObjectComm((PetscObject)pc), keys, labels, &s->domains));
  PetscCall(s->label.Take(labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}
