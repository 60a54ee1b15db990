/* CG with a single reduction in one pass with block diagonals, on the device alone, against dense products */
#include "../square.h"
#include "cg_by_hand.h"

#if defined(HEPTA_HAVE_CUDA)
using namespace hepta;
using namespace hepta::test;
using ksp::SingleCG;

/* r, s and w have a buffer that is read and one that is written */
/* the vectors, and how many there are */
constexpr std::size_t x = 0, p = 1, d = 2, r = 3, s = 4, w = 5, new_r = 6, new_s = 7, new_w = 8, count = 9;

class SingleProducts : public DeviceOnly {};

/* A whole iteration of CG with a single reduction, from the first buffers to the second */
TEST_F(SingleProducts, Iteration)
{
  for_square([](Placed<float> &own, const Dense &A) {
    Vectors     v(A.rows, count);
    Iteration   now(single_state());
    SingleCG    c{};
    const auto &b        = v.before;
    const auto  step     = [&](std::size_t i) { return b[w][i] + 3 * b[s][i]; };
    const auto  residual = [&](std::size_t i) { return b[r][i] - 2 * step(i); };
    const auto  to       = [&](std::size_t i) { return b[d][i] * b[r][i] + 3 * b[p][i]; };
    Vector      inside(A.rows);

    for (Index i = 0; i < A.rows; i++) inside[i] = b[d][i] * residual(i);
    const Vector product = times(A, inside);
    now.Give(c, A.rows);
    c.x    = v[x];
    c.p    = v[p];
    c.r[0] = v[r];
    c.s[0] = v[s];
    c.w[0] = v[w];
    c.r[1] = v[new_r];
    c.s[1] = v[new_s];
    c.w[1] = v[new_w];
    c.d    = v[d];
    ASSERT_EQ(ksp::single_product_cuda(c, own.view(), nullptr), nullptr);
    v.ExpectRows(p, to);
    v.ExpectRows(x, [&](std::size_t i) { return b[x][i] + 2 * to(i); });
    v.ExpectRows(new_r, residual);
    v.ExpectRows(new_s, step);
    v.ExpectRows(new_w, [&](std::size_t i) { return product[i]; });
    v.ExpectKept({p, x, new_r, new_s, new_w});
    EXPECT_EQ(now.Now().it, 1);
    EXPECT_EQ(now.Now().rho, sum_of(A.rows, [&](std::size_t i) { return residual(i) * inside[i]; }));
  });
}
#endif
