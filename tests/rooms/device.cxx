/* A run on the device (HEPTA_TEST_DEVICE=1) is skipped where there is none, or fails if HEPTA_TEST_GPU=1 forbids that */
#include "memory.h"

#include <cstdio>
#include <cstring>

using namespace hepta;
using namespace hepta::test;

class Device : public testing::Environment {
public:
  void SetUp() override
  {
    void        *p     = nullptr;
    const Status wrong = on_device() ? device_alloc(1, nullptr, &p) : nullptr;
    const char  *must  = std::getenv("HEPTA_TEST_GPU");
    const bool   fails = must && !std::strcmp(must, "1");

    if (wrong) {
      std::printf(fails ? "\nThere is no device, and HEPTA_TEST_GPU=1 forbids to skip this run: %s\n"
                        : "\nskipped: no device: %s\n",
                  wrong);
      std::fflush(stdout);
      std::_Exit(fails ? 1 : 77);
    }
    if (p) (void)device_free(p, nullptr);
  }
};

static const testing::Environment *const device = testing::AddGlobalTestEnvironment(new Device);
