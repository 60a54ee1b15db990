/* What an iteration would take, on one GPU and on several, and on the host */
#include "advise.h"

#include <cmath>
#include <set>

#include "shared/rows.h"
#include "tune.h"

using hepta::Tuning;

static const int gpus[] = {1, 2, 4, 8};
/* Times of other matrices are off by so many times what the fit is, as those of 42 matrices on an H200 were on average */
constexpr double spread = 3;

/* The candidate of the Krylov methods, bdia or brow, of the fewest bytes; null: none fits */
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
   Microseconds of an iteration on `parts` GPUs of this kind, by the transport ipc: their part of the bytes, an exchange for each product,
   and two sums, which take the latency of an exchange
*/
static double IterationTime(const HeptaThroughput &B, const HeptaModelMethod &m, double bytes, int parts, double ghosts,
                            const Tuning &t)
{
  const double exchange = t.ipc_latency + ghosts * (double)sizeof(PetscScalar) / t.ipc_bandwidth;

  return B.Time(bytes / parts) + (parts > 1 ? m.matrices * exchange + 2 * t.ipc_latency : 0);
}

/*
   *its <- iterations until the norm that the method tests has fallen by 1e8, for a random right-hand side, or -1 if it does not
   fall: those of the host, where it is solved; after 50 of them the later half goes on
*/
static PetscErrorCode EstimateIterations(const HeptaTuneMatrix &M, const HeptaModelMethod &m, double *its)
{
  const PetscInt     most = 50;
  const PetscReal    rtol = 1e-8, *norm;
  PetscInt           n;
  KSPConvergedReason reason;
  HeptaTuneSolver    s;

  PetscFunctionBegin;
  *its = -1;
  PetscCall(s.Make(M, m.options, rtol, most));
  PetscCall(KSPSetResidualHistory(s.ksp, nullptr, most + 1, PETSC_TRUE));
  PetscCall(KSPSolve(s.ksp, M.x, M.y));
  PetscCall(KSPGetConvergedReason(s.ksp, &reason));
  PetscCall(KSPGetResidualHistory(s.ksp, &norm, &n));
  if (reason > 0) *its = (double)(n - 1);
  if (reason != KSP_DIVERGED_ITS || n <= most) PetscFunctionReturn(PETSC_SUCCESS);
  const double fall = std::log((double)(norm[most / 2] / norm[most])) / (double)(most - most / 2);
  if (fall > 1e-6) *its = (double)most + std::log((double)(norm[most] / (rtol * norm[0]))) / fall;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix as the candidate on the host or the device, with a random right-hand side */
static PetscErrorCode MakeMatrix(const HeptaAdvice &a, const HeptaCandidate &c, bool device, HeptaTuneMatrix *M)
{
  Mat W;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(a.aij, MAT_COPY_VALUES, &W));
  PetscCall(HeptaAdviceConvert(W, 1, c, device, &M->A));
  PetscCall(MatDestroy(&W));
  PetscCall(MatCreateVecs(M->A, &M->x, &M->y));
  PetscCall(VecSetRandom(M->x, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *us <- microseconds of an iteration, -1 where the method does not take the matrix */
static PetscErrorCode MeasureIteration(const HeptaAdvice &a, const HeptaTuneMatrix &M, const HeptaModelMethod &m, double *us)
{
  HeptaTuner t = {a.comm, nullptr, false, {}};

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const PetscErrorCode code = HeptaTuneSolve(&t, M, m.options, 12, us);
  PetscCall(PetscPopErrorHandler());
  if (code) *us = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterations of a solve: given, or estimated where that is asked for */
static PetscErrorCode Iterations(const HeptaAdvice &a, const HeptaTuneMatrix &M, const HeptaModelMethod &m, double *its)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  *its = (double)a.iterations;
  if (a.iterations >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  code = EstimateIterations(M, m, its);
  PetscCall(PetscPopErrorHandler());
  if (code) *its = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PredictMethod(const HeptaAdvice &a, const HeptaCandidate &c, const HeptaTuneMatrix M[2],
                                    const HeptaModelMethod &m, const double ghosts[], PetscViewer viewer)
{
  const double    rows = (double)a.aij->rmap->N, bytes = HeptaModelBytes(m, c.bytes, rows);
  std::string     line  = HeptaFormat("%-18s", m.name);
  double          least = PETSC_MAX_REAL, us = -1, its;
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
  line += HeptaFormat(" %5d", best) + (B.off > 0 ? HeptaFormat(" %4.0f", 100 * spread * B.off) : std::string("    -"));
  line += HeptaFormat(" %12.1f", bytes / a.space[0].bandwidth * 1e6);
  if (M[1].A) {
    PetscCall(MeasureIteration(a, M[1], m, &us));
    line += us > 0 ? HeptaFormat(" %9.1f", us) : std::string("   refused");
  }
  if (a.iterations) {
    PetscCall(Iterations(a, M[0], m, &its));
    line += its < 0 ? std::string("          -          -") : HeptaFormat(" %10.0f %10.2f", its, its * B.Time(bytes) * 1e-3);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAdvicePredict(const HeptaAdvice &a, PetscViewer viewer)
{
  const HeptaCandidate *c         = ForMethods(a);
  double                ghosts[4] = {0, 0, 0, 0};
  PetscMPIInt           size;
  HeptaTuneMatrix       M[2]; /* on the host, to count iterations, and on the device, to measure them */

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(a.comm, &size));
  PetscCheck(size == 1, a.comm, PETSC_ERR_SUP, "Predictions for several GPUs are made of a matrix on one MPI process, not on %d",
             size);
  PetscCheck(a.aij->rmap->N == a.aij->cmap->N, a.comm, PETSC_ERR_ARG_SIZ,
             "Iterations are predicted for square matrices: this one is %" PetscInt_FMT " x %" PetscInt_FMT, a.aij->rmap->N,
             a.aij->cmap->N);
  PetscCheck(c, a.comm, PETSC_ERR_SUP, "Neither bdia nor brow fits this matrix");
  for (int k = 1; k < 4; k++) PetscCall(GhostColumns(a.aij, gpus[k], &ghosts[k]));
  if (a.iterations < 0) PetscCall(MakeMatrix(a, *c, false, &M[0]));
  if (a.measure && a.space[1].there) PetscCall(MakeMatrix(a, *c, true, &M[1]));
  PetscCall(PetscViewerASCIIPrintf(viewer, "microseconds of an iteration with %s, as predicted by measurements of %s\n",
                                   HeptaCandidateOptions(*c, true).c_str(), a.model->file.key.gpu.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "method                 1 GPU         2         4         8  best +- %%    host core%s%s\n",
                                   M[1].A ? "  measured" : "", a.iterations ? " iterations  solve, ms" : ""));
  for (const HeptaModelMethod &m : hepta_model_methods) PetscCall(PredictMethod(a, *c, M, m, ghosts, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "memory: matrix %.0f bytes, a vector %.0f\n", c->bytes, 8. * (double)a.aij->rmap->N));
  PetscFunctionReturn(PETSC_SUCCESS);
}
