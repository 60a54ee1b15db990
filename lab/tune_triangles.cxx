/* Triangles that bbs solves: how long, and how long it expects */
#include "tune_triangles.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "view.h"

HeptaTuneTriangle::~HeptaTuneTriangle()
{
  (void)MatDestroy(&A);
  (void)VecDestroy(&x);
  (void)VecDestroy(&y);
}

/*
   A lower triangle in blocks of bs with the couplings of a grid: those along its axes and, `box`, all that are next to a cell;
   `arrow`: the last row has all columns
*/
PetscErrorCode HeptaTuneTriangle::Make(const PetscInt n[3], PetscInt bs, bool box, bool arrow)
{
  const PetscInt cells = n[0] * n[1] * n[2], rows = cells * bs;

  PetscFunctionBegin;
  name = std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]) + (box ? ", box" : "") +
         (bs > 1 ? ", blocks of " + std::to_string(bs) : "") + (arrow ? ", one row with all" : "");
  std::vector<PetscInt> length((size_t)rows, (box ? 14 : 4) * bs);
  if (arrow) length.back() = rows;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 0, length.data(), &A));
  for (PetscInt m = 0; m < cells; m++) {
    const PetscInt at[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
    for (int k = 0; k < 14; k++) { /* the cells before this one: 13, and itself */
      const PetscInt d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, to[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
      if (!box && std::abs((int)d[0]) + std::abs((int)d[1]) + std::abs((int)d[2]) > 1) continue;
      if (to[0] < 0 || to[1] < 0 || to[2] < 0 || to[0] >= n[0] || to[1] >= n[1] || to[2] >= n[2]) continue;
      const PetscInt other = to[0] + n[0] * (to[1] + n[1] * to[2]);
      for (PetscInt r = 0; r < bs; r++) {
        for (PetscInt c = 0; c < (other == m ? r + 1 : bs); c++)
          PetscCall(MatSetValue(A, m * bs + r, other * bs + c, other == m && r == c ? 14. * bs : -1, INSERT_VALUES));
      }
    }
  }
  for (PetscInt j = 0; j + 1 < rows && arrow; j++) PetscCall(MatSetValue(A, rows - 1, j, -1e-3, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(A, MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  MatInfo info;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  entries = info.nz_used - (double)rows;
  longest = arrow ? (double)rows : (box ? 13. : n[2] > 1 ? 3. : n[1] > 1 ? 2. : 1.) * (double)bs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneTriangle::NewPC(const std::string &options, PC *pc) const
{
  PetscOptions own;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, ("-pc_bbs_triangle lower " + options).c_str()));
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PetscObjectSetOptions((PetscObject)*pc, own));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetType(*pc, PCBBS));
  PetscCall(PCSetFromOptions(*pc));
  PetscCall(PCSetUp(*pc));
  PetscCall(PetscOptionsDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneTriangle::Time(const HeptaTuner &t, const std::string &options, double *us) const
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(NewPC(options, &pc));
  PetscCall(HeptaTuneTime(
    t, [&] { return PCApply(pc, x, y); }, us));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneTriangle::TimeMany(const HeptaTuner &t, const std::string &options, PetscInt columns, double *us) const
{
  PetscInt rows;
  Mat      X, Y;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, nullptr));
  PetscCall(MatCreate(PETSC_COMM_SELF, &X));
  PetscCall(MatSetSizes(X, rows, columns, rows, columns));
  PetscCall(MatSetType(X, MATDENSECUDA));
  PetscCall(MatSetUp(X));
  PetscCall(MatAssemblyBegin(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDuplicate(X, MAT_COPY_VALUES, &Y));
  PetscCall(NewPC(options, &pc));
  PetscCall(HeptaTuneTime(
    t, [&] { return PCMatApply(pc, X, Y); }, us));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the view of a PC that chooses by the numbers in use */
PetscErrorCode HeptaTuneTriangle::Estimate(double us[4], std::string *engine)
{
  std::string text;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(NewPC("", &pc));
  PetscCall(TakeView((PetscObject)pc, PETSC_VIEWER_DEFAULT, &text));
  const char *const at = std::strstr(text.c_str(), "estimated at "), *const by = std::strstr(text.c_str(), "engine ");
  const char *const in = std::strstr(text.c_str(), " in ");
  std::fill(us, us + 4, 0.);
  int found = 0;
  if (in) levels = std::atof(in + 4);
  if (at && by)
    found = std::sscanf(at, "estimated at %lf us by chunks, %lf by syncfree, %lf by levels; %lf for", us, us + 1, us + 2, us + 3);
  PetscCheck(found == 4, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The view of PC bbs has no estimates: %s", text.c_str());
  if (engine) *engine = std::string(by + 7, std::strcspn(by + 7, ",\n"));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

struct Shape {
  PetscInt n[3], bs;
  bool     box, arrow;
};
/* Those that are fitted, and others */
const std::vector<Shape> all = {
  {{60, 60, 1}, 1, false, false},  {{200, 200, 1}, 1, false, false}, {{600, 600, 1}, 1, false, false},
  {{24, 24, 24}, 1, false, false}, {{50, 50, 50}, 1, false, false},  {{90, 90, 90}, 1, false, false},
  {{20, 20, 20}, 1, true, false},  {{36, 36, 36}, 1, true, false},   {{60, 60, 60}, 1, true, false},
  {{4000, 8, 1}, 1, false, false}, {{3000, 1, 1}, 1, false, false},  {{100, 100, 1}, 1, false, true},
  {{20, 20, 20}, 3, false, false}, {{36, 36, 36}, 3, false, false},  {{300, 300, 1}, 1, true, false},
  {{26, 26, 26}, 2, false, false},
};
const std::vector<Shape> others = {
  {{90, 90, 1}, 1, false, false},   {{320, 320, 1}, 1, false, false}, {{40, 40, 40}, 1, false, false},
  {{70, 70, 70}, 1, false, false},  {{18, 18, 18}, 1, true, false},   {{44, 44, 44}, 1, true, false},
  {{2000, 30, 1}, 1, false, false}, {{30, 30, 30}, 2, false, false},  {{120, 120, 1}, 4, false, false},
  {{150, 150, 1}, 1, false, true},
};

} // namespace

PetscErrorCode HeptaTuneMakeTriangles(bool held_out, bool few, Triangles *triangles)
{
  PetscFunctionBegin;
  for (const Shape &s : held_out ? others : all) {
    const PetscInt rows = s.n[0] * s.n[1] * s.n[2] * s.bs;
    if (few && !held_out && rows > 150000 && rows < 700000)
      continue; /* of the large ones the largest, by which bandwidths count */
    triangles->emplace_back(new HeptaTuneTriangle);
    PetscCall(triangles->back()->Make(s.n, s.bs, s.box, s.arrow));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTuneTriangleRegret(HeptaTuner *t, HeptaRegrets *regrets)
{
  Triangles triangles;

  PetscFunctionBegin;
  PetscCall(HeptaTuneMakeTriangles(true, false, &triangles));
  for (const auto &triangle : triangles) {
    double                   us[3], estimate[4];
    std::vector<double>      chosen(t->judged.size());
    std::vector<std::string> engine(t->judged.size());
    PetscCall(HeptaTuneUse(t->judged[0].second));
    for (int e = 0; e < 3; e++) PetscCall(triangle->Time(*t, std::string("-mat_bbs_engine ") + hepta_engines[e], &us[e]));
    for (size_t f = 0; f < chosen.size(); f++) {
      PetscCall(HeptaTuneUse(t->judged[f].second));
      PetscCall(triangle->Estimate(estimate, &engine[f]));
      PetscCall(triangle->Time(*t, "", &chosen[f]));
    }
    const int    best  = (int)(std::min_element(us, us + 3) - us);
    const double least = PetscMin(us[best], *std::min_element(chosen.begin(), chosen.end()));
    for (size_t f = 0; f < chosen.size(); f++) {
      (*regrets)[f].push_back(chosen[f] / least - 1);
      PetscCall(PetscViewerASCIIPrintf(t->viewer, "| %s | bbs %s | %s | %.2f | %s | %.2f | %.3f |\n", t->judged[f].first.c_str(),
                                       triangle->name.c_str(), engine[f].c_str(), chosen[f], hepta_engines[best], us[best],
                                       (*regrets)[f].back()));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
