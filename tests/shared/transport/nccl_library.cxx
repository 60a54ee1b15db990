/* Files that are not NCCL's library say so when they are loaded, and leave nothing that could be called */
#include "shared/transport/nccl/nccl_library.hxx"

#include <gtest/gtest.h>

using namespace hepta::nccl;

TEST(NcclLibrary, Missing)
{
  Library     library = {};
  std::string why;

  load("libnone.so", &library, &why);
  EXPECT_NE(why.find("libnone.so: cannot open shared object file"), std::string::npos) << why;
  EXPECT_EQ(library.GetUniqueId, nullptr);
}

TEST(NcclLibrary, Another)
{
  Library     library = {};
  std::string why;

  load("libm.so.6", &library, &why);
  EXPECT_EQ(why, "libm.so.6 has not all of NCCL's functions: version 2.14 or later is needed");
  EXPECT_EQ(library.GetUniqueId, nullptr);
}
