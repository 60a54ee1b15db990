/* Macros before loops in code for host and device: the device's compiler is told to unroll them, the host's decides itself */
#pragma once

#if defined(__CUDA_ARCH__)
  #define HEPTA_PRAGMA(words)       _Pragma(#words)
  #define HEPTA_DEVICE_UNROLL       _Pragma("unroll")      /* a few constant steps */
  #define HEPTA_DEVICE_UNROLL_BY(n) HEPTA_PRAGMA(unroll n) /* n steps at a time */
#else
  #define HEPTA_DEVICE_UNROLL
  #define HEPTA_DEVICE_UNROLL_BY(n)
#endif
