static char help[] =
  "Times of set-ups: of new solvers for the first, of one solver with new values for the others; in the table of advise.\n\n";

#include <petsc/private/pcimpl.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "predict.h"

/* A preconditioner whose set-ups are counted and take known times at least */
static int       firsts, later;
constexpr double first_us = 8000, later_us = 2000;

static PetscErrorCode PCSetUp_Slow(PC pc)
{
  PetscFunctionBegin;
  (pc->setupcalled ? later : firsts)++;
  std::this_thread::sleep_for(std::chrono::microseconds((int)(pc->setupcalled ? later_us : first_us)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCApply_Slow(PC, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCCreate_Slow(PC pc)
{
  PetscFunctionBegin;
  pc->ops->setup = PCSetUp_Slow;
  pc->ops->apply = PCApply_Slow;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCounts(const HeptaTuneMatrix &M)
{
  HeptaTuner t = {PETSC_COMM_SELF, nullptr, false, {}};
  double     first, again;

  PetscFunctionBegin;
  PetscCall(HeptaTuneFirstSetUp(&t, M, "-pc_type slow", &first));
  PetscCheck(firsts == 3 && later == 0 && first >= first_us, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%d first set-ups and %d others in %g us each", firsts, later, first);
  firsts = 0;
  PetscCall(HeptaTuneSetUp(&t, M, "-pc_type slow", &again));
  PetscCheck(firsts == 1 && later > 5 && again >= later_us, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%d first set-ups and %d others in %g us each", firsts, later, again);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line of the table, in which the matrix on the host stands for one on the device */
static PetscErrorCode Print(const HeptaPrediction &p, const char options[], char text[], size_t size)
{
  FILE            *file = fmemopen(text, size, "w");
  PetscViewer      viewer;
  HeptaPredictLine l;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_SYS, "no file in memory");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  l.name    = "name";
  l.options = options;
  l.us      = {1};
  PetscCall(HeptaPredictPrint(p, l, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  std::fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt n[3] = {4, 4, 4};

  PetscFunctionBegin;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PCRegister("slow", PCCreate_Slow));
  {
    HeptaAdvice     a;
    HeptaCandidate  c(HeptaMatFormat::bdia, 1);
    HeptaPrediction p = {a, c, {1}, {0}, {}, {}};
    char            text[1024];
    double          us, first, again;
    a.comm = PETSC_COMM_SELF;
    PetscCall(HeptaTuneGrid(PETSC_COMM_SELF, n, 1, MATBDIA, true, &p.device));
    PetscCall(TestCounts(p.device));
    PetscCall(Print(p, "-pc_type slow", text, sizeof(text)));
    PetscCheck(std::sscanf(text, "name %*s %*s %*s %*s %*s %*s %*s %lf %lf %lf", &us, &first, &again) == 3 && us >= 0 &&
                 us < later_us && first >= first_us && again >= later_us,
               PETSC_COMM_SELF, PETSC_ERR_PLIB, "The line is %s", text);
    PetscCall(Print(p, "-pc_type unknown", text, sizeof(text)));
    PetscCheck(std::strstr(text, "refused       refused     refused\n"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The line is %s", text);
  }
  PetscCall(PetscFinalize());
  return 0;
}
