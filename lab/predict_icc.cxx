/* An iteration with the triangles of an incomplete factor */
#include "predict.h"

#include <algorithm>
#include <cmath>
#include <hepta.h>

#include "shared/rows.h"

/* The uncertainty: the mean error of those that were not fitted */
constexpr double triangles_off = 0.08;

/* Counts the entries below the diagonal of A, a matrix of one process, and the rows that chunks take from chunks before */
static PetscErrorCode CountBelow(Mat A, double chunks, HeptaModelTriangle *T)
{
  const PetscInt        rows = (PetscInt)std::ceil((double)A->rmap->n / chunks);
  std::vector<PetscInt> taken_by((size_t)A->rmap->n, -1);

  PetscFunctionBegin;
  PetscCall(HeptaForRows(A, 0, A->rmap->n, false, [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *) {
    const PetscInt chunk = i / rows;
    T->entries += (double)(std::lower_bound(cols, cols + n, i) - cols);
    for (PetscInt k = 0; k < n && cols[k] < chunk * rows; k++) {
      T->fetched += taken_by[(size_t)cols[k]] != chunk;
      taken_by[(size_t)cols[k]] = chunk;
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictICC(const HeptaPrediction &p, HeptaPredictLine *l)
{
  const HeptaModelMethod passes = {"fusedcg_none", nullptr, 1, 12, 0, 0, false, false, 0, 0, 0, 56};
  const double           rows   = (double)p.a.aij->rmap->N;
  HeptaModelTriangle     T      = {rows, 0, 0, 0};
  PetscInt               levels;
  HeptaThroughput        B;

  PetscFunctionBegin;
  PetscCall(HeptaPredictFind(p, "iteration_", passes, &B));
  PetscCall(HeptaMatGetLevels(p.a.aij, PETSC_FALSE, &levels, nullptr, nullptr, nullptr));
  PetscCall(CountBelow(p.a.aij, HeptaModelTriangle::Chunks(p.a.model->file, rows), &T));
  T.levels     = (double)levels;
  l->name      = "fusedcg_icc";
  l->options   = "-ksp_type fusedcg -pc_type icc -pc_factor_mat_solver_type bbs -ksp_norm_type natural";
  l->us        = {2 * T.Time(p.a.model->file) + HeptaPredictTime(p, B, passes, 1)};
  l->off       = triangles_off;
  l->memory    = p.c.bytes + passes.kept * rows + 2 * (16 * T.entries + 28 * rows);
  l->triangles = HeptaFormat("  triangles of %.0f entries in %" PetscInt_FMT " levels\n", T.entries, levels);
  PetscFunctionReturn(PETSC_SUCCESS);
}
