/* Tables of numbers and words, as Markdown and as JSON */
#pragma once

#include <petscsys.h>

#include <string>
#include <vector>

/* What a cell shows, and its value in JSON */
struct BenchCell {
  std::string shown, json;
};

/* printf's format for one double */
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

/* Writes them as ReportWrite() does */
PetscErrorCode BenchReport(const std::vector<BenchTable> &);
