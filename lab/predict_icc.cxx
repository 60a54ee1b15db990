/* An iteration with the triangles of an incomplete factor */
#include "predict.h"

#include <algorithm>

#include "shared/rows.h"

/* The uncertainty: the mean error of those that were not fitted */
constexpr double triangles_off = 0.2;

/* *levels <- the levels of the lower triangle of A, *entries <- its entries, of a matrix of one process */
static PetscErrorCode CountLevels(Mat A, double *levels, double *entries)
{
  std::vector<PetscInt> level((size_t)A->rmap->n, 1);

  PetscFunctionBegin;
  *entries = 0;
  PetscCall(HeptaForRows(A, 0, A->rmap->n, false, [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *) {
    for (PetscInt k = 0; k < n; k++) {
      if (cols[k] >= i) continue;
      level[(size_t)i] = PetscMax(level[(size_t)i], level[(size_t)cols[k]] + 1);
      *entries += 1;
    }
    return PETSC_SUCCESS;
  }));
  *levels = level.empty() ? 0 : (double)*std::max_element(level.begin(), level.end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictICC(const HeptaPrediction &p, PetscViewer viewer)
{
  const HeptaModelMethod passes = {"fusedcg_none", nullptr, 1, 12, 0, 0, false, false, 0, 0, 0, 56};
  const double           rows   = (double)p.a.aij->rmap->N;
  double                 levels = 1, entries = 0;
  PetscBool              known, symmetric;
  PetscMPIInt            size;
  HeptaThroughput        B;
  HeptaPredictLine       l;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(p.host.A, &known, &symmetric));
  PetscCallMPI(MPI_Comm_size(p.a.comm, &size));
  if (!symmetric || size > 1 || rows < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaPredictFind(p, "iteration_", passes, &B));
  PetscCall(CountLevels(p.a.aij, &levels, &entries));
  l.name    = "fusedcg_icc";
  l.options = "-ksp_type fusedcg -pc_type icc -pc_factor_mat_solver_type bbs -ksp_norm_type natural";
  l.us      = {2 * HeptaModelTriangle(p.a.model->file.numbers, rows, entries, levels) + HeptaPredictTime(p, B, passes, 1)};
  l.off     = triangles_off;
  l.memory  = p.c.bytes + passes.kept * rows + 2 * (16 * entries + 28 * rows);
  PetscCall(HeptaPredictPrint(p, l, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  triangles of %.0f entries in %.0f levels\n", entries, levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}
