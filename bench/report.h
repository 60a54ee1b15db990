/* Times by contestant, as JSON and as Markdown tables */
#pragma once

#include <petscsys.h>

#include <string>
#include <utility>
#include <vector>

/* One problem of a table; contestants that could not run it are left out */
struct ReportRow {
  std::string                                 what;
  PetscInt                                    rows, nc;
  double                                      nnz, floor; /* floor in the table's unit, 0 where it means nothing */
  std::vector<std::pair<std::string, double>> times;      /* contestant, time in the table's unit */
};

struct ReportTable {
  /* ours: the contestants whose names begin so; the best of them meets the best of all others */
  std::string            title, unit, ours;
  std::vector<ReportRow> rows;
};

/* Writes what -json and -markdown ask for, as BenchWrite() does */
PetscErrorCode ReportFromOptions(const std::vector<ReportTable> &tables);
