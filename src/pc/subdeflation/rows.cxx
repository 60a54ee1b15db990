/* The rows of the operator of the subdomain deflation, for all its types */
#include "subdeflation.h"

using namespace hepta::bdia;
using namespace hepta::blocked;

/* The global numbers of the ghost columns, ascending */
static std::vector<PetscInt> GhostColumns(const Ghost &g)
{
  std::vector<PetscInt> columns;

  for (PetscInt c : g.garray) {
    for (PetscInt s = 0; s < g.bs; s++) columns.push_back(c * g.bs + s);
  }
  return columns;
}

/* *sf <- the graph that brings numbers of `columns` from their owners */
static PetscErrorCode ConnectGhosts(Mat A, const std::vector<PetscInt> &columns, PetscSF *sf)
{
  PetscFunctionBegin;
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), sf));
  PetscCall(PetscSFSetFromOptions(*sf)); /* -sf_type */
  PetscCall(PetscSFSetGraphLayout(*sf, A->rmap, (PetscInt)columns.size(), nullptr, PETSC_COPY_VALUES, columns.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRows::Update(PC pc, bool *same_structure)
{
  const PetscInt *garray = nullptr;
  PetscBool       mpi;

  PetscFunctionBegin;
  PetscCall(op.Update(pc, HeptaForm::rows, same_structure));
  A = op.A;
  if (*same_structure) PetscFunctionReturn(PETSC_SUCCESS);
  ghosts.clear();
  diag = off = nullptr;
  PetscCall(PetscSFDestroy(&sf));
  border.Invalidate();
  PetscCall(list.Free());
  if (MatBDIADiagonals(A)) ghosts = GhostColumns(MatBlocked(A)->ghost);
  else {
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
    diag = A;
    if (mpi) {
      PetscCall(MatMPIAIJGetSeqAIJ(A, &diag, &off, &garray));
      ghosts.assign(garray, garray + off->cmap->n);
    }
  }
  PetscCall(ConnectGhosts(A, ghosts, &sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRows::Reset()
{
  PetscFunctionBegin;
  PetscCall(op.Reset());
  PetscCall(PetscSFDestroy(&sf));
  ghosts.clear();
  border.Invalidate();
  PetscCall(list.Free());
  A = diag = off = nullptr;
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
