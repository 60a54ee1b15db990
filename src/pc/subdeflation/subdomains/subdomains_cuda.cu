/* Subdomains and the entries of A Z on the device */
#include "../../../shared/cuda_check.cuh"
#include "subdomains_launch.hxx"
