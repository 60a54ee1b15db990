/*
   Submatrices of unknowns: the same rows of each block row and the same columns of each block column, as PCFIELDSPLIT takes them.
   The entries of such a submatrix are COO entries, whose values are copied where the values of the matrix are.
*/
#include <petscdmda.h>

#include "../../shared/arrays.h"
#include "blocked.h"

using namespace hepta::blocked;

/* The unknowns that an index set takes from each block: place[f] of unknown f in the submatrix's blocks, or -1 */
struct Fields {
  std::vector<PetscInt> place;
  PetscInt              count = 0; /* 0: the index set is another one */

  PetscInt Size() const { return (PetscInt)place.size(); }
  /* the same unknown in the submatrix, -1 if the submatrix does not have it */
  PetscInt Of(PetscInt k) const { return place[k % Size()] < 0 ? -1 : k / Size() * count + place[k % Size()]; }
  bool     AreAll() const
  {
    for (PetscInt f = 0; f < Size(); f++) {
      if (place[f] != f) return false;
    }
    return true;
  }
};

/* Does a rank's part of an index set take the same unknowns from each of the rank's blocks? */
static PetscErrorCode TakesFields(IS is, PetscLayout map, std::vector<PetscInt> &place, bool *fits)
{
  const PetscInt  bs = HeptaBlockSize(map), blocks = map->n / bs;
  const PetscInt *index;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(is, &n));
  *fits = blocks ? n && n % blocks == 0 && n / blocks <= bs : !n;
  if (!*fits || !blocks) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt count = n / blocks;

  PetscCall(ISGetIndices(is, &index));
  for (PetscInt k = 0; k < count && *fits; k++) {
    const PetscInt f = index[k] - map->rstart;

    *fits = f >= 0 && f < bs && place[f] < 0;
    if (*fits) place[f] = k;
  }
  for (PetscInt k = count; k < n && *fits; k++) *fits = index[k] == index[k - count] + bs;
  PetscCall(ISRestoreIndices(is, &index));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The unknowns, which must be the same on all ranks and as many as a block of the index set has: the submatrix gets this block
   size; collective */
static PetscErrorCode FindFields(IS is, PetscLayout map, Fields &fields)
{
  const PetscInt        bs = HeptaBlockSize(map);
  std::vector<PetscInt> most(2 * bs + 1, -bs); /* place[], -place[], misfit: the largest of all ranks with blocks */
  bool                  fits = false;
  PetscInt              of_is;

  PetscFunctionBegin;
  PetscCall(ISGetBlockSize(is, &of_is));
  fields.place.assign(bs, -1);
  PetscCall(TakesFields(is, map, fields.place, &fits));
  for (PetscInt f = 0; f < bs && map->n; f++) {
    most[f]      = fields.place[f];
    most[bs + f] = -fields.place[f];
  }
  most[2 * bs] = !fits;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most.data(), (PetscMPIInt)most.size(), MPIU_INT, MPI_MAX, map->comm));
  fits         = !most[2 * bs];
  fields.count = 0;
  for (PetscInt f = 0; f < bs; f++) {
    fields.place[f] = most[f];
    fits            = fits && most[f] == -most[bs + f];
    fields.count += most[f] >= 0;
  }
  if (!fits || fields.count != of_is) fields.count = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The rows, columns and slots of A's entries that B has: those of A's local part, then those of its ghost part. B's locations
   become these.
