#include "pressure_report.h"

#include <cmath>
#include <cstdio>

/* Not PetscSNPrintf(), which writes 1000 as "1000.": JSON has no such number, nor one for infinity */
PressureCell PressureNumber(const char format[], double number)
{
  char shown[64], exact[64];

  std::snprintf(shown, sizeof(shown), format, number);
  std::snprintf(exact, sizeof(exact), "%.8g", number);
  return {shown, std::isfinite(number) ? exact : "null"};
}

PressureCell PressureWhole(PetscInt number)
{
  return {std::to_string(number), std::to_string(number)};
}

/* Error messages have quotes, backslashes and line ends; those that the tables cannot hold become spaces */
PressureCell PressureText(const std::string &text)
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

PressureCell PressureNone(void)
{
  return {"-", "null"};
}

static PetscErrorCode Markdown(const std::vector<PressureTable> &tables, const char file[])
{
  FILE *f = PETSC_STDOUT;

  PetscFunctionBegin;
  if (file) PetscCall(PetscFOpen(PETSC_COMM_SELF, file, "w", &f));
  for (const PressureTable &t : tables) {
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "### %s\n\n%s%s|", t.title.c_str(), t.note.c_str(), t.note.empty() ? "" : "\n\n"));
    for (const std::string &c : t.columns) PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, " %s |", c.c_str()));
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "\n|"));
    for (size_t k = 0; k < t.columns.size(); k++) PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "---|"));
    for (const auto &row : t.rows) {
      PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "\n|"));
      for (const PressureCell &cell : row) PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, " %s |", cell.shown.c_str()));
    }
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "\n\n"));
  }
  if (file) PetscCall(PetscFClose(PETSC_COMM_SELF, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row is an object whose names are the columns */
static PetscErrorCode JSON(const std::vector<PressureTable> &tables, const char file[])
{
  FILE *f;

  PetscFunctionBegin;
  PetscCall(PetscFOpen(PETSC_COMM_SELF, file, "w", &f));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "[\n"));
  for (size_t k = 0; k < tables.size(); k++) {
    const PressureTable &t = tables[k];
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "{\"title\": %s, \"note\": %s, \"rows\": [\n", PressureText(t.title).json.c_str(), PressureText(t.note).json.c_str()));
    for (size_t l = 0; l < t.rows.size(); l++) {
      std::string row;
      for (size_t m = 0; m < t.columns.size(); m++) row += (m ? ", " : "") + PressureText(t.columns[m]).json + ": " + t.rows[l][m].json;
      PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "  {%s}%s\n", row.c_str(), l + 1 < t.rows.size() ? "," : ""));
    }
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "]}%s\n", k + 1 < tables.size() ? "," : ""));
  }
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, f, "]\n"));
  PetscCall(PetscFClose(PETSC_COMM_SELF, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PressureReport(const std::vector<PressureTable> &tables)
{
  char      json[PETSC_MAX_PATH_LEN], markdown[PETSC_MAX_PATH_LEN];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-markdown", markdown, sizeof(markdown), &set));
  PetscCall(Markdown(tables, set ? markdown : nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-json", json, sizeof(json), &set));
  if (set) PetscCall(JSON(tables, json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
