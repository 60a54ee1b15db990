/*
   Macros before loops of a few constant steps in code for host and device: the device's compiler must unroll, the host's compiler
   decides
*/
#pragma once

#if defined(__CUDA_ARCH__)
  #define HEPTA_DEVICE_UNROLL _Pragma("unroll")
#else
  #define HEPTA_DEVICE_UNROLL
#endif
