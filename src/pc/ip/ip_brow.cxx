/* The factors of the Incomplete Poisson preconditioner of single entries in blocked rows, on one process */
#include "../../mat/brow/brow.h"
#include "../../shared/each.hxx"
#include "ip.h"

using hepta::Scalar;
using namespace hepta::ip;

PetscErrorCode HeptaIPCreateBlockRows(PC pc, HeptaIPFactor &f)
{
  const PC_IP          *ip = (PC_IP *)pc->data;
  const Mat             A  = ip->op.A;
  const PetscInt        n  = A->rmap->n;
  std::vector<PetscInt> i, j;
  bool                  cuda;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < n; m++) {
    i.push_back(m);
    j.push_back(m); /* also where A has no entry, which is an error for its values */
    PetscCall(HeptaForSetInRow(A, m, [&](bool, PetscInt c, size_t) {
      if (c == m || !(c < m ? f.keep_lower : f.keep_upper)) return;
      i.push_back(m);
      j.push_back(c);
    }));
  }
  PetscCall(HeptaHasDeviceVecs(pc->pmat, &cuda));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)pc), &f.M));
  PetscCall(MatSetSizes(f.M, n, n, n, n));
  PetscCall(MatSetType(f.M, cuda ? MATBROWCUDA : MATBROW));
  PetscCall(HeptaMatBROWSetStorage(f.M, ip->storage));
  PetscCall(MatSetPreallocationCOO(f.M, (PetscCount)i.size(), i.data(), j.data()));
  PetscCall(MatSetValuesCOO(f.M, nullptr, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPBlockRowsValues(Mat A, HeptaIPFactor &f, const HeptaSpace &space, HeptaValues &inverse, HeptaValues &found)
{
  const RowRecipe r = {f.left_lower, f.scale, f.pairs};
  Scalar         *inv;
  Found          *noted;

  PetscFunctionBegin;
  PetscCall(inverse.Make(space, (size_t)A->rmap->n, &inv));
  PetscCall(found.Access(space, HeptaAccess::read_write, &noted));
  PetscCall(HeptaVisit(*MatBROWBlockRows(A), space, HeptaAccess::read, [&](auto D) {
    HeptaLaunchEach(space, invert_diagonal, D, inv, noted);
    PetscCall(HeptaVisit(*MatBROWBlockRows(f.M), space, HeptaAccess::write, [&](auto M) {
      HeptaLaunchEach(space, build_rows, D, M, r, (const Scalar *)inv, noted);
      return PETSC_SUCCESS;
    }));
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
