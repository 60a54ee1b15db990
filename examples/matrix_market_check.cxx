/*
   What CHOLMOD's reader lets pass

   It takes a file with an index 0 as 0-based, cuts "1.5" to the index 1 and "1D5" to the value 1, ignores lines after the last
   entry, ignores the type in the header, splits long lines, turns 1e308 into Inf and drops or doubles what a symmetric file has
   in the upper triangle. Each of these gives another matrix in silence, so the form of every line is checked here, with its
   number; the values are then CHOLMOD's.
*/
#include "matrix_market_text.h"
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace hepta_mm
{

namespace
{

constexpr std::size_t LINE_MAX_LENGTH = 1024;  /* of the Matrix Market format; CHOLMOD splits longer ones */
constexpr double      VALUE_LIMIT     = 1e308; /* CHOLMOD's HUGE_DOUBLE, read as Inf */

using View = std::string_view;

/* The lines of the text, one after the other, and an error that names the present one */
class Lines {
public:
  Lines(const std::string &file, const std::string &text, int skipped) : file(file), text(text), number(-skipped) {}

  bool Next(View &line)
  {
    if (pos >= text.size()) return false;
    const std::size_t end = text.find('\n', pos);

    line = View(text).substr(pos, end == std::string::npos ? end : end - pos);
    pos  = end == std::string::npos ? text.size() : end + 1;
    number++;
    if (line.size() > LINE_MAX_LENGTH) Fail("longer than " + std::to_string(LINE_MAX_LENGTH) + " characters");
    return true;
  }

  /* The next line with data in it, split at white space; no token is left when the text is at its end */
  const std::vector<View> &NextData()
  {
    View line;

    tokens.clear();
    while (tokens.empty() && Next(line)) {
      if (line.empty() || line[0] != '%') Split(line);
    }
    return tokens;
  }

  const std::vector<View> &Split(View line)
  {
    std::size_t p = 0;

    tokens.clear();
    while (p < line.size()) {
      std::size_t q = p;

      while (q < line.size() && !std::isspace((unsigned char)line[q])) q++;
      if (q > p) tokens.push_back(line.substr(p, q - p));
      p = q + 1;
    }
    return tokens;
  }

  const std::vector<View> &Tokens() const { return tokens; }

  [[noreturn]] void Fail(const std::string &what, Error::Kind kind = Error::UNEXPECTED) const
  {
    throw Error(kind, file, "line " + std::to_string(number) + ": " + what);
  }

  const std::string &file;

private:
  const std::string &text;
  std::size_t        pos = 0;
  std::int64_t       number;
  std::vector<View>  tokens;
};

std::string Quoted(View token)
{
  std::string s = "'";

  for (const char c : token.substr(0, 40)) s += std::isprint((unsigned char)c) ? c : '?';
  return s + (token.size() > 40 ? "...'" : "'");
}

std::string Lower(View token)
{
  std::string s(token);

  for (char &c : s) c = (char)std::tolower((unsigned char)c);
  return s;
}

std::int64_t Integer(const Lines &lines, View token, const char name[])
{
  std::int64_t n   = 0;
  const auto   end = token.data() + token.size();
  const auto   res = std::from_chars(token.data() + (token[0] == '+'), end, n);

  if (res.ec == std::errc::result_out_of_range) lines.Fail(std::string(name) + " " + Quoted(token) + " is too large");
  if (res.ec != std::errc() || res.ptr != end) lines.Fail(std::string(name) + " " + Quoted(token) + " is not an integer");
  return n;
}

void CheckValue(const Lines &lines, View token, bool integer)
{
  const std::string s(token);
  char             *end;
  const double      x = std::strtod(s.c_str(), &end);

  if (*end != '\0' || std::isnan(x)) lines.Fail("value " + Quoted(token) + " is not a number");
  if (!(std::fabs(x) < VALUE_LIMIT)) lines.Fail("value " + Quoted(token) + " is too large");
  if (integer && (x != std::floor(x) || std::fabs(x) > 0x1p53))
    lines.Fail("value " + Quoted(token) + " is not an integer that a double holds");
}

/* %%MatrixMarket matrix <format> <field> <symmetry> */
Header Banner(Lines &lines)
{
  View line;

  if (!lines.Next(line)) throw Error(Error::READ, lines.file, "the file is empty");
  const auto &t = lines.Split(line);

  if (t.empty() || t[0] != "%%MatrixMarket") lines.Fail("not a Matrix Market file, it does not begin with %%MatrixMarket");
  if (t.size() != 5 || Lower(t[1]) != "matrix") lines.Fail("header must be %%MatrixMarket matrix <format> <field> <symmetry>");
  const std::string format = Lower(t[2]), field = Lower(t[3]), symmetry = Lower(t[4]);
  Header            h = {format == "coordinate", field == "pattern", field == "integer", Symmetry::GENERAL, 0, 0, 0};

  if (!h.coordinate && format != "array") lines.Fail("unknown format " + Quoted(t[2]));
  if (field == "complex") lines.Fail("complex matrices cannot be read into a PETSc with real scalars");
  if (field != "real" && field != "double" && !h.integer && !(h.pattern && h.coordinate))
    lines.Fail("unknown field " + Quoted(t[3]));
  if (symmetry == "symmetric" || symmetry == "hermitian") h.symmetry = Symmetry::SYMMETRIC;
  else if (symmetry == "skew-symmetric") h.symmetry = Symmetry::SKEW;
  else if (symmetry != "general") lines.Fail("unknown symmetry " + Quoted(t[4]));
  return h;
}

void Sizes(Lines &lines, Header &h)
{
  const auto       &t    = lines.NextData();
  const std::size_t want = h.coordinate ? 3 : 2;

  if (t.empty()) throw Error(Error::READ, lines.file, "the file ends before the line of sizes");
  if (t.size() != want)
    lines.Fail("must give " + std::to_string(want) + " sizes (rows, columns" + (h.coordinate ? ", entries)" : ")") + " but has " +
               std::to_string(t.size()));
  h.nrows = Integer(lines, t[0], "number of rows");
  h.ncols = Integer(lines, t[1], "number of columns");
  h.nnz   = h.coordinate ? Integer(lines, t[2], "number of entries") : 0;
  if (h.nrows < 1 || h.ncols < 1 || h.nnz < 0) lines.Fail("sizes must be positive");
  if (!h.coordinate && __builtin_mul_overflow(h.nrows, h.ncols, &h.nnz)) lines.Fail("rows times columns is too large");
  if (h.symmetry != Symmetry::GENERAL && h.nrows != h.ncols)
    lines.Fail("a symmetric matrix must be square: " + std::to_string(h.nrows) + " rows, " + std::to_string(h.ncols) +
               " columns");
}

void CheckEntry(const Lines &lines, const std::vector<View> &t, const Header &h)
{
  const std::size_t want = h.coordinate ? (h.pattern ? 2 : 3) : 1;

  if (t.size() != want)
    lines.Fail("an entry must have " + std::to_string(want) + " numbers but this one has " + std::to_string(t.size()));
  if (!h.pattern) CheckValue(lines, t.back(), h.integer);
  if (!h.coordinate) return;
  const std::int64_t i = Integer(lines, t[0], "row index"), j = Integer(lines, t[1], "column index");

  if (i < 1 || i > h.nrows)
    lines.Fail("row index " + std::to_string(i) + " is out of range, rows go from 1 to " + std::to_string(h.nrows));
  if (j < 1 || j > h.ncols)
    lines.Fail("column index " + std::to_string(j) + " is out of range, columns go from 1 to " + std::to_string(h.ncols));
  if (h.symmetry == Symmetry::SYMMETRIC && i < j)
    lines.Fail("entry above the diagonal in a symmetric matrix, whose file holds the lower triangle only");
  if (h.symmetry == Symmetry::SKEW && i <= j)
    lines.Fail("entry on or above the diagonal in a skew-symmetric matrix, whose file holds what is below it only");
}

} // namespace

/* skipped_lines: lines at the beginning of the text that are not in the file */
Header CheckText(const std::string &file, const std::string &text, int skipped_lines)
{
  Lines        lines(file, text, skipped_lines);
  Header       h     = Banner(lines);
  std::int64_t count = 0;

  Sizes(lines, h);
  for (; !lines.NextData().empty(); count++) {
    if (count >= h.nnz)
      lines.Fail("more than the " + std::to_string(h.nnz) + " entries that " +
                 (skipped_lines ? "the matrix has rows" : "the line of sizes gives"));
    CheckEntry(lines, lines.Tokens(), h);
  }
  if (count < h.nnz)
    throw Error(Error::READ, file, "the file ends after " + std::to_string(count) + " of " + std::to_string(h.nnz) + " entries");
  return h;
}

} // namespace hepta_mm
