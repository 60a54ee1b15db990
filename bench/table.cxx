#include "table.h"

#include <cstdio>

/* Eight digits are more than a time has */
BenchCell BenchNumber(const char format[], double number)
{
  char shown[64], rounded[64];

  std::snprintf(shown, sizeof(shown), format, number);
  std::snprintf(rounded, sizeof(rounded), "%.8g", number);
  return {shown, BenchJSON(std::stod(rounded))};
}

BenchCell BenchWhole(PetscInt number)
{
  return {std::to_string(number), BenchJSON(number)};
}

/* Error messages have line ends and bars, which a table cannot hold */
BenchCell BenchText(const std::string &text)
{
  std::string shown, plain;

  for (char c : text) {
    plain += (unsigned char)c < ' ' ? ' ' : c;
    shown += plain.back() == '|' ? '/' : plain.back();
  }
  return {shown, BenchJSON(plain)};
}

BenchCell BenchNone(void)
{
  return {"-", BenchJSON()};
}

BenchCell BenchRatio(double above, double below)
{
  return above > 0 && below > 0 ? BenchNumber("%.2f", above / below) : BenchNone();
}

static std::string Markdown(const BenchTable &t)
{
  std::string text = t.title.empty() ? "" : "### " + t.title + "\n\n", rule = "|";

  text += t.note + (t.note.empty() ? "|" : "\n\n|");
  for (const std::string &c : t.columns) {
    text += " " + c + " |";
    rule += "---|";
  }
  text += "\n" + rule;
  for (const auto &row : t.rows) {
    text += "\n|";
    for (const BenchCell &cell : row) text += " " + cell.shown + " |";
  }
  return text + "\n\n";
}

/* To the file that the option names, if it is given, or to the standard output if that is wanted then */
static PetscErrorCode Write(const char option[], bool otherwise, const std::string &text)
{
  char      file[PETSC_MAX_PATH_LEN];
  PetscBool set;
  FILE     *f = PETSC_STDOUT;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, option, file, sizeof(file), &set));
  if (!set && !otherwise) PetscFunctionReturn(PETSC_SUCCESS);
  if (set) PetscCall(PetscFOpen(PETSC_COMM_SELF, file, "w", &f));
  PetscCheck(std::fputs(text.c_str(), f) >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s",
             set ? file : "to the standard output");
  if (set) PetscCall(PetscFClose(PETSC_COMM_SELF, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool IsFirst(void)
{
  PetscMPIInt rank = 0;

  PetscCallMPIAbort(PETSC_COMM_WORLD, MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  return rank == 0;
}

PetscErrorCode BenchWriteJSON(const BenchJSON &json)
{
  PetscFunctionBegin;
  if (IsFirst()) PetscCall(Write("-json", false, json.dump(1) + "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchWrite(const std::vector<BenchTable> &tables, const BenchJSON &json)
{
  std::string text;

  PetscFunctionBegin;
  for (const BenchTable &t : tables) text += t.rows.empty() ? "" : Markdown(t);
  if (IsFirst()) PetscCall(Write("-markdown", true, text));
  PetscCall(BenchWriteJSON(json));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchReport(const std::vector<BenchTable> &tables)
{
  BenchJSON json = BenchJSON::array();

  PetscFunctionBegin;
  for (const BenchTable &t : tables) {
    BenchJSON rows = BenchJSON::array();
    for (const auto &row : t.rows) {
      BenchJSON object;
      for (size_t k = 0; k < t.columns.size(); k++) object[t.columns[k]] = row[k].value;
      rows.push_back(object);
    }
    json.push_back({{"title", t.title}, {"note", t.note}, {"rows", rows}});
  }
  PetscCall(BenchWrite(tables, json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
