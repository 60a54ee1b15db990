/* The ends of an application of multigrid on boxes, by hand; with HEPTA_TEST_DEVICE=1 the device's */
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "pc/gridmg/gridmg_launch.hxx"

#include "memory.h"

/* The launcher over Each that the library has: here it is called and not compiled once more */
namespace hepta::gridmg
{
extern template Status guess_scale(const HostEach &, const Level<double> &, const Scalar *, Scales *);
#if defined(HEPTA_HAVE_CUDA)
extern template Status guess_scale(const DeviceEach &, const Level<double> &, const Scalar *, Scales *);
#endif
} // namespace hepta::gridmg

using namespace hepta::gridmg;
using hepta::Index;
using hepta::Scalar;
using hepta::test::Memory;
using hepta::test::on_device;

constexpr Scalar PRODUCT = Scalar(sizeof(Scalar) < 8 ? 6.25e20 : 6.25e40);

/* 7 x 9 cells in lines of 8, with a line of room before and after them, and the arrays e, s and z */
struct Arrays {
  static constexpr Index LINE = 8, SIZE = 11 * LINE;
  Memory<double>         memory;
  Level<double>          L{};

  Arrays() : memory(std::vector<double>(3 * SIZE, 0.5))
  {
    double *p = memory.get() + LINE;
    L.g       = {{7, 9, 1}, {2, 2, 1}, {1, LINE, 9 * LINE}};
    for (double **v : {&L.e, &L.s, &L.z}) {
      *v = p;
      p += SIZE;
    }
  }
  double S(Index i, Index j) { return memory.values()[std::size_t(SIZE + LINE + i + j * LINE)]; }
};

/* The largest entry guessed from a product of either sign, and found in x: factors that are powers of two, and solutions that do
   not depend on which */
TEST(GridmgCells, Scale)
{
  Arrays              found, guessed;
  std::vector<Scalar> values(63);
  Memory<Scales>      scales(std::vector<Scales>(1, {4, 0, 1})), guess(std::vector<Scales>(1, {4, 0, 1}));

  for (std::size_t k = 0; k < values.size(); k++) values[k] = 3 - Scalar(k);
  Memory<Scalar> x(values), y(values);
  for (Scalar product : {PRODUCT, -PRODUCT}) {
    Memory<Scalar> given({product});
    ASSERT_EQ(nullptr, HEPTA_EACH_ON_BOTH(guess_scale, guessed.L, given.get(), guess.get()));
    const Scales g = guess.values()[0];
    double       largest;
    std::memcpy(&largest, &g.largest, sizeof(largest));
    EXPECT_DOUBLE_EQ(std::sqrt(4 * double(PRODUCT)), largest);
  }
  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(find_largest, found.L, x.get(), scales.get()));
  const Scales a = scales.values()[0], b = guess.values()[0];
  EXPECT_EQ(1 / 16., input_factor(&a)); /* the largest is 0.5 * 59 */
  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(scale_input, found.L, x.get(), scales.get()));
  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(scale_input, guessed.L, x.get(), guess.get()));
  for (Index i = 0; i < 7; i++) {
    EXPECT_EQ((3. - double(i + 7 * 4)) / 16, found.S(i, 4));
    EXPECT_EQ(found.S(i, 4) * input_factor(&b), guessed.S(i, 4) * input_factor(&a));
  }
  EXPECT_EQ(0.5, found.S(7, 4)); /* no cell */
  ASSERT_EQ(nullptr, HEPTA_ON_BOTH(finish_dense, found.L, scales.get(), y.get()));
  for (Scalar v : y.values()) EXPECT_EQ(0.5, v);
}
