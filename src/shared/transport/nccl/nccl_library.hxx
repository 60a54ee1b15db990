/*
   The functions of NCCL that are used, from a library that is loaded when the program runs: NCCL is not part of the CUDA toolkit
*/
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <string>

#include "../../device.hxx"

namespace hepta::nccl
{

/* The declarations of nccl.h, from version 2.14 on */
using Comm                = struct ncclComm *;
constexpr int in_progress = 7;
constexpr int bytes_type  = 0; /* ncclInt8 */

struct UniqueId {
  char internal[128];
};

struct Config {
  std::size_t size     = sizeof(Config);
  unsigned    magic    = 0xcafebeef;
  unsigned    version  = 21400; /* of NCCL's interface that this structure belongs to */
  int         blocking = 1;
};

struct Library {
  int (*GetUniqueId)(UniqueId *);
  int (*CommInitRankConfig)(Comm *, int ranks, UniqueId, int rank, Config *);
  int (*CommGetAsyncError)(Comm, int *);
  int (*CommFinalize)(Comm);
  int (*CommDestroy)(Comm);
  int (*CommAbort)(Comm);
  int (*GroupStart)();
  int (*GroupEnd)();
  int (*Send)(const void *, std::size_t, int type, int to, Comm, Stream);
  int (*Recv)(void *, std::size_t, int type, int from, Comm, Stream);
  int (*AllGather)(const void *, void *, std::size_t, int type, Comm, Stream);
  const char *(*GetErrorString)(int);
};

template <class F> inline bool find(void *library, const char name[], F **f)
{
  *f = (F *)dlsym(library, name);
  return *f;
}

/* Loads the library, which stays loaded; if loading fails *why is the loader's message */
inline void load(const char file[], Library *n, std::string *why)
{
  void *so = dlopen(file, RTLD_NOW);

  if (!so) *why = dlerror();
  else if (!find(so, "ncclGetUniqueId", &n->GetUniqueId) || !find(so, "ncclCommInitRankConfig", &n->CommInitRankConfig) ||
           !find(so, "ncclCommGetAsyncError", &n->CommGetAsyncError) || !find(so, "ncclCommFinalize", &n->CommFinalize) ||
           !find(so, "ncclCommDestroy", &n->CommDestroy) || !find(so, "ncclCommAbort", &n->CommAbort) ||
           !find(so, "ncclGroupStart", &n->GroupStart) || !find(so, "ncclGroupEnd", &n->GroupEnd) ||
           !find(so, "ncclSend", &n->Send) || !find(so, "ncclRecv", &n->Recv) || !find(so, "ncclAllGather", &n->AllGather) ||
           !find(so, "ncclGetErrorString", &n->GetErrorString))
    *why = std::string(file) + " has not all of NCCL's functions: version 2.14 or later is needed";
}

} // namespace hepta::nccl
