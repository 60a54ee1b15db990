/* The scan of the device, played through on the host with the same maps, tiles, warps and lanes, against the recurrence row by row */
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "pc/blockic/blockic_kernels.hxx"
#include "pc/blockic/blockic_row.hxx"

using namespace hepta;
using namespace hepta::blockic;

namespace
{

constexpr int cells = 4;

/* What the rows before each thread do: doubling inside a warp of 32 lanes, then warp after warp; *total: all of them */
std::vector<Affine> before_all(const std::vector<Affine> &mine, Affine *total)
{
  std::vector<Affine> scan = mine, before(mine.size());

  for (size_t o = 1; o < 32; o *= 2) {
    const std::vector<Affine> last = scan;
    for (size_t t = 0; t < mine.size(); t++) {
      if (t % 32 >= o) scan[t] = then(last[t - o], last[t]);
    }
  }
  *total = {1, 0};
  for (size_t w = 0; w < mine.size(); w += 32) {
    for (size_t t = w; t < w + 32; t++) before[t] = then(*total, t > w ? scan[t - 1] : Affine{1, 0});
    *total = then(*total, scan[w + 31]);
  }
  return before;
}

void sweep_tiles(const Sweep &S, const Range &b, int threads, const Scalar *inverse, const Scalar *f, Scalar *y)
{
  const Index rows = b.end - b.begin, tile = std::min<Index>(S.reach, threads * cells);
  Scalar      carry = 0;

  for (Index g = 0; g < rows; g += tile) {
    const Index                      end = std::min(g + tile, rows);
    std::vector<std::vector<Affine>> row(threads, std::vector<Affine>(cells));
    std::vector<Affine>              all(threads, Affine{1, 0});
    Affine                           total;
    for (int t = 0; t < threads; t++) {
      Affine mine[cells];
      sweep_rows(S, b, g + t * cells, end, inverse, f, y, mine);
      for (int c = 0; c < cells; c++) all[t] = then(all[t], row[t][c] = mine[c]);
    }
    const std::vector<Affine> before = before_all(all, &total);
    for (int t = 0; t < threads; t++) {
      Scalar last = before[t].slope * carry + before[t].value;
      for (int c = 0; c < cells; c++) {
        last = row[t][c].slope * last + row[t][c].value;
        if (g + t * cells + c < end) y[cell(S.up, b, g + t * cells + c)] = last;
      }
    }
    carry = total.slope * carry + total.value;
  }
}

/* Both sweeps of blocks of `size` rows, couplings to the next row and over `reach` rows; transposed coefficients stand in the other row */
void compare(Index n, Index size, Index reach, int threads, bool transpose, bool chain)
{
  std::mt19937                           random(42);
  std::uniform_real_distribution<Scalar> number(-1, 1);
  std::vector<Scalar>                    c[4], x(n), inverse(n), expected(n), got(n);
  std::vector<Index>                     first;
  Sweep                                  S[2];

  for (auto &v : c) v.resize(n);
  for (Index i = 0; i < n; i++) {
    for (auto &v : c) v[i] = number(random) * (i % 7 ? Scalar(0.9) : Scalar(0));
    x[i]       = number(random);
    inverse[i] = 2 + number(random);
  }
  for (Index b = 0; b < n; b += size) first.push_back(b);
  first.push_back(n);
  for (int up = 0; up < 2; up++) {
    const Index one = up ? 1 : -1, far = up ? reach : -reach;
    S[up] = {
      up == 1, 2, reach, {{chain ? c[2 * up].data() : nullptr, one, transpose ? one : 0}, {c[2 * up + 1].data(), far, transpose ? far : 0}}
    };
  }
  const Blocks B{Index(first.size() - 1), 1, size, first.data(), nullptr, nullptr, nullptr, nullptr, nullptr};
  ASSERT_EQ(scan_host(S[0], S[1], B, inverse.data(), x.data(), expected.data()), nullptr);
  for (Index k = 0; k < B.n; k++) {
    sweep_tiles(S[0], range(B, k), threads, nullptr, x.data(), got.data());
    sweep_tiles(S[1], range(B, k), threads, inverse.data(), got.data(), got.data());
  }
  for (Index i = 0; i < n; i++) ASSERT_NEAR(got[i], expected[i], 1e3 * std::numeric_limits<Scalar>::epsilon() * std::max(Scalar(1), std::abs(expected[i]))) << "row " << i;
}

} // namespace

TEST(blockic_scan, tiles)
{
  for (Index reach : {32, 33, 100, 127, 128, 129, 1000}) {
    for (Index size : {1, 31, 64, 200, 257, 1500}) {
      for (int threads : {32, 64, 256}) {
        for (bool transpose : {false, true}) {
          compare(1500, size, reach, threads, transpose, true);
          compare(1500, size, reach, threads, transpose, false);
        }
      }
    }
  }
}
