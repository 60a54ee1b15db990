/* The launchers of ip_kernels.hxx on the host */
#include "ip_launch.hxx"
