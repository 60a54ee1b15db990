/* The cycle's cells, one function call for each, against the host's passes in lines, or with HEPTA_TEST_DEVICE=1 against the device's kernels */
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "pc/subdeflation/cycle/cycle_launch.hxx"

#include "memory.h"

/* The launchers over Each that the library has: here they are called and not compiled once more */
namespace hepta::cycle
{
#define HEPTA_CYCLE_COMPILED(E) \
  extern template Status guess_scale(const E &, const Level<double> &, const Scalar *, Scales *); \
  extern template Status smooth_first(const E &, int, const Level<double> &); \
  extern template Status smooth_last(const E &, int, const Level<double> &); \
  extern template Status damp(const E &, double, bool, bool, const Level<double> &); \
  extern template Status absorb(const E &, int, const Level<double> &);
HEPTA_CYCLE_COMPILED(HostEach)
#if defined(HEPTA_HAVE_CUDA)
HEPTA_CYCLE_COMPILED(DeviceEach)
#endif
} // namespace hepta::cycle

using namespace hepta::cycle;
using hepta::Index;
using hepta::Scalar;
using hepta::Status;
using hepta::test::Memory;
using hepta::test::on_device;

/* What cells_kernel does */
struct OneByOne {
  template <class F> Status operator()(const Grid &g, const int *, F f) const
  {
    for (Index k = 0; k < g.n[2]; k++) {
      for (Index j = 0; j < g.n[1]; j++) {
        for (Index i = 0; i < g.n[0]; i++) f(i, j, k);
      }
    }
    return nullptr;
  }
};

template <class F> static Status each_cell(const OneByOne &cells, const Grid &g, const int *stop, F f)
{
  return cells(g, stop, f);
}

/* A level with random couplings and vectors, zero in the room around the cells; a slab has other slabs below and above */
template <int D> struct Case {
  std::vector<double> memory;
  Level<double>       L{};
  std::size_t         size = 0;

  Case(Index n0, Index n1, Index n2, Index box, unsigned seed, bool slab = false)
  {
    Grid       &g    = L.g;
    const Index line = (n0 + 3) / 2 * 2; /* even, for pairs of cells */
    g                = {
                     {n0,               n1,               n2              },
                     {n0 > 1 ? box : 1, n1 > 1 ? box : 1, n2 > 1 ? box : 1},
                     {1,                line,             line * n1       }
    };
    const Index room = g.stride[D - 1] + 2 + g.stride[D - 1] % 2;
    size             = std::size_t(g.stride[2]) * n2 + 2 * room;
    memory.assign(9 * size, 0.0);
    double *p = memory.data() + room;
    for (double **v : {&L.a[0], &L.a[1], &L.a[2], &L.e, &L.row_sum, &L.s, &L.z, &L.t, &L.u}) {
      *v = p;
      p += size;
    }
    std::mt19937                           random(seed);
    std::uniform_real_distribution<double> number(0.1, 1);
    const Index                            n[3] = {n0, n1, n2};
    (void)OneByOne()(g, nullptr, [&](Index i, Index j, Index k) {
      const Index m = cell_index(g, i, j, k), c[3] = {i, j, k};
      for (int a = 0; a < D; a++) L.a[a][m] = c[a] + 1 < n[a] ? -number(random) : 0;
      for (double *v : {L.e, L.row_sum, L.s, L.z, L.t, L.u}) v[m] = number(random);
    });
    g.slab          = slab;
    const Index end = n[D - 1] * g.stride[D - 1];
    for (Index m = 0; slab && m < g.stride[D - 1]; m++) {
      for (Index at : {m - g.stride[D - 1], m + end - g.stride[D - 1]}) L.a[D - 1][at] = -number(random);
      for (Index at : {m - g.stride[D - 1], m + end}) {
        for (double *v : {L.e, L.s, L.z}) v[at] = number(random);
      }
    }
  }
  /* the same level in a copy of its memory */
  Level<double> In(double *to) const
  {
    Level<double> c = L;

    for (int a = 0; a < 3; a++) c.a[a] = to + (L.a[a] - memory.data());
    for (auto [p, from] : {
           std::pair{&c.e,       L.e      },
           {&c.row_sum, L.row_sum},
           {&c.s,       L.s      },
           {&c.z,       L.z      },
           {&c.t,       L.t      },
           {&c.u,       L.u      }
    })
      *p = to + (from - memory.data());
    return c;
  }
};

