/* Sums of several ranks, and the ends of iterations after them, on the device alone */
#include "ksp/bicgcr/bicgcr_row.hxx"
#include "ksp/fusedbcgs/fusedbcgs_row.hxx"
#include "ksp/fusedcg/fusedcg_kernels.hxx"
#include "square.h"

#if defined(HEPTA_HAVE_CUDA)
using namespace hepta;
using namespace hepta::test;

class RankSums : public DeviceOnly {};

/* A pass without rows */
template <class P> static P data_of(Iteration &now)
{
  P p{};

  now.Give(p, 0);
  return p;
}

/* end_pass_cuda() adds n numbers of each rank to the state's sums, from number `first` on, and ends the iteration as pass P */
template <class P> static void check_end(int first, int n)
{
  for (int ranks : {1, 2, 33, 70}) {
    const Vector   all = numbers(std::size_t(ranks) * n, 1);
    Memory<Scalar> gathered(all);
    ksp::State     s = unlimited();
    s.rho = s.pq = s.alpha = s.beta = s.omega = 1;
    std::fill_n(s.sum, ksp::state_sums, Scalar(2));
    Iteration           now(s);
    const P             p = data_of<P>(now);
    const ksp::RankSums r{p.state, gathered.get(), ranks, first, n};

    ASSERT_EQ(ksp::end_pass_cuda(p, r, nullptr), nullptr);
    for (int k = 0; k < ksp::state_sums; k++) {
      const bool added = k >= first && k < first + n;
      EXPECT_EQ(now.Now().sum[k], added ? sum_of(ranks, [&](std::size_t rank) { return all[rank * n + k - first]; }) : 2)
        << ranks << " ranks, sum " << k;
    }
    EXPECT_EQ(now.Now().it, (std::is_same_v<P, ksp::Pass>) ? 0 : 1);
  }
}

TEST_F(RankSums, Ends)
{
  check_end<ksp::Pass>(3, 2);
  check_end<ksp::InnerSums>(ksp::index_rz, 3);
  check_end<ksp::SingleSums>(ksp::index_single, 3);
  check_end<ksp::BCGSUpdate>(ksp::index_r0r, 2);
  check_end<ksp::BiCGCRSum>(ksp::index_qu, 1);
}
#endif
