/* The time of an iteration, on one GPU, on several GPUs, and on the host */
#include "predict.h"

#include <cmath>
#include <set>

#include "shared/rows.h"

using hepta::Tuning;

/* The errors of predicted times over the error of the fit: the mean of 42 matrices on an H200 */
constexpr double spread = 1.5;

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

/* The most columns of other runs that one of `parts` runs of equally many rows needs */
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

/* On one process for 1 to 8 GPUs; on several processes for one GPU and for as many GPUs as processes, with each process's rows */
static PetscErrorCode CountGhosts(HeptaPrediction *p)
{
  PetscMPIInt size;
  PetscInt    own;
  Mat         outside = nullptr;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(p->a.comm, &size));
  p->gpus = size == 1 ? std::vector<int>{1, 2, 4, 8} : std::vector<int>{1, size};
  p->ghosts.assign(p->gpus.size(), 0);
  for (size_t k = 1; k < p->gpus.size() && size == 1; k++) PetscCall(GhostColumns(p->a.aij, p->gpus[k], &p->ghosts[k]));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(p->a.aij, nullptr, &outside, nullptr));
  PetscCall(MatGetLocalSize(outside, nullptr, &own));
  p->ghosts[1] = (double)own;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &p->ghosts[1], 1, MPI_DOUBLE, MPI_MAX, p->a.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double HeptaPredictTime(const HeptaPrediction &p, const HeptaThroughput &B, const HeptaModelMethod &m, int gpus)
{
  const double  rows  = (double)p.a.aij->rmap->N;
  const MatType type  = HeptaMatFormatType(p.c.format, true);
  const double  bytes = HeptaModelBytes(m, p.c.bytes, rows), usual = HeptaModelBytes(m, HeptaModelGridBytes(type, rows), rows);

  return B.Time(bytes / gpus, usual / gpus) + m.matrices * HeptaModelChain(p.c.chain, p.c.alone > 0);
}

/*
   Microseconds of an iteration on GPUs of this kind: a GPU's part of the bytes, and exchanges by the transport ipc. The measured
   latency of ipc includes the sums of an iteration.
*/
static double IterationTime(const HeptaPrediction &p, const HeptaThroughput &B, const HeptaModelMethod &m, size_t k)
{
  const Tuning &t        = p.a.model->file.numbers;
  const double  exchange = t.ipc_latency + p.ghosts[k] * (double)sizeof(PetscScalar) / t.ipc_bandwidth;

  return HeptaPredictTime(p, B, m, p.gpus[k]) + (p.gpus[k] > 1 ? m.exchanges * exchange : 0);
}

