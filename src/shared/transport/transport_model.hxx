/* The model latency + bytes / bandwidth of an exchange, by which a transport is chosen for a communicator */
#pragma once

#include <algorithm>
#include <vector>

#include "../tuning.hxx"

namespace hepta::transport
{

enum class Way : int { ipc, nccl, mpi };

/* Microseconds of an exchange in both directions as a recording has it, or the host where it cannot be recorded */
inline double exchange_time(const Tuning &t, Way way, double bytes)
{
  switch (way) {
  case Way::ipc: return t.ipc_latency + bytes / t.ipc_bandwidth;
  case Way::nccl: return t.nccl_latency + bytes / t.nccl_bandwidth;
  default: return t.mpi_latency + bytes / t.mpi_bandwidth;
  }
}

/* A communicator has one transport for all its exchanges. They are compared with a plane of 128 x 128 doubles, which a grid of 2 million cells sends. */
constexpr double typical_exchange = 128 * 128 * sizeof(double);

/* The ways that are faster than mpi, the fastest first */
inline std::vector<Way> faster_than_mpi(const Tuning &t)
{
  const auto       time = [&](Way way) { return exchange_time(t, way, typical_exchange); };
  std::vector<Way> ways = {Way::ipc, Way::nccl};

  ways.erase(std::remove_if(ways.begin(), ways.end(), [&](Way way) { return time(way) >= time(Way::mpi); }), ways.end());
  std::stable_sort(ways.begin(), ways.end(), [&](Way a, Way b) { return time(a) < time(b); });
  return ways;
}

} // namespace hepta::transport
