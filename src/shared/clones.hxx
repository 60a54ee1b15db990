/*
   Host kernels are compiled for several instruction sets; the dynamic linker takes the best set that the machine has. The marked
   function must not be a template; functions that it calls are force-inlined and so take its instruction set.

   Not with clang++: version 14 accepts these names and then picks x86-64-v4 on every machine. Kernels of clang++ use the
   instruction set that CMAKE_CXX_FLAGS gives.
*/
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
  #define HEPTA_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
  #define HEPTA_CLONES
#endif
