/* An iteration with the triangles of an incomplete factor */
#include "predict.h"

#include <algorithm>
#include <hepta.h>

#include "shared/rows.h"

/* The uncertainty: the mean error of those that were not fitted */
constexpr double triangles_off = 0.2;

/* *entries <- those below the diagonal of A, a matrix of one process */
static PetscErrorCode CountBelow(Mat A, double *entries)
{
  PetscFunctionBegin;
  *entries = 0;
  PetscCall(HeptaForRows(A, 0, A->rmap->n, false, [=](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *) {
    *entries += (double)(std::lower_bound(cols, cols + n, i) - cols);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictICC(const HeptaPrediction &p, PetscViewer viewer)
{
  const HeptaModelMethod passes = {"fusedcg_none", nullptr, 1, 12, 0, 0, false, false, 0, 0, 0, 56};
  const double           rows   = (double)p.a.aij->rmap->N;
  double                 entries;
  PetscInt               levels;
  PetscBool              known, symmetric;
  PetscMPIInt            size;
  HeptaThroughput        B;
  HeptaPredictLine       l;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(p.host.A, &known, &symmetric));
  PetscCallMPI(MPI_Comm_size(p.a.comm, &size));
  if (!symmetric || size > 1 || rows < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaPredictFind(p, "iteration_", passes, &B));
  PetscCall(HeptaMatGetLevels(p.a.aij, PETSC_FALSE, &levels, nullptr, nullptr, nullptr));
  PetscCall(CountBelow(p.a.aij, &entries));
  l.name    = "fusedcg_icc";
  l.options = "-ksp_type fusedcg -pc_type icc -pc_factor_mat_solver_type bbs -ksp_norm_type natural";
  l.us     = {2 * HeptaModelTriangle(p.a.model->file.numbers, rows, entries, (double)levels) + HeptaPredictTime(p, B, passes, 1)};
  l.off    = triangles_off;
  l.memory = p.c.bytes + passes.kept * rows + 2 * (16 * entries + 28 * rows);
  PetscCall(HeptaPredictPrint(p, l, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  triangles of %.0f entries in %" PetscInt_FMT " levels\n", entries, levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}
