/* The passes of fused BiCGStab, by hand */
#include "../passes.h"
#include "ksp/fusedbcgs/fusedbcgs_row.hxx"

using namespace hepta;
using namespace hepta::test;
using ksp::BCGS;
using ksp::Breakdown;

/* the vectors, and how many there are */
constexpr std::size_t x = 0, r = 1, p = 2, v = 3, s = 4, t = 5, ph = 6, sh = 7, r0 = 8, d = 9, count = 10;

/* alpha is 8/4; omega 12/4 where it is computed from the sums, otherwise 5; beta 2 */
static ksp::State given()
{
  ksp::State now = unlimited();

  now.rho                    = 8;
  now.sum[ksp::index_r0v]    = 4;
  now.sum[ksp::index_st]     = 12;
  now.sum[ksp::index_st + 1] = 4;
  now.omega                  = 5;
  now.beta                   = 2;
  return now;
}

/* With a diagonal p^ and s^ have vectors of their own */
static BCGS data_of(Vectors &a, Iteration &now, std::size_t n, bool diagonal)
{
  BCGS c{};

  now.Give(c, n);
  c.norm = diagonal;
  c.x    = a[x];
  c.r    = a[r];
  c.p    = a[p];
  c.v    = a[v];
  c.s    = a[s];
  c.t    = a[t];
  c.ph   = a[diagonal ? ph : p];
  c.sh   = a[diagonal ? sh : s];
  c.r0   = a[r0];
  c.d    = diagonal ? a[d] : nullptr;
  return c;
}

/* Calls f(data, vectors, what they were before, iteration, diagonal) for every size */
template <class F> static void for_passes(const ksp::State &state, F f)
{
  for (std::size_t n : pass_sizes()) {
    for (bool diagonal : {false, true}) {
      Vectors   a(n, count);
      Iteration now(state);

      f(data_of(a, now, n, diagonal), a, a.before, now, diagonal);
    }
  }
}

TEST(BcgsPasses, Direction)
{
  for_passes(given(), [](const BCGS &c, Vectors &a, const std::vector<Vector> &b, Iteration &, bool diagonal) {
    const auto next = [&](std::size_t i) { return b[r][i] + 2 * (b[p][i] - 5 * b[v][i]); };

    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::BCGSDirection>(c)), nullptr);
    a.ExpectRows(p, next);
    if (diagonal) a.ExpectRows(ph, [&](std::size_t i) { return b[d][i] * next(i); });
    a.ExpectKept({p, diagonal ? ph : p});
  });
}

TEST(BcgsPasses, Half)
{
  for_passes(given(), [](const BCGS &c, Vectors &a, const std::vector<Vector> &b, Iteration &, bool diagonal) {
    const auto next = [&](std::size_t i) { return b[r][i] - 2 * b[v][i]; };

    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::BCGSHalf>(c)), nullptr);
    a.ExpectRows(s, next);
    if (diagonal) a.ExpectRows(sh, [&](std::size_t i) { return b[d][i] * next(i); });
    a.ExpectKept({s, diagonal ? sh : s});
  });
}

TEST(BcgsPasses, Update)
{
  for_passes(given(), [](const BCGS &c, Vectors &a, const std::vector<Vector> &b, Iteration &now, bool diagonal) {
    const auto   next = [&](std::size_t i) { return b[s][i] - 3 * b[t][i]; };
    const Scalar rho  = sum_of(c.n, [&](std::size_t i) { return b[r0][i] * next(i); });

    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::BCGSUpdate>(c)), nullptr);
    a.ExpectRows(x, [&](std::size_t i) { return b[x][i] + 2 * b[diagonal ? ph : p][i] + 3 * b[diagonal ? sh : s][i]; });
    a.ExpectRows(r, next);
    a.ExpectKept({x, r});
    now.ExpectNoted(1, c.norm ? std::sqrt(sum_of(c.n, [&](std::size_t i) { return next(i) * next(i); })) : 0, 2,
                    rho / 8 * (Scalar(2) / 3), Breakdown::none);
    EXPECT_EQ(now.Now().rho, rho);
    EXPECT_EQ(now.Now().omega, 3);
  });
}

/* Where K s = 0 the residual is s, and x is not changed */
TEST(BcgsPasses, ZeroDirection)
{
  ksp::State state = given();

  state.sum[ksp::index_st] = state.sum[ksp::index_st + 1] = 0;
  for_passes(state, [](const BCGS &c, Vectors &a, const std::vector<Vector> &b, Iteration &now, bool) {
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::BCGSUpdate>(c)), nullptr);
    a.ExpectRows(r, [&](std::size_t i) { return b[s][i]; });
    a.ExpectKept({r});
    EXPECT_EQ(now.Now().it, 0);
    EXPECT_EQ(now.Now().pause, 1);
    EXPECT_EQ(now.Now().breakdown, c.n ? Breakdown::zero_direction : Breakdown::solved);
  });
}