static void expect_near(const std::vector<double> &a, const std::vector<double> &b, const char *what)
{
  for (std::size_t k = 0; k < a.size(); k++) ASSERT_NEAR(a[k], b[k], 1e-13) << what << " at " << k;
}

/* A level for the passes, where the tests of this run are, and the same for the cells one by one */
template <int D> struct Twice {
  Memory<double>      pass;
  std::vector<double> cells;
  Level<double>       L, l;

  explicit Twice(const Case<D> &c) : pass(c.memory), cells(c.memory), L(c.In(pass.get())), l(c.In(cells.data())) {}
  void ExpectNear(const char *what) { expect_near(pass.values(), cells, what); }
};

/* From the right-hand side to the first smoothing step */
template <int D> static void compare_input(Twice<D> &level, std::vector<double> x, Memory<Scales> &scales, Scales *same, bool slab)
{
  const Level<double> &L = level.L, &l = level.l;
  Memory<double>       input(x);

  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(find_largest, L, input.get(), scales.get()));
  *same = scales.values()[0];
  if (slab) {
    ASSERT_EQ(nullptr, HEPTA_ON_BOTH(scale_input, L, input.get(), scales.get()));
    ASSERT_EQ(nullptr, scale_input(OneByOne(), l, x.data(), same));
    level.ExpectNear("scale_input");
    ASSERT_EQ(nullptr, HEPTA_EACH_ON_BOTH(smooth_first, D, L));
    ASSERT_EQ(nullptr, smooth_first(OneByOne(), Axes<D>(), l));
  } else {
    ASSERT_EQ(nullptr, HEPTA_ON_BOTH(smooth_input, D, L, input.get(), scales.get()));
    ASSERT_EQ(nullptr, smooth_input<D>(OneByOne(), l, x.data(), same));
  }
  level.ExpectNear("smooth_input");
}

/* Boxes of 2 cells, which have functions of their own, and of 3 */
template <int D> static void compare(Index n0, Index n1, Index n2, Index box, bool slab)
{
  const Case<D>       grid(n0, n1, n2, box, 1, slab);
  const Grid         &g    = grid.L.g;
  const auto          down = [](Index n, Index b) { return n / b > 0 ? n / b : 1; };
  Twice<D>            fine(grid), coarse(Case<D>(down(n0, g.box[0]), down(n1, g.box[1]), down(n2, g.box[2]), box, 2, slab));
  const Level<double> L = fine.L, l = fine.l, C = coarse.L, c = coarse.l;
  std::vector<double> x(std::size_t(n0) * n1 * n2);
  Memory<Scales>      scales({
         {1, 0, 1}
  });
  Scales              same;
  std::mt19937        random(3);

  for (double &v : x) v = std::uniform_real_distribution<double>(-1, 1)(random);
  ASSERT_NO_FATAL_FAILURE(compare_input(fine, x, scales, &same, slab));
  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(restrict_residual, D, L, C, scales.get()));
  ASSERT_EQ(nullptr, box == 2 ? (restrict_residual<D, 2>(OneByOne(), l, c, &same)) : (restrict_residual<D, 0>(OneByOne(), l, c, &same)));
  coarse.ExpectNear("restrict_residual");
  EXPECT_DOUBLE_EQ(scales.values()[0].output, same.output);
  EXPECT_EQ(0u, scales.values()[0].largest);
  EXPECT_EQ(0u, same.largest);
  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(correct, D, 1.8, L, C));
  for (Index m = 0; m < g.stride[D - 1] && !on_device(); m++) L.t[m - g.stride[D - 1]] = L.t[m + g.n[D - 1] * g.stride[D - 1]] = 0; /* the host's passes have t beyond a slab, where a cell's function takes z and C.z */
  ASSERT_EQ(nullptr, box == 2 ? (correct<D, 2>(OneByOne(), 1.8, l, c)) : (correct<D, 0>(OneByOne(), 1.8, l, c)));
  fine.ExpectNear("correct");
  ASSERT_EQ(nullptr, HEPTA_EACH_ON_BOTH(smooth_last, D, L));
  ASSERT_EQ(nullptr, smooth_last(OneByOne(), Axes<D>(), l));
  fine.ExpectNear("smooth_last");
}

