/*
   Jacobians by finite differences and coloring (MatFDColoring). MATAIJ's set-up runs on the aij copy and records, for each
   difference quotient, the address of its value. Here these addresses are converted to addresses of the same entries in our
   storage, so PETSc's own loop writes into our arrays. Half and single storage have no address for each entry: the loop then
   writes into a copy, whose values are taken over after each differencing.
*/
#include "blocked.h"

using namespace hepta::blocked;

struct Coloring {
  Mat              aij;          /* the copy that the set-up ran on */
  PetscObjectState nonzerostate; /* of the matrix at set-up, without its failures */
  bool             direct;       /* addresses point into the matrix, not into aij */
};

static const char COLORING[] = "HeptaColoring";

static PetscErrorCode ColoringDestroy(PetscCtxRt ctx)
{
  Coloring *c = *(Coloring **)ctx;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&c->aij));
  delete c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The address in A of the value at *address in part p of the aij, local row i. garray: the global columns of the part, null if
   columns count from the rank's first; values: of the local part, on the host
*/
static PetscErrorCode Move(Mat_Blocked *a, PetscScalar *values, const HeptaAIJRows &p, const PetscInt *garray, PetscInt i,
                           PetscScalar **address)
{
  const PetscInt j    = p.ja[*address - p.v];
  size_t         slot = 0;
  bool           found;

  PetscFunctionBegin;
  if (garray) {
    found    = a->ghost.FindSlot(i, garray[j], &slot);
    *address = (PetscScalar *)a->ghost.v + slot;
  } else {
    found    = a->local->FindSlot(i, j, &slot);
    *address = values + slot;
  }
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "No slot for local row %" PetscInt_FMT ", column %" PetscInt_FMT " of the aij copy", i, j);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Converts the addresses that the coloring recorded */
static PetscErrorCode MoveAddresses(Mat A, Mat aij, MatFDColoring c)
{
  const PetscInt *garray   = nullptr;
  Mat             parts[2] = {aij, nullptr};
  HeptaAIJRows    p[2];
  PetscInt        nz = 0;
  PetscBool       seq;
  PetscScalar    *values;

  PetscFunctionBegin;
  PetscCall(MatBlocked(A)->local->StructureToHost());
  PetscCall(MatBlocked(A)->local->values.Access(HeptaSpace(), HeptaAccess::read_write, &values));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)aij, MATSEQAIJ, &seq));
  if (!seq) PetscCall(MatMPIAIJGetSeqAIJ(aij, &parts[0], &parts[1], &garray));
  for (int k = 0; k < 2 && parts[k]; k++) PetscCall(p[k].Get(parts[k]));
  const PetscInt groups = c->bcols > 1 ? (c->ncolors + c->bcols - 1) / c->bcols : c->ncolors;
  for (PetscInt k = 0; k < groups; k++) nz += c->nrows[k];
  for (PetscInt k = 0; k < nz; k++) {
    PetscScalar  **address = c->htype[0] == 'w' ? &c->matentry2[k].valaddr : &c->matentry[k].valaddr;
    const PetscInt row     = c->htype[0] == 'w' ? c->matentry2[k].row : c->matentry[k].row;
    const PetscInt i       = A->rmap->n ? row % A->rmap->n : 0; /* blocks of colors number their rows consecutively */
    for (int q = 0; q < 2 && parts[q]; q++) {
      if (!p[q].n || *address < p[q].v || *address >= p[q].v + p[q].ia[p[q].n]) continue;
      PetscCall(Move(MatBlocked(A), values, p[q], q ? garray : nullptr, i, address));
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFDColoringSetUp_Blocked(Mat A, ISColoring iscoloring, MatFDColoring c)
{
  Mat_Blocked *a = MatBlocked(A);
  Mat          aij;
  Coloring    *ours;

  PetscFunctionBegin;
  ours = new Coloring{nullptr, A->nonzerostate - a->failures, !a->set.half && a->set.storage == HEPTA_MAT_STORAGE_DOUBLE};
  PetscCall(PetscObjectContainerCompose((PetscObject)c, COLORING, ours, HeptaNoThrow<ColoringDestroy>));
  PetscCheck(ours->direct || c->ctype == IS_COLORING_GLOBAL, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "IS_COLORING_LOCAL needs full storage in double precision: %s, or use IS_COLORING_GLOBAL", a->format->direct);
  PetscCall(MatBlockedGetAIJ(A, &aij));
  if (ours->direct) {
    PetscCall(PetscObjectReference((PetscObject)aij));
    ours->aij = aij;
  } else PetscCall(MatDuplicate(aij, MAT_DO_NOT_COPY_VALUES, &ours->aij));
  if (A->rmap->mapping && !ours->aij->rmap->mapping)
    PetscCall(MatSetLocalToGlobalMapping(ours->aij, A->rmap->mapping, A->cmap->mapping));
  PetscUseTypeMethod(ours->aij, fdcoloringsetup, iscoloring, c);
  if (!ours->direct) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(a->local->Edit());
  PetscCall(a->ghost.Edit());
  PetscCall(MoveAddresses(A, ours->aij, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A <- aij at the entries set in A. Difference quotients of a symmetric Jacobian are symmetric up to rounding; half storage gets
   the mean of a_ij and a_ji. */
static PetscErrorCode TakeOver(Mat A, Mat aij)
{
  Mat from = aij, transposed;

  PetscFunctionBegin;
  if (MatBlocked(A)->set.half) {
    PetscCall(MatTranspose(aij, MAT_INITIAL_MATRIX, &transposed));
    PetscCall(MatDuplicate(aij, MAT_COPY_VALUES, &from));
    PetscCall(MatAXPY(from, 1, transposed, UNKNOWN_NONZERO_PATTERN));
    PetscCall(MatScale(from, 0.5));
    PetscCall(MatDestroy(&transposed));
  }
  const HeptaNewEntryPolicy while_setting(A, MatBlocked(A)->set.new_entry);
  PetscCall(HeptaForRows(from, from->rmap->rstart, from->rmap->rend, true,
                         [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *vals) {
                           return n ? MatSetValues(A, 1, &i, n, cols, vals, INSERT_VALUES) : PETSC_SUCCESS;
                         }));
  if (from != aij) PetscCall(MatDestroy(&from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFDColoringApply_Blocked(Mat A, MatFDColoring c, Vec x, void *ctx)
{
  PetscContainer container;
  Coloring      *ours;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)c, COLORING, (PetscObject *)&container));
  PetscCheck(container, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "Must call MatFDColoringSetUp()");
  PetscCall(PetscContainerGetPointer(container, &ours));
  PetscCheck(ours->nonzerostate == A->nonzerostate - MatBlocked(A)->failures, PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_WRONGSTATE,
             "The matrix has other nonzero locations than at MatFDColoringSetUp(): create the MatFDColoring anew");
  /* the host memory has the address of the set-up; the values may have moved to the device */
  PetscCall(MatBlocked(A)->local->Edit());
  PetscCall(MatBlocked(A)->ghost.Edit());
  PetscUseTypeMethod(ours->aij, fdcoloringapply, c, x, ctx);
  /* again, because the user's function may have multiplied by A on the device after values were written to the addresses */
  PetscCall(MatBlocked(A)->local->Edit());
  PetscCall(MatBlocked(A)->ghost.Edit());
  if (!ours->direct) PetscCall(TakeOver(A, ours->aij));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
