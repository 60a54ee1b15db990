/* Incomplete Poisson factors in block diagonals, against dense products */
#include "ip_recipe.h"

using namespace hepta;
using namespace hepta::test;

/* The factor is what it is by hand */
static void expect_factor(Placed<double> &M, const Dense &A, const ip::Form &f)
{
  const Dense    expected = ip_by_hand(A, M.stored.p.bs, f);
  Stored<double> found    = M.stored;

  found.v = M.v.values();
  for (Index i = 0; i < A.rows; i++) {
    for (Index j = 0; j < A.cols; j++)
      ASSERT_NEAR(found.has(i, j) ? found.at(i, j) : 0, expected(i, j), ip_tolerance) << i << ", " << j;
  }
}

/* Calls f(A, where the tests of this run are, the factor with nothing in it, its form and recipe) */
template <class F> static void for_factors(const std::vector<Shape> &shapes, F f)
{
  for (const Shape &p : shapes) {
    if (p.nbr > 100 || p.nbr != p.nbc || std::count(p.off.begin(), p.off.end(), 0) == 0) continue;
    for (const ip::Form &form : ip_forms) {
      SCOPED_TRACE(p.name() + (form.pairs ? ", one factor" : ", two factors") + (form.left_lower ? ", lower first" : ""));
      /* stored blocks of zeros are none of the pattern */
      const Dense    A = blocks_of(dominant(dense_of(p)), p.bs, [](Index m, Index c) { return m == c || (m + c) % 4; });
      Placed<double> own(p, A), M(Stored<double>({p.nbr, p.nbc, p.bs, PlacedRecipe::offsets(p, form)}));
      PlacedRecipe   recipe(p, form);

      f(A, own, M, form, recipe);
    }
  }
}

TEST(IpDiagonals, AtOnce)
{
  for (const auto &shapes : {awkward(1), awkward_half(1)}) {
    for_factors(shapes, [](const Dense &A, Placed<double> &own, Placed<double> &M, const ip::Form &form, PlacedRecipe &recipe) {
      Memory<ip::Found> found({{0, 0}});

      ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::build, M.view(), own.view(), recipe.get(), found.get()), nullptr);
      expect_factor(M, A, form);
      EXPECT_EQ(found.values()[0].pivot, 0);
      EXPECT_EQ(found.values()[0].infinite, 0);
    });
  }
}

TEST(IpDiagonals, ByBlocks)
{
  for (int bs : {1, 2, 3, 5}) {
    for_factors(
      awkward(bs), [](const Dense &A, Placed<double> &own, Placed<double> &M, const ip::Form &form, PlacedRecipe &recipe) {
        const std::size_t size = M.stored.v.size(), ld = own.stored.ld;
        const int         bs = M.stored.p.bs;
        Memory<ip::Found> found({{0, 0}});
        Memory<Scalar>    s(Vector(size, nan_value)), w(Vector(size, nan_value)), inverse(Vector(bs * ld, nan_value));
        Memory<Index>     pivot(std::vector<Index>(A.rows, 77));
        const ip::Work    S{s.get(), size, 0, ld, 0, bs}, W{w.get(), size, 0, ld, 0, bs};

        ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::invert, own.view(), inverse.get(), pivot.get(), found.get()), nullptr);
        ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::scale, M.view(), own.view(), recipe.get(), (const Scalar *)inverse.get(), S), nullptr);
        ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::combine, M.view(), recipe.get(), S, W), nullptr);
        ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::finish, M.view(), recipe.get(), (const Scalar *)inverse.get(), W, found.get()), nullptr);
        expect_factor(M, A, form);
        EXPECT_EQ(found.values()[0].pivot, 0);
        EXPECT_EQ(found.values()[0].infinite, 0);
      });
  }
}

/* The first rows without a pivot, and with a number that is not finite */
TEST(IpDiagonals, Found)
{
  const Shape p{24, 24, 1, {-1, 0, 1}};
  for (bool at_once : {false, true}) {
    Dense A = dominant(dense_of(p));
    A(7, 7) = A(9, 9) = 0;
    A(15, 15) = A(20, 20) = nan_value;
    Placed<double>    own(p, A), M((Stored<double>(p)));
    PlacedRecipe      recipe(p, ip_forms[0]);
    Memory<ip::Found> found({{0, 0}});
    Memory<Scalar>    inverse(Vector(own.stored.ld, 0));
    Memory<Index>     pivot(std::vector<Index>(24, 0));

    ASSERT_EQ(at_once ? HEPTA_EACH_ON_BOTH(ip::build, M.view(), own.view(), recipe.get(), found.get())
                      : HEPTA_EACH_ON_BOTH(ip::invert, own.view(), inverse.get(), pivot.get(), found.get()),
              nullptr);
    EXPECT_EQ(first_noted(found.values()[0].pivot), 7);
    EXPECT_EQ(first_noted(found.values()[0].infinite), at_once ? 6 : 15); /* rows next to a zero have numbers divided by it */
  }
}
