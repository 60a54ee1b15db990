static char help[] = "The cycle over levels of matrices on several processes: applications against dense arithmetic, with aggregates of rows of one process.\n\n";

#include "failure.h"
#include "levels_coupled.h"
#include "levels_dmda.h"

static const CycleShape v, w{1.8, true, 1, 1}, two{1.5, false, 2, 2}, uneven{1.8, true, 2, 1};

static const char RANKS[] = "on several MPI processes: aggregates are of rows of one of them, and the last level is gathered by each", ALONE[] = "level 0: ";

/* What the view says of the levels, on several processes */
static PetscErrorCode Seen(PC pc, const std::string &words)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size));
  PetscCall(CheckView(pc, {words.c_str(), size > 1 ? RANKS : ALONE}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The levels that there are: those that the aggregates of the oracle make clearly fewer */
static LevelsAggregates Fewer(LevelsAggregates list, PetscInt rows)
{
  for (size_t l = 0; l < list.size(); l++) {
    if (list[l].second > rows - PetscMax(rows / 8, 1)) list.resize(l);
    else rows = list[l].second;
  }
  return list;
}

/* -pc_subdeflation_axis_strength 0 because the couplings of axes that coincide in wrapped matrices are counted for both */
static PetscErrorCode Boxes(const LevelsCase &s, const std::vector<PetscInt> &sizes, const CycleShape &shape, const std::string &smoother)
{
  const std::string options = "-pc_subdeflation_variant cycle -pc_subdeflation_axis_strength 0 -pc_subdeflation_smoother " + smoother + s.Grid() + CycleSizes(sizes) + shape.Options();
  Mat               A;
  PC                pc;

  PetscFunctionBeginUser;
  const LevelsAggregates aggregates = Fewer(LevelsBoxes(s, sizes), s.Cells());
  PetscCall(SetOptions(options));
  PetscCall(LevelsMat(s, &A));
  PetscCall(CyclePC(A, options, &pc));
  PetscCall(CheckLevels(s, pc, A, aggregates, smoother, shape, s.Name() + ", " + options));
  PetscCall(Seen(pc, (shape.w ? "W-cycle over " : "V-cycle over ") + std::to_string(aggregates.size() + 1) + " levels of nested boxes, "));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whole planes, where the boxes of a process make a grid, and cut ones; all splits for block diagonals, and for other matrices one after the other */
static PetscErrorCode AllBoxes()
{
  size_t k = 0; /* with another smoother and shape each time */

  PetscFunctionBeginUser;
  for (const char *form : {"bdia", "brow", "aij", "single", "half"}) {
    const bool       half = form == std::string("half");
    const LevelsCase plane{
      {7, 11, 1},
      1, true, half, form
    },
      space{{3, 3, 11}, 2, half, half, form}, line{{23, 1, 1}, 3, false, true, form};
    for (const LevelsCase &s : {plane, space, line}) {
      for (PetscInt unit : {s.n[2] > 1 ? s.n[0] * s.n[1] : s.n[1] > 1 ? s.n[0] : 2, (PetscInt)1}) {
        if (s.Cells() % unit) continue;
        const auto splits = Splits(s.Cells(), unit);
        for (size_t i = 0; i < splits.size(); i++) {
          if (form != std::string("bdia") && i != k % splits.size()) continue;
          const LevelsCase split = LevelsSplit(s, splits[i]);
          if (k % 3) PetscCall(Boxes(split, {2, 2}, k % 5 ? v : w, k % 2 ? PCIP : s.bs > 1 ? PCPBJACOBI : PCJACOBI));
          else PetscCall(Boxes(split, {3, 2}, k % 2 ? two : uneven, PCIP));
        }
        k++;
      }
    }
  }
  PetscCall(Boxes(LevelsSplit(
                    {
                      {4, 3, 2},
                      2
  },
                    Splits(24)[0]),
                  {}, v, PCIP)); /* the dense inverse alone */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Grids(PetscInt bs, bool star)
{
  const std::string options = "-pc_subdeflation_variant cycle -pc_subdeflation_smoother pbjacobi -pc_subdeflation_axis_strength 0" + CycleSizes({2, 2}) + v.Options();
  LevelsCase        s{
    {13, 11, 1},
    bs
  };
  std::vector<LevelsPosition> rows(s.Cells());
  DM                          da;
  Mat                         A;
  PC                          pc;

  PetscFunctionBeginUser;
  s.comm = PETSC_COMM_WORLD;
  PetscCall(SetOptions(""));
  PetscCall(LevelsDMDA(s, star, &da, &A, rows));
  PetscCall(CyclePC(A, options, &pc));
  PetscCall(PCSetDM(pc, da));
  PetscCall(CheckLevels(s, pc, A, LevelsBoxes(rows, {2, 2}), PCPBJACOBI, v, "a DMDA, " + s.Name()));
  PetscCall(Seen(pc, "V-cycle over 3 levels of nested boxes, damped pbjacobi"));
  PetscCall(Destroy(&pc, &A, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Subdomains of the program's, which have rows of several processes: each process has a part of its own */
static PetscErrorCode Labels(const LevelsCase &s, PetscInt number(PetscInt), const CycleShape &shape, const std::string &smoother)
{
  const std::string                                 options = "-pc_subdeflation_variant cycle -pc_subdeflation_levels 2 -pc_subdeflation_smoother " + smoother + shape.Options() + (shape.w ? "" : " -pc_subdeflation_cycle_type v");
  const std::vector<int>                            owner   = s.Owners();
  std::map<std::pair<PetscInt, PetscInt>, PetscInt> parts;
  std::vector<PetscInt>                             label(s.Cells()), given;
  PetscMPIInt                                       rank;
  Mat                                               A;
  PC                                                pc;
  IS                                                is;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(s.comm, &rank));
  for (PetscInt m = 0; m < s.Cells(); m++) {
    parts[{owner[m], number(m)}] = 0;
    if (owner[m] == rank) given.push_back(2 * number(m)); /* odd ones are empty */
  }
  PetscInt count = 0;
  for (auto &p : parts) p.second = count++;
  for (PetscInt m = 0; m < s.Cells(); m++) label[m] = parts[{owner[m], number(m)}];
  PetscCall(SetOptions(options));
  PetscCall(LevelsMat(s, &A));
  PetscCall(CyclePC(A, options, &pc));
  PetscCall(ISCreateGeneral(s.comm, (PetscInt)given.size(), given.data(), PETSC_COPY_VALUES, &is));
  PetscCall(PCSubdeflationSetLabels(pc, is));
  PetscCall(CheckLevels(s, pc, A,
                        {
                          {label, count}
  },
                        smoother, shape, s.Name() + ", labels, " + options));
  PetscCall(Seen(pc, "aggregates: first the subdomains labels"));
  PetscCall(Destroy(&is, &pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AllLabels()
{
  PetscFunctionBeginUser;
  for (const char *form : {"brow", "aij"}) {
    const LevelsCase plane{
      {9, 8, 1},
      1, true, true, form
    },
      space{{10, 3, 3}, 2, false, false, form};
    for (const auto &cells : Splits(72))
      PetscCall(Labels(
        LevelsSplit(plane, cells), [](PetscInt m) { return m * m % 7 < 3 ? m % 5 : (PetscInt)4; }, v, PCJACOBI));
    for (const auto &cells : Splits(90))
      PetscCall(Labels(
        LevelsSplit(space, cells), [](PetscInt m) { return m < 80 ? (PetscInt)0 : m - 79; }, two, PCPBJACOBI));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Strength(const LevelsCase &s, PetscReal coupling(PetscInt, PetscInt), const std::vector<PetscInt> &number, PetscInt count)
{
  PetscFunctionBeginUser;
  PetscCall(CheckStrength(s, coupling, number, count, [](PC pc) { return Seen(pc, "W-cycle over 2 levels of aggregates of strongly coupled rows"); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal Near(PetscInt m, PetscInt c)
{
  return std::abs(m - c) == 1;
}

/* The first 16 rows are one chain; with those of the second process, from row 16 on, the last four of the first one are coupled alone, and rows 20 to 23 with nothing */
static PetscReal Across(PetscInt m, PetscInt c)
{
  const PetscInt least = PetscMin(m, c), most = PetscMax(m, c);

  if (least >= 12 && least < 16 && most == least + 4) return 7;
  return most < 12 && most == least + 1;
}

/* Chains are cut where a process's rows end. On two processes rows that only the other one is coupled with stay alone, while rows without any coupling are put together */
static PetscErrorCode AllStrengths()
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (const char *form : {"bdia", "brow", "aij"}) {
    for (PetscInt bs : {1, 2}) {
      LevelsCase s{
        {1, 1, 1},
        bs, false, false, form
      };
      std::vector<PetscInt> number;
      for (PetscInt k = 0; k < 8 * size; k++) number.push_back(k / 4);
      for (const auto &cells : Splits(8 * size, 4)) PetscCall(Strength(LevelsSplit(s, cells), Near, number, 2 * size));
      if (size == 2) PetscCall(Strength(LevelsSplit(s, {16, 8}), Across, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 11, 11}, 12));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  PetscCall(AllBoxes());
  for (PetscInt bs : {1, 2}) {
    for (bool star : {false, true}) PetscCall(Grids(bs, star));
  }
  PetscCall(AllLabels());
  PetscCall(AllStrengths());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
