#include "matrix_market_text.h"
#include <cholmod.h>
#include <zlib.h>
#include <sys/stat.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace hepta_mm
{

namespace
{

/* CHOLMOD's workspace; 'l' is its version with 64-bit indices */
class Cholmod {
public:
  Cholmod()
  {
    cholmod_l_start(&common);
    common.print         = 0; /* our messages, not CHOLMOD's */
    common.prefer_binary = 1; /* a pattern has the values 1 */
  }
  ~Cholmod() { cholmod_l_finish(&common); }
  Cholmod(const Cholmod &)            = delete;
  Cholmod &operator=(const Cholmod &) = delete;

  cholmod_common common;
};

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

Stream OpenText(const std::string &file, std::string &text)
{
  Stream f(fmemopen(text.data(), text.size(), "r"), std::fclose);

  if (!f) throw Error(Error::READ, file, std::string("cannot open its text in memory: ") + std::strerror(errno));
  return f;
}

/* The whole matrix from CHOLMOD's: symmetric ones come as the lower triangle, skew ones complete */
Triplets Expand(const cholmod_triplet *T, Symmetry symmetry)
{
  Triplets    t = {(std::int64_t)T->nrow, (std::int64_t)T->ncol, symmetry, {}, {}, {}};
  const auto *i = static_cast<const SuiteSparse_long *>(T->i), *j = static_cast<const SuiteSparse_long *>(T->j);
  const auto *v = static_cast<const double *>(T->x);

  t.i.assign(i, i + T->nnz);
  t.j.assign(j, j + T->nnz);
  t.v.assign(v, v + T->nnz);
  if (T->stype == 0) return t;
  for (std::size_t k = 0; k < T->nnz; k++) {
    if (i[k] == j[k]) continue;
    t.i.push_back(j[k]);
    t.j.push_back(i[k]);
    t.v.push_back(v[k]);
  }
  return t;
}

} // namespace

std::string ReadText(const std::string &file)
{
  struct stat st;

  if (stat(file.c_str(), &st)) throw Error(Error::OPEN, file, std::string("cannot open: ") + std::strerror(errno));
  if (S_ISDIR(st.st_mode)) throw Error(Error::OPEN, file, "is a directory, not a file");
  /* reads files that are not compressed as they are */
  std::unique_ptr<gzFile_s, int (*)(gzFile)> f(gzopen(file.c_str(), "r"), gzclose);
  if (!f) throw Error(Error::OPEN, file, std::string("cannot open: ") + std::strerror(errno));
  std::string       text;
  std::vector<char> buffer(1 << 20);
  int               n, err = Z_OK;

  gzbuffer(f.get(), 1 << 17);
  while ((n = gzread(f.get(), buffer.data(), (unsigned)buffer.size())) > 0) text.append(buffer.data(), (std::size_t)n);
  const char *what = gzerror(f.get(), &err);
  if (n < 0 || err != Z_OK)
    throw Error(Error::READ, file,
                err == Z_BUF_ERROR ? "the compressed file is truncated"
                                   : std::string("cannot read: ") + (err == Z_ERRNO ? std::strerror(errno) : what));
  if (text.empty()) throw Error(Error::READ, file, "the file is empty");
  if (text.find('\0') != std::string::npos) throw Error(Error::UNEXPECTED, file, "has bytes that are not text");
  return text;
}

Triplets ReadTriplets(const std::string &file)
{
  std::string  text = ReadText(file);
  const Header h    = CheckText(file, text, 0);

  if (!h.coordinate) throw Error(Error::UNEXPECTED, file, "holds a dense array, not a sparse matrix in coordinate format");
  Cholmod          c;
  Stream           f = OpenText(file, text);
  cholmod_triplet *T = cholmod_l_read_triplet(f.get(), &c.common);

  if (!T || c.common.status != CHOLMOD_OK)
    throw Error(Error::READ, file, "CHOLMOD cannot read it, status " + std::to_string(c.common.status));
  if ((std::int64_t)T->nrow != h.nrows || (std::int64_t)T->ncol != h.ncols)
    throw Error(Error::UNEXPECTED, file, "CHOLMOD finds other sizes");
  Triplets t = Expand(T, h.symmetry);
  cholmod_l_free_triplet(&T, &c.common);
  return t;
}

std::vector<double> ReadVector(const std::string &file, std::int64_t n)
{
  std::string text  = ReadText(file);
  const bool  plain = text.compare(0, 14, "%%MatrixMarket") != 0;

  if (plain) text = "%%MatrixMarket matrix array real general\n" + std::to_string(n) + " 1\n" + text;
  const Header h = CheckText(file, text, plain ? 2 : 0);
  if (h.coordinate)
    throw Error(Error::UNEXPECTED, file, "holds a sparse matrix, not a vector (Matrix Market array with one column)");
  if (h.ncols != 1 || h.symmetry != Symmetry::GENERAL)
    throw Error(Error::UNEXPECTED, file, "must have one column but has " + std::to_string(h.ncols));
  if (h.nrows != n)
    throw Error(Error::UNEXPECTED, file, "has " + std::to_string(h.nrows) + " numbers but " + std::to_string(n) + " are needed");
  Cholmod        c;
  Stream         f = OpenText(file, text);
  cholmod_dense *X = cholmod_l_read_dense(f.get(), &c.common);

  if (!X || c.common.status != CHOLMOD_OK)
    throw Error(Error::READ, file, "CHOLMOD cannot read it, status " + std::to_string(c.common.status));
  const auto         *x = static_cast<const double *>(X->x);
  std::vector<double> v(x, x + n);
  cholmod_l_free_dense(&X, &c.common);
  return v;
}

} // namespace hepta_mm
