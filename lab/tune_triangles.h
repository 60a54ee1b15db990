/* Triangles of grids, which bbs solves by each of its engines */
#pragma once

#include <memory>

#include "tune.h"

struct HeptaTuneTriangle {
  std::string name;
  Mat         A = nullptr;
  Vec         x = nullptr, y = nullptr;
  double      entries = 0, longest = 0, levels = 0; /* off the diagonal, and of the longest row; levels: after Estimate() */

  HeptaTuneTriangle()                          = default;
  HeptaTuneTriangle(const HeptaTuneTriangle &) = delete;
  ~HeptaTuneTriangle();

  PetscErrorCode Make(const PetscInt n[3], PetscInt bs, bool box, bool arrow);
  /* *us <- microseconds of a solve with these options of bbs */
  PetscErrorCode Time(const HeptaTuner &, const std::string &options, double *us) const;
  /* us <- the estimates with the numbers in use, by chunks, syncfree, levels, and for each of many right-hand sides; *engine <-
     the choice */
  PetscErrorCode Estimate(double us[4], std::string *engine);

  /* for so many right-hand sides at a time */
  PetscErrorCode TimeMany(const HeptaTuner &, const std::string &options, PetscInt columns, double *us) const;

private:
  PetscErrorCode NewPC(const std::string &options, PC *) const;
};

/* Those of bbs whose times are estimated, in the order of Estimate() */
inline const char *const hepta_engines[] = {"chunks", "syncfree", "levels"};

using Triangles = std::vector<std::unique_ptr<HeptaTuneTriangle>>;

/* held_out: others than those that are fitted; few: the small ones */
PetscErrorCode HeptaTuneMakeTriangles(bool held_out, bool few, Triangles *);
PetscErrorCode HeptaTuneTriangleRegret(HeptaTuner *, HeptaRegrets *);
