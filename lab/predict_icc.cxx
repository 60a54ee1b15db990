/* An iteration with the triangles of an incomplete factor */
#include "predict.h"

#include <algorithm>

#include "shared/rows.h"

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
  const std::string      options  = "-ksp_type fusedcg -pc_type icc -pc_factor_mat_solver_type bbs -ksp_norm_type natural";
  const HeptaModelMethod passes   = {"fusedcg_none", nullptr, 1, 12, 0, 0, false, false, 0, 0};
  HeptaTuner             t        = {p.a.comm, nullptr, false, {}};
  std::string            line     = HeptaFormat("%-21s", "fusedcg_icc");
  double                 measured = -1, levels = 1, entries = 0, rows = (double)p.a.aij->rmap->N;
  bool                   done;
  PetscBool              known, symmetric;
  HeptaThroughput        B;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(p.host.A, &known, &symmetric));
  if (!symmetric || p.gpus.back() != 8 || rows < 1) PetscFunctionReturn(PETSC_SUCCESS); /* of one process */
  PetscCall(HeptaPredictFind(p, "iteration_", passes, &B));
  PetscCall(CountLevels(p.a.aij, &levels, &entries));
  line += HeptaFormat(" %9.1f         -         -         -     1    -            -         -",
                      2 * HeptaModelTriangle(p.a.model->file.numbers, rows, entries, levels) + HeptaPredictTime(p, B, passes, 1));
  if (p.device.A) {
    PetscCall(HeptaPredictTry([&] { return HeptaTuneIteration(&t, p.device, options, &measured); }, &done));
    line += done ? HeptaFormat(" %9.1f", measured) : std::string("   refused");
  }
  if (p.a.iterations) line += "          -          -";
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n  triangles of %.0f entries in %.0f levels\n", line.c_str(), entries, levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}
