/* Dense inverses on the device, also after device memory has run out in the middle of one */
#include "memory.h"

#if defined(HEPTA_HAVE_CUDA)
  #include "pc/subdeflation/subdeflation_kernels.hxx"

  #include <gtest/gtest.h>

using namespace hepta;
using namespace hepta::subdeflation;

/* A tridiagonal matrix (-1, 3, -1) and room for its inverse */
struct Problem {
  std::size_t         d;
  std::vector<Scalar> host;
  void               *B = nullptr, *X = nullptr;

  explicit Problem(std::size_t n) : d(n), host(n * n, 0)
  {
    for (std::size_t i = 0; i < n; i++) {
      for (std::size_t j = i ? i - 1 : 0; j < n && j < i + 2; j++) host[i * n + j] = i == j ? 3 : -1;
    }
    EXPECT_EQ(device_alloc(n * n * sizeof(Scalar), nullptr, &B), nullptr);
    EXPECT_EQ(device_alloc(n * n * sizeof(Scalar), nullptr, &X), nullptr);
  }
  ~Problem()
  {
    (void)device_free(B, nullptr);
    (void)device_free(X, nullptr);
  }
  Status Invert(std::shared_ptr<void> &solver, bool symmetric)
  {
    int bad = 0;

    if (Status wrong = copy_to_device(B, host.data(), host.size() * sizeof(Scalar), nullptr)) return wrong;
    return invert_dense_cuda(solver, d, symmetric, (Scalar *)B, (Scalar *)X, &bad, nullptr);
  }
  /* the largest entry of A X - I */
  double Error()
  {
    std::vector<Scalar> x(d * d);
    double              most = 0;

    if (copy_to_host(x.data(), X, x.size() * sizeof(Scalar), nullptr)) return 1;
    for (std::size_t i = 0; i < d; i++) {
      for (std::size_t j = 0; j < d; j++) {
        double sum = i == j ? -1 : 0;
        for (std::size_t k = i ? i - 1 : 0; k < d && k < i + 2; k++) sum += double(host[i * d + k]) * double(x[k * d + j]);
        if (!(std::abs(sum) <= most)) most = std::abs(sum);
      }
    }
    return most;
  }
};

/* All device memory but some crumbs */
static std::vector<void *> take_all()
{
  std::vector<void *> all;

  for (std::size_t bytes = std::size_t(1) << 38; bytes >= 4096; bytes /= 2) {
    void *p = nullptr;
    while (!device_alloc(bytes, nullptr, &p)) all.push_back(p);
  }
  return all;
}

static void check_inverses(bool symmetric)
{
  Problem               small(40), large(700);
  std::shared_ptr<void> solver;
  const double          tol = sizeof(Scalar) == 8 ? 1e-12 : 1e-4;

  ASSERT_EQ(small.Invert(solver, symmetric), nullptr);
  EXPECT_LT(small.Error(), tol);
  std::vector<void *> all    = take_all();
  const Status        failed = large.Invert(solver, symmetric);
  for (void *p : all) (void)device_free(p, nullptr);
  EXPECT_NE(failed, nullptr);
  for (int again = 0; again < 2; again++) {
    ASSERT_EQ(large.Invert(solver, symmetric), nullptr);
    EXPECT_LT(large.Error(), tol);
    ASSERT_EQ(small.Invert(solver, !symmetric), nullptr);
    EXPECT_LT(small.Error(), tol);
  }
}

/* The suite AllMemory runs alone on a device */
TEST(AllMemory, DenseInverse)
{
  if (!test::on_device()) GTEST_SKIP() << "on the device only";
  for (bool symmetric : {false, true}) check_inverses(symmetric);
}
#endif