/* The cells of other cycles than V with one ip step before and after */
template <int D> static void compare_other(Index n0, Index n1, Index n2)
{
  Twice<D>            level(Case<D>(n0, n1, n2, 2, 4, false));
  const Level<double> L = level.L, l = level.l;

  for (bool start : {false, true}) {
    ASSERT_EQ(nullptr, HEPTA_EACH_ON_BOTH(damp, 0.5, start, !start, L));
    ASSERT_EQ(nullptr, damp(OneByOne(), 0.5, start, !start, l));
    level.ExpectNear("damp");
    ASSERT_EQ(nullptr, HEPTA_EACH_ON_BOTH(absorb, D, L));
    ASSERT_EQ(nullptr, absorb(OneByOne(), Axes<D>(), l));
    level.ExpectNear("absorb");
  }
}

static void compare_all(bool slab)
{
  for (Index box : {2, 3}) {
    compare<1>(17, 1, 1, box, slab);
    compare<2>(8, 6, 1, box, slab);
    compare<2>(7, 9, 1, box, slab);
    compare<3>(6, 5, 4, box, slab);
    compare<3>(5, 7, 3, box, slab);
  }
}

/* The largest entry guessed from a product of either sign and found in x; results do not depend on which, as long as both are within the range */
TEST(CycleCells, Scale)
{
  const Case<2>       grid(7, 9, 1, 2, 1, false);
  Twice<2>            found(grid), guessed(grid);
  Memory<double>      x(std::vector<double>(63, 3.));
  Memory<Scales>      scales(std::vector<Scales>(1, {4, 0, 1})), guess(std::vector<Scales>(1, {4, 0, 1}));
  std::vector<double> s[2];

  for (double product : {6.25e40, -6.25e40}) {
    Memory<double> given({product});
    ASSERT_EQ(nullptr, HEPTA_EACH_ON_BOTH(guess_scale, guessed.L, given.get(), guess.get()));
    const Scales g = guess.values()[0];
    double       largest;
    std::memcpy(&largest, &g.largest, sizeof(largest));
    EXPECT_DOUBLE_EQ(5e20, largest);
  }
  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(find_largest, found.L, x.get(), scales.get()));
  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(scale_input, found.L, x.get(), scales.get()));
  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(scale_input, guessed.L, x.get(), guess.get()));
  const Scales a = scales.values()[0], b = guess.values()[0];
  const double ratio = input_factor(&a) / input_factor(&b);
  s[0] = found.pass.values(), s[1] = guessed.pass.values();
  for (std::size_t at = std::size_t(grid.L.s - grid.memory.data()), k = at; k < at + 7; k++) EXPECT_EQ(s[0][k], ratio * s[1][k]);
}

TEST(CycleCells, OtherCycles)
{
  compare_other<1>(17, 1, 1);
  compare_other<2>(7, 9, 1);
  compare_other<3>(5, 7, 3);
}

TEST(CycleCells, Boxes)
{
  compare_all(false);
}

TEST(CycleCells, Slabs)
{
  compare_all(true);
}

/* So many cells that a thread of the device takes several planes or lines, and so many boxes that each is a thread's */
TEST(CycleCells, Many)
{
  if (!on_device()) GTEST_SKIP() << "a loop on the host takes all cells";
  compare<3>(4, 33, 8500, 2, false);
  compare<3>(40, 30, 30, 2, true);
  compare<2>(2, 280000, 1, 2, false);
  compare<2>(300, 200, 1, 3, false);
}
