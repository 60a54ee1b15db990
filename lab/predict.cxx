/* What an iteration would take, on one GPU and on several, and on the host */
#include "advise.h"

#include <set>

#include "shared/rows.h"
#include "tune.h"

using hepta::Tuning;

static const int gpus[] = {1, 2, 4, 8};

/* The candidate of the Krylov methods, bdia or brow, whose products are predicted to be faster; null: none fits */
static const HeptaCandidate *ForMethods(const HeptaAdvice &a)
{
  const HeptaCandidate *best = nullptr;

  for (const HeptaCandidate &c : a.candidates) {
    const bool ours = c.format == HeptaMatFormat::bdia || c.format == HeptaMatFormat::brow;
    if (ours && !c.ordered && c.misfit.empty() && (!best || c.bytes < best->bytes)) best = &c;
  }
  return best;
}

/* The most columns that one of `parts` runs of equally many rows needs of others */
static PetscErrorCode GhostColumns(Mat A, int parts, double *most)
{
  const PetscInt     rows = A->rmap->N;
  std::set<PetscInt> outside;
  PetscInt           part = 0;

  PetscFunctionBegin;
  *most = 0;
  PetscCall(HeptaForRows(A, 0, rows, false, [&](PetscInt i, PetscInt n, const PetscInt *cols, const PetscScalar *) {
    const PetscInt begin = rows / parts * part, end = part + 1 == parts ? rows : rows / parts * (part + 1);
    for (PetscInt k = 0; k < n; k++) {
      if (cols[k] < begin || cols[k] >= end) outside.insert(cols[k]);
    }
    if (i + 1 < end) return PETSC_SUCCESS;
    *most = PetscMax(*most, (double)outside.size());
    outside.clear();
    part++;
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Microseconds of an iteration on `parts` GPUs of this kind, by the transport ipc: their part of the bytes, an exchange for each product, and
   two sums, which take the latency of an exchange
*/
static double IterationTime(const HeptaThroughput &B, const HeptaModelMethod &m, double bytes, int parts, double ghosts,
                            const Tuning &t)
{
  const double exchange = t.ipc_latency + ghosts * (double)sizeof(PetscScalar) / t.ipc_bandwidth;

  return B.Time(bytes / parts) + (parts > 1 ? m.matrices * exchange + 2 * t.ipc_latency : 0);
}

/* *us <- microseconds of an iteration with the matrix as the candidate */
static PetscErrorCode MeasureIteration(const HeptaAdvice &a, const HeptaCandidate &c, const HeptaModelMethod &m, double *us)
{
  const PetscInt  few = 12;
  HeptaTuner      t   = {a.comm, nullptr, false, {}};
  HeptaTuneMatrix M;
  Mat             W;
  PetscErrorCode  code;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(a.aij, MAT_COPY_VALUES, &W));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr)); /* a method that does not take the matrix has no time */
  code = HeptaAdviceConvert(W, 1, c, true, &M.A);
  if (!code) code = MatCreateVecs(M.A, &M.x, &M.y);
  if (!code) code = VecSetRandom(M.x, nullptr);
  if (!code) code = HeptaTuneSolve(&t, M, m.options, few, us);
  PetscCall(PetscPopErrorHandler());
  *us = code ? -1 : *us / (double)few;
  PetscCall(MatDestroy(&W));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PredictMethod(const HeptaAdvice &a, const HeptaCandidate &c, const HeptaModelMethod &m,
                                    const double ghosts[], PetscViewer viewer)
{
  const double    rows = (double)a.aij->rmap->N, bytes = HeptaModelBytes(m, c.bytes, rows);
  std::string     line  = HeptaFormat("%-18s", m.name);
  double          least = PETSC_MAX_REAL, us = -1;
  int             best = 1;
  HeptaThroughput B;

  PetscFunctionBegin;
  PetscCheck(a.model->Find(std::string("iteration_") + m.name, &B), a.comm, PETSC_ERR_FILE_UNEXPECTED,
             "The tuning file has no throughput of %s: run hepta-tune without -quick", m.name);
  for (int k = 0; k < 4; k++) {
    const double time = IterationTime(B, m, bytes, gpus[k], ghosts[k], a.model->file.numbers);
    line += HeptaFormat(" %9.1f", time);
    if (time < 0.98 * least) best = gpus[k];
    least = PetscMin(least, time);
  }
  line += HeptaFormat(" %5d %12.1f", best, bytes / a.space[0].bandwidth * 1e6);
  if (a.measure && a.space[1].there) {
    PetscCall(MeasureIteration(a, c, m, &us));
    line += us > 0 ? HeptaFormat(" %9.1f", us) : std::string("   refused");
  }
  if (a.iterations > 0) line += HeptaFormat(" %10.2f", (double)a.iterations * B.Time(bytes) * 1e-3);
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAdvicePredict(const HeptaAdvice &a, PetscViewer viewer)
{
  const HeptaCandidate *c = ForMethods(a);
  double                ghosts[4];
  PetscMPIInt           size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(a.comm, &size));
  PetscCheck(size == 1, a.comm, PETSC_ERR_SUP, "Predictions for several GPUs are made of a matrix on one MPI process, not on %d",
             size);
  PetscCheck(a.aij->rmap->N == a.aij->cmap->N, a.comm, PETSC_ERR_ARG_SIZ,
             "Iterations are predicted for square matrices: this one is %" PetscInt_FMT " x %" PetscInt_FMT, a.aij->rmap->N,
             a.aij->cmap->N);
  PetscCheck(c, a.comm, PETSC_ERR_SUP, "Neither bdia nor brow fits this matrix");
  for (int k = 0; k < 4; k++) PetscCall(GhostColumns(a.aij, gpus[k], &ghosts[k]));
  PetscCall(PetscViewerASCIIPrintf(viewer, "microseconds of an iteration with %s, as predicted by measurements of %s\n",
                                   HeptaCandidateOptions(*c, true).c_str(), a.model->file.key.gpu.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "method                 1 GPU         2         4         8  best  host core%s%s\n",
                                   a.measure && a.space[1].there ? "  measured" : "", a.iterations > 0 ? "  solve, ms" : ""));
  for (const HeptaModelMethod &m : hepta_model_methods) PetscCall(PredictMethod(a, *c, m, ghosts, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "memory: matrix %.0f bytes, a vector %.0f\n", c->bytes, 8. * (double)a.aij->rmap->N));
  PetscFunctionReturn(PETSC_SUCCESS);
}
