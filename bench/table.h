/* Tables of numbers and words, as Markdown and as JSON */
#pragma once

#include <petscsys.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using BenchJSON = nlohmann::ordered_json;

/* What a cell shows, and its value in JSON */
struct BenchCell {
  std::string shown;
  BenchJSON   value;
};

/* printf's format for one double; what is not finite is null in JSON */
BenchCell BenchNumber(const char format[], double);
BenchCell BenchWhole(PetscInt);
BenchCell BenchText(const std::string &);
/* Where there is nothing to say: - and null */
BenchCell BenchNone(void);
/* above / below, nothing unless both are positive */
BenchCell BenchRatio(double above, double below);

struct BenchTable {
  std::string                         title, note;
  std::vector<std::string>            columns;
  std::vector<std::vector<BenchCell>> rows;
};

/* Writes what -markdown and -json ask for, on the first process; the tables go to the standard output by default, which is not
   opened anew because that would empty a file it goes to */
PetscErrorCode BenchWrite(const std::vector<BenchTable> &, const BenchJSON &);
/* The same with the tables as JSON: rows are objects whose names are the columns */
PetscErrorCode BenchReport(const std::vector<BenchTable> &);
/* -json alone */
PetscErrorCode BenchWriteJSON(const BenchJSON &);
