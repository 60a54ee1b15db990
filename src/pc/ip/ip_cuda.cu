/* The launchers of ip_kernels.hxx on the device */
#include "../../shared/cuda_check.cuh"
#include "ip_launch.hxx"
