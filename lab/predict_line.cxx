/* The table of predicted iterations, and what follows it */
#include "predict.h"

#include <cmath>

/*
   *its <- iterations until the method's norm has fallen by 1e8, for a random right-hand side, solved on the host; extrapolated
   from the later half of 50 iterations; -1 for a norm that does not fall
*/
static PetscErrorCode EstimateIterations(const HeptaPrediction &p, const std::string &options, double *its)
{
  const PetscInt     most = 50;
  const PetscReal    rtol = 1e-8, *norm;
  PetscInt           n;
  KSPConvergedReason reason;
  HeptaTuneSolver    s;

  PetscFunctionBegin;
  *its = -1;
  PetscCall(s.Make(p.host, options, rtol, most));
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

/* How many of such rows as the matrix has one core of the host takes less time for than a GPU; negative: none, or any number */
static double HostRows(const HeptaPrediction &p, const HeptaPredictLine &l)
{
  const auto host_wins = [&](double log2) { return l.host * std::exp2(log2) < l.part(std::exp2(log2)); };
  double     few = -30, many = 20;

  if (!l.part || l.host < 0 || !host_wins(few) || host_wins(many)) return -1;
  for (int k = 0; k < 40; k++) (host_wins((few + many) / 2) ? few : many) = (few + many) / 2;
  return std::exp2(few) * (double)p.a.aij->rmap->N;
}

/* ` number`, or ` -` for a negative number */
static std::string Cell(int width, int digits, double number)
{
  return number < 0 ? HeptaFormat(" %*s", width, "-") : HeptaFormat(" %*.*f", width, digits, number);
}

/* What is measured with M: an iteration, the first set-up and that for new values, each unless it is refused */
static PetscErrorCode Measured(const HeptaPrediction &p, const HeptaTuneMatrix &M, const HeptaPredictLine &l, std::string *line)
{
  HeptaTuner t = {p.a.comm, nullptr, false, {}};

  PetscFunctionBegin;
  for (const auto &[measure, width] : {std::pair(HeptaTuneIteration, 10), {HeptaTuneFirstSetUp, 13}, {HeptaTuneSetUp, 11}}) {
    double us = -1;
    bool   done;
    PetscCall(HeptaPredictTry([&, f = measure] { return f(&t, M, l.options, &us); }, &done));
    *line += done ? Cell(width, 1, us) : HeptaFormat(" %*s", width, "refused");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The measured times, then iterations and time of a solve */
static PetscErrorCode Rest(const HeptaPrediction &p, const HeptaPredictLine &l, std::string *line)
{
  double its  = (double)p.a.iterations;
  bool   done = true;

  PetscFunctionBegin;
  if (p.device.A) PetscCall(Measured(p, p.device, l, line));
  if (!p.a.iterations) PetscFunctionReturn(PETSC_SUCCESS);
  if (its < 0) PetscCall(HeptaPredictTry([&] { return EstimateIterations(p, l.options, &its); }, &done));
  if (!done) its = -1;
  const double ms = its < 0 ? -1 : its * l.us[0] * 1e-3;
  *line += Cell(11, 0, its) + Cell(10, 2, ms) + Cell(7, 2, l.off > 0 ? ms * l.off : -1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictPrint(const HeptaPrediction &p, const HeptaPredictLine &l, PetscViewer viewer)
{
  std::string line  = HeptaFormat("%-21s", l.name.c_str());
  double      least = PETSC_MAX_REAL;
  int         best  = 1;

  PetscFunctionBegin;
  for (size_t k = 0; k < p.gpus.size(); k++) {
    const double us = k < l.us.size() ? l.us[k] : -1;
    line += Cell(9, 1, us);
    if (us < 0) continue;
    if (us < 0.98 * least) best = p.gpus[k];
    least = PetscMin(least, us);
  }
  line += HeptaFormat(" %5d", best) + Cell(4, 0, l.off > 0 ? 100 * l.off : -1) + Cell(12, 1, l.host) +
          Cell(11, 0, HostRows(p, l)) + Cell(9, 1, l.setup) + Cell(9, 1, 1e-6 * l.memory);
  PetscCall(Rest(p, l, &line));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictHead(const HeptaPrediction &p, PetscViewer viewer)
{
  std::string line = HeptaFormat("%-21s", "method");

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "microseconds of an iteration with %s, as predicted by measurements of %s\n",
                                   HeptaCandidateOptions(p.c, true).c_str(), p.a.model->file.key.gpu.c_str()));
  for (int n : p.gpus) line += HeptaFormat(n > 1 ? " %4d GPUs" : " %5d GPU", n);
  line += "  best +- %    host core  host up to    set-up        MB";
  if (p.device.A) line += "   measured  first set-up  new values";
  if (p.a.iterations) line += "  iterations  solve, ms     +-";
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A storage of bdia: its bytes, and its product by the throughput of doubles */
static PetscErrorCode PrintStorage(const HeptaPrediction &p, const char options[], double bytes, PetscViewer viewer)
{
  HeptaModelMatrix A = p.c.Model(*p.a.model, (double)p.a.aij->rmap->N, 1);

  PetscFunctionBegin;
  A.bytes         = bytes;
  const double us = HeptaModelProduct(*p.a.model, A);
  if (us > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: matrix %.1f MB, product %.1f us by its bytes\n", options, 1e-6 * bytes, us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictStorage(const HeptaPrediction &p, PetscViewer viewer)
{
  const double    half = (p.c.offsets + 1) / (2 * p.c.offsets), vector = 8 * (double)p.a.aij->rmap->N;
  PetscBool       known, symmetric;
  HeptaThroughput copy, sum;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(p.host.A, &known, &symmetric));
  if (p.c.format == HeptaMatFormat::bdia) {
    PetscCall(PrintStorage(p, "-mat_bdia_storage single", p.c.bytes / 2, viewer));
    if (symmetric) PetscCall(PrintStorage(p, "-mat_bdia_half", p.c.bytes * half, viewer));
    if (symmetric) PetscCall(PrintStorage(p, "-mat_bdia_half -mat_bdia_storage single", p.c.bytes * half / 2, viewer));
  }
  if (p.a.model->Find("copy", &copy) && p.a.model->Find("sum", &sum))
    PetscCall(PetscViewerASCIIPrintf(viewer, "a vector of %.1f MB: copied in %.1f us, summed in %.1f\n", 1e-6 * vector,
                                     copy.Time(2 * vector), sum.Time(vector)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
