/* The block size and the offsets that suit a given matrix */
#include <set>

#include "bdia.h"

/* The offsets of A's local block diagonals at block size bs, stopping beyond `most` of them, and the number of entries on them */
static PetscErrorCode FindOffsets(Mat A, PetscInt bs, size_t most, std::set<PetscInt> &offsets, PetscReal *entries)
{
  PetscFunctionBegin;
  PetscCall(HeptaForRows(A, A->rmap->rstart, A->rmap->rend, false, [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *) {
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

/* The block size, among those that divide every rank's rows, whose fill is least within the limit of offsets */
static PetscErrorCode ChooseBlockSize(Mat A, PetscInt max_offsets, PetscInt *best)
{
  PetscReal             least_fill = PETSC_MAX_REAL;
  std::vector<PetscInt> candidates = {1, 2, 3, 4, 5, 6, 7, 8};

  PetscFunctionBegin;
  *best = A->rmap->bs == A->cmap->bs ? A->rmap->bs : 1;
  if (*best > 8) candidates.push_back(*best);
  for (PetscInt bs : candidates) {
    std::set<PetscInt> offsets;
    PetscReal          sums[3] = {0, 0, 0}; /* slots, entries, ranks beyond the limit of offsets */

    sums[2] = A->rmap->n % bs || A->cmap->n % bs;
    if (!sums[2]) PetscCall(FindOffsets(A, bs, max_offsets, offsets, &sums[1]));
    sums[2] += (PetscInt)offsets.size() > max_offsets;
    for (PetscInt o : offsets) sums[0] += (PetscReal)bs * bs * PetscMax(0, PetscMin(A->rmap->n / bs, A->cmap->n / bs - o) - PetscMax(0, -o));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
    if (sums[2] > 0 || sums[1] <= 0 || sums[0] / sums[1] >= least_fill) continue;
    least_fill = sums[0] / sums[1];
    *best      = bs;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chooses block size, grid or offsets for the entries of A */
PetscErrorCode hepta::bdia::Diagonals::Fit(Mat A, bool, Mat B, bool *)
{
  hepta::blocked::Settings &s           = MatBlocked(B)->set;
  const PetscInt            max_offsets = s.OfFormat<Options>().max_offsets;
  PetscInt                  size        = A->rmap->bs == A->cmap->bs ? A->rmap->bs : 1;
  std::set<PetscInt>        offsets;

  PetscFunctionBegin;
  if (s.auto_bs) PetscCall(ChooseBlockSize(A, max_offsets, &size));
  if (s.auto_bs || (!s.given_bs && B->rmap->bs == 1)) PetscCall(MatSetBlockSize(B, size));
  s.auto_bs = PETSC_FALSE;
  PetscCall(MatSetUp(B));
  PetscCall(FindOffsets(A, B->rmap->bs, (s.half ? 2 : 1) * (size_t)max_offsets, offsets, nullptr));
  if (s.lenient) { /* before memory is taken */
    std::set<PetscInt> stored;
    for (PetscInt o : offsets) stored.insert(s.half ? PetscAbsInt(o) : o);
    PetscCall(MatBDIARefuse(B, (PetscInt)stored.size() > max_offsets, ""));
  }
  const bool preset = !(s.presets && s.OfFormat<Options>().grid[0]) && !s.half && !MatBlocked(B)->ready && (PetscInt)offsets.size() <= max_offsets;
  if (preset) PetscCall(Preset(std::vector<PetscInt>(offsets.begin(), offsets.end())));
  PetscFunctionReturn(PETSC_SUCCESS);
}
