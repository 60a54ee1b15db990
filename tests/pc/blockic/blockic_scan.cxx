/* The solves of matrix blocks by scans against the plain recurrence y_i = -l_i y_{i-1} + f_i, on the host, or with
   HEPTA_TEST_DEVICE=1 on the device */
#include <algorithm>
#include <cmath>
#include <random>

#include "pc/blockic/blockic_kernels.hxx"

#include "memory.h"

using namespace hepta;
using namespace hepta::blockic;
using namespace hepta::test;

namespace
{

/* A reach longer than every block: a tile has as many rows as the device can take */
constexpr Index nowhere = 1 << 30;

/* What a test has in common for both sides of the factors. With the transpose a coefficient is stored in the row that it couples
   to. */
struct Kind {
  bool transpose, chain; /* chain: neighboring rows are coupled */
};

/*
   One side of the factors, with values of type V: couplings to the row before, over `reach` rows and over a few more. What a row
   hands on to the next one fades slowly, so that it still counts many rows later; the others are weak, so that nothing grows.
*/
template <class V> struct Side {
  Kind           kind;
  bool           up;
  Index          reach;
  std::vector<V> c[3];
  Memory<V>      placed[3];

  /* Numbers of either sign whose sizes are between two bounds, and a zero now and then */
  static std::vector<V> Coefficients(Index n, unsigned seed, Scalar least, Scalar most)
  {
    std::mt19937                           random(seed);
    std::uniform_real_distribution<Scalar> size(least, most);
    std::vector<V>                         v(n);

    for (Index i = 0; i < n; i++) v[i] = V(i % 211 == 5 ? Scalar(0) : (random() % 2 ? -1 : 1) * size(random));
    return v;
  }

  Side(const Kind &kind_, bool up_, Index n, Index reach_)
    : kind(kind_), up(up_), reach(reach_),
      c{Coefficients(n, 1 + up_, 0.98, 1), Coefficients(n, 3 + up_, 0, 0.05), Coefficients(n, 5 + up_, 0, 0.05)},
      placed{Memory<V>(c[0]), Memory<V>(c[1]), Memory<V>(c[2])}
  {
  }
  Index Delta(int t) const
  {
    const Index distance = t == 0 ? 1 : t == 1 ? reach : reach + 7;
    return up ? distance : -distance;
  }
  Index    Shift(int t) const { return kind.transpose ? Delta(t) : 0; }
  Sweep<V> Place()
  {
    Sweep<V> S = {up, 3, reach, {}};
    for (int t = 0; t < 3; t++) S.term[t] = {t || kind.chain ? placed[t].get() : nullptr, Delta(t), Shift(t)};
    return S;
  }
  /* y, which holds f, <- the solution in the matrix block of the rows begin ... end - 1 */
  void Solve(Index begin, Index end, Vector &y) const
  {
    for (Index k = 0; k < end - begin; k++) {
      const Index i = up ? end - 1 - k : begin + k;
      for (int t = kind.chain ? 0 : 1; t < 3; t++) {
        const Index j = i + Delta(t);
        if (j >= begin && j < end) y[i] -= Scalar(c[t][i + Shift(t)]) * y[j];
      }
    }
  }
};

/* Matrix blocks of these sizes; tiles of the lower and of the upper solve have at most as many rows as their reach */
template <class V> void compare(const Kind &kind, const std::vector<Index> &sizes, Index lower_reach, Index upper_reach)
{
  std::vector<Index> begin = {0};

  for (Index size : sizes) begin.push_back(begin.back() + size);
  const Index    n = begin.back(), blocks = Index(sizes.size());
  const Vector   x = Side<Scalar>::Coefficients(n, 7, 0, 1), inverse = Side<Scalar>::Coefficients(n, 8, 0.5, 2);
  Side<V>        lower(kind, false, n, lower_reach), upper(kind, true, n, upper_reach);
  Memory<Index>  first(begin);
  Memory<Scalar> f(x), D(inverse), y(Vector(n, nan_value));
  Vector         expected = x;

  for (Index b = 0; b < blocks; b++) {
    lower.Solve(begin[b], begin[b + 1], expected);
    for (Index i = begin[b]; i < begin[b + 1]; i++) expected[i] *= inverse[i];
    upper.Solve(begin[b], begin[b + 1], expected);
  }
  const Blocks B = {blocks, 1, sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end()), first.get(), nullptr, nullptr};
  ASSERT_EQ(HEPTA_ON_BOTH(scan, lower.Place(), upper.Place(), B, D.get(), f.get(), y.get()), nullptr);
  const Vector &got = y.values();
  for (Index i = 0; i < n; i++)
    ASSERT_NEAR(got[i], expected[i], 1e3 * std::numeric_limits<Scalar>::epsilon() * std::max(Scalar(1), std::abs(expected[i])))
      << "row " << i;
}

void compare_kinds(const std::vector<Index> &sizes, Index lower_reach, Index upper_reach)
{
  for (bool transpose : {false, true}) {
    for (bool chain : {false, true}) {
      SCOPED_TRACE(std::to_string(sizes.size()) + " blocks, the first of " + std::to_string(sizes.empty() ? 0 : sizes[0]) +
                   " rows, reaches " + std::to_string(lower_reach) + " and " + std::to_string(upper_reach) +
                   (transpose ? ", transposed" : "") + (chain ? ", chain" : ""));
      ASSERT_NO_FATAL_FAILURE(compare<Scalar>({transpose, chain}, sizes, lower_reach, upper_reach));
      ASSERT_NO_FATAL_FAILURE(compare<float>({transpose, chain}, sizes, lower_reach, upper_reach));
    }
  }
}

} // namespace

/* Blocks of few rows: on the device a warp each, several in a thread block, the last of which has some warps without a block */
TEST(BlockicScan, FewRows)
{
  for (Index size : {1, 3, 4, 31, 33, 127, 128}) {
    for (Index blocks : {0, 1, 4, 7}) {
      for (Index reach : {Index(32), Index(64), nowhere}) compare_kinds(std::vector<Index>(blocks, size), reach, reach);
    }
  }
  compare_kinds({5, 1, 128, 2, 77, 64, 1, 1, 100}, 32, 64);
}

/* Long blocks whose tiles are short: on the device a warp each, tile after tile */
TEST(BlockicScan, TilesOfAWarp)
{
  for (Index reach : {32, 33, 100, 127, 128}) compare_kinds({1500, 257, 1, 640, 129}, reach, reach);
  compare_kinds({1500, 300}, 128, 40);
}

/* Long blocks with long tiles: on the device several warps each, up to the eight of a thread block */
TEST(BlockicScan, TilesOfSeveralWarps)
{
  for (Index reach : {129, 256, 257, 1000, 1023}) compare_kinds({2500, 130, 1, 1024}, reach, reach);
  for (Index size : {129, 500, 1023, 1024, 1025, 3001}) compare_kinds({size, 17, size}, nowhere, nowhere);
  compare_kinds({2500, 1100}, 1000, 40); /* the tiles of the upper solve leave most threads without a row */
  compare_kinds({2500, 1100}, 40, 1000);
}
