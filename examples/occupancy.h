/* What examples/occupancy.cxx asks of its kernels on the device. A function returns null, or a sentence on what went wrong. */
#pragma once

/* A compiled kernel with a barrier of the grid: what CUDA says of it */
struct OccupancyKernel {
  int registers; /* of a thread */
  int shared;    /* static shared memory, bytes */
  int threads;   /* of a block, at most */
};

/* A cooperative launch */
struct OccupancyRun {
  bool  too_large; /* refused with cudaErrorCooperativeLaunchTooLarge */
  int   arrived;   /* blocks that came to the barrier */
  int   early;     /* blocks that left it before all had come */
  float us;        /* time of the kernel, microseconds */
};

/* The device's name, cut where there is no room */
const char *OccupancyDevice(char *name, int room);
/* How many kernels there are */
int OccupancyKernels();
/* Kernel k, from 0 on; it may take as much dynamic shared memory as the device gives afterwards */
const char *OccupancyKernelGet(int k, OccupancyKernel *kernel);
/* *blocks <- how many a multiprocessor holds, as cudaOccupancyMaxActiveBlocksPerMultiprocessor() says */
const char *OccupancyCalculator(int k, int threads, int dynamic, int *blocks);
/* Launches `grid` blocks and waits; a refusal for the size of the grid is no error */
const char *OccupancyLaunch(int k, int threads, int dynamic, int grid, OccupancyRun *run);
