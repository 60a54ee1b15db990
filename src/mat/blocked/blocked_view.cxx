/* Views. The info formats describe the storage; all other formats show the entries, by viewing the aij copy. */
#include "blocked.h"

static PetscErrorCode ViewInfo(Mat A, PetscViewer viewer)
{
  const Mat_Blocked *a = MatBlocked(A);
  PetscReal          fill, most = (PetscReal)(a->local->slots + a->ghost.slots),
                           sums[3] = {(PetscReal)a->ghost.row.size(), (PetscReal)a->ghost.garray.size(), most};
  MatInfo            info;

  PetscFunctionBegin;
  PetscCall(MatBlockedGetFill(A, &fill));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)A)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s\n", a->format->name, a->local->Title(A->rmap->size > 1).c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "entries set %.0f, fill %.3g (value slots for every entry), %.3g MB\n", info.nz_used,
                                   (double)fill, info.memory * 1e-6));
  PetscCall(PetscViewerASCIIPrintf(viewer, "storage: %s, %s\n", HeptaStoredType(a->set.storage),
                                   a->local->half ? "diagonal and upper half (symmetric)" : "full"));
  const std::string options = a->set.presets ? a->local->OptionsTitle(a->set) : "";
  if (!options.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", options.c_str()));
  if (A->rmap->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaTransportView(PetscObjectComm((PetscObject)A), "exchanges", viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "coupling of ranks: %.0f border block rows, %.0f ghost block columns\n",
                                   (double)sums[0], (double)sums[1]));
  PetscCall(PetscViewerASCIIPrintf(viewer, "balance of ranks: the largest has %.3g times the mean of value slots\n",
                                   sums[2] > 0 ? (double)(most * A->rmap->size / sums[2]) : 1.));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Describes the part of one rank, with its whole structure */
static PetscErrorCode ViewDetail(Mat A, PetscViewer viewer)
{
  const Mat_Blocked *a = MatBlocked(A);
  MatInfo            info;
  PetscMPIInt        rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(a->local->StructureToHost());
  PetscCall(PetscViewerASCIIPushSynchronized(viewer));
  PetscCall(PetscViewerASCIISynchronizedPrintf(viewer,
                                               "[%d] local rows %" PetscInt_FMT ", entries %" PetscCount_FMT " + %" PetscCount_FMT
                                               " ghost, value slots %" PetscCount_FMT ", %.0f bytes\n",
                                               rank, A->rmap->n, a->local->entries, a->ghost.entries, a->local->slots,
                                               info.memory));
  PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "[%d] %s\n", rank, a->local->Detail().c_str()));
  if (!a->ghost.row.empty())
    PetscCall(PetscViewerASCIISynchronizedPrintf(viewer,
                                                 "[%d] border block rows %" PetscInt_FMT ", at most %" PetscInt_FMT
                                                 " ghost blocks each, ghost block columns %" PetscInt_FMT "\n",
                                                 rank, (PetscInt)a->ghost.row.size(), a->ghost.width,
                                                 (PetscInt)a->ghost.garray.size()));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerASCIIPopSynchronized(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatView() has written the heading */
static PetscErrorCode MatView_Blocked(Mat A, PetscViewer viewer)
{
  PetscBool         ascii, string;
  PetscViewerFormat format;
  Mat               aij;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERSTRING, &string));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (string || format == PETSC_VIEWER_ASCII_FACTOR_INFO) PetscFunctionReturn(PETSC_SUCCESS);
  if (ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL)) {
    PetscCall(ViewInfo(A, viewer));
    if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) PetscCall(ViewDetail(A, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* for these formats MatView() calls MATOP_VIEW_NATIVE, where DMDA puts our view */
  const bool native = format == PETSC_VIEWER_NATIVE || format == PETSC_VIEWER_LOAD_BALANCE;
  if (MatBlocked(A)->dm_view && !native) {
    PetscCall((*MatBlocked(A)->dm_view)(A, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatBlockedGetAIJ(A, &aij));
  if (format == PETSC_VIEWER_ASCII_MATLAB) PetscCall(PetscObjectName((PetscObject)A));
  PetscCall(PetscObjectSetName((PetscObject)aij, ((PetscObject)A)->name)); /* the matlab format writes the name */
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)aij, ((PetscObject)A)->prefix));
  PetscUseTypeMethod(aij, view, viewer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedRewrapView(Mat A)
{
  PetscFunctionBegin;
  if (A->ops->view == HeptaNoThrow<MatView_Blocked>) PetscFunctionReturn(PETSC_SUCCESS);
  MatBlocked(A)->dm_view = A->ops->view;
  A->ops->view           = HeptaNoThrow<MatView_Blocked>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedSetOps_View(Mat A)
{
  PetscFunctionBegin;
  A->ops->view = HeptaNoThrow<MatView_Blocked>;
  PetscFunctionReturn(PETSC_SUCCESS);
}
