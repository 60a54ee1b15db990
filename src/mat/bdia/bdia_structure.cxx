/*
   The structure of block diagonals before any value: of a grid in natural order, of another matrix, of COO entries on the device,
   or of a part of a bdia matrix
*/
#include <algorithm>
#include <set>

#include "../blocked/coo_device.h"
#include "bdia.h"

using namespace hepta::bdia;

PetscErrorCode MatBDIASetGrid_BDIA(Mat A, PetscInt J, PetscInt H, PetscInt I)
{
  Mat_Blocked *a       = MatBlocked(A);
  Options      options = a->set.OfFormat<Options>();
  const bool   same    = options.grid[0] == J && options.grid[1] == H && options.grid[2] == I;
  PetscInt     plane, cells;

  PetscFunctionBegin;
  PetscCheck(J > 0 && H > 0 && I > 0, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "The grid %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " (-mat_bdia_grid J,H,I) must have positive sizes",
             J, H, I);
  PetscCheck(!__builtin_mul_overflow(J, H, &plane) && !__builtin_mul_overflow(plane, I, &cells), PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_OUTOFRANGE,
             "The grid %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT
             " (-mat_bdia_grid J,H,I) has more cells than PetscInt can count",
             J, H, I);
  PetscCheck(same || !A->preallocated, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "The grid (-mat_bdia_grid) must be set before MatSetUp() and before values are set");
  options.grid[0] = J;
  options.grid[1] = H;
  options.grid[2] = I;
  a->set.SetOfFormat(options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the offsets of the grid, if one is given */
PetscErrorCode Diagonals::PresetFromOptions(Mat A)
{
  Mat_Blocked       *a     = MatBlocked(A);
  const PetscInt    *grid  = a->set.OfFormat<Options>().grid;
  const PetscInt     cells = grid[0] * grid[1] * grid[2];
  std::set<PetscInt> offsets;

  PetscFunctionBegin;
  if (!grid[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(cells == A->rmap->N / bs && cells == A->cmap->N / bs, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "The grid %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " (-mat_bdia_grid) has %" PetscInt_FMT
             " cells, but the matrix has %" PetscInt_FMT " x %" PetscInt_FMT " rows and columns in blocks of %" PetscInt_FMT,
             grid[0], grid[1], grid[2], cells, A->rmap->N, A->cmap->N, bs);
  for (PetscInt o : {(PetscInt)0, (PetscInt)1, grid[0], grid[0] * grid[1]}) { /* some coincide if J = 1 or H = 1 */
    if (o >= PetscMax(nbr, 1)) continue;
    offsets.insert(o);
    if (!a->set.half) offsets.insert(-o);
  }
  PetscCall(Preset(std::vector<PetscInt>(offsets.begin(), offsets.end())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The offsets of A's local block diagonals at block size bs, up to the first beyond `most` offsets, and the number of entries on
   these diagonals
*/
static PetscErrorCode FindOffsets(Mat A, PetscInt bs, size_t most, std::set<PetscInt> &offsets, PetscReal *entries)
{
  PetscFunctionBegin;
  PetscCall(HeptaForRows(A, A->rmap->rstart, A->rmap->rend, false,
                         [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *) {
                           const PetscInt m    = (i - A->rmap->rstart) / bs;
                           PetscInt       last = PETSC_INT_MIN;

                           for (PetscInt k = 0; k < n && offsets.size() <= most; k++) {
                             const PetscInt j = cols[k] - A->cmap->rstart;
                             if (j < 0 || j >= A->cmap->n) continue;
                             if (entries) (*entries)++;
                             if (j / bs - m == last) continue;
                             last = j / bs - m;
                             offsets.insert(last);
                           }
                           return PETSC_SUCCESS;
                         }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The block size with the least fill within the limit of offsets, among the sizes that divide every rank's rows */
static PetscErrorCode ChooseBlockSize(Mat A, PetscInt max_offsets, PetscInt *best)
{
  PetscReal             least_fill = PETSC_MAX_REAL;
  std::vector<PetscInt> candidates = {1, 2, 3, 4, 5, 6, 7, 8};

  PetscFunctionBegin;
  *best = HeptaCommonBlockSize(A);
  if (*best > 8) candidates.push_back(*best);
  for (PetscInt bs : candidates) {
    std::set<PetscInt> offsets;
    PetscReal          sums[3] = {0, 0, 0}; /* slots, entries, ranks beyond the limit of offsets */

    sums[2] = A->rmap->n % bs || A->cmap->n % bs;
    if (!sums[2]) PetscCall(FindOffsets(A, bs, max_offsets, offsets, &sums[1]));
    sums[2] += (PetscInt)offsets.size() > max_offsets;
    for (PetscInt o : offsets)
      sums[0] += (PetscReal)bs * bs * PetscMax(0, PetscMin(A->rmap->n / bs, A->cmap->n / bs - o) - PetscMax(0, -o));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
    if (sums[2] > 0 || sums[1] <= 0 || sums[0] / sums[1] >= least_fill) continue;
    least_fill = sums[0] / sums[1];
    *best      = bs;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chooses block size, grid or offsets for the entries of A */
PetscErrorCode Diagonals::Fit(Mat A, bool, Mat B, bool *)
{
  hepta::blocked::Settings &s           = MatBlocked(B)->set;
  const PetscInt            max_offsets = s.OfFormat<Options>().max_offsets;
  PetscInt                  size        = HeptaCommonBlockSize(A);
  std::set<PetscInt>        offsets;

  PetscFunctionBegin;
  if (s.auto_bs) PetscCall(ChooseBlockSize(A, max_offsets, &size));
  if (s.auto_bs || (!s.given_bs && HeptaBlockSize(B->rmap) == 1)) PetscCall(MatSetBlockSize(B, size));
  s.auto_bs = PETSC_FALSE;
  PetscCall(MatSetUp(B));
  PetscCall(FindOffsets(A, HeptaBlockSize(B->rmap), (s.half ? 2 : 1) * (size_t)max_offsets, offsets, nullptr));
  if (s.lenient) { /* before memory is taken */
    std::set<PetscInt> stored;
    for (PetscInt o : offsets) stored.insert(s.half ? PetscAbsInt(o) : o);
    PetscCall(MatBDIARefuse(B, (PetscInt)stored.size() > max_offsets, ""));
  }
  const bool preset =
    !(s.presets && s.OfFormat<Options>().grid[0]) && !s.half && !MatBlocked(B)->ready && (PetscInt)offsets.size() <= max_offsets;
  if (preset) PetscCall(Preset(std::vector<PetscInt>(offsets.begin(), offsets.end())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
/* On the host PlanLocal() of blocked_coo_plan.cxx makes this plan */
PetscErrorCode Diagonals::PlanCOO(const hepta::blocked::Settings &s, const HeptaSpace &space, size_t n, const PetscInt i[],
                                  const PetscInt j[], hepta::blocked::COOPlan &plan, bool *done)
{
  const hepta::blocked::CooEntries entries{n, i, j};
  HeptaValues                      bits;
  std::vector<PetscInt>            found, offsets(off.begin(), off.end());
  uint32_t                        *b;

  PetscFunctionBegin;
  *done = false;
  if (half) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallHepta(coo_offsets_cuda(nbr, nbc, bs, entries, found, done, space.stream));
  for (PetscInt o : found) {
    if (Find(o) < 0) offsets.push_back(o);
  }
  *done = *done && (PetscInt)offsets.size() <= s.OfFormat<Options>().max_offsets;
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Preset(offsets));
  View<PetscScalar> A = StructureView();
  PetscCall(off_table.Get(space, off, &A.off));
  PetscCall(bits.Make(space, Size() / 32, &b));
  PetscCall(hepta::blocked::COOPlanOnDevice(A, space, Size(), entries, b, plan));
  PetscCall(bits.Access(HeptaSpace(), HeptaAccess::read, &b));
  PetscCall(PetscArraycpy(set, b, Size() / 32));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode MatBDIACreatePart(Mat A, HeptaMatStorage storage, bool lower, bool upper, Mat *B)
{
  Mat_Blocked          *a = MatBlocked(A), *b;
  Diagonals            *D = MatBDIADiagonals(A), *P;
  std::vector<PetscInt> offsets;

  PetscFunctionBegin;
  PetscCall(MatBlockedCreateLike(A, storage, (PetscBool)(D->half && lower && upper), B));
  b = MatBlocked(*B);
  P = MatBDIADiagonals(*B);
  for (const Diagonal &d : D->diag) {
    if (d.off == 0 || (d.off > 0 ? upper : lower)) offsets.push_back(d.off);
    if (d.off > 0 && D->half && !P->half && lower) offsets.push_back(-d.off); /* the mirror image */
  }
  std::sort(offsets.begin(), offsets.end());
  PetscCall(P->Preset(offsets));
  for (Diagonal &d : P->diag) { /* copies the bits of set slots that A stores; mirrored entries of half storage count as set */
    const int from = D->Find(d.off);
    if (from >= 0) PetscCall(PetscArraycpy(d.set, D->diag[from].set, D->DiagonalSize() / 32));
    else std::fill_n(d.set, D->DiagonalSize() / 32, ~0u);
  }
  PetscCall(b->ghost.Copy(a->ghost, false));
  b->ghost.single = storage == HEPTA_MAT_STORAGE_SINGLE;
  PetscCall(b->ghost.Forget());
  PetscCall(P->Count());
  PetscCall(MatBlockedBuildHalo(*B));
  b->ready        = true;
  (*B)->assembled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
