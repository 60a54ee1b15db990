/* The passes of BiCGCR, by hand */
#include "../passes.h"
#include "ksp/bicgcr/bicgcr_row.hxx"

using namespace hepta;
using namespace hepta::test;
using ksp::BiCGCR;
using ksp::Breakdown;
using ksp::Norm;

/* the vectors, and how many there are */
constexpr std::size_t x = 0, r = 1, z = 2, p = 3, q = 4, u = 5, w = 6, zs = 7, qs = 8, us = 9, ws = 10, d = 11, count = 12;

/* alpha is 8/4, beta 24/8 */
static ksp::State given()
{
  ksp::State s = unlimited();

  s.rho                  = 8;
  s.sum[ksp::index_qu]   = 4;
  s.sum[ksp::index_zw]   = 24;
  s.sum[ksp::index_norm] = 9;
  return s;
}

/* What a pass is tested with: shadows, the residual r, a diagonal preconditioner */
struct Kind {
  bool shadows, residual, diagonal;
};

static const Kind kinds[] = {{false, false, false}, {false, true, true}, {true, false, true}, {true, true, false}};

static BiCGCR data_of(Vectors &v, Iteration &now, std::size_t n, const Kind &k)
{
  BiCGCR c{};

  now.Give(c, n);
  c.norm      = k.residual ? Norm::unpreconditioned : Norm::preconditioned;
  c.two_sided = k.shadows;
  c.within    = k.diagonal;
  c.x         = v[x];
  c.r         = k.residual ? v[r] : nullptr;
  c.z         = v[z];
  c.p         = v[p];
  c.q         = v[q];
  c.u         = v[u];
  c.w         = v[w];
  c.zs        = k.shadows ? v[zs] : nullptr;
  c.qs        = k.shadows ? v[qs] : nullptr;
  c.us        = k.shadows ? v[us] : nullptr;
  c.ws        = k.shadows ? v[ws] : nullptr;
  c.d         = k.diagonal ? v[d] : nullptr;
  return c;
}

/* Calls f(data, vectors, what they were before, iteration, kind) for every size */
template <class F> static void for_passes(F f)
{
  for (std::size_t n : pass_sizes()) {
    for (const Kind &k : kinds) {
      Vectors   v(n, count);
      Iteration now(given());

      f(data_of(v, now, n, k), v, v.before, now, k);
    }
  }
}

TEST(BicgcrPasses, Update)
{
  for_passes([](const BiCGCR &c, Vectors &v, const std::vector<Vector> &b, Iteration &now, const Kind &k) {
    const auto next = [&](std::size_t i) { return b[z][i] - 2 * b[u][i]; };
    const auto left = [&](std::size_t i) { return b[r][i] - 2 * b[q][i]; };

    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::BiCGCRUpdate>(c)), nullptr);
    v.ExpectRows(x, [&](std::size_t i) { return b[x][i] + 2 * b[p][i]; });
    v.ExpectRows(z, next);
    if (k.residual) v.ExpectRows(r, left);
    if (k.shadows) v.ExpectRows(zs, [&](std::size_t i) { return b[zs][i] - 2 * b[us][i]; });
    v.ExpectKept({x, z, k.residual ? r : x, k.shadows ? zs : x});
    EXPECT_EQ(now.Now().sum[ksp::index_norm],
              sum_of(c.n, [&](std::size_t i) { return k.residual ? left(i) * left(i) : next(i) * next(i); }));
  });
}

/* The iteration that has ended, with (q*, u) */
static void expect_end(Iteration &now, Scalar qu, const Kind &k)
{
  now.ExpectNoted(1, 3, 0, 0,
                  k.shadows ? (qu == 0 ? Breakdown::zero_product : Breakdown::none)
                  : qu <= 0 ? Breakdown::preconditioner
                            : Breakdown::none);
  EXPECT_EQ(now.Now().rho, 24);
  EXPECT_EQ(now.Now().sum[ksp::index_qu], qu);
}

TEST(BicgcrPasses, DirectionAndSum)
{
  for_passes([](const BiCGCR &c, Vectors &v, const std::vector<Vector> &b, Iteration &now, const Kind &k) {
    const auto next   = [&](std::size_t i) { return b[w][i] + 3 * b[q][i]; };
    const auto shadow = [&](std::size_t i) { return k.shadows ? b[ws][i] + 3 * b[qs][i] : next(i); };
    const auto inside = [&](std::size_t i) { return k.diagonal ? b[d][i] * next(i) : b[u][i]; };

    ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::BiCGCRDirection>(c)), nullptr);
    v.ExpectRows(p, [&](std::size_t i) { return b[z][i] + 3 * b[p][i]; });
    v.ExpectRows(q, next);
    v.ExpectRows(u, inside);
    if (k.shadows) v.ExpectRows(qs, shadow);
    if (k.shadows && k.diagonal) v.ExpectRows(us, [&](std::size_t i) { return b[d][i] * shadow(i); });
    v.ExpectKept({p, q, u, k.shadows ? qs : p, k.shadows && k.diagonal ? us : p});
    if (!k.diagonal) {
      ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::BiCGCRSum>(c)), nullptr);
    }
    expect_end(now, sum_of(c.n, [&](std::size_t i) { return shadow(i) * inside(i); }), k);
  });
}
