#include "report.h"

#include <algorithm>

static bool IsOurs(const ReportTable &t, const std::string &name)
{
  return name.compare(0, t.ours.size(), t.ours) == 0;
}

/* The least time of ours or of the rivals, 0 when there is none */
static double Best(const ReportTable &t, const ReportRow &r, bool ours)
{
  double best = 0;

  for (const auto &[name, time] : r.times) {
    if (IsOurs(t, name) == ours && (best == 0 || time < best)) best = time;
  }
  return best;
}

/* Contestants of any row, in order of appearance */
static std::vector<std::string> Columns(const ReportTable &t)
{
  std::vector<std::string> columns;

  for (const ReportRow &r : t.rows) {
    for (const auto &time : r.times) {
      if (std::find(columns.begin(), columns.end(), time.first) == columns.end()) columns.push_back(time.first);
    }
  }
  return columns;
}

static std::string Number(const char format[], double number, bool known)
{
  char s[32];

  if (!known || PetscSNPrintf(s, sizeof(s), format, number)) return "-";
  return s;
}

static PetscErrorCode MarkdownRow(FILE *f, const ReportTable &t, const ReportRow &r, const std::vector<std::string> &columns)
{
  const double rival = Best(t, r, false), ours = Best(t, r, true);

  PetscFunctionBegin;
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "| %s | %" PetscInt_FMT " | %" PetscInt_FMT " | %.0f |", r.what.c_str(), r.rows, r.nc, r.nnz));
  for (const std::string &c : columns) {
    const auto time = std::find_if(r.times.begin(), r.times.end(), [&](const auto &p) { return p.first == c; });
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, " %s |", Number("%.4f", time == r.times.end() ? 0 : time->second, time != r.times.end()).c_str()));
  }
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, " %s | %s |\n", Number("%.2f", rival / ours, rival > 0 && ours > 0).c_str(), Number("%.2f", ours / r.floor, ours > 0 && r.floor > 0).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Markdown(const std::vector<ReportTable> &tables, FILE *f)
{
  PetscFunctionBegin;
  for (const ReportTable &t : tables) {
    const std::vector<std::string> columns = Columns(t);
    if (t.rows.empty()) continue;
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "### %s, %s\n\n| what | rows | Nc | nnz |", t.title.c_str(), t.unit.c_str()));
    for (const std::string &c : columns) PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, " %s |", c.c_str()));
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, " best rival / ours | ours / floor |\n|---|---|---|---|"));
    for (size_t k = 0; k < columns.size() + 2; k++) PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "---|"));
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "\n"));
    for (const ReportRow &r : t.rows) PetscCall(MarkdownRow(f, t, r, columns));
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode JSON(const std::vector<ReportTable> &tables, FILE *f)
{
  PetscFunctionBegin;
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "[\n"));
  for (size_t k = 0; k < tables.size(); k++) {
    const ReportTable &t = tables[k];
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "{\"title\": \"%s\", \"unit\": \"%s\", \"ours\": \"%s\", \"rows\": [\n", t.title.c_str(), t.unit.c_str(), t.ours.c_str()));
    for (size_t l = 0; l < t.rows.size(); l++) {
      const ReportRow &r = t.rows[l];
      PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "  {\"what\": \"%s\", \"rows\": %" PetscInt_FMT ", \"nc\": %" PetscInt_FMT ", \"nnz\": %.0f, \"floor\": %.6f, \"times\": {", r.what.c_str(), r.rows, r.nc, r.nnz, r.floor));
      for (size_t m = 0; m < r.times.size(); m++) PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "%s\"%s\": %.6f", m ? ", " : "", r.times[m].first.c_str(), r.times[m].second));
      PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "}}%s\n", l + 1 < t.rows.size() ? "," : ""));
    }
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "]}%s\n", k + 1 < tables.size() ? "," : ""));
  }
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "]\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteFile(const char file[], const ReportWriter &write)
{
  FILE *f;

  PetscFunctionBegin;
  PetscCall(PetscFOpen(PETSC_COMM_SELF, file, "w", &f));
  PetscCall(write(f));
  PetscCall(PetscFClose(PETSC_COMM_SELF, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportWrite(const ReportWriter &markdown, const ReportWriter &json)
{
  char        file[PETSC_MAX_PATH_LEN];
  PetscBool   set;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-markdown", file, sizeof(file), &set));
  PetscCall(set ? WriteFile(file, markdown) : markdown(PETSC_STDOUT));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-json", file, sizeof(file), &set));
  if (set) PetscCall(WriteFile(file, json));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportFromOptions(const std::vector<ReportTable> &tables)
{
  PetscFunctionBegin;
  PetscCall(ReportWrite([&](FILE *f) { return Markdown(tables, f); }, [&](FILE *f) { return JSON(tables, f); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
