/* Which transports `auto` tries, and in which order, by the numbers of the model */
#include "shared/transport/transport_model.hxx"

#include <gtest/gtest.h>

using namespace hepta::transport;
using Kind  = HeptaTransportKind;
using Kinds = std::vector<Kind>;

TEST(TransportModel, LatencyAndBandwidth)
{
  hepta::Tuning t;

  t.ipc_latency   = 3;
  t.ipc_bandwidth = 100;
  t.nccl_latency  = 5;
  t.mpi_bandwidth = 10;
  EXPECT_EQ(exchange_time(t, Kind::ipc, 400), 7);
  EXPECT_EQ(exchange_time(t, Kind::nccl, 0), 5);
  EXPECT_EQ(exchange_time(t, Kind::mpi, 400) - exchange_time(t, Kind::mpi, 0), 40);
}

TEST(TransportModel, FasterThanMpi)
{
  hepta::Tuning t;

  EXPECT_EQ(faster_than_mpi(t), (Kinds{Kind::ipc, Kind::nccl}));
  t.ipc_latency = t.nccl_latency + 1;
  EXPECT_EQ(faster_than_mpi(t), (Kinds{Kind::nccl, Kind::ipc}));
  t.nccl_bandwidth = t.mpi_bandwidth / 2;
  EXPECT_EQ(faster_than_mpi(t), Kinds{Kind::ipc});
  t.mpi_bandwidth = 1e9, t.mpi_latency = 1;
  EXPECT_TRUE(faster_than_mpi(t).empty());
}
