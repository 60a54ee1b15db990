static char help[] = "The cycle over levels of matrices: applications against dense arithmetic, for boxes, labels and strongly coupled rows.\n\n";

#include "failure.h"
#include "levels_coupled.h"

static const CycleShape v, w{1.8, true, 1, 1}, two{1.5, false, 2, 2}, uneven{1.8, true, 2, 1}, after{1, false, 0, 1};

/* -pc_subdeflation_axis_strength 0 because the couplings of axes that coincide in wrapped matrices are counted for both */
static PetscErrorCode Boxes(const LevelsCase &s, const std::vector<PetscInt> &sizes, const CycleShape &shape, const std::string &smoother)
{
  const std::string options = "-pc_subdeflation_variant cycle -pc_subdeflation_axis_strength 0 -pc_subdeflation_smoother " + smoother + s.Grid() + CycleSizes(sizes) + shape.Options();
  Mat               A;
  PC                pc;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(options));
  PetscCall(LevelsMat(s, &A));
  PetscCall(CyclePC(A, options, &pc));
  PetscCall(CheckLevels(s, pc, A, LevelsBoxes(s, sizes), smoother, shape, s.Name() + ", " + options));
  const std::string view = (shape.w ? "W-cycle over " : "V-cycle over ") + std::to_string(sizes.size() + 1) + " levels of nested boxes, " + (smoother == PCIP ? "" : "damped ") + smoother;
  PetscCall(CheckView(pc, {view.c_str()}));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Couplings over the ends of lines, and axes of one cell, where they coincide */
