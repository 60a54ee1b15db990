/* For cases that run on the host or the device (HEPTA_TEST_DEVICE=1): data that both can read, and products of many vectors */
#pragma once

#include <cstdlib>

#include "dense_matrix.h"

namespace hepta::test
{

using Vector = std::vector<Scalar>;

/* Whether the tests of this run are on the device */
inline bool on_device()
{
  const char *wanted = std::getenv("HEPTA_TEST_DEVICE");
  return wanted && *wanted == '1';
}

class DeviceOnly : public testing::Test {
  void SetUp() override
  {
    if (!on_device()) GTEST_SKIP() << "on the device only";
  }
};

#if defined(HEPTA_HAVE_CUDA)
  #define HEPTA_ON_BOTH(name, ...) (on_device() ? name##_cuda(__VA_ARGS__, nullptr) : name##_host(__VA_ARGS__))
  #define HEPTA_EACH_ON_BOTH(name, ...) \
    (on_device() ? name(hepta::DeviceEach{nullptr}, __VA_ARGS__) : name(hepta::HostEach(), __VA_ARGS__))
#else
  #define HEPTA_ON_BOTH(name, ...)      name##_host(__VA_ARGS__)
  #define HEPTA_EACH_ON_BOTH(name, ...) name(hepta::HostEach(), __VA_ARGS__)
#endif

/* A copy of host data that launchers can read, and write; values() fetches it back */
template <class T> class Memory {
public:
  explicit Memory(std::vector<T> data) : data_(std::move(data))
  {
#if defined(HEPTA_HAVE_CUDA)
    if (!on_device()) return;
    EXPECT_EQ(device_alloc(data_.size() * sizeof(T), nullptr, &device_), nullptr);
    if (data_.empty()) return;
    EXPECT_EQ(copy_to_device(device_, data_.data(), data_.size() * sizeof(T), nullptr), nullptr);
#endif
  }
  Memory(const Memory &)            = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory()
  {
#if defined(HEPTA_HAVE_CUDA)
    if (device_) (void)device_free(device_, nullptr);
#endif
  }
  T *get() { return on_device() ? (T *)device_ : data_.data(); }

  const std::vector<T> &values()
  {
#if defined(HEPTA_HAVE_CUDA)
    if (on_device() && !data_.empty()) {
      EXPECT_EQ(copy_to_host(data_.data(), device_, data_.size() * sizeof(T), nullptr), nullptr);
    }
#endif
    return data_;
  }

private:
  std::vector<T> data_;
  void          *device_ = nullptr;
};

/* A bdia matrix where the tests of this run are */
template <class V> struct Placed {
  Stored<V>     stored;
  Memory<V>     v;
  Memory<Index> off;

  explicit Placed(const Stored<V> &s) : stored(s), v(stored.v), off(stored.p.off) {}
  Placed(const Shape &p, const Dense &D) : Placed(Stored<V>(p, D)) {}
  bdia::View<V> view()
  {
    bdia::View<V> A = stored.view();

    A.host_off = stored.p.off.data();
    A.off      = off.get();
    A.v        = v.get();
    return A;
  }
};

/* launch(n, x, ldx, y, ldy) makes Y = A X: columns in several groups, in leading dimensions larger than their lengths */
template <class Launch> void check_columns(const Dense &D, Launch launch)
{
  for (Index n : {0, 1, 3, 8, 17}) {
    const std::size_t ldx = D.cols + 3, ldy = D.rows + 2;
    const Vector      X = numbers(ldx * n, 4);
    Memory<Scalar>    x(X), y(Vector(ldy * n, 77));

    EXPECT_EQ(launch(n, x.get(), ldx, y.get(), ldy), nullptr);
    for (Index c = 0; c < n; c++) {
      const auto   from = y.values().begin() + c * ldy;
      const Vector Ax   = times(D, Vector(X.begin() + c * ldx, X.begin() + c * ldx + D.cols));
      EXPECT_EQ(Vector(from, from + D.rows), Ax);
      EXPECT_EQ(Vector(from + D.rows, from + ldy), Vector(2, 77)); /* between the columns nothing is written */
    }
  }
}

} // namespace hepta::test
