/* Times, and the number of a tuning file that makes them shortest */
#include "tune.h"

#include <algorithm>
#include <cmath>

#include <petscdevice.h>
#include <petsctime.h>

/* *us <- microseconds of `times` calls of f, the largest of all processes */
static PetscErrorCode Batch(const HeptaTuner &t, const std::function<PetscErrorCode()> &f, int times, double *us)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscDeviceContextSynchronize(nullptr));
  PetscCallMPI(MPI_Barrier(t.comm));
  PetscCall(PetscTime(&begin));
  for (int k = 0; k < times; k++) PetscCall(f());
  PetscCall(PetscDeviceContextSynchronize(nullptr));
  PetscCall(PetscTime(&end));
  *us = 1e6 * (end - begin);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, us, 1, MPI_DOUBLE, MPI_MAX, t.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneOnce(const HeptaTuner &t, const std::function<PetscErrorCode()> &f, double *us)
{
  PetscFunctionBegin;
  PetscCall(Batch(t, f, 1, us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneTime(const HeptaTuner &t, const std::function<PetscErrorCode()> &f, double *us)
{
  const double        least = t.quick ? 500 : 2000; /* microseconds of a measurement */
  std::vector<double> all(t.quick ? 3 : 5);
  double              one;

  PetscFunctionBegin;
  PetscCall(Batch(t, f, 2, &one)); /* memory is allocated, iterations are recorded */
  PetscCall(Batch(t, f, 2, &one));
  const int times = (int)PetscMax(1., PetscMin(1000., std::ceil(2 * least / PetscMax(one, 1.))));
  for (double &a : all) PetscCall(Batch(t, f, times, &a));
  std::sort(all.begin(), all.end());
  *us = all[all.size() / 2] / times;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneTake(HeptaTuner *t, const char name[], double number)
{
  PetscFunctionBegin;
  number = PetscMax(hepta::least_number, PetscMin(hepta::largest_number, number));
  PetscCall(HeptaSetTuning(name, number));
  PetscCall(PetscViewerASCIIPrintf(t->viewer, "  %s %.4g\n", name, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *all <- the number in use and the other candidates, us[k][c] <- the least time of case k with all[c], of two rounds in turn */
static PetscErrorCode Measure(const char name[], const std::vector<double> &candidates, const std::vector<HeptaTuneCase> &cases,
                              std::vector<double> *all, std::vector<std::vector<double>> *us)
{
  PetscReal now;

  PetscFunctionBegin;
  PetscCall(HeptaGetTuning(name, &now));
  *all = {(double)now};
  for (double c : candidates) {
    if (std::abs(c - now) > 1e-6 * now) all->push_back(c);
  }
  us->assign(cases.size(), std::vector<double>(all->size(), PETSC_MAX_REAL));
  for (size_t k = 0; k < cases.size(); k++) {
    for (int round = 0; round < 2; round++) {
      for (size_t c = 0; c < all->size(); c++) {
        double one;
        PetscCall(HeptaSetTuning(name, (PetscReal)(*all)[c]));
        PetscCall(cases[k].time(&one));
        (*us)[k][c] = PetscMin((*us)[k][c], one);
      }
    }
  }
  PetscCall(HeptaSetTuning(name, now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneSearch(HeptaTuner *t, const char name[], const std::vector<double> &candidates,
                               const std::vector<HeptaTuneCase> &cases)
{
  std::vector<std::vector<double>> us;
  std::vector<double>              all, mean;
  size_t                           best = 0;

  PetscFunctionBegin;
  PetscCall(Measure(name, candidates, cases, &all, &us));
  for (size_t c = 0; c < all.size(); c++) {
    double sum = 0;
    for (const std::vector<double> &u : us) sum += std::log(u[c] / u[0]);
    mean.push_back(std::exp(sum / (double)us.size()));
    if (mean[c] < mean[best] - (best ? 0 : 0.01)) best = c;
    PetscCall(PetscViewerASCIIPrintf(t->viewer, "    %s %g: %.3f of the time\n", name, all[c], mean[c]));
  }
  PetscCall(HeptaTuneTake(t, name, all[best]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneUse(const hepta::Tuning &numbers)
{
  PetscFunctionBegin;
  for (const hepta::TuningNumber &n : hepta::tuning_numbers()) PetscCall(HeptaSetTuning(n.name, (PetscReal)(numbers.*n.value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneInUse(hepta::Tuning *numbers)
{
  PetscFunctionBegin;
  for (const hepta::TuningNumber &n : hepta::tuning_numbers()) {
    PetscReal now;
    PetscCall(HeptaGetTuning(n.name, &now));
    numbers->*n.value = (double)now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneRegret(HeptaTuner *t, const char name[], const std::vector<double> &candidates,
                               const std::vector<HeptaTuneCase> &cases, HeptaRegrets *regrets)
{
  std::vector<std::vector<double>> us;
  std::vector<double>              all, known = candidates, numbers; /* numbers: of each file */
  const auto same = [](double number) { return [number](double c) { return std::abs(c - number) <= 1e-6 * number; }; };

  PetscFunctionBegin;
  for (const auto &file : t->judged) {
    PetscReal number;
    PetscCall(HeptaTuneUse(file.second));
    PetscCall(HeptaGetTuning(name, &number));
    numbers.push_back((double)number);
    if (std::none_of(known.begin(), known.end(), same(numbers.back()))) known.push_back(numbers.back());
  }
  PetscCall(HeptaTuneUse(t->judged[0].second));
  PetscCall(HeptaSetTuning(name, known.front()));
  PetscCall(Measure(name, known, cases, &all, &us));
  for (size_t k = 0; k < cases.size(); k++) {
    const size_t best = (size_t)(std::min_element(us[k].begin(), us[k].end()) - us[k].begin());
    for (size_t f = 0; f < t->judged.size(); f++) {
      const size_t at = (size_t)(std::find_if(all.begin(), all.end(), same(numbers[f])) - all.begin());
      (*regrets)[f].push_back(us[k][at] / us[k][best] - 1);
      PetscCall(PetscViewerASCIIPrintf(t->viewer, "| %s | %s | %s %g | %.2f | %g | %.2f | %.3f |\n", t->judged[f].first.c_str(),
                                       cases[k].name.c_str(), name, numbers[f], us[k][at], all[best], us[k][best],
                                       (*regrets)[f].back()));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
