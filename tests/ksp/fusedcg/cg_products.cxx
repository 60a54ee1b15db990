/* The passes of fused CG that multiply with block diagonals, on the device alone, against dense products */
#include "../../rooms/loopback.h"
#include "../square.h"
#include "cg_by_hand.h"

#if defined(HEPTA_HAVE_CUDA)
using namespace hepta;
using namespace hepta::test;
using namespace hepta::test::cg;
using ksp::CG;

/* p[0] is computed from p[1] */
static CG product_of(Vectors &v, Iteration &now, std::size_t n)
{
  CG c = cg_of(v, now, n);

  c.two  = true;
  c.norm = ksp::Norm::unpreconditioned;
  return c;
}

/* A x + B g */
static Vector product_with_ghosts(const Dense &A, const Dense &B, const Vector &x, const Vector &g)
{
  Vector       Ax = times(A, x);
  const Vector Bg = times(B, g);

  for (Index i = 0; i < A.rows; i++) Ax[i] += Bg[i];
  return Ax;
}

class CgProducts : public DeviceOnly {};

/* Where the ghost values are: there are none, in the ghost vector, or they arrive in a mailbox */
enum class Ghosts {
  none,
  given,
  arriving
};

/* p <- z + Z y + 3 p and q <- A p, with y or without, and with border rows that the ghost part B completes or without */
static void check_direction(Placed<float> &own, const Dense &A, bool deflated, Ghosts where)
{
  const bool            several = where != Ghosts::none, arrive = where == Ghosts::arriving;
  const Vector          Y = {10, 100, 1000};
  Ghost<float>          B = ghost_of<float>(own.stored.p);
  PlacedGhost<float>    ghost(B);
  Vectors               v(A.rows, count), g(B.D.cols, 3); /* ghost values of z, p and p before */
  Iteration             now(cg_state(0));
  CG                    c = product_of(v, now, A.rows);
  Memory<Scalar>        y(Y);
  Memory<Index>         label(thirds(A.rows));
  Memory<std::uint32_t> border(border_bits(B));
  Vector                next(A.rows), ghosts(B.D.cols);
  Loopback              neighbor(B.D.cols);

  for (Index i = 0; i < A.rows; i++) next[i] = v.before[z][i] + (deflated ? Y[i % 3] : 0) + 3 * v.before[p1][i];
  for (Index j = 0; j < B.D.cols; j++) ghosts[j] = g.before[0][j] + 3 * g.before[2][j];
  const Vector Ap = several ? product_with_ghosts(A, B.D, next, ghosts) : times(A, next);
  c.label         = label.get();
  c.y             = deflated ? y.get() : nullptr;
  c.border.bits   = several ? border.get() : nullptr;
  c.pg[0]         = g[1];
  c.pg[1]         = g[2];
  c.beside        = arrive;
  c.leaves        = several;
  if (arrive) neighbor.Send(g[0]);
  ASSERT_EQ(ksp::direction_product_cuda(c, own.view(), nullptr), nullptr);
  c.leaves = false;
  if (several) {
    ASSERT_EQ(ksp::direction_border_cuda(c, ghost.view(), arrive ? nullptr : g[0], arrive ? &neighbor.m : nullptr, nullptr),
              nullptr);
    EXPECT_EQ(neighbor.Done(), unsigned(arrive));
    g.ExpectRows(1, [&](std::size_t j) { return ghosts[j]; });
  }
  v.ExpectRows(p, [&](std::size_t i) { return next[i]; });
  v.ExpectRows(q, [&](std::size_t i) { return Ap[i]; });
  v.ExpectKept({p, q});
  expect_sum(now.Now().sum[ksp::index_pq], sum_of(A.rows, [&](std::size_t i) { return next[i] * Ap[i]; }));
}

TEST_F(CgProducts, Direction)
{
  for_square([](Placed<float> &own, const Dense &A) {
    check_direction(own, A, true, Ghosts::none);
    for (Ghosts where : {Ghosts::none, Ghosts::given, Ghosts::arriving}) check_direction(own, A, false, where);
  });
}

/* z <- M r, and the end of the iteration */
TEST_F(CgProducts, Inner)
{
  for_square([](Placed<float> &own, const Dense &M) {
    Vectors      v(M.rows, count);
    Iteration    now(cg_state(0));
    const CG     c  = product_of(v, now, M.rows);
    const Vector Mr = times(M, v.before[r]);

    ASSERT_EQ(ksp::inner_product_cuda(c, own.view(), nullptr), nullptr);
    v.ExpectRows(z, [&](std::size_t i) { return Mr[i]; });
    v.ExpectKept({z});
    EXPECT_EQ(now.Now().it, 1);
    EXPECT_EQ(now.Now().rho, sum_of(M.rows, [&](std::size_t i) { return v.before[r][i] * Mr[i]; }));
  });
}
#endif
