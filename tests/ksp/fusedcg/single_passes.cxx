/* The passes of CG with a single reduction over vectors, by hand */
#include "cg_by_hand.h"

using namespace hepta;
using namespace hepta::test;
using ksp::Breakdown;
using ksp::Inner;
using ksp::Norm;
using ksp::SingleCG;

constexpr std::size_t x = 0, z = 1, p = 2, r = 3, s = 4, w = 5, d = 6, count = 7; /* the vectors, and how many there are */

static SingleCG cg_of(Vectors &v, Iteration &now, std::size_t n)
{
  SingleCG c{};

  now.Give(c, n);
  c.x    = v[x];
  c.z    = v[z];
  c.p    = v[p];
  c.r[0] = v[r];
  c.s[0] = v[s];
  c.w[0] = v[w];
  c.d    = v[d];
  return c;
}

TEST(SinglePasses, Step)
{
  for (std::size_t n : pass_sizes()) {
    for (Inner inner : {Inner::outside, Inner::identity, Inner::diagonal}) {
      Vectors        v(n, count);
      Iteration      now(single_state());
      const SingleCG c        = cg_of(v, now, n);
      const auto    &b        = v.before;
      const auto     step     = [&](std::size_t i) { return b[w][i] + 3 * b[s][i]; };
      const auto     to       = [&](std::size_t i) { return b[z][i] + 3 * b[p][i]; };
      const auto     residual = [&](std::size_t i) { return b[r][i] - 2 * step(i); };

      ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::single_step, c, inner), nullptr);
      v.ExpectRows(p, to);
      v.ExpectRows(s, step);
      v.ExpectRows(x, [&](std::size_t i) { return b[x][i] + 2 * to(i); });
      v.ExpectRows(r, residual);
      v.ExpectRows(z, [&](std::size_t i) {
        return inner == Inner::outside ? b[z][i] : inner == Inner::identity ? residual(i) : b[d][i] * residual(i);
      });
      v.ExpectKept({p, s, x, r, z});
    }
  }
}

/* A breakdown, if the numbers of a next iteration are of no use, and these */
static Breakdown breakdown_of(Scalar rho, Scalar pq)
{
  if (rho == 0) return Breakdown::zero_residual;
  if (rho < 0) return Breakdown::preconditioner;
  return pq <= 0 ? Breakdown::matrix : Breakdown::none;
}

/* The sums of r, z and w from vectors of one sign, so that (r, z) and (p, A p) are positive, or with another sign of z or w */
TEST(SinglePasses, Sums)
{
  for (std::size_t n : pass_sizes()) {
    for (int kind = 0; kind < 9; kind++) {
      const Norm norm = kind % 3 == 0 ? Norm::preconditioned : kind % 3 == 1 ? Norm::unpreconditioned : Norm::natural;
      Vectors    v(n, count);
      Iteration  now(single_state());
      SingleCG   c = cg_of(v, now, n);
      Vector     Z = v.before[r], W = v.before[w];
      for (std::size_t i = 0; i < n; i++) {
        Z[i] *= kind / 3 == 1 ? -1 : 2;
        W[i] = (kind / 3 == 2 ? -1 : 4096) * Z[i];
      }
      Memory<Scalar> mz(Z), mw(W);

      c.norm = norm;
      c.z    = mz.get();
      c.w[0] = mw.get();
      ASSERT_EQ(HEPTA_EACH_ON_BOTH(ksp::run_pass, ksp::pass_of<ksp::SingleSums>(c)), nullptr);
      const Vector &R     = v.before[r];
      const Scalar  rz    = sum_of(n, [&](std::size_t i) { return R[i] * Z[i]; }),
                   zw     = sum_of(n, [&](std::size_t i) { return Z[i] * W[i]; });
      const Scalar square = sum_of(n, [&](std::size_t i) { return norm == Norm::preconditioned ? Z[i] * Z[i] : R[i] * R[i]; }),
                   pq     = zw - rz / 8 * rz / 2;
      now.ExpectNoted(1, std::sqrt(norm == Norm::natural ? std::abs(rz) : square), 2, 3, breakdown_of(rz, pq));
      EXPECT_EQ(now.Now().rho, rz);
      EXPECT_EQ(now.Now().beta, rz / 8);
      EXPECT_NEAR(now.Now().pq, pq, 1e-12 * std::abs(pq));
      if (n) {
        EXPECT_NEAR(now.Now().alpha, rz / pq, 1e-12 * std::abs(rz / pq));
      }
      v.ExpectKept({});
    }
  }
}
