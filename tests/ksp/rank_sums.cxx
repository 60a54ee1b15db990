/* Sums of several ranks, and the ends of iterations after them, on the device alone */
#include "ksp/bicgcr/bicgcr_kernels.hxx"
#include "ksp/fusedbcgs/fusedbcgs_kernels.hxx"
#include "ksp/fusedcg/fusedcg_kernels.hxx"
#include "square.h"

#if defined(HEPTA_HAVE_CUDA)
using namespace hepta;
using namespace hepta::test;

class RankSums : public DeviceOnly {};

/* A method's data, without rows */
template <class C> static C data_of(Iteration &now)
{
  C c{};

  now.Give(c, 0);
  return c;
}

/* end(data, sums, stream) adds n numbers of each rank to the state's sums, from number `first` on, and ends the iteration */
template <class C, class F> static void check_end(int first, int n, F end)
{
  for (int ranks : {1, 2, 33, 70}) {
    const Vector   all = numbers(std::size_t(ranks) * n, 1);
    Memory<Scalar> gathered(all);
    ksp::State     s = unlimited();
    s.rho = s.pq = s.alpha = s.beta = s.omega = 1;
    std::fill_n(s.sum, ksp::state_sums, Scalar(2));
    Iteration           now(s);
    const C             c = data_of<C>(now);
    const ksp::RankSums r{c.state, gathered.get(), ranks, first, n};

    ASSERT_EQ(end(c, r, nullptr), nullptr);
    for (int k = 0; k < ksp::state_sums; k++) {
      const bool added = k >= first && k < first + n;
      EXPECT_EQ(now.Now().sum[k], added ? sum_of(ranks, [&](std::size_t rank) { return all[rank * n + k - first]; }) : 2)
        << ranks << " ranks, sum " << k;
    }
    EXPECT_EQ(now.Now().it, (std::is_same_v<C, ksp::ProductSums>) ? 0 : 1);
  }
}

TEST_F(RankSums, Ends)
{
  check_end<ksp::ProductSums>(
    3, 2, [](const ksp::ProductSums &, const ksp::RankSums &r, Stream s) { return ksp::rank_sums_cuda(r, s); });
  check_end<ksp::CG>(ksp::index_rz, 3, ksp::end_update_cuda);
  check_end<ksp::SingleCG>(ksp::index_single, 3, ksp::end_single_cuda);
  check_end<ksp::BCGS>(ksp::index_r0r, 2, ksp::end_bcgs_cuda);
  check_end<ksp::BiCGCR>(ksp::index_qu, 1, ksp::end_bicgcr_cuda);
}
#endif
