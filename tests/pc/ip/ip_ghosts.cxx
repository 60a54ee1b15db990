/* Incomplete Poisson factors on one of two ranks: what S and M have in columns of the other, and the terms that need them */
#include "ip_split.h"

using namespace hepta;
using namespace hepta::test;

/* Everything that a set-up has, where the tests of this run are */
struct Rank {
  const Split          &s;
  const ip::Form       &f;
  Placed<double>        own, M;
  Ghost<double>         B, G;
  PlacedGhost<double>   ghost, ghost_M;
  PlacedRecipe          recipe;
  std::size_t           ld, local, part;
  Plan                  plan;
  Memory<std::size_t>   target, first, left, right;
  Memory<unsigned char> lower;
  Memory<Scalar>        work, out, inverse, others;
  Memory<Index>         pivot;
  Memory<ip::Found>     found;

  static Vector Work(const Split &s, const ip::Form &f, std::size_t before)
  {
    std::vector<std::pair<Index, Index>> blocks;
    Vector                               w(before, nan_value);

    for (Index k = 0; k < 8; k++) blocks.push_back({s.other + k / 4, k % 4});
    const Vector received = listed(s, scaled(s, f), blocks);
    w.insert(w.end(), received.begin(), received.end());
    return w;
  }
  static Vector Others(const Split &s)
  {
    const Dense D = block_inverse(s.A, s.bs);
    const int   n = 2 * s.bs;
    Vector      d(std::size_t(n) * s.bs);

    for (int i = 0; i < n; i++) {
      for (int c = 0; c < s.bs; c++) d[std::size_t(c) * n + i] = D(s.other * s.bs + i, s.other * s.bs + i / s.bs * s.bs + c);
    }
    return d;
  }
  Rank(const Split &s_, const ip::Form &f_)
    : s(s_), f(f_), own(s.shape, s.own), M(Stored<double>({2, 2, s.bs, PlacedRecipe::offsets(s.shape, f)})), B(s.B), G(s.B),
      ghost(B), ghost_M(G), recipe(s.shape, f), ld(own.stored.ld), local(M.stored.v.size()), part(s.B.v.size()),
      plan(s, f, ld, local, part), target(plan.target), first(plan.first), left(plan.left), right(plan.right),
      lower(std::vector<unsigned char>(4, s.other < s.mine)), work(Work(s, f, local + part)),
      out(Vector(local + part, nan_value)), inverse(Vector(s.bs * ld, nan_value)), others(Others(s)),
      pivot(std::vector<Index>(2 * s.bs)), found({{0, 0}})
  {
  }
  ip::Work S() { return {work.get(), local, part, ld, s.B.ld, s.bs}; }
  ip::Work W() { return {out.get(), local, part, ld, s.B.ld, s.bs}; }
  void     Run()
  {
    const auto        A = own.view(), F = M.view();
    const auto        r    = recipe.get();
    const std::size_t main = std::size_t(main_diagonal(F)) * s.bs * ld;
    const Scalar     *i = inverse.get(), *g = others.get();
    const ip::Terms   t = {plan.target.size(), target.get(), first.get(), left.get(), right.get()};

    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::invert, A, inverse.get(), pivot.get(), found.get()), nullptr);
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::scale, F, A, r, i, S()), nullptr);
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::scale_ghost, ghost.view(), r, (const unsigned char *)lower.get(), ld, i, g, S()), nullptr);
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::combine, F, r, S(), W()), nullptr);
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::add_terms, t, main, S(), W()), nullptr);
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::finish, F, r, i, W(), found.get()), nullptr);
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::finish_ghost, ghost_M.view(), r, g, W(), found.get()), nullptr);
  }
  void ExpectFactor()
  {
    const Dense    expected = ip_by_hand(s.A, s.bs, f);
    const Index    n = 2 * s.bs, from = s.mine * s.bs;
    Stored<double> values = M.stored;
    const auto    &v      = ghost_M.v.values();

    values.v = M.v.values();
    for (Index i = 0; i < n; i++) {
      for (Index j = 0; j < n; j++)
        ASSERT_NEAR(values.has(i, j) ? values.at(i, j) : 0, expected(from + i, from + j), ip_tolerance) << i << ", " << j;
      for (Index j = 0; j < n; j++)
        ASSERT_NEAR(v[j % s.bs * s.B.ld + s.index[i / s.bs * 2 + j / s.bs] * s.bs + i % s.bs],
                    expected(from + i, s.other * s.bs + j), ip_tolerance)
          << i << ", ghost " << j;
    }
  }
};

template <class F> static void for_splits(F f)
{
  for (int bs : {1, 2, 3}) {
    for (bool first : {true, false}) {
      for (const ip::Form &form : ip_forms) {
        SCOPED_TRACE(std::to_string(bs) + (first ? ", first rank" : ", second rank") +
                     (form.pairs ? ", one factor" : ", two factors") + (form.left_lower ? ", lower first" : ""));
        const Split s(bs, first);
        Rank        u(s, form);

        ASSERT_NO_FATAL_FAILURE(u.Run());
        f(s, form, u);
      }
    }
  }
}

TEST(IpGhosts, Factors)
{
  for_splits([](const Split &, const ip::Form &, Rank &u) { u.ExpectFactor(); });
}

/* Blocks of the three parts, for another rank */
TEST(IpGhosts, Pack)
{
  for_splits([](const Split &s, const ip::Form &f, Rank &u) {
    if (!f.pairs) return;
    const std::size_t   size = s.bs * s.bs;
    Memory<std::size_t> at({2 * s.bs * u.ld, u.local + std::size_t(s.index[3]) * s.bs, u.local + u.part + 5 * size});
    Memory<Scalar>      packed(Vector(3 * size, nan_value));
    const Vector        expected = listed(s, scaled(s, f), {{s.mine, s.mine + 1}, {s.mine + 1, s.other + 1}, {s.other + 1, 1}});

    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ip::pack, std::size_t(3), (const std::size_t *)at.get(), u.S(), packed.get()), nullptr);
    const Vector got = packed.values();
    for (std::size_t k = 0; k < expected.size(); k++) ASSERT_NEAR(got[k], expected[k], ip_tolerance);
  });
}
