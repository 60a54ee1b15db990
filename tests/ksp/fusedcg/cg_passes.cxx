/* The passes of fused CG over vectors, by hand */
#include "cg_by_hand.h"

using namespace hepta;
using namespace hepta::test;
using namespace hepta::test::cg;
using ksp::Breakdown;
using ksp::CG;
using ksp::Inner;
using ksp::Norm;

TEST(CgPasses, Direction)
{
  const Vector   Y = {10, 100, 1000};
  Memory<Scalar> y(Y);

  for (std::size_t n : pass_sizes()) {
    for (int kind = 0; kind < 8; kind++) {
      const bool    two = kind & 1, deflated = kind & 2;
      const int     it = kind / 4;
      Vectors       v(n, count);
      Iteration     now(cg_state(it));
      CG            c = cg_of(v, now, n);
      Memory<Index> label(thirds(n));

      c.two   = two;
      c.label = label.get();
      c.y     = deflated ? y.get() : nullptr;
      ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::NewDirection>(c)), nullptr);
      const std::size_t to = two && it ? p1 : p, from = two && !it ? p1 : p;
      v.ExpectRows(to, [&](std::size_t i) { return v.before[z][i] + (deflated ? Y[i % 3] : 0) + 3 * v.before[from][i]; });
      v.ExpectKept({to});
    }
  }
}

/* The update from iteration 0, with the inverse diagonal blocks d of size bs, and the sums if they are not part of it */
static void check_update(std::size_t n, Inner inner, int bs, Norm norm, bool flexible)
{
  const Vector   D = numbers(n * bs, 9);
  Vectors        v(n, count);
  Iteration      now(cg_state(0));
  CG             c = cg_of(v, now, n);
  Memory<Scalar> d(D);
  const auto    &b      = v.before;
  const bool     writes = inner == Inner::diagonal || inner == Inner::blocks;

  c.norm     = norm;
  c.flexible = flexible;
  c.bs       = bs;
  c.d        = d.get();
  ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::update, c, inner), nullptr);
  const auto residual = [&](std::size_t i) { return b[r][i] - 2 * b[q][i]; };
  const auto inside   = [&](std::size_t i) {
    if (inner == Inner::identity) return residual(i);
    return writes ? sum_of(bs, [&](std::size_t s) { return D[s * n + i] * residual(i - i % bs + s); }) : b[z][i];
  };
  v.ExpectRows(x, [&](std::size_t i) { return b[x][i] + 2 * b[p][i]; });
  v.ExpectRows(r, residual);
  if (writes) v.ExpectRows(z, inside);
  v.ExpectKept({x, r, writes ? z : x});
  if (inner == Inner::outside) {
    EXPECT_EQ(now.Now().it, 0);
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::InnerSums>(c)), nullptr);
  }
  const Scalar rz = sum_of(n, [&](std::size_t i) { return residual(i) * inside(i); }),
               zq = sum_of(n, [&](std::size_t i) { return inside(i) * b[q][i]; });
  const Scalar square =
    sum_of(n, [&](std::size_t i) { return norm == Norm::preconditioned ? inside(i) * inside(i) : residual(i) * residual(i); });
  now.ExpectNoted(1, norm == Norm::none ? 0 : std::sqrt(norm == Norm::natural ? std::abs(rz) : square), 2, 3,
                  rz == 0  ? Breakdown::zero_residual
                  : rz < 0 ? Breakdown::preconditioner
                           : Breakdown::none);
  EXPECT_EQ(now.Now().rho, rz);
  EXPECT_EQ(now.Now().beta, (flexible ? -2 * zq : rz) / 8);
}

TEST(CgPasses, Update)
{
  for (std::size_t n : pass_sizes()) {
    for (Norm norm : {Norm::none, Norm::preconditioned, Norm::unpreconditioned, Norm::natural}) {
      for (Inner inner : {Inner::outside, Inner::identity, Inner::diagonal})
        check_update(n, inner, 1, norm, norm == Norm::natural);
      for (int bs : {1, 2, 3}) check_update(n / bs * bs, Inner::blocks, bs, norm, norm == Norm::preconditioned);
    }
  }
}

/* Without an alpha the iteration does not count; after a pause nothing happens */
TEST(CgPasses, Stops)
{
  for (bool paused : {false, true}) {
    ksp::State s = cg_state(0);

    s.sum[ksp::index_pq] = paused ? 4 : 0;
    s.pause              = paused;
    Vectors   v(260, count);
    Iteration now(s);
    const CG  c = cg_of(v, now, 260);
    if (paused) {
      ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::NewDirection>(c)), nullptr);
    }
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::update, c, Inner::identity), nullptr);
    v.ExpectKept({});
    EXPECT_EQ(now.Now().it, 0);
    EXPECT_EQ(now.Now().pause, 1);
    EXPECT_EQ(now.Now().breakdown, paused ? Breakdown::none : Breakdown::matrix);
  }
}
