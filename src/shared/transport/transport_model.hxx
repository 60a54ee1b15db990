/* The model latency + bytes / bandwidth of an exchange, by which a transport is chosen for a communicator */
#pragma once

#include <algorithm>
#include <vector>

#include "../tuning.hxx"

enum class HeptaTransportKind : int {
  automatic,
  ipc,    /* kernels write to the memory of other processes of the same host */
  nccl,   /* NCCL's messages between devices */
  mpi,    /* MPI from pinned host memory */
  mpi_gpu /* MPI from device memory */
};

namespace hepta::transport
{

/*
   Microseconds of an exchange in both directions by ipc, nccl or mpi, recorded if the transport can be recorded, otherwise
   launched by the host
*/
inline double exchange_time(const Tuning &t, HeptaTransportKind kind, double bytes)
{
  switch (kind) {
  case HeptaTransportKind::ipc: return t.ipc_latency + bytes / t.ipc_bandwidth;
  case HeptaTransportKind::nccl: return t.nccl_latency + bytes / t.nccl_bandwidth;
  default: return t.mpi_latency + bytes / t.mpi_bandwidth;
  }
}

/* A communicator has one transport for all its exchanges. Transports are compared for a plane of 128 x 128 doubles, which a grid
   of 2 million cells sends. */
constexpr double typical_exchange = 128 * 128 * sizeof(double);

/* The transports that are faster than mpi, the fastest first */
inline std::vector<HeptaTransportKind> faster_than_mpi(const Tuning &t)
{
  using Kind              = HeptaTransportKind;
  const auto        time  = [&](Kind kind) { return exchange_time(t, kind, typical_exchange); };
  std::vector<Kind> kinds = {Kind::ipc, Kind::nccl};

  kinds.erase(std::remove_if(kinds.begin(), kinds.end(), [&](Kind kind) { return time(kind) >= time(Kind::mpi); }), kinds.end());
  std::stable_sort(kinds.begin(), kinds.end(), [&](Kind a, Kind b) { return time(a) < time(b); });
  return kinds;
}

} // namespace hepta::transport
