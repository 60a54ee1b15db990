/* The operator of the subdomain deflation by rows, whatever its type */
#include <algorithm>

#include "subdeflation.h"

using namespace hepta::bdia;
using namespace hepta::blocked;

/* The global columns of the ghost part, and how their owners' numbers come here */
static PetscErrorCode FindGhosts(HeptaRows *r)
{
  const PetscInt *garray = nullptr;
  PetscBool       mpi;
  bool            bdia = false;

  PetscFunctionBegin;
  r->ghosts.clear();
  r->diag = r->off = nullptr;
  PetscCall(PetscSFDestroy(&r->sf));
  r->border.Invalidate();
  PetscCall(HeptaIsBDIA(r->A, &bdia));
  if (bdia) {
    const Ghost &g = MatBlocked(r->A)->ghost;
    for (PetscInt c : g.garray) {
      for (PetscInt s = 0; s < g.bs; s++) r->ghosts.push_back(c * g.bs + s);
    }
  } else {
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)r->A, MATMPIAIJ, &mpi));
    r->diag = r->A;
    if (mpi) {
      PetscCall(MatMPIAIJGetSeqAIJ(r->A, &r->diag, &r->off, &garray));
      r->ghosts.assign(garray, garray + r->off->cmap->n);
    }
  }
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)r->A), &r->sf));
  PetscCall(PetscSFSetFromOptions(r->sf)); /* -sf_unknown_input_stream */
  PetscCall(PetscSFSetGraphLayout(r->sf, r->A->rmap, (PetscInt)r->ghosts.size(), nullptr, PETSC_COPY_VALUES, r->ghosts.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRows::Update(PC pc, bool *same_structure)
{
  PetscFunctionBegin;
  PetscCall(op.Update(pc, HeptaForm::rows, same_structure));
  A = op.A;
  if (!*same_structure) PetscCall(FindGhosts(this));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRows::Reset()
{
  PetscFunctionBegin;
  PetscCall(op.Reset());
  PetscCall(PetscSFDestroy(&sf));
  ghosts.clear();
  border.Invalidate();
  A = diag = off = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRows::Row(PetscInt i, const std::function<void(PetscInt, bool)> &f) const
{
  const PetscInt start = A->rmap->rstart;

  PetscFunctionBegin;
  if (!diag) {
    const Ghost &g = MatBlocked(A)->ghost;
    PetscCall(HeptaForSetInRow(A, i, [&](bool ghost, PetscInt j, size_t) {
      const PetscInt block = ghost ? (PetscInt)(std::lower_bound(g.garray.begin(), g.garray.end(), j / g.bs) - g.garray.begin()) : 0;
      f(ghost ? block * g.bs + j % g.bs : j - start, ghost);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (Mat part : {diag, off}) {
    PetscInt        n;
    const PetscInt *j;
    if (!part) continue;
    PetscCall(MatGetRow(part, i, &n, &j, nullptr));
    for (PetscInt k = 0; k < n; k++) f(j[k], part == off);
    PetscCall(MatRestoreRow(part, i, &n, &j, nullptr));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRows::Space(HeptaSpace *space) const
{
  const PetscInt *i, *j;
  PetscScalar    *a;
  PetscMemType    type;

  PetscFunctionBegin;
  if (!diag) {
    PetscCall(HeptaOperatorSpaceOfAll(A, space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatSeqAIJGetCSRAndMemType(diag, &i, &j, &a, &type)); /* on the device for aijcusparse */
  PetscCall(HeptaSpaceOf(type, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}
