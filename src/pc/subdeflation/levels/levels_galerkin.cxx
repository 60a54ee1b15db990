/* From a level to the next one: sums over aggregates, and the next level's matrix, assembled by COO from this level's entries */
#include <unordered_set>

#include "../../../mat/blocked/blocked_kernels.hxx"
#include "../../../mat/brow/brow.h"
#include "../../../shared/group.hxx"
#include "../subdeflation.h"
#include "../subdomains/subdomains_kernels.hxx"

using hepta::Index;

constexpr size_t LONGEST = 64; /* aggregates with more unknowns of a field than this are split into chunks */

PetscErrorCode HeptaAggregates::Set(HeptaValues &number, size_t rows, PetscInt count, PetscInt bs)
{
  HeptaValues found;
  HeptaSpace  space;
  long long  *longer, some = 0;
  Index      *numbers, *labels, *members;
  size_t     *begin;

  PetscFunctionBegin;
  n      = rows * bs;
  coarse = (size_t)count * bs;
  PetscCall(number.Space(&space));
  PetscCall(number.Access(space, HeptaAccess::read, &numbers));
  PetscCall(label.Make(space, n, &labels));
  PetscCall(member.Make(space, n, &members));
  PetscCall(first.Make(space, coarse + 1, &begin));
  HeptaLaunchEach(space, hepta::levels::label_unknowns, n, (Index)bs, (const Index *)numbers, labels);
  HeptaLaunchEach(space, hepta::by_groups, n, (const Index *)labels, (Index)coarse, members, begin);
  PetscCall(found.Resize(sizeof(long long)));
  PetscCall(found.Access(space, HeptaAccess::read_write, &longer)); /* zero */
  HeptaLaunchEach(space, hepta::levels::note_longer, coarse, LONGEST, (const size_t *)begin, longer);
  HeptaLaunchEach(space, hepta::fetch, (const long long *)longer, &some);
  split  = some;
  chunks = 0;
  if (split) PetscCall(SplitIntoChunks());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The chunks, from first[]: where each aggregate begins in member; all of them are own */
PetscErrorCode HeptaAggregates::SplitIntoChunks()
{
  const std::vector<Index> same(coarse);
  std::vector<size_t>      begin;

  PetscFunctionBegin;
  PetscCall(first.Give(coarse + 1, begin));
  const hepta::subdeflation::Parts parts = hepta::subdeflation::split_segments(begin, same, same);
  chunks                                 = parts.own.size();
  PetscCall(chunk.Take(parts.chunk));
  PetscCall(segment.Take(parts.segment));
  PetscCall(own.Take(parts.own));
  PetscCall(partial.Resize(chunks * sizeof(PetscScalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggregates::Restrict(const HeptaSpace &space, PetscScalar alpha, const PetscScalar *v, const PetscScalar *w, PetscScalar *sum)
{
  Index         *members;
  size_t        *begin, *run, *begins;
  unsigned char *ones;
  PetscScalar   *sums;

  PetscFunctionBegin;
  PetscCall(member.Access(space, HeptaAccess::read, &members));
  if (!split) {
    PetscCall(first.Access(space, HeptaAccess::read, &begin));
    HeptaLaunchEach(space, hepta::levels::member_sums, coarse, (const size_t *)begin, (const Index *)members, alpha, v, w, sum);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(chunk.Access(space, HeptaAccess::read, &begins));
  PetscCall(segment.Access(space, HeptaAccess::read, &run));
  PetscCall(own.Access(space, HeptaAccess::read, &ones));
  PetscCall(partial.Access(space, HeptaAccess::write, &sums));
  const hepta::subdeflation::Chunks c = {chunks, begins, ones};
  HeptaLaunch(space, hepta::subdeflation::chunk_sums, c, (const Index *)members, (const PetscScalar *)nullptr, v, (const PetscScalar *)nullptr, sums);
  HeptaLaunchEach(space, hepta::subdeflation::gather, coarse, (const size_t *)run, (const size_t *)nullptr, alpha, (const PetscScalar *)sums, sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggregates::Prolong(const HeptaSpace &space, const PetscScalar *from, PetscScalar *w)
{
  Index *labels;

  PetscFunctionBegin;
  PetscCall(label.Access(space, HeptaAccess::read, &labels));
  HeptaLaunchEach(space, hepta::subdeflation::prolong, n, (const Index *)labels, from, (const PetscScalar *)w, w);
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
  if (!diagonals) PetscCall(HeptaMatBROWSetTileSize(*C, A->rmap->bs <= hepta::brow::max_tile ? A->rmap->bs : 0)); /* rows that are aggregates have no larger tiles */
  if (diagonals) MatBDIASetMaxFill(*C, PETSC_MAX_REAL); /* small grids have diagonals that are mostly outside of the matrix */
  PetscCall(HeptaKnownSymmetric(A, &symmetric));
  if (symmetric) {
    PetscCall(MatSetOption(*C, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(*C, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For the entries in columns of this MPI process: i, j <- the labels of their rows and columns plus `start`; a.slot <- their slots */
static PetscErrorCode LocalCoarseIndices(HeptaLevel &L, const HeptaSpace &space, PetscInt start, HeptaValues &i, HeptaValues &j)
{
  HeptaAggregates            &a = L.down;
  hepta::blocked::EntryArrays entries;
  Index                      *labels, *rows, *columns;

  PetscFunctionBegin;
  PetscCall(MatBlocked(L.A)->local->GetEntries(space, L.entries, &entries));
  PetscCall(a.label.Access(space, HeptaAccess::read, &labels));
  PetscCall(i.Make(space, L.entries.n, &rows));
  PetscCall(j.Make(space, L.entries.n, &columns));
  HeptaLaunchEach(space, hepta::levels::coarse_indices, a.n, entries.first, entries.column, (const Index *)labels, (Index)start, rows, columns);
  a.slots = L.entries.n;
  a.slot.Swap(L.entries.slot);
  PetscCall(L.entries.Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for entries in columns of other MPI processes, whose labels are exchanged: a.ghost_slot <- their slots; appends to i and j the global numbers of the next level's unknowns, of which `first` is the first one here */
static PetscErrorCode GhostCoarseIndices(Mat A, HeptaAggregates &a, PetscInt first, std::vector<PetscInt> &i, std::vector<PetscInt> &j)
{
  std::vector<PetscInt> number, ghost_number;
  std::vector<size_t>   slots;
  Index                *labels;

  PetscFunctionBegin;
  PetscCall(a.label.Access(HeptaSpace(), HeptaAccess::read, &labels));
  number.assign(labels, labels + a.n);
  for (PetscInt &e : number) e += first;
  PetscCall(HeptaGhostNumbers(A, number, ghost_number));
  for (PetscInt row = 0; row < A->rmap->n && !ghost_number.empty(); row++) {
    PetscCall(HeptaForSetInRow(A, row, [&](bool ghost, PetscInt column, size_t at) {
      if (!ghost) return;
      i.push_back(number[row]);
      j.push_back(ghost_number[MatBlocked(A)->ghost.Column(column)]);
      slots.push_back(at);
    }));
  }
  a.ghost_slots = slots.size();
  PetscCall(a.ghost_slot.Take(slots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevelStructure(HeptaLevel &L, PetscInt count, bool boxes, HeptaLevel &next)
{
  const MPI_Comm        comm = PetscObjectComm((PetscObject)L.A);
  const PetscInt        bs   = L.A->rmap->bs;
  HeptaAggregates      &a    = L.down;
  std::vector<PetscInt> rows, columns;
  HeptaValues           i, j;
  HeptaSpace            space;
  PetscInt             *p, *q, start;
  const bool            alone     = L.A->rmap->size == 1;
  bool                  diagonals = boxes;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&count, &start, 1, MPIU_INT, MPI_SUM, comm));
  start = (start - count) * bs; /* the next level's first unknown here */
  PetscCall(L.ListSpace(&space));
  PetscCall(LocalCoarseIndices(L, space, start, i, j));
  if (!alone || boxes) {
    PetscCall(i.Give(a.slots, rows));
    PetscCall(j.Give(a.slots, columns));
    diagonals = boxes && FitsDiagonals(rows, columns, bs, 27);
  }
  PetscCall(HeptaAgreeOnAll(comm, &diagonals));
  PetscCall(CreateMat(L.A, count * bs, diagonals, &next.A));
  if (alone) {
    PetscCall(i.Access(space, HeptaAccess::read, &p));
    PetscCall(j.Access(space, HeptaAccess::read, &q));
    PetscCall(MatSetPreallocationCOO(next.A, (PetscCount)a.slots, p, q));
  } else {
    PetscCall(GhostCoarseIndices(L.A, a, start, rows, columns));
    PetscCall(MatSetPreallocationCOO(next.A, (PetscCount)rows.size(), rows.data(), columns.data()));
  }
  PetscCall(a.values.Resize((a.slots + a.ghost_slots) * sizeof(PetscScalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* out <- the values of a part of a blocked matrix in n slots */
template <class D> static PetscErrorCode Gather(const HeptaSpace &space, D &part, size_t n, HeptaValues &slots, PetscScalar *out)
{
  size_t *slot;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(slots.Access(space, HeptaAccess::read, &slot));
  PetscCall(HeptaVisitValues(part, space, HeptaAccess::read, [&](const auto *v) {
    HeptaLaunchEach(space, hepta::blocked::gather, n, slot, v, out);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevelValues(HeptaLevel &L, HeptaLevel &next)
{
  HeptaAggregates &a = L.down;
  PetscScalar     *values;
  HeptaSpace       space;

  PetscFunctionBegin;
  PetscCall(HeptaOperatorSpaceOfAll(L.A, &space));
  PetscCall(a.values.Access(space, HeptaAccess::write, &values));
  PetscCall(Gather(space, *MatBlocked(L.A)->local, a.slots, a.slot, values));
  PetscCall(Gather(space, MatBlocked(L.A)->ghost, a.ghost_slots, a.ghost_slot, values + a.slots));
  PetscCall(MatSetValuesCOO(next.A, values, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}
