/* The numbers by which kernels, their shapes and their engines are chosen: the times of a machine's smallest steps */
#pragma once

#include <cstddef>

namespace hepta
{

/*
   Measured on an H200, exchanges on two H100s (bench/results/transfer-2gpus.md); times in microseconds, rates in bytes
   (or values) a microsecond. hepta-tune measures another GPU and writes a file, which the library reads. The numbers choose among
   engines and launches whose results agree within rounding, so a bad number costs time alone.
*/
struct Tuning {
  double bandwidth           = 4e6;   /* bytes that a pass over vectors moves */
  double pass                = 5;     /* the shortest iteration of a Krylov method that is recorded */
  double recording           = 4;     /* to launch a recording and to publish how far it came */
  double level_kernel        = 5;     /* bbs: a level that is a separate kernel, with its launch; */
  double level_bandwidth     = 2e6;   /* bytes that kernels of a level read */
  double level_alone         = 0.2;   /* a level of a chunk that is the whole triangle; */
  double level_shared        = 0.9;   /* a level of one of several chunks, which wait for each other; */
  double chunk_bandwidth     = 1e5;   /* bytes that one multiprocessor reads; */
  double chunk_step          = 0.12;  /* a step of the threads of a chunk; */
  double chunk_share         = 0.02;  /* to halve the number of partial sums of a row; */
  double chunk_barrier       = 0.03;  /* a barrier of a thread block; */
  double chunk_fetches       = 3.8e3; /* values that are fetched from other chunks, one right-hand side; */
  double chunk_fetch         = 60e-6; /* a value of another chunk, one after the other; */
  double chunk_wait          = 0.07;  /* a level of one of several chunks, for its values of other chunks; */
  double chunk_handover      = 0.35;  /* from a value of a chunk to the level of another chunk that waits for this value; */
  double syncfree_level      = 0.33;  /* a level of rows with one entry, or 128 entries of a row, that waits for other warps; */
  double syncfree_bandwidth  = 1.3e6; /* bytes that warps read while they wait; */
  double together_level      = 1.25;  /* many right-hand sides together: a level; */
  double together_long_entry = 0.25;  /* an entry of the longest row; */
  double together_value      = 22e-6; /* a value of the right-hand side and of the solution; */
  double together_entry      = 2e-6;  /* an entry, for each right-hand side */
  /* an exchange of ghost values between two GPUs, both directions at once, on two H100s: kernels that write into each other's
     memory, recorded; */
  double ipc_latency     = 2.9;
  double ipc_bandwidth   = 9.74e4; /* bytes of one direction; */
  double nccl_latency    = 7.1;    /* NCCL, in a stream; */
  double nccl_bandwidth  = 2.34e5;
  double mpi_latency     = 10.2;  /* MPI from pinned memory of the host, */
  double mpi_bandwidth   = 4.0e3; /* and copies to that memory and back */
  double busy_threads    = 256;   /* threads that keep a multiprocessor's memory busy: with fewer, threads share rows */
  double product_threads = 128;   /* bdia: threads of a thread block where rows are not shared */
  double cache_share     = 0.625; /* of the second-level cache, for a matrix kept for the next product: vectors pass too */
  double gridmg_tiles    = 24;    /* gridmg: tiles, marched through by warps, that a multiprocessor works on at once */
};

/* Numbers in use are between these */
constexpr double least_number = 1e-9, largest_number = 1e9;

/* A number as an integer of at least 1, for what is counted */
constexpr int whole(double number)
{
  return number < 1 ? 1 : number > 1 << 30 ? 1 << 30 : int(number);
}

/* The numbers in use, the same for all devices of a process */
inline Tuning &tuning()
{
  static Tuning t;

  return t;
}

/* Values of a matrix that stay in the cache of any GPU, for the choice of a layout that another machine may use */
constexpr int few_values = 1 << 20;

/* bbs: ratios that were fitted to the same runs as the times of Tuning */
/* many right-hand sides: the time of a chunk that is the whole triangle, to its level_cost(); */
constexpr double alone_time      = 0.7;
constexpr double several_time    = 1.2; /* the time of one of several chunks to its level_cost(); */
constexpr double resident_chunks = 4;   /* the most chunks that make a multiprocessor faster by working at a time; */
constexpr double least_together  = 16;  /* the fewest and the most right-hand sides for the engine `together`; */
constexpr double most_together   = 1e6;
constexpr double crowded_threads = 128;  /* threads of a chunk with which a step takes twice as long as with few; */
constexpr double barrier_threads = 256;  /* and a barrier */
constexpr int    wide_level      = 2048; /* with more rows in a chunk's level, on average, chunks have narrow_chunk rows */
constexpr int    narrow_chunk    = 512;

/* Rows that fill any device, for the choice of a layout of blocked rows that another machine may use */
constexpr int few_rows = 4096;
/* Bytes of shared memory that a thread block has on every device without asking for more */
constexpr std::size_t block_shared = 48 * 1024;

/* Sizes of what the host's loops take at a time, for the second-level cache of a core */
constexpr int         host_rows    = 8192;       /* bdia: rows of a product, 64 KiB of y, as much of x, and streams of 64 KiB; */
constexpr std::size_t host_values  = 256 * 1024; /* bytes of values that are multiplied with several vectors; */
constexpr std::size_t host_columns = 4096;       /* rows whose given values stay in that cache while their columns are filled; */
constexpr int         host_ahead   = 8192;       /* brow: bytes by which the values of a product are fetched ahead */
/* Memory that the host reads fast: lines of the cache, and pages that large arrays are put in */
constexpr std::size_t cache_line = 64, large_page = 1 << 21;

/*
   Bytes that the advisor copies to measure bandwidth: caches_copied times the largest cache, within limits that the ranks of a
   node share
*/
constexpr std::size_t caches_copied = 4, least_copied = std::size_t(128) << 20, most_copied = std::size_t(512) << 20,
                      least_copied_by_rank = std::size_t(32) << 20;
constexpr int         copies               = 7; /* measurements, of which the median counts */

} // namespace hepta
