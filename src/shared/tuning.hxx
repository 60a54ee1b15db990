/* The numbers that kernels, their shapes and their engines are chosen by: what a machine takes for its smallest steps */
#pragma once

#include <cstddef>

namespace hepta
{

/*
   Measured on an H200, exchanges on two H100s (bench/results/transfer-2gpus.md, but for ipc_latency, of which no result is kept); times in microseconds, rates in bytes (or values) a microsecond. Options -hepta_tuning_<name> give those of another GPU.
   They choose among engines that give the same results within rounding, so a bad number costs time alone.
*/
struct Tuning {
  double bandwidth           = 4e6;   /* bytes that a pass over vectors moves */
  double pass                = 5;     /* the shortest iteration of a Krylov method that is recorded */
  double recording           = 4;     /* to launch a recording and to publish how far it came */
  double level_kernel        = 5;     /* bbs: a level that is a kernel of its own, with its launch; */
  double level_bandwidth     = 2e6;   /* bytes that such kernels read */
  double level_alone         = 0.2;   /* a level of a chunk that is the whole triangle; */
  double level_shared        = 0.9;   /* of one of several chunks, which wait for each other; */
  double chunk_bandwidth     = 1e5;   /* bytes that one multiprocessor reads; */
  double chunk_step          = 0.12;  /* a step of the threads of a chunk; */
  double chunk_share         = 0.02;  /* to halve the number of partial sums of a row; */
  double chunk_barrier       = 0.03;  /* a barrier of a thread block; */
  double chunk_fetches       = 12e3;  /* values that are fetched from other chunks, one right-hand side; */
  double chunk_fetch         = 60e-6; /* a value of another chunk, one after the other; */
  double syncfree_level      = 0.45;  /* 128 entries of a row, or a level, that waits for other warps; */
  double syncfree_bandwidth  = 1.3e6; /* bytes that warps read while they wait; */
  double together_level      = 1.25;  /* many right-hand sides together: a level; */
  double together_long_entry = 0.25;  /* an entry of the longest row; */
  double together_value      = 22e-6; /* a value of the right-hand side and of the solution; */
  double together_entry      = 2e-6;  /* an entry, for each right-hand side */
  double ipc_latency         = 3.5;   /* an exchange of ghost values between two GPUs, both directions at once, on two H100s: kernels that write into each other's memory, recorded; */
  double ipc_bandwidth       = 4.2e5; /* bytes of one direction; */
  double nccl_latency        = 10.7;  /* NCCL, in a stream; */
  double nccl_bandwidth      = 2.46e5;
  double mpi_latency         = 12.4;  /* MPI from pinned memory of the host, */
  double mpi_bandwidth       = 2.6e3; /* and copies to it and back */
};

/* Those in use, the same for all devices of a process */
inline Tuning &tuning()
{
  static Tuning t;

  return t;
}

/* Matrices of at most so many bytes are read again from the second-level cache at the next product: five eighths of a cache, since vectors pass through it too */
constexpr std::size_t kept_in_cache(std::size_t cache)
{
  return cache / 8 * 5;
}

/* Values of a matrix that stay in the cache of any GPU, where a layout is chosen that another machine may use */
constexpr int few_values = 1 << 20;

} // namespace hepta
