/* What a list of passes needs where it is compiled: HEPTA_PASS(P), and HEPTA_PASS_END(P) for a pass that ends an iteration */
#pragma once

#if defined(__CUDACC__)
  #include "pass.cuh"
#else
  #include "pass_loop.hxx"
#endif
