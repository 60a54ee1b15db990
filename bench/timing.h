/* Interleaved timing: every repeat runs each contestant once, so that a slow moment of the machine meets all; medians count */
#pragma once

#include <petscsys.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

struct Contestant {
  std::string                     name;
  std::function<PetscErrorCode()> run;
  std::vector<double>             seconds;

  double Median() const
  {
    std::vector<double> s = seconds;

    std::nth_element(s.begin(), s.begin() + s.size() / 2, s.end());
    return s[s.size() / 2];
  }
};

/* One warm-up round, then `repeats` rounds of `inner` runs each */
static inline PetscErrorCode BenchRun(std::vector<Contestant> &contestants, PetscInt repeats, PetscInt inner)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  for (Contestant &c : contestants) PetscCall(c.run());
  for (PetscInt k = 0; k < repeats; k++) {
    for (Contestant &c : contestants) {
      PetscCall(PetscTime(&begin));
      for (PetscInt i = 0; i < inner; i++) PetscCall(c.run());
      PetscCall(PetscTime(&end));
      c.seconds.push_back((end - begin) / inner);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
