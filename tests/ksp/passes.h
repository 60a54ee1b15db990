/* Passes of Krylov methods over vectors of small integers, so that sums are exact in any order, on the host or the device */
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "ksp/product.hxx"
#include "memory.h"

namespace hepta::test
{

/* Vectors of n numbers, each with another seed, from `seed` on */
class Vectors {
public:
  std::vector<Vector> before;

  Vectors(std::size_t n, std::size_t count, std::size_t seed = 1)
  {
    for (std::size_t k = 0; k < count; k++) {
      before.push_back(numbers(n, seed + k));
      memory.emplace_back(new Memory<Scalar>(before[k]));
    }
  }
  Scalar *operator[](std::size_t k) { return memory[k]->get(); }
  /* vector k is f(i) in each row i */
  template <class F> void ExpectRows(std::size_t k, F f)
  {
    const Vector &now = memory[k]->values();

    for (std::size_t i = 0; i < now.size(); i++) ASSERT_EQ(now[i], f(i)) << "vector " << k << ", row " << i;
  }
  /* all vectors but these are as before */
  void ExpectKept(const std::vector<std::size_t> &but)
  {
    for (std::size_t k = 0; k < memory.size(); k++) {
      if (std::count(but.begin(), but.end(), k)) continue;
      EXPECT_EQ(memory[k]->values(), before[k]) << "vector " << k;
    }
  }

private:
  std::vector<std::unique_ptr<Memory<Scalar>>> memory;
};

/* The state of an iteration, and what else passes need */
class Iteration {
public:
  explicit Iteration(const ksp::State &s) : state({s}), report(std::vector<ksp::Report>(1)), partial(Vector(Partial())) {}
  /* sets what all passes have */
  void Give(ksp::Pass &p, std::size_t n)
  {
    p.n       = n;
    p.ends    = true;
    p.state   = state.get();
    p.report  = report.get();
    p.partial = partial.get();
  }
  const ksp::State  &Now() { return state.values()[0]; }
  const ksp::Report &Noted() { return report.values()[0]; }
  /* iteration `it` is noted, with these numbers, and the iterations have paused if there is a breakdown */
  void ExpectNoted(int it, Scalar norm, Scalar alpha, Scalar beta, ksp::Breakdown breakdown)
  {
    const ksp::Report &r = Noted();
    const ksp::Entry  &e = r.entry[it];

    EXPECT_EQ(Now().it, it);
    EXPECT_EQ(r.it, it);
    /* in single precision the sums of many squares are rounded */
    EXPECT_NEAR(e.norm, norm, (sizeof(Scalar) == 8 ? 1e-12 : 1e-4) * norm);
    EXPECT_EQ(e.alpha, alpha);
    EXPECT_EQ(e.beta, beta);
    EXPECT_EQ(Now().breakdown, breakdown);
    EXPECT_EQ(Now().pause, breakdown != ksp::Breakdown::none);
    EXPECT_EQ(r.pause, breakdown != ksp::Breakdown::none);
  }

private:
  static std::size_t Partial()
  {
#if defined(HEPTA_HAVE_CUDA)
    if (on_device()) return ksp::partial_sums_cuda();
#endif
    return 0;
  }
  Memory<ksp::State>  state;
  Memory<ksp::Report> report;
  Memory<Scalar>      partial;
};

/* A state with limits that no iteration reaches */
inline ksp::State unlimited()
{
  ksp::State s{};

  s.least = -1;
  s.most  = std::numeric_limits<Scalar>::max();
  s.last  = 1000;
  return s;
}

/* No rows, less and more than the host's lanes, one and several thread blocks, and on the device so many that its threads take
   more rows than they have loads in flight; in single precision the sums of these are rounded */
inline std::vector<std::size_t> pass_sizes()
{
  std::vector<std::size_t> sizes = {0, 1, 7, 12, 260, 5004};

  if (on_device() && sizeof(Scalar) == 8) sizes.push_back(600012);
  return sizes;
}

/* Labels of n rows in three subdomains */
inline std::vector<Index> thirds(std::size_t n)
{
  std::vector<Index> label(n);

  for (std::size_t i = 0; i < n; i++) label[i] = Index(i % 3);
  return label;
}

/* The sum of f(i) over n rows */
template <class F> Scalar sum_of(std::size_t n, F f)
{
  Scalar sum = 0;

  for (std::size_t i = 0; i < n; i++) sum += f(i);
  return sum;
}

/* Sums of integers are exact in double, and in float below 2^24 */
inline void expect_sum(Scalar got, Scalar sum)
{
  EXPECT_NEAR(got, sum, sizeof(Scalar) == sizeof(double) || std::abs(sum) < 16777216 ? 0 : 1e-5 * std::abs(sum));
}

} // namespace hepta::test