*/
static PetscErrorCode PlanFields(Mat A, const Fields &row, const Fields &col, Mat B)
{
  FieldsPlan           &plan = *MatBlocked(B)->fields;
  std::vector<PetscInt> i[2], j[2];

  PetscFunctionBegin;
  for (int part = 0; part < 2; part++) {
    plan.slot[part].clear();
    plan.table[part].Invalidate();
  }
  for (PetscInt k = 0; k < A->rmap->n; k++) {
    const PetscInt r = row.Of(A->rmap->rstart + k);

    if (r < 0) continue;
    PetscCall(HeptaForSetInRow(A, k, [&](bool ghost, PetscInt column, size_t at) {
      const PetscInt c = col.Of(column);

      if (c < 0) return;
      i[ghost].push_back(r);
      j[ghost].push_back(c);
      plan.slot[ghost].push_back(at);
    }));
  }
  i[0].insert(i[0].end(), i[1].begin(), i[1].end());
  j[0].insert(j[0].end(), j[1].begin(), j[1].end());
  MatBlocked(B)->set.lenient = PETSC_TRUE; /* B has no more slots than A, whatever its fill is */
  PetscCall(MatSetPreallocationCOO(B, (PetscCount)i[0].size(), i[0].data(), j[0].data()));
  MatBlocked(B)->set.lenient = MatBlocked(B)->set.misfit = PETSC_FALSE;
  plan.structure.Note(A);
  plan.own.Note(B);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w[k] <- the value in the k-th slot of a part of A */
template <class D>
static PetscErrorCode GatherValues(D &part, const std::vector<size_t> &slots, HeptaTable<size_t> &table, const HeptaSpace &space,
                                   PetscScalar *w)
{
  const size_t *slot;

  PetscFunctionBegin;
  if (slots.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(table.Get(space, slots, &slot));
  PetscCall(HeptaVisitValues(part, space, HeptaAccess::read, [&](auto *v) {
    HeptaLaunchEach(space, gather, slots.size(), slot, v, w);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CopyValues(Mat A, Mat B)
{
  Mat_Blocked *a    = MatBlocked(A);
  FieldsPlan  &plan = *MatBlocked(B)->fields;
  HeptaValues  values;
  HeptaSpace   space;
  PetscScalar *w;

  PetscFunctionBegin;
  PetscCall(a->local->values.Space(&space));
  PetscCall(values.Make(space, plan.slot[0].size() + plan.slot[1].size(), &w));
  PetscCall(GatherValues(*a->local, plan.slot[0], plan.table[0], space, w));
  PetscCall(GatherValues(a->ghost, plan.slot[1], plan.table[1], space, w + plan.slot[0].size()));
  PetscCall(MatSetValuesCOO(B, w, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   An empty matrix for some unknowns of A, of A's type, or, if its blocks are not square, a brow: rows of other numbers of
   unknowns than columns have no block diagonals
*/
static PetscErrorCode CreateForFields(Mat A, const Fields &row, const Fields &col, Mat *B)
{
  const Mat_Blocked *a      = MatBlocked(A);
  const bool         square = row.count == col.count;
  Settings           set    = a->set;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(
    MatSetSizes(*B, A->rmap->n / row.Size() * row.count, A->cmap->n / col.Size() * col.count, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSizes(*B, row.count, col.count));
  PetscCall(MatSetType(*B, square ? ((PetscObject)A)->type_name : a->set.device ? MATBROWCUDA : MATBROW));
  if (MatBlocked(*B)->format != a->format) {
    set         = MatBlocked(*B)->set;
    set.storage = a->set.storage;
  }
  set.search_bs               = PETSC_FALSE;
  MatBlocked(*B)->set         = set;
  MatBlocked(*B)->set.presets = PETSC_FALSE; /* the structure comes from A, see PlanFields() */
  PetscCall(MatSetUp(*B));
  MatBlocked(*B)->fields = std::make_unique<FieldsPlan>();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A submatrix of all unknowns */
static PetscErrorCode Duplicate(Mat A, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
  MatBlocked(*B)->dm_view = nullptr; /* DMDA's view views such a submatrix */
  MatBlocked(*B)->fields  = std::make_unique<FieldsPlan>();
  MatBlocked(*B)->fields->structure.Note(A);
  MatBlocked(*B)->fields->own.Note(*B);
  MatBlocked(*B)->fields->whole = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B, a submatrix of all unknowns, gets A's present values, and A's structure if A's or B's has changed */
static PetscErrorCode CopyWhole(Mat A, Mat B, bool same)
{
  Mat_Blocked *a = MatBlocked(A), *b = MatBlocked(B);

  PetscFunctionBegin;
  if (same) {
    PetscCall(b->local->values.CopyOf(a->local->values));
    b->local->pointers_valid = false;
    PetscCall(b->ghost.values.CopyOf(a->ghost.values));
    PetscCall(PetscObjectStateIncrease((PetscObject)B));
  } else PetscCall(MatCopy(A, B, DIFFERENT_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A DMDA whose points are A's blocks, with the submatrix's unknowns: preconditioners that need a grid find it */
static PetscErrorCode TakeGrid(Mat A, const Fields &fields, Mat B)
{
  DM        dm, da;
  PetscBool is = PETSC_FALSE;
  PetscInt  dof;

  PetscFunctionBegin;
  PetscCall(MatGetDM(A, &dm));
  if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &is));
  if (is) PetscCall(DMDAGetDof(dm, &dof));
  if (!is || dof != fields.Size()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDACreateCompatibleDMDA(dm, fields.count, &da));
  PetscCall(MatSetDM(B, da));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedCreateFields(Mat A, IS rows, IS cols, Mat *B)
{
  const Mat_Blocked *a = MatBlocked(A);
  Fields             row, col;

  PetscFunctionBegin;
  *B = nullptr;
  if (HeptaBlockSize(A->rmap) == 1 || HeptaBlockSize(A->cmap) == 1 || !A->rmap->N || !a->ready || a->set.half ||
      A->structure_only)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindFields(rows, A->rmap, row));
  PetscCall(FindFields(cols, A->cmap, col));
  if (!row.count || !col.count) PetscFunctionReturn(PETSC_SUCCESS);
  if (row.AreAll() && col.AreAll()) PetscCall(Duplicate(A, B));
  else {
    PetscCall(CreateForFields(A, row, col, B));
    PetscCall(PlanFields(A, row, col, *B));
    PetscCall(CopyValues(A, *B));
  }
  if (row.place == col.place) PetscCall(TakeGrid(A, row, *B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedCopyFields(Mat A, IS rows, IS cols, Mat B)
{
  FieldsPlan &plan = *MatBlocked(B)->fields;
  bool        same = plan.structure.Of(A) && plan.own.Of(B);
  Fields      row, col;

  PetscFunctionBegin;
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)A), &same));
  if (plan.whole) {
    PetscCall(CopyWhole(A, B, same));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!same) {
    PetscCall(FindFields(rows, A->rmap, row));
    PetscCall(FindFields(cols, A->cmap, col));
    PetscCheck(row.count == HeptaBlockSize(B->rmap) && col.count == HeptaBlockSize(B->cmap), PetscObjectComm((PetscObject)A),
               PETSC_ERR_ARG_WRONG, "MAT_REUSE_MATRIX needs the index sets that the submatrix was made for");
    PetscCall(PlanFields(A, row, col, B));
  }
  PetscCall(CopyValues(A, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
