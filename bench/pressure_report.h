/* Tables of numbers and words, as Markdown and as JSON */
#pragma once

#include <petscsys.h>

#include <string>
#include <vector>

/* What a cell shows, and its value in JSON */
struct PressureCell {
  std::string shown, json;
};

/* printf's format for one double */
PressureCell PressureNumber(const char format[], double);
PressureCell PressureWhole(PetscInt);
PressureCell PressureText(const std::string &);
/* Where there is nothing to say: - and null */
PressureCell PressureNone(void);

struct PressureTable {
  std::string                            title, note;
  std::vector<std::string>               columns;
  std::vector<std::vector<PressureCell>> rows;
};

/* Writes what -json and -markdown ask for; Markdown goes to the standard output by default */
PetscErrorCode PressureReport(const std::vector<PressureTable> &);
