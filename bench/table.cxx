#include "table.h"

#include "report.h"

#include <cmath>
#include <cstdio>

/* Not PetscSNPrintf(), which writes 1000 as "1000.": JSON has no such number, nor one for infinity */
BenchCell BenchNumber(const char format[], double number)
{
  char shown[64], exact[64];

  std::snprintf(shown, sizeof(shown), format, number);
  std::snprintf(exact, sizeof(exact), "%.8g", number);
  return {shown, std::isfinite(number) ? exact : "null"};
}

BenchCell BenchWhole(PetscInt number)
{
  return {std::to_string(number), std::to_string(number)};
}

/* Error messages have quotes, backslashes and line ends; those that the tables cannot hold become spaces */
BenchCell BenchText(const std::string &text)
{
  std::string shown, json = "\"";

  for (char c : text) {
    const char plain = (unsigned char)c < ' ' ? ' ' : c;
    shown += plain == '|' ? '/' : plain;
    if (plain == '"' || plain == '\\') json += '\\';
    json += plain;
  }
  return {shown, json + "\""};
}

BenchCell BenchNone(void)
{
  return {"-", "null"};
}

BenchCell BenchRatio(double above, double below)
{
  return above > 0 && below > 0 ? BenchNumber("%.2f", above / below) : BenchNone();
}

static PetscErrorCode Markdown(const std::vector<BenchTable> &tables, FILE *f)
{
  PetscFunctionBegin;
  for (const BenchTable &t : tables) {
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "### %s\n\n%s%s|", t.title.c_str(), t.note.c_str(), t.note.empty() ? "" : "\n\n"));
    for (const std::string &c : t.columns) PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, " %s |", c.c_str()));
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "\n|"));
    for (size_t k = 0; k < t.columns.size(); k++) PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "---|"));
    for (const auto &row : t.rows) {
      PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "\n|"));
      for (const BenchCell &cell : row) PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, " %s |", cell.shown.c_str()));
    }
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "\n\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row is an object whose names are the columns */
static PetscErrorCode JSON(const std::vector<BenchTable> &tables, FILE *f)
{
  PetscFunctionBegin;
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "[\n"));
  for (size_t k = 0; k < tables.size(); k++) {
    const BenchTable &t = tables[k];
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "{\"title\": %s, \"note\": %s, \"rows\": [\n", BenchText(t.title).json.c_str(), BenchText(t.note).json.c_str()));
    for (size_t l = 0; l < t.rows.size(); l++) {
      std::string row;
      for (size_t m = 0; m < t.columns.size(); m++) row += (m ? ", " : "") + BenchText(t.columns[m]).json + ": " + t.rows[l][m].json;
      PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "  {%s}%s\n", row.c_str(), l + 1 < t.rows.size() ? "," : ""));
    }
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "]}%s\n", k + 1 < tables.size() ? "," : ""));
  }
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "]\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchReport(const std::vector<BenchTable> &tables)
{
  PetscFunctionBegin;
  PetscCall(ReportWrite([&](FILE *f) { return Markdown(tables, f); }, [&](FILE *f) { return JSON(tables, f); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
