/* Matrices like another: of its sizes and settings, and with its structure or that of its lower or upper part */
#include <algorithm>

#include "blocked.h"

using namespace hepta::bdia;
using namespace hepta::blocked;

PetscErrorCode MatBlockedCreateLike(Mat A, HeptaMatStorage storage, PetscBool half, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(*B, A, A));
  PetscCall(MatSetType(*B, ((PetscObject)A)->type_name));
  Settings set                = MatBlocked(A)->set;
  set.storage                 = storage;
  set.half                    = half;
  MatBlocked(*B)->set         = set;
  MatBlocked(*B)->set.grid[0] = 0; /* the structure comes from A */
  PetscCall(MatSetUp(*B));
  MatBlocked(*B)->set = set;
  PetscCall(PetscLayoutReference(A->rmap, &(*B)->rmap));
  PetscCall(PetscLayoutReference(A->cmap, &(*B)->cmap));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBDIACreatePart(Mat A, HeptaMatStorage storage, bool lower, bool upper, Mat *B)
{
  Mat_Blocked          *a = MatBlocked(A), *b;
  std::vector<PetscInt> offsets;

  PetscFunctionBegin;
  PetscCall(MatBlockedCreateLike(A, storage, (PetscBool)(a->diag->half && lower && upper), B));
  b = MatBlocked(*B);
  for (const Diagonal &d : a->diag->diag) {
    if (d.off == 0 || (d.off > 0 ? upper : lower)) offsets.push_back(d.off);
    if (d.off > 0 && a->diag->half && !b->diag->half && lower) offsets.push_back(-d.off); /* the mirror image */
  }
  std::sort(offsets.begin(), offsets.end());
  PetscCall(b->diag->Preset(offsets));
  for (Diagonal &d : b->diag->diag) { /* what is set, where A stores it; what half storage mirrors counts as set */
    const int from = a->diag->Find(d.off);
    if (from >= 0) PetscCall(PetscArraycpy(d.set, a->diag->diag[from].set, a->diag->DiagonalSize() / 32));
    else std::fill_n(d.set, a->diag->DiagonalSize() / 32, ~0u);
  }
  PetscCall(b->ghost.Copy(a->ghost, false));
  b->ghost.single = storage == HEPTA_MAT_STORAGE_SINGLE;
  PetscCall(b->ghost.Forget());
  b->diag->Count();
  PetscCall(MatBlockedBuildHalo(*B));
  b->ready        = true;
  (*B)->assembled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
