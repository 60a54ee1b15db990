/* The time of an iteration, on one GPU, on several GPUs, and on the host */
#include "predict.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "shared/rows.h"

using hepta::Tuning;

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

double HeptaPredictProduct(const HeptaPrediction &p, double part, bool simple)
{
  HeptaModelMatrix A = p.c.Model(*p.a.model, (double)p.a.aij->rmap->N, part);

  if (simple) A.chain = -1;
  return HeptaModelProduct(*p.a.model, A);
}

double HeptaPredictTime(const HeptaPrediction &p, const HeptaThroughput &B, const HeptaModelMethod &m, double part)
{
  const double  rows  = (double)p.a.aij->rmap->N * part;
  const MatType type  = HeptaMatFormatType(p.c.format, true);
  const double  bytes = HeptaModelBytes(m, p.c.bytes * part, rows, p.a.axes),
               usual  = HeptaModelBytes(m, HeptaModelGridBytes(type, rows), rows);
  const double block  = HeptaModelBytes(m, HeptaModelGridBytes(type, hepta_model_block), hepta_model_block);
  const double aside  = B.Aside(usual, block) - usual;

  return B.Time(bytes + aside, usual + aside) +
         m.matrices * (HeptaPredictProduct(p, part, false) - HeptaPredictProduct(p, part, true));
}

double HeptaPredictExchange(const HeptaPrediction &p, size_t k)
{
  const Tuning &t = p.a.model->file.numbers;

  return p.gpus[k] > 1 ? t.ipc_latency + p.ghosts[k] * (double)sizeof(PetscScalar) / t.ipc_bandwidth : 0;
}

/*
   Microseconds of an iteration on GPUs of this kind: a GPU's part of the bytes, and exchanges by the transport ipc. The measured
   latency of ipc includes the sums of an iteration.
*/
static double IterationTime(const HeptaPrediction &p, const HeptaThroughput &B, const HeptaModelMethod &m, size_t k)
{
  return HeptaPredictTime(p, B, m, 1. / p.gpus[k]) + m.exchanges * HeptaPredictExchange(p, k);
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
  const std::string format = p.c.format == HeptaMatFormat::bdia || m.of_grids ? "bdia_" : "brow_";

  PetscFunctionBegin;
  PetscCheck(p.a.model->Find(what + format + m.name, B), p.a.comm, PETSC_ERR_FILE_UNEXPECTED,
             "The tuning file has no throughput of %s%s: run hepta-tune without -quick", format.c_str(), m.name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictDescribe(const HeptaPrediction &p, const HeptaModelMethod &m, HeptaPredictLine *l)
{
  const double    rows = (double)p.a.aij->rmap->N;
  HeptaThroughput B, setup;

  PetscFunctionBegin;
  PetscCall(HeptaPredictFind(p, "iteration_", m, &B));
  l->name    = m.name;
  l->options = m.options + p.a.grid;
  l->off     = hepta_model_spread * B.off;
  l->host    = HeptaModelBytes(m, p.c.bytes, rows) / p.a.space[0].bandwidth * 1e6;
  l->memory  = (1 + m.copies) * p.c.bytes + m.kept * rows;
  l->part    = [&p, B, &m](double part) { return HeptaPredictTime(p, B, m, part); };
  for (size_t k = 0; k < p.gpus.size(); k++) l->us.push_back(IterationTime(p, B, m, k));
  if (m.sets_up) PetscCall(HeptaPredictFind(p, "setup_", m, &setup));
  if (m.sets_up) l->setup = setup.Time(p.c.bytes + 16 * rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line, or that the preconditioner refuses the matrix */
static PetscErrorCode Predict(const HeptaPrediction &p, const char name[], const std::string &options,
                              const std::function<PetscErrorCode(HeptaPredictLine *)> &describe, PetscViewer viewer)
{
  bool             takes = false;
  HeptaPredictLine l;

  PetscFunctionBegin;
  PetscCall(HeptaPredictTry([&] { return Takes(p.host, options + p.a.grid); }, &takes));
  if (takes) {
    PetscCall(describe(&l));
    PetscCall(HeptaPredictPrint(p, l, viewer));
  } else PetscCall(PetscViewerASCIIPrintf(viewer, "%-21s refuses this matrix\n", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the matrix not fit bdia, so that ip multiplies by blocked rows? */
static bool ByRows(const HeptaAdvice &a)
{
  return !std::any_of(a.candidates.begin(), a.candidates.end(),
                      [](const HeptaCandidate &c) { return c.format == HeptaMatFormat::bdia && c.bs == 1 && c.misfit.empty(); });
}

/* With icc, on one process */
static PetscErrorCode Factored(const HeptaPrediction &p, PetscViewer viewer)
{
  PetscBool        known, symmetric;
  PetscMPIInt      size;
  HeptaPredictLine icc;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(p.host.A, &known, &symmetric));
  PetscCallMPI(MPI_Comm_size(p.a.comm, &size));
  if (!symmetric || size > 1 || p.a.aij->rmap->N < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaPredictICC(p, &icc));
  PetscCall(HeptaPredictPrint(p, icc, viewer));
  for (const HeptaModelSum &s : hepta_model_factored)
    PetscCall(Predict(
      p, s.name, s.options, [&](HeptaPredictLine *l) { return HeptaPredictSum(p, s, &icc, l); }, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s", icc.triangles.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Methods(const HeptaPrediction &p, PetscViewer viewer)
{
  const bool by_rows = p.c.format == HeptaMatFormat::brow && ByRows(p.a);
  const auto stands  = [by_rows](const HeptaModelMethod &m) {
    return by_rows && std::any_of(hepta_model_sums.begin(), hepta_model_sums.end(),
                                   [&](const HeptaModelSum &s) { return s.by_rows && std::string(s.name) == m.name; });
  };

  PetscFunctionBegin;
  for (const HeptaModelMethod &m : hepta_model_methods) {
    if (m.Holds(p.a.aij->rmap->N) && !stands(m))
      PetscCall(Predict(
        p, m.name, m.options, [&](HeptaPredictLine *l) { return HeptaPredictDescribe(p, m, l); }, viewer));
  }
  for (const HeptaModelSum &s : hepta_model_sums) {
    if (!s.by_rows || by_rows)
      PetscCall(Predict(
        p, s.name, s.options, [&](HeptaPredictLine *l) { return HeptaPredictSum(p, s, nullptr, l); }, viewer));
  }
  PetscCall(Factored(p, viewer));
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
  if (a.iterate && a.space[1].there) PetscCall(MakeMatrix(p, true, &p.device));
  PetscCall(HeptaPredictHead(p, viewer));
  PetscCall(Methods(p, viewer));
  PetscCall(HeptaPredictStorage(p, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