/*
   *its <- iterations until the method's norm has fallen by 1e8, for a random right-hand side, solved on the host; extrapolated
   from the later half of 50 iterations; -1 for a norm that does not fall
*/
static PetscErrorCode EstimateIterations(const HeptaPrediction &p, const HeptaModelMethod &m, double *its)
{
  const PetscInt     most = 50;
  const PetscReal    rtol = 1e-8, *norm;
  PetscInt           n;
  KSPConvergedReason reason;
  HeptaTuneSolver    s;

  PetscFunctionBegin;
  *its = -1;
  PetscCall(s.Make(p.host, std::string(m.options) + p.a.grid, rtol, most));
  PetscCall(KSPSetResidualHistory(s.ksp, nullptr, most + 1, PETSC_TRUE));
  PetscCall(KSPSolve(s.ksp, p.host.x, p.host.y));
  PetscCall(KSPGetConvergedReason(s.ksp, &reason));
  PetscCall(KSPGetResidualHistory(s.ksp, &norm, &n));
  if (reason > 0) *its = (double)(n - 1);
  if (reason != KSP_DIVERGED_ITS || n <= most) PetscFunctionReturn(PETSC_SUCCESS);
  const double fall = std::log((double)(norm[most / 2] / norm[most])) / (double)(most - most / 2);
  if (fall > 1e-6) *its = (double)most + std::log((double)(norm[most] / (rtol * norm[0]))) / fall;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix as the candidate on the host or, with values for measurements, on the device; with a random right-hand side */
static PetscErrorCode MakeMatrix(const HeptaPrediction &p, bool device, HeptaTuneMatrix *M)
{
  PetscBool symmetric = PETSC_FALSE;
  Mat       W;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(p.a.aij, MAT_COPY_VALUES, &W));
  PetscCall(MatIsSymmetric(W, 0, &symmetric));
  if (device && p.a.grid.empty()) PetscCall(HeptaPredictDominant(W)); /* gridmg takes values of a grid */
  PetscCall(HeptaAdviceConvert(W, 1, p.c, device, &M->A));
  PetscCall(MatDestroy(&W));
  if (symmetric) PetscCall(MatSetOption(M->A, MAT_SYMMETRIC, PETSC_TRUE)); /* which dpcg asks for */
  PetscCall(MatCreateVecs(M->A, &M->x, &M->y));
  PetscCall(VecSetRandom(M->x, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictTry(const std::function<PetscErrorCode()> &f, bool *done)
{
  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  *done = f() == PETSC_SUCCESS;
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the preconditioner take the matrix? */
static PetscErrorCode Takes(const HeptaTuneMatrix &M, const std::string &options)
{
  HeptaTuneSolver s;

  PetscFunctionBegin;
  PetscCall(s.Make(M, options, 0, 1));
  PetscCall(KSPSetUp(s.ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictFind(const HeptaPrediction &p, const std::string &what, const HeptaModelMethod &m, HeptaThroughput *B)
{
  const std::string format = p.c.format == HeptaMatFormat::bdia ? "bdia_" : "brow_";

  PetscFunctionBegin;
  PetscCheck(p.a.model->Find(what + format + m.name, B), p.a.comm, PETSC_ERR_FILE_UNEXPECTED,
             "The tuning file has no throughput of %s%s: run hepta-tune without -quick", format.c_str(), m.name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stands after the times of an iteration: uncertainty, host, set-up, measured times and the solve */
static PetscErrorCode Rest(const HeptaPrediction &p, const HeptaModelMethod &m, const HeptaThroughput &B, std::string *line)
{
  const double    bytes = HeptaModelBytes(m, p.c.bytes, (double)p.a.aij->rmap->N);
  HeptaTuner      t     = {p.a.comm, nullptr, false, {}};
  HeptaThroughput setup;
  double          us = -1, its = (double)p.a.iterations;
  bool            done = true;

  PetscFunctionBegin;
  *line += B.off > 0 ? HeptaFormat(" %4.0f", 100 * spread * B.off) : std::string("    -");
  *line += HeptaFormat(" %12.1f", bytes / p.a.space[0].bandwidth * 1e6);
  if (m.sets_up) PetscCall(HeptaPredictFind(p, "setup_", m, &setup));
  *line += m.sets_up ? HeptaFormat(" %9.1f", setup.Time(p.c.bytes + 16 * (double)p.a.aij->rmap->N)) : std::string("         -");
  if (p.device.A) {
    PetscCall(HeptaPredictTry([&] { return HeptaTuneIteration(&t, p.device, std::string(m.options) + p.a.grid, &us); }, &done));
    *line += done ? HeptaFormat(" %9.1f", us) : std::string("   refused");
  }
  if (!p.a.iterations) PetscFunctionReturn(PETSC_SUCCESS);
  if (its < 0) PetscCall(HeptaPredictTry([&] { return EstimateIterations(p, m, &its); }, &done));
  *line += its < 0 || !done ? std::string("          -          -")
                            : HeptaFormat(" %10.0f %10.2f", its, its * HeptaPredictTime(p, B, m, 1) * 1e-3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PredictMethod(const HeptaPrediction &p, const HeptaModelMethod &m, PetscViewer viewer)
{
  std::string     line  = HeptaFormat("%-21s", m.name);
  double          least = PETSC_MAX_REAL;
  int             best  = 1;
  bool            takes = false;
  HeptaThroughput B;

  PetscFunctionBegin;
  if (!m.Holds(p.a.aij->rmap->N)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaPredictTry([&] { return Takes(p.host, std::string(m.options) + p.a.grid); }, &takes));
  if (takes) PetscCall(HeptaPredictFind(p, "iteration_", m, &B));
  else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s refuses this matrix\n", line.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (size_t k = 0; k < p.gpus.size(); k++) {
    const double time = IterationTime(p, B, m, k);
    line += HeptaFormat(" %9.1f", time);
    if (time < 0.98 * least) best = p.gpus[k];
    least = PetscMin(least, time);
  }
  line += HeptaFormat(" %5d", best);
  PetscCall(Rest(p, m, B, &line));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Head(const HeptaPrediction &p, PetscViewer viewer)
{
  std::string line = HeptaFormat("%-21s", "method");

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "microseconds of an iteration with %s, as predicted by measurements of %s\n",
                                   HeptaCandidateOptions(p.c, true).c_str(), p.a.model->file.key.gpu.c_str()));
  for (int n : p.gpus) line += HeptaFormat(n > 1 ? " %4d GPUs" : " %5d GPU", n);
  line += "  best +- %    host core    set-up";
  if (p.device.A) line += "  measured";
  if (p.a.iterations) line += " iterations  solve, ms";
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAdvicePredict(const HeptaAdvice &a, PetscViewer viewer)
{
  const HeptaCandidate *c = ForMethods(a);

  PetscFunctionBegin;
  PetscCheck(a.aij->rmap->N == a.aij->cmap->N, a.comm, PETSC_ERR_ARG_SIZ,
             "Iterations are predicted for square matrices: this one is %" PetscInt_FMT " x %" PetscInt_FMT, a.aij->rmap->N,
             a.aij->cmap->N);
  PetscCheck(c, a.comm, PETSC_ERR_SUP, "Neither bdia nor brow fits this matrix");
  HeptaPrediction p = {a, *c, {}, {}, {}, {}};
  PetscCall(CountGhosts(&p));
  PetscCall(MakeMatrix(p, false, &p.host));
  if (a.measure && a.space[1].there) PetscCall(MakeMatrix(p, true, &p.device));
  PetscCall(Head(p, viewer));
  for (const HeptaModelMethod &m : hepta_model_methods) PetscCall(PredictMethod(p, m, viewer));
  PetscCall(HeptaPredictICC(p, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "memory: matrix %.0f bytes, a vector %.0f\n", c->bytes, 8. * (double)a.aij->rmap->N));
  PetscFunctionReturn(PETSC_SUCCESS);
}
