/* Products with sums as passes: on the host after a product, on the device inside, too, with border rows of another rank */
#include "../rooms/loopback.h"
#include "../rooms/many_rows.h"
#include "square.h"

using namespace hepta;
using namespace hepta::test;

constexpr std::size_t x = 0, y = 1, scale = 2, with = 3, z = 4, count = 5; /* the vectors, and how many there are */

/* What a pass is tested with */
struct Kind {
  bool scaled, with, square;
};

static const Kind kinds[] = {{false, true, false}, {true, true, true}, {true, false, true}};

static ksp::ProductSums data_of(Vectors &v, Iteration &now, std::size_t n, const Kind &k)
{
  ksp::ProductSums p{};

  now.Give(p, n);
  p.x      = v[x];
  p.y      = v[y];
  p.scale  = k.scaled ? v[scale] : nullptr;
  p.with   = k.with ? v[with] : nullptr;
  p.first  = 3;
  p.summed = k.with;
  p.square = k.square;
  return p;
}

/* y is the product Ax, scaled, and the sums are those with it */
static void expect_product(const Vector &Ax, Vectors &v, Iteration &now, const Kind &k)
{
  const auto &b       = v.before;
  const auto  product = [&](std::size_t i) { return (k.scaled ? b[scale][i] : 1) * Ax[i]; };

  v.ExpectRows(y, product);
  v.ExpectKept({y});
  expect_sum(now.Now().sum[3], k.with ? sum_of(Ax.size(), [&](std::size_t i) { return b[with][i] * product(i); }) : 0);
  expect_sum(now.Now().sum[4], k.square ? sum_of(Ax.size(), [&](std::size_t i) { return product(i) * product(i); }) : 0);
}

TEST(ProductPasses, Sums)
{
  for (std::size_t n : pass_sizes()) {
    for (const Kind &k : kinds) {
      Vectors   v(n, count);
      Iteration now(unlimited());

      ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::SumProduct>(data_of(v, now, n, k))), nullptr);
      expect_product(v.before[y], v, now, k);
    }
  }
}

TEST(ProductPasses, Blocks)
{
  for (std::size_t n : pass_sizes()) {
    for (int bs : {1, 2, 4}) {
      const std::size_t rows = n / bs * bs;
      const Vector      D    = numbers(rows * bs, 7);
      Vectors           v(rows, count);
      Iteration         now(unlimited());
      Memory<Scalar>    d(D);
      ksp::Blocks       b{};

      now.Give(b, rows);
      b.bs = bs;
      b.d  = d.get();
      b.r  = v[x];
      b.z  = v[z];
      ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::MultiplyBlocks>(b)), nullptr);
      v.ExpectRows(z, [&](std::size_t i) {
        return sum_of(bs, [&](std::size_t s) { return D[s * rows + i] * v.before[x][i / bs * bs + s]; });
      });
      v.ExpectKept({z});
    }
  }
}

#if defined(HEPTA_HAVE_CUDA)

class ProductTiles : public DeviceOnly {};

/* Several tiles for a thread block, all diagonals at a time or some, and sums of more thread blocks than a thread adds at once */
TEST_F(ProductTiles, ManyRows)
{
  if (sizeof(Scalar) == 4) GTEST_SKIP() << "the sums of so many rows are rounded in single precision";
  const std::vector<Index> five = {-20, -1, 0, 1, 20}, seven = {-300, -20, -1, 0, 1, 20, 300},
                           nine = {-301, -300, -20, -1, 0, 1, 20, 300, 301};

  for (const Shape &p : {many_rows(1, five), many_rows(1, seven), many_rows(1, nine), many_rows(1, {0, 1, 20, 300, 301}, true),
                         many_rows(2, seven), many_rows(3, {0, 1, 20}, true), many_rows(5, five)}) {
    SCOPED_TRACE(p.name());
    Stored<float>     A = filled<float>(p);
    Placed<float>     own(A);
    const std::size_t n = std::size_t(p.nbr) * p.bs;
    Vectors           v(n, count);
    Iteration         now(unlimited());

    ASSERT_EQ(ksp::product_with_sums_cuda(data_of(v, now, n, kinds[1]), own.view(), nullptr), nullptr);
    expect_product(times(A, v.before[x], false), v, now, kinds[1]);
  }
}

class ProductBorder : public DeviceOnly {};

/* Twice the product and its border in two passes, A with the ghost part B, whose values are there or arrive meanwhile */
static void check_border(Placed<float> &own, const Dense &A, Ghost<double> B, const Kind &k, bool arrive)
{
  PlacedGhost<double>   ghost(B);
  Iteration             now(unlimited());
  Memory<std::uint32_t> bits(border_bits(B));
  Loopback              neighbor(B.D.cols);

  for (unsigned turn = 1; turn <= 2; turn++) {
    const Vector     xg = numbers(B.D.cols, 7 + turn), more = times(B.D, xg);
    Memory<Scalar>   values(xg);
    Vectors          v(A.rows, count, turn);
    Vector           product = times(A, v.before[x]);
    ksp::ProductSums c       = data_of(v, now, A.rows, k);

    for (Index i = 0; i < A.rows; i++) product[i] += more[i];
    if (arrive) neighbor.Send(values.get());
    c.border.bits = bits.get();
    c.beside      = arrive;
    c.leaves      = true;
    ASSERT_EQ(ksp::product_with_sums_cuda(c, own.view(), nullptr), nullptr);
    c.leaves = false;
    ASSERT_EQ(
      ksp::border_with_sums_cuda(c, ghost.view(), arrive ? nullptr : values.get(), arrive ? &neighbor.m : nullptr, nullptr),
      nullptr);
    expect_product(product, v, now, k);
    if (arrive) {
      EXPECT_EQ(neighbor.Done(), turn);
    }
  }
}

TEST_F(ProductBorder, Sums)
{
  for_square([](Placed<float> &own, const Dense &A) {
    for (const Kind &k : kinds) {
      for (bool arrive : {false, true}) check_border(own, A, ghost_of<double>(own.stored.p), k, arrive);
    }
  });
}

/* Several thread blocks in each of the two passes */
TEST_F(ProductBorder, ManyRows)
{
  const Shape                     shape = {600, 600, 2, {-1, 0, 1}};
  const Dense                     A     = dense_of(shape);
  Placed<float>                   own(shape, A);
  std::vector<Index>              rows(shape.nbr);
  std::vector<std::vector<Index>> blocks(shape.nbr);

  for (Index b = 0; b < shape.nbr; b++) {
    rows[b]   = b;
    blocks[b] = {b % 3};
  }
  for (bool arrive : {false, true}) check_border(own, A, Ghost<double>(shape.nbr, 3, shape.bs, rows, blocks), kinds[1], arrive);
}
#endif
