static char help[] = "Times of set-ups: of new solvers for the first, of one solver with new values for the others.\n\n";

#include <petsc/private/pcimpl.h>

#include <chrono>
#include <thread>

#include "tune.h"

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

int main(int argc, char **argv)
{
  const PetscInt n[3] = {4, 4, 4};
  HeptaTuner     t    = {PETSC_COMM_SELF, nullptr, false, {}};
  double         first, again;

  PetscFunctionBegin;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PCRegister("slow", PCCreate_Slow));
  {
    HeptaTuneMatrix M;
    PetscCall(HeptaTuneGrid(PETSC_COMM_SELF, n, 1, MATBDIA, true, &M));
    PetscCall(HeptaTuneFirstSetUp(&t, M, "-pc_type slow", &first));
    PetscCheck(firsts == 3 && later == 0 && first >= first_us, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%d first set-ups and %d others in %g us each", firsts, later, first);
    firsts = 0;
    PetscCall(HeptaTuneSetUp(&t, M, "-pc_type slow", &again));
    PetscCheck(firsts == 1 && later > 5 && again >= later_us, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%d first set-ups and %d others in %g us each", firsts, later, again);
  }
  PetscCall(PetscFinalize());
  return 0;
}
