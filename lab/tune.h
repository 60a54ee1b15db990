/* What hepta-tune measures: the numbers of a GPU's tuning file, each by operations of the library that depend on it */
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <hepta.h>

#include "hepta_lab.h"
#include "shared/tuning_file.hxx"

struct HeptaTuner {
  MPI_Comm          comm;
  PetscViewer       viewer;        /* what was measured, as text */
  bool              quick = false; /* fewer cases and repetitions */
  hepta::TuningFile file;
  /* whose choices HeptaTuneRegrets() judges, with the name of the file */
  std::vector<std::pair<std::string, hepta::Tuning>> judged = {};
};

/* An operation that is timed: *us <- its microseconds with the numbers in use */
struct HeptaTuneCase {
  std::string                             name;
  std::function<PetscErrorCode(double *)> time;
};

/* *us <- microseconds of f, called several times in a row: the median of some measurements, the largest of all processes */
PetscErrorCode HeptaTuneTime(const HeptaTuner &, const std::function<PetscErrorCode()> &f, double *us);
/* The same of a single call */
PetscErrorCode HeptaTuneOnce(const HeptaTuner &, const std::function<PetscErrorCode()> &f, double *us);
/*
   *us <- microseconds that the device needs for what one call of f launches, from calls that wait for the device together: the
   host's launches are no part of the time, as in recordings. The median of some measurements, of this process alone.
*/
PetscErrorCode HeptaTuneQueued(const std::function<PetscErrorCode()> &f, double *us);
/* Uses a number that was found, and says so */
PetscErrorCode HeptaTuneTake(HeptaTuner *, const char name[], double number);
/*
   The number `name` <- the candidate with the least time of the cases, by the geometric mean, or the number in use unless a
   candidate is a hundredth better
*/
PetscErrorCode HeptaTuneSearch(HeptaTuner *, const char name[], const std::vector<double> &candidates,
                               const std::vector<HeptaTuneCase> &);

/* The candidates, and the cases that measure the candidates; held_out: separate cases for HeptaTuneRegrets() */
inline const std::vector<double> hepta_busy_threads = {256, 512, 1024, 1536, 2048}, hepta_product_threads = {64, 128, 256, 512},
                                 hepta_cache_shares = {0.25, 0.5, 0.625, 0.8, 1}, hepta_gridmg_tiles = {12, 16, 20, 24, 32};
/* an iteration with the operator of a grid of n cells a side */
HeptaTuneCase              HeptaTuneGridCase(HeptaTuner *, int dim, PetscInt n, PetscInt bs, MatType, const std::string &options,
                                             PetscInt iterations);
std::vector<HeptaTuneCase> HeptaTuneProductCases(HeptaTuner *, bool held_out);
std::vector<HeptaTuneCase> HeptaTuneCacheCases(HeptaTuner *, bool held_out);
std::vector<HeptaTuneCase> HeptaTuneMultigridCases(HeptaTuner *, bool held_out);

/* By file, the time that each choice loses over the least time, less one */
using HeptaRegrets = std::vector<std::vector<double>>;
/* For each case the time with the number of each judged file beside the least time with any candidate */
PetscErrorCode HeptaTuneRegret(HeptaTuner *, const char name[], const std::vector<double> &candidates,
                               const std::vector<HeptaTuneCase> &, HeptaRegrets *);
/* The numbers become those in use, and *numbers those in use */
PetscErrorCode HeptaTuneUse(const hepta::Tuning &);
PetscErrorCode HeptaTuneInUse(hepta::Tuning *numbers);

/* A grid operator with zeros or, `solvable`, with -1 beside a diagonal that makes it definite; vectors for its products */
struct HeptaTuneMatrix {
  Mat A = nullptr;
  Vec x = nullptr, y = nullptr;

  HeptaTuneMatrix()                        = default;
  HeptaTuneMatrix(const HeptaTuneMatrix &) = delete;
  ~HeptaTuneMatrix();
};
PetscErrorCode HeptaTuneGrid(MPI_Comm, const PetscInt n[3], PetscInt bs, MatType, bool solvable, HeptaTuneMatrix *);

/* A solver and its options, freed also where a solve fails */
struct HeptaTuneSolver {
  KSP          ksp = nullptr;
  PetscOptions own = nullptr;

  HeptaTuneSolver()                        = default;
  HeptaTuneSolver(const HeptaTuneSolver &) = delete;
  ~HeptaTuneSolver();

  /* with the numbers in use */
  PetscErrorCode Make(const HeptaTuneMatrix &, const std::string &options, PetscReal rtol, PetscInt most);
};

/* *us <- microseconds of an iteration of fusedcg, in a solve of `iterations`, by a solver made with the numbers in use */
PetscErrorCode HeptaTuneSolve(HeptaTuner *, const HeptaTuneMatrix &, const std::string &options, PetscInt iterations, double *us);

/* *us <- microseconds of one iteration more, from two lengths of a solve; shorter lengths for a solve that converges early */
PetscErrorCode HeptaTuneIteration(HeptaTuner *, const HeptaTuneMatrix &, const std::string &options, double *us);
/* *us <- microseconds of the first set-up of such a solver: the median of three solvers */
PetscErrorCode HeptaTuneFirstSetUp(HeptaTuner *, const HeptaTuneMatrix &, const std::string &options, double *us);
/* *us <- microseconds of a set-up of such a solver for new values of the matrix */
PetscErrorCode HeptaTuneSetUp(HeptaTuner *, const HeptaTuneMatrix &, const std::string &options, double *us);

/* The parts, in this order */
PetscErrorCode HeptaTuneBasics(HeptaTuner *);
PetscErrorCode HeptaTuneProducts(HeptaTuner *);
PetscErrorCode HeptaTuneKrylov(HeptaTuner *);
PetscErrorCode HeptaTuneTriangles(HeptaTuner *);
PetscErrorCode HeptaTuneTransports(HeptaTuner *);
PetscErrorCode HeptaTuneModel(HeptaTuner *);
