/* From a level to the next one: sums over aggregates, and the next level's matrix, which COO assembly makes of this one's entries */
#include <algorithm>
#include <unordered_set>

#include "../../../mat/blocked/blocked_kernels.hxx"
#include "../subdeflation.h"

using hepta::Index;

constexpr size_t LONGEST = 64;   /* aggregates of more unknowns of a field are cut into chunks, */
constexpr size_t CHUNK   = 1024; /* of so many at most */

PetscErrorCode HeptaAggregates::Set(const std::vector<PetscInt> &number, PetscInt count, PetscInt bs)
{
  const size_t n = number.size() * bs, coarse = (size_t)count * bs;

  PetscFunctionBegin;
  label.resize(n);
  first.assign(coarse + 1, 0);
  for (size_t i = 0; i < n; i++) {
    label[i] = (Index)(number[i / bs] * bs + (PetscInt)(i % bs));
    first[label[i] + 1]++;
  }
  const size_t longest = *std::max_element(first.begin(), first.end());
  for (size_t e = 0; e < coarse; e++) first[e + 1] += first[e];
  std::vector<size_t> next(first.begin(), first.end() - 1);
  member.resize(n);
  for (size_t i = 0; i < n; i++) member[next[label[i]]++] = (Index)i;
  cut = longest > LONGEST;
  chunk.clear();
  segment.clear();
  for (size_t e = 0; cut && e < coarse; e++) {
    segment.push_back(chunk.size());
    for (size_t p = first[e]; p < first[e + 1]; p += CHUNK) chunk.push_back(p);
  }
  own.assign(chunk.size(), 1);
  if (cut) {
    segment.push_back(chunk.size());
    chunk.push_back(n);
    PetscCall(partial.Resize(own.size() * sizeof(PetscScalar)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggregates::Restrict(const HeptaSpace &space, PetscScalar alpha, const PetscScalar *v, const PetscScalar *w, PetscScalar *coarse)
{
  const Index                *unknown;
  const size_t               *begin, *run;
  hepta::subdeflation::Chunks c{};
  void                       *sums;

  PetscFunctionBegin;
  PetscCall(member_table.Get(space, member, &unknown));
  if (!cut) {
    PetscCall(size_tables[0].Get(space, first, &begin));
    HeptaLaunch(space, hepta::levels::member_sums, first.size() - 1, begin, unknown, alpha, v, w, coarse);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  c.n = own.size();
  PetscCall(size_tables[1].Get(space, chunk, &c.first));
  PetscCall(size_tables[2].Get(space, segment, &run));
  PetscCall(own_table.Get(space, own, &c.own));
  PetscCall(partial.Access(space, HeptaAccess::write, &sums));
  HeptaLaunch(space, hepta::subdeflation::chunk_sums, c, unknown, (const PetscScalar *)nullptr, v, (const PetscScalar *)nullptr, (PetscScalar *)sums);
  HeptaLaunchEach(space, hepta::subdeflation::gather, segment.size() - 1, run, (const size_t *)nullptr, alpha, (const PetscScalar *)sums, coarse);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggregates::Prolong(const HeptaSpace &space, const PetscScalar *coarse, PetscScalar *w)
{
  const Index *to;

  PetscFunctionBegin;
  PetscCall(label_table.Get(space, label, &to));
  HeptaLaunchEach(space, hepta::subdeflation::prolong, label.size(), to, coarse, (const PetscScalar *)w, w);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do the block offsets of these entries of the MPI process fit block diagonals? */
static bool FitsDiagonals(const std::vector<PetscInt> &i, const std::vector<PetscInt> &j, PetscInt bs, size_t most)
{
  std::unordered_set<PetscInt> offsets;
  PetscInt                     last = 0;

  for (size_t k = 0; k < i.size() && offsets.size() <= most; k++) {
    const PetscInt offset = j[k] / bs - i[k] / bs;
    if (!k || offset != last) offsets.insert(offset);
    last = offset;
  }
  return offsets.size() <= most;
}

/* An empty matrix for the next level, with n rows on this MPI process */
static PetscErrorCode CreateMat(Mat A, PetscInt n, bool diagonals, Mat *C)
{
  bool cuda = false, symmetric;

  PetscFunctionBegin;
  PetscCall(HeptaHasDeviceVecs(A, &cuda));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), C));
  PetscCall(MatSetSizes(*C, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*C, A->rmap->bs));
  PetscCall(PetscLayoutSetUp((*C)->rmap)); /* the global numbers */
  PetscCall(MatSetType(*C, diagonals ? (cuda ? MATBDIACUDA : MATBDIA) : (cuda ? MATBROWCUDA : MATBROW)));
  MatBlocked(*C)->set.max_fill = PETSC_MAX_REAL; /* small grids have diagonals that are mostly outside of the matrix */
  PetscCall(HeptaKnownSymmetric(A, &symmetric));
  if (symmetric) {
    PetscCall(MatSetOption(*C, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(*C, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries in columns of this MPI process: a.slot, and in i and j the labels of their rows and columns */
static PetscErrorCode FindLocal(Mat A, HeptaAggregates &a, std::vector<PetscInt> &i, std::vector<PetscInt> &j)
{
  const PetscInt start = A->rmap->rstart;

  PetscFunctionBegin;
  a.slot.clear();
  a.size_tables[3].Invalidate();
  a.slot.reserve((size_t)MatBlocked(A)->local->entries);
  i.reserve(a.slot.capacity());
  j.reserve(a.slot.capacity());
  for (PetscInt row = 0; row < A->rmap->n; row++) {
    PetscCall(HeptaForSetInRow(A, row, [&](bool ghost, PetscInt column, size_t at) {
      if (ghost) return;
      i.push_back(a.label[row]);
      j.push_back(a.label[column - start]);
      a.slot.push_back(at);
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those in columns of others, whose labels these tell: a.ghost_slot, and appended to i and j the global numbers of the next level's unknowns, whose first one here is `first` */
static PetscErrorCode FindGhosts(Mat A, HeptaAggregates &a, PetscInt first, std::vector<PetscInt> &i, std::vector<PetscInt> &j)
{
  std::vector<PetscInt> number(a.label.begin(), a.label.end()), ghost_number;

  PetscFunctionBegin;
  a.ghost_slot.clear();
  a.size_tables[4].Invalidate();
  for (PetscInt &e : number) e += first;
  PetscCall(HeptaGhostNumbers(A, number, ghost_number));
  for (PetscInt row = 0; row < A->rmap->n && !ghost_number.empty(); row++) {
    PetscCall(HeptaForSetInRow(A, row, [&](bool ghost, PetscInt column, size_t at) {
      if (!ghost) return;
      i.push_back(number[row]);
      j.push_back(ghost_number[MatBlocked(A)->ghost.Column(column)]);
      a.ghost_slot.push_back(at);
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevelStructure(HeptaLevel &L, PetscInt count, bool boxes, HeptaLevel &next)
{
  const PetscInt        bs = L.A->rmap->bs;
  HeptaAggregates      &a  = L.down;
  std::vector<PetscInt> i, j;

  PetscFunctionBegin;
  PetscCall(FindLocal(L.A, a, i, j));
  bool diagonals = boxes && FitsDiagonals(i, j, bs, 27);
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)L.A), &diagonals));
  PetscCall(CreateMat(L.A, count * bs, diagonals, &next.A));
  for (std::vector<PetscInt> *v : {&i, &j}) {
    for (PetscInt &e : *v) e += next.A->rmap->rstart;
  }
  PetscCall(FindGhosts(L.A, a, next.A->rmap->rstart, i, j));
  PetscCall(MatSetPreallocationCOO(next.A, (PetscCount)i.size(), i.data(), j.data()));
  PetscCall(a.values.Resize(i.size() * sizeof(PetscScalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* out <- the values of a part of a blocked matrix in the given slots */
static PetscErrorCode Gather(const HeptaSpace &space, HeptaValues &part, bool single, const std::vector<size_t> &slots, HeptaTable<size_t> &table, PetscScalar *out)
{
  const size_t *slot;
  void         *v;

  PetscFunctionBegin;
  if (slots.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(table.Get(space, slots, &slot));
  PetscCall(part.Access(space, HeptaAccess::read, &v));
  if (single) HeptaLaunchEach(space, hepta::blocked::gather, slots.size(), slot, (const float *)v, out);
  else HeptaLaunchEach(space, hepta::blocked::gather, slots.size(), slot, (const PetscScalar *)v, out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevelValues(HeptaLevel &L, HeptaLevel &next)
{
  HeptaAggregates       &a     = L.down;
  HeptaStorage          &local = *MatBlocked(L.A)->local;
  hepta::blocked::Ghost &ghost = MatBlocked(L.A)->ghost;
  void                  *values;
  HeptaSpace             space;

  PetscFunctionBegin;
  PetscCall(HeptaOperatorSpaceOfAll(L.A, &space));
  PetscCall(a.values.Access(space, HeptaAccess::write, &values));
  PetscCall(Gather(space, local.values, local.single, a.slot, a.size_tables[3], (PetscScalar *)values));
  PetscCall(Gather(space, ghost.values, ghost.single, a.ghost_slot, a.size_tables[4], (PetscScalar *)values + a.slot.size()));
  PetscCall(MatSetValuesCOO(next.A, (const PetscScalar *)values, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}
