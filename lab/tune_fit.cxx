/* The numbers of bbs: the fit of the engines' estimated times to the engines' measured times */
#include "tune_triangles.h"

#include <algorithm>
#include <cmath>

#include "least_squares.h"
#include "pc/bbs/bbs_kernels.hxx"

namespace
{

/* What a fit needs: times, what is estimated for each (0: nothing) with the numbers in use, and the numbers that are sought */
struct Fit {
  std::string                                     what;
  std::vector<std::string>                        cases;
  std::vector<double>                             us;
  std::function<PetscErrorCode(size_t, double *)> estimate;
  std::vector<const char *>                       names;
};

} // namespace

/* The weight of a change of a number's logarithm among the residuals: a number without influence on times stays unchanged */
constexpr double keep = 0.05;

/* r <- the logarithms of estimates over times, then `keep` times p; p: the logarithms of the numbers over the first ones */
static PetscErrorCode Residuals(const Fit &f, const std::vector<double> &begin, const double *p, double *r)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < f.names.size(); k++)
    PetscCall(HeptaSetTuning(f.names[k], (PetscReal)(begin[k] * std::exp(std::max(-5., std::min(5., p[k]))))));
  for (size_t k = 0; k < f.us.size(); k++) {
    double estimate = 0;
    PetscCall(f.estimate(k, &estimate));
    r[k] = estimate > 0 ? std::log(estimate / f.us[k]) : 0;
  }
  for (size_t k = 0; k < f.names.size(); k++) r[f.us.size() + k] = keep * p[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers with which the squares of residuals are least */
static PetscErrorCode LeastSquares(HeptaTuner *t, const Fit &f)
{
  std::vector<double> begin, p(f.names.size(), 0.);
  PetscReal           number;
  double              norm;

  PetscFunctionBegin;
  for (const char *name : f.names) {
    PetscCall(HeptaGetTuning(name, &number));
    begin.push_back((double)number);
  }
  PetscCall(HeptaLeastSquares(
    &p, f.us.size() + p.size(), t->quick ? 40 : 60, [&](const double *at, double *r) { return Residuals(f, begin, at, r); },
    &norm));
  for (size_t k = 0; k < f.us.size(); k++) {
    double estimate;
    PetscCall(f.estimate(k, &estimate));
    PetscCall(PetscViewerASCIIPrintf(t->viewer, "    %s, %s: %.2f us, estimated at %.2f\n", f.what.c_str(), f.cases[k].c_str(),
                                     f.us[k], estimate));
  }
  PetscCall(PetscViewerASCIIPrintf(t->viewer, "    estimates of %s: off by a factor of %.2f, root mean square\n", f.what.c_str(),
                                   std::exp(norm / std::sqrt((double)f.us.size()))));
  for (const char *name : f.names) {
    PetscCall(HeptaGetTuning(name, &number));
    PetscCall(HeptaTuneTake(t, name, (double)number));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   One chunk or several chunks, as choose_rows() of bbs assumes: a level takes level_alone plus the reading time of the only
   multiprocessor, or level_shared plus a part of the reading time; level_alone and level_shared are medians
*/
static PetscErrorCode TuneChunks(HeptaTuner *t, const Triangles &triangles)
{
  std::vector<double> level[2];
  PetscReal           bandwidth;

  PetscFunctionBegin;
  PetscCall(HeptaGetTuning("chunk_bandwidth", &bandwidth));
  for (const auto &triangle : triangles) {
    PetscInt rows;
    PetscCall(MatGetSize(triangle->A, &rows, nullptr));
    if (rows > 12000) continue; /* what fits into the shared memory of any device that has clusters */
    const PetscInt even = PetscMax(256, rows / t->file.key.multiprocessors + 1);
    for (int k = 0; k < 2; k++) {
      double us, read = (triangle->entries * (double)hepta::bbs::entry_bytes(false) + 24. * (double)rows) / (double)bandwidth;
      PetscCall(triangle->Time(*t, "-mat_bbs_engine chunks -mat_bbs_chunk " + std::to_string(k ? even : rows), &us));
      if (k) read /= (double)((rows + even - 1) / even);
      level[k].push_back(PetscMax(0.02, (us - read) / triangle->levels));
    }
  }
  for (int k = 0; k < 2 && !level[0].empty(); k++) {
    std::sort(level[k].begin(), level[k].end());
    PetscCall(HeptaTuneTake(t, k ? "level_shared" : "level_alone", level[k][level[k].size() / 2]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Engine `together`: a time for each level and entry of the longest row, and for each value and entry of a right-hand side */
static PetscErrorCode TuneTogether(HeptaTuner *t, const Triangles &triangles)
{
  Fit f;

  PetscFunctionBegin;
  f.what     = "together";
  f.names    = {"together_level", "together_long_entry", "together_value", "together_entry"};
  f.estimate = [&](size_t k, double *us) {
    const HeptaTuneTriangle &triangle = *triangles[k / 2];
    PetscReal                number[4];
    PetscInt                 rows;
    PetscFunctionBegin;
    for (int n = 0; n < 4; n++) PetscCall(HeptaGetTuning(f.names[(size_t)n], &number[n]));
    PetscCall(MatGetSize(triangle.A, &rows, nullptr));
    *us = number[0] * triangle.levels + number[1] * triangle.longest +
          (k % 2 ? 128 : 32) * (number[2] * (double)rows + number[3] * triangle.entries);
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (size_t k = 0; k < 2 * triangles.size(); k++) {
    double us;
    PetscCall(triangles[k / 2]->TimeMany(*t, "-mat_bbs_engine together", k % 2 ? 128 : 32, &us));
    f.us.push_back(us);
    f.cases.push_back(triangles[k / 2]->name);
  }
  PetscCall(LeastSquares(t, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right-hand sides that fill the device */
static PetscInt Many(const HeptaTuneTriangle &triangle)
{
  return (PetscInt)PetscMax(64., PetscMin(1024., 1e8 / triangle.entries));
}

/* Engine e of hepta_engines, for one right-hand side; e = 3: chunks for many right-hand sides */
static PetscErrorCode TuneEngine(HeptaTuner *t, const Triangles &triangles, int e)
{
  const std::vector<const char *> names[] = {
    {"chunk_step", "chunk_share", "chunk_barrier", "chunk_bandwidth", "chunk_fetches", "chunk_wait", "chunk_handover"},
    {"syncfree_level", "syncfree_bandwidth"},
    {"level_kernel", "level_bandwidth"},
    {"chunk_fetch"}};
  Fit f;

  PetscFunctionBegin;
  f.what     = e < 3 ? hepta_engines[e] : "chunks, many right-hand sides";
  f.names    = names[e];
  f.estimate = [&](size_t k, double *us) {
    double      all[4];
    std::string engine;
    PetscFunctionBegin;
    PetscCall(triangles[k]->Estimate(all, &engine));
    *us = e == 3 && engine != "chunks" ? 0 : all[e];
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (const auto &triangle : triangles) {
    double us;
    if (e < 3) PetscCall(triangle->Time(*t, std::string("-mat_bbs_engine ") + hepta_engines[e], &us));
    else PetscCall(triangle->TimeMany(*t, "-mat_bbs_engine chunks", Many(*triangle), &us));
    f.us.push_back(e < 3 ? us : us / (double)Many(*triangle));
    f.cases.push_back(triangle->name);
  }
  PetscCall(LeastSquares(t, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers also decide how many threads a chunk has, so times of chunks are measured again with the numbers of a first fit */
PetscErrorCode HeptaTuneTriangles(HeptaTuner *t)
{
  Triangles triangles;

  PetscFunctionBegin;
  PetscCall(HeptaTuneMakeTriangles(false, t->quick, &triangles));
  for (int round = 0; round < 2; round++) {
    PetscCall(TuneEngine(t, triangles, 0));
    PetscCall(TuneChunks(t, triangles));
  }
  for (int e = 1; e < 4; e++) PetscCall(TuneEngine(t, triangles, e));
  PetscCall(TuneTogether(t, triangles));
  PetscFunctionReturn(PETSC_SUCCESS);
}
