/*
   Matrix Market files as text, without PETSc: one process reads, CHOLMOD parses
*/
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace hepta_mm
{

/* What went wrong with a file; the message names the file, and the line or the counts where there are any */
class Error : public std::runtime_error {
public:
  enum Kind {
    OPEN,      /* there is no such file, or it may not be opened */
    READ,      /* it ends early or the compressed data are damaged */
    UNEXPECTED /* its content is not what it claims to be */
  };

  Error(Kind kind, const std::string &file, const std::string &what) : std::runtime_error(file + ": " + what), kind(kind) {}
  const Kind kind;
};

enum class Symmetry {
  GENERAL,
  SYMMETRIC,
  SKEW
};

/* A whole matrix, both triangles, 0-based; entries in the order of the file, the mirrored ones after them */
struct Triplets {
  std::int64_t              nrows, ncols;
  Symmetry                  symmetry;
  std::vector<std::int64_t> i, j;
  std::vector<double>       v;
};

/* The content of a file, uncompressed if it is in gzip format */
std::string ReadText(const std::string &file);

/* %%MatrixMarket matrix coordinate {real|integer|pattern} {general|symmetric|skew-symmetric|hermitian} */
Triplets ReadTriplets(const std::string &file);

/* %%MatrixMarket matrix array {real|integer} general with one column, or plain text with one number in each line; n numbers are
   wanted */
std::vector<double> ReadVector(const std::string &file, std::int64_t n);

/* A Matrix Market header and the form of all lines after it, which CHOLMOD does not check (matrix_market_check.cxx) */
struct Header {
  bool         coordinate, pattern, integer;
  Symmetry     symmetry;
  std::int64_t nrows, ncols, nnz;
};
Header CheckText(const std::string &file, const std::string &text, int skipped_lines);

} // namespace hepta_mm
