/* What all our Krylov methods have in common as objects of PETSc: work vectors, reset, destruction and view */
#include <petsc/private/dmimpl.h>

#include "../mat/matis.h"
#include "../pc/solve_start.h"
#include "operators.h"

#if defined(HEPTA_HAVE_CUDA)
/*
   *vecs <- n work vectors that get memory at their first use, or null unless KSPSetWorkVecs() would make vectors of several ranks
   on the device: such a vector gets from PETSc as much pinned memory of the host as memory of the device, both filled with zeros.
   Collective.
*/
static PetscErrorCode MakeLateVecs(KSP ksp, Mat A, PetscInt n, Vec **vecs)
{
  VecType of_dm = VECCUDA, of_matrix;
  Vec     pattern;

  PetscFunctionBegin;
  if (ksp->vec_sol || A->rmap->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetVecType(A, &of_matrix));
  if (ksp->dm) PetscCall(DMGetVecType(ksp->dm, &of_dm));
  bool wanted =
    HeptaIsBlocked(A) && strstr(of_dm, VECCUDA) && strstr(of_matrix, VECCUDA) && !(ksp->dm && ksp->dm->bind_below > 0);
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)ksp), &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCreateMPICUDAWithArrays(PetscObjectComm((PetscObject)A), HeptaBlockSize(A->cmap), A->cmap->n, A->cmap->N, nullptr,
                                       nullptr, &pattern));
  if (ksp->dm) PetscCall(VecSetDM(pattern, ksp->dm));
  PetscCall(VecDuplicateVecs(pattern, n, vecs));
  PetscCall(VecDestroy(&pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* *vecs <- n work vectors of which products with a MATIS copy no own rows, or null; collective */
static PetscErrorCode MakeVecsOfMatIS(KSP ksp, Mat A, PetscInt n, Vec **vecs)
{
  PetscBool is;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATIS, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetWorkVecs(ksp, 1));
  PetscCall(HeptaMatISMakeVecs(A, ksp->work[0], n, vecs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPSetUp(KSP ksp)
{
  const PetscInt n    = ((HeptaKSPData *)ksp->data)->works;
  Vec           *vecs = nullptr;
  Mat            A;
  PetscBool      set;

  PetscFunctionBegin;
  PetscCall(PCGetOperatorsSet(ksp->pc, &set, nullptr));
  if (set) {
    PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
#if defined(HEPTA_HAVE_CUDA)
    PetscCall(MakeLateVecs(ksp, A, n, &vecs));
#endif
    if (!vecs) PetscCall(MakeVecsOfMatIS(ksp, A, n, &vecs));
  }
  if (!vecs) {
    PetscCall(KSPSetWorkVecs(ksp, n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecDestroyVecs(ksp->nwork, &ksp->work));
  ksp->work  = vecs;
  ksp->nwork = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPData::Reset()
{
  PetscFunctionBegin;
  PetscCall(operators.Reset());
  PetscCall(iterations.Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   After an error, of a monitor for one, later solves find the KSP, its preconditioner and the right-hand side as if KSPSolve()
   had undone its preparations
*/
static PetscErrorCode KSPSolve_Hepta(KSP ksp)
{
  const HeptaSolveStart start(ksp, ksp->vec_rhs, 1);

  PetscFunctionBegin;
  const PetscErrorCode code = ((HeptaKSPData *)ksp->data)->solve(ksp);
  if (code) start.Undo();
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPReset_Hepta(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(((HeptaKSPData *)ksp->data)->Reset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPDestroy_Hepta(KSP ksp)
{
  HeptaKSPData *data = (HeptaKSPData *)ksp->data;

  PetscFunctionBegin;
  for (const char *name : data->setters) PetscCall(PetscObjectComposeFunction((PetscObject)ksp, name, nullptr));
  delete data;
  ksp->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPView_Hepta(KSP ksp, PetscViewer viewer)
{
  const HeptaKSPData *data = (const HeptaKSPData *)ksp->data;
  PetscBool           ascii;
  PetscViewerFormat   format;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  for (const std::string &words : data->Words()) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", words.c_str()));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  PetscCall(data->iterations.View(viewer, format == PETSC_VIEWER_ASCII_INFO_DETAIL));
  PetscCall(HeptaTransportView(PetscObjectComm((PetscObject)ksp), "  sums", viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPCreate(KSP ksp, HeptaKSPData *data, PetscInt works, PetscErrorCode (*solve)(KSP))
{
  PetscFunctionBegin;
  data->works = works;
  data->solve = solve;
  ksp->data   = data;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  ksp->ops->setup         = HeptaNoThrow<HeptaKSPSetUp>;
  ksp->ops->solve         = HeptaNoThrow<KSPSolve_Hepta>;
  ksp->ops->reset         = HeptaNoThrow<KSPReset_Hepta>;
  ksp->ops->destroy       = HeptaNoThrow<KSPDestroy_Hepta>;
  ksp->ops->view          = HeptaNoThrow<KSPView_Hepta>;
  ksp->ops->buildsolution = KSPBuildSolutionDefault;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  PetscFunctionReturn(PETSC_SUCCESS);
}
