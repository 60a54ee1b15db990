#include "subdomains_kernels.hxx"

namespace hepta::subdeflation
{

Parts split_segments(const std::vector<std::size_t> &begin, const std::vector<Index> &e, const std::vector<Index> &f)
{
  Parts x;

  for (std::vector<std::size_t> *v : {&x.segment, &x.chunk}) v->reserve(begin.size());
  x.own.reserve(begin.size());
  for (std::size_t s = 0; s + 1 < begin.size(); s++) {
    if (!s || e[s] != e[s - 1]) {
      x.column.push_back(x.chunk.size());
      x.at.push_back(std::size_t(e[s]));
    }
    x.segment.push_back(x.chunk.size());
    for (std::size_t p = begin[s]; p < begin[s + 1]; p += CHUNK) x.chunk.push_back(p);
    x.own.resize(x.chunk.size(), e[s] == f[s]);
  }
  x.column.push_back(x.chunk.size());
  x.segment.push_back(x.chunk.size());
  x.chunk.push_back(begin.back());
  return x;
}

} // namespace hepta::subdeflation
