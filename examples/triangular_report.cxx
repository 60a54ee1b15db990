/*
   What the triangular example prints and draws
*/
#include "triangular.h"
#include "plot_script.h"
#include <cstring>
#include <string>
#include <vector>

/* How many levels have 1, 2 to 3, 4 to 7, 8 to 15, ... rows */
static PetscErrorCode Histogram(const Triangle *t, PetscInt widest)
{
  const PetscInt        length = 40; /* of the longest bar */
  std::vector<PetscInt> bin;
  PetscInt              most = 0;

  PetscFunctionBeginUser;
  for (PetscInt low = 1; low <= widest; low *= 2) {
    bin.push_back(0);
    for (PetscInt l = 0; l < t->levels; l++) bin.back() += t->rows[l] / 2 < low && t->rows[l] >= low;
    most = PetscMax(most, bin.back());
    if (low > widest / 2) break; /* 2 low would not fit an int for the largest sizes */
  }
  size_t first = 0;
  while (first < bin.size() && bin[first] == 0) first++;
  for (size_t k = first; k < bin.size(); k++) {
    const PetscInt    low = (PetscInt)1 << k;
    const std::string bar((size_t)(((double)bin[k] * (double)length + (double)most - 1.0) / (double)most), '#');
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %9" PetscInt_FMT " to %9" PetscInt_FMT " rows %8" PetscInt_FMT " levels%s%s\n", low,
                          PetscMin(2 * (low - 1) + 1, widest), bin[k], bar.empty() ? "" : "  ", bar.c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriangleReport(const Triangle *t)
{
  PetscInt n, widest = 0;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(t->T, &n, NULL));
  for (PetscInt l = 0; l < t->levels; l++) widest = PetscMax(widest, t->rows[l]);
  PetscCall(PetscPrintf(
    PETSC_COMM_SELF, "levels   %" PetscInt_FMT ", level blocks %" PetscInt_FMT ", row length in ELL format %" PetscInt_FMT "\n",
    t->levels, t->blocks, t->ell));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "parallel %.1f rows in a level on average, %" PetscInt_FMT " at most\n",
                        t->levels ? (double)n / (double)t->levels : 0.0, widest));
  PetscCall(Histogram(t, widest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line of a table in milliseconds, with the percentage by which the fastest engine needs less than the last run, PETSc's */
static PetscErrorCode PrintRow(const char label[], const std::vector<PetscLogDouble> &seconds)
{
  const PetscLogDouble petsc = seconds.back();
  PetscLogDouble       best  = 0.0;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "time     %-12s", label));
  for (size_t k = 0; k < seconds.size(); k++) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, " %11.4f", 1e3 * seconds[k]));
    if (k + 1 < seconds.size() && (k == 0 || seconds[k] < best)) best = seconds[k];
  }
  if (seconds.size() > 1 && petsc > 0.0) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %+11.1f %%", 100.0 * (petsc - best) / petsc));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* with_setup: as the thesis counts in section 4.4.2; the set-up alone in section 4.4.3 */
static PetscErrorCode PrintTable(PetscInt nruns, const Run run[], PetscInt n, const Sides s[], PetscBool with_setup)
{
  std::vector<PetscLogDouble> seconds((size_t)nruns);

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "table    %s, milliseconds\ntime     vectors     ",
                        with_setup ? "set-up and one solve" : "one solve"));
  for (PetscInt r = 0; r < nruns; r++) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %11s", run[r].name));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "    difference\n"));
  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt r = 0; r < nruns; r++) seconds[(size_t)r] = run[r].solve[k] + (with_setup ? run[r].setup : 0.0);
    PetscCall(PrintRow(std::to_string(s[k].k).c_str(), seconds));
  }
  for (PetscInt r = 0; r < nruns; r++) seconds[(size_t)r] = run[r].setup;
  if (with_setup) PetscCall(PrintRow("set-up alone", seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunsReport(const Triangle *t, PetscInt nruns, const Run run[], PetscInt n, const Sides s[], PetscBool *good)
{
  const PetscReal    limit = PETSC_MACHINE_EPSILON * (PetscReal)PetscMax(50, 4 * t->ell);
  const PetscScalar *a;
  PetscMemType       type = PETSC_MEMTYPE_HOST;

  PetscFunctionBeginUser;
  *good = PETSC_TRUE;
  if (n) {
    PetscCall(VecGetArrayReadAndMemType(s[0].b, &a, &type));
    PetscCall(VecRestoreArrayReadAndMemType(s[0].b, &a));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "solved   on the %s\n",
                        PetscMemTypeHost(type) ? "host, row by row whatever the engine" : "device"));
  for (PetscInt r = 0; r < nruns; r++) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "error    %-10s backward", run[r].name));
    for (PetscInt k = 0; k < n; k++) {
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s %.1e with %" PetscInt_FMT, k ? "," : "", (double)run[r].error[k], s[k].k));
      if (!(run[r].error[k] <= limit)) *good = PETSC_FALSE;
    }
    PetscCall(PetscPrintf(PETSC_COMM_SELF, " right-hand side%s\n", n == 1 && s[0].k == 1 ? "" : "s"));
  }
  if (!*good) PetscCall(PetscPrintf(PETSC_COMM_SELF, "wrong    an error is larger than %.1e\n", (double)limit));
  if (n && run[0].setup > 0.0) {
    PetscCall(PrintTable(nruns, run, n, s, PETSC_FALSE));
    PetscCall(PrintTable(nruns, run, n, s, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TrianglePlot(const Triangle *t, const char file[])
{
  std::string  csv   = file;
  const size_t slash = csv.rfind('/'), dot = csv.rfind('.');
  FILE        *f;

  PetscFunctionBeginUser;
  if (dot != std::string::npos && (slash == std::string::npos || dot > slash)) csv.resize(dot);
  csv += ".csv";
  PetscCall(PetscFOpen(PETSC_COMM_SELF, csv.c_str(), "w", &f));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "level,rows\n"));
  for (PetscInt l = 0; l < t->levels; l++)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "%" PetscInt_FMT ",%" PetscInt_FMT "\n", l + 1, t->rows[l]));
  PetscCall(PetscFClose(PETSC_COMM_SELF, f));
  PetscCall(MakePicture(HEPTA_PLOT_LEVELS_SCRIPT, {csv.c_str(), file}, std::string(file) + ", numbers in " + csv,
                        "the numbers are in " + csv));
  PetscFunctionReturn(PETSC_SUCCESS);
}