static PetscErrorCode Wrapped(PetscInt bs, const char *form, bool symmetric)
{
  LevelsCase s{
    {7, 5, 3},
    bs, true, symmetric, form
  };

  PetscFunctionBeginUser;
  PetscCall(Boxes(s, {2, 2}, w, bs > 1 ? PCPBJACOBI : PCIP));
  s.n[0] = 1;
  PetscCall(Boxes(s, {2}, two, PCIP));
  s.n[0] = 8;
  s.n[1] = 1;
  PetscCall(Boxes(s, {3}, after, PCIP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half storage, on a line too */
static PetscErrorCode Half(PetscInt bs)
{
  LevelsCase s{
    {6, 5, 2},
    bs, true, true, "half"
  };

  PetscFunctionBeginUser;
  PetscCall(Boxes(s, {2, 2}, v, PCIP));
  s.n[0] = 12;
  s.n[1] = s.n[2] = 1;
  s.wrapped       = false;
  PetscCall(Boxes(s, {4}, v, bs > 1 ? PCJACOBI : PCPBJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AllBoxes()
{
  LevelsCase scalar{
    {9, 8, 1}
  },
    blocks{{5, 4, 3}, 2};

  PetscFunctionBeginUser;
  for (const char *form : {"bdia", "brow", "aij", "single"}) {
    scalar.form = blocks.form = form;
    if (!TestQuick() || form == std::string("bdia")) PetscCall(Boxes(scalar, {2, 2}, v, PCIP));
    if (!TestQuick() || form == std::string("brow")) PetscCall(Boxes(blocks, {2}, uneven, PCIP));
  }
  if (TestQuick()) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt bs : {1, 2, 3}) {
    for (const char *form : {"bdia", "brow"}) {
      for (bool symmetric : {false, true}) PetscCall(Wrapped(bs, form, symmetric));
    }
    PetscCall(Half(bs));
  }
  blocks.form = "bdia";
  PetscCall(Boxes(blocks, {}, v, PCIP)); /* the dense inverse alone */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Subdomains of the program's as the first level: some numbers without rows, and one of more rows than are summed at once */
static PetscErrorCode Labels(const LevelsCase &s, PetscInt number(PetscInt), PetscInt count, const CycleShape &shape, const std::string &smoother)
{
  const std::string     options = "-pc_subdeflation_variant cycle -pc_subdeflation_levels 2 -pc_subdeflation_smoother " + smoother + shape.Options() + (shape.w ? "" : " -pc_subdeflation_cycle_type v");
  std::vector<PetscInt> label(s.Cells()), given;
  Mat                   A;
  PC                    pc;
  IS                    is;

  PetscFunctionBeginUser;
  for (PetscInt m = 0; m < s.Cells(); m++) {
    label[m] = number(m);
    given.push_back(2 * label[m]); /* odd ones are empty */
  }
  PetscCall(SetOptions(options));
  PetscCall(LevelsMat(s, &A));
  PetscCall(CyclePC(A, options, &pc));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, s.Cells(), given.data(), PETSC_COPY_VALUES, &is));
  PetscCall(PCSubdeflationSetLabels(pc, is));
  PetscCall(CheckLevels(s, pc, A,
                        {
                          {label, count}
  },
                        smoother, shape, s.Name() + ", labels, " + options));
  PetscCall(CheckView(pc, {"aggregates: first the subdomains labels", "empty subdomains were dropped"}));
  PetscCall(Destroy(&is, &pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AllLabels()
{
  PetscFunctionBeginUser;
  for (const char *form : {"bdia", "brow", "aij"}) {
    if (TestQuick() && form != std::string("brow")) continue;
    PetscCall(Labels(
      {
        {9, 8, 1},
        1, true, true, form
    },
      [](PetscInt m) { return m * m % 7 < 3 ? m % 5 : (PetscInt)4; }, 5, v, PCJACOBI));
    PetscCall(Labels(
      {
        {10, 3, 3},
        2, false, false, form
    },
      [](PetscInt m) { return m < 80 ? 0 : m - 79; }, 11, two, PCPBJACOBI));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Strength(const LevelsCase &s, PetscReal coupling(PetscInt, PetscInt), const std::vector<PetscInt> &number, PetscInt count)
{
  PetscFunctionBeginUser;
  PetscCall(CheckStrength(s, coupling, number, count, [](PC pc) { return CheckView(pc, {"W-cycle over 2 levels of aggregates of strongly coupled rows, ip 1 before and 1 after, over-correction 1.5"}); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal Near(PetscInt m, PetscInt c)
{
  return std::abs(m - c) == 1;
}

/* 10 between m and m + 6, and 1 within the two halves of 12 */
static PetscReal Far(PetscInt m, PetscInt c)
{
  return std::abs(m - c) == 6 ? 10 : std::abs(m - c) == 1 && PetscMax(m, c) != 6;
}

/* The same with entries of 10 from m to m + 6 and none back: their mean with nothing is still the strongest coupling of both */
static PetscReal OneSided(PetscInt m, PetscInt c)
{
  return m - c == 6 ? 0 : Far(m, c);
}

/* From 0 to 4, 8 and back, one way only: each row has as many entries as its column, but at other locations; the other rows are coupled with nothing */
static PetscReal Ring(PetscInt m, PetscInt c)
{
  return m % 4 == 0 && c == (m + 4) % 12 ? 10 : 0;
}

/* The mean of both directions counts: 2 from odd rows on, 1 from even ones */
static PetscReal OneWay(PetscInt m, PetscInt c)
{
  return c == m + 1 ? (m % 2 ? 3 : 1) : c == m - 1;
}

/* Row 2 is left over; rows 3 and 4 are coupled with nothing */
static PetscReal LeftOver(PetscInt m, PetscInt c)
{
  return PetscMax(m, c) == 1 ? 8 : PetscMax(m, c) == 2 && PetscMin(m, c) == 0;
}

/* Positive entries, in pairs (0, 1) and (2, 3), couple nothing */
static PetscReal Positive(PetscInt m, PetscInt c)
{
  return std::abs(m - c) != 1 ? 0 : PetscMin(m, c) == 1 ? 1 : -5;
}

/* Lines of 4 x 4 cells with strong couplings along the second axis: pairs of pairs along it */
static PetscReal Lines(PetscInt m, PetscInt c)
{
  return std::abs(m - c) == 4 ? 100 : std::abs(m - c) == 1 && PetscMax(m, c) % 4;
}

static PetscErrorCode AllStrengths()
{
  PetscFunctionBeginUser;
  for (const char *form : {"bdia", "brow", "aij"}) {
    for (PetscInt bs : {1, 2}) {
      const LevelsCase s{
        {1, 1, 1},
        bs, false, false, form
      };
      if (TestQuick() && (bs == 1 || form != std::string("brow"))) continue;
      PetscCall(Strength(s, Near, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, 4));
      if (TestQuick()) continue;
      PetscCall(Strength(s, Far, {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}, 3));
      PetscCall(Strength(s, OneSided, {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}, 3));
      PetscCall(Strength(s, Ring, {0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1}, 2));
      PetscCall(Strength(s, OneWay, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, 2));
      PetscCall(Strength(s, LeftOver, {0, 0, 0, 1, 1}, 2));
      PetscCall(Strength(s, Lines, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, 4));
    }
    if (!TestQuick() || form == std::string("aij")) {
      PetscCall(Strength(
        {
          {1, 1, 1},
          1, false, false, form
      },
        Positive, {0, 1, 1, 0}, 2));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  PetscCall(AllBoxes());
  PetscCall(AllLabels());
  PetscCall(AllStrengths());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
