#include "space.h"
#include "tuning.hxx"

#include <cstdlib>
#include <cstring>
#include <utility>
#if defined(__linux__)
  #include <sys/mman.h>
#endif
#if defined(HEPTA_HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

PetscErrorCode HeptaSpaceOf(PetscMemType type, HeptaSpace *space)
{
  PetscFunctionBegin;
  *space = HeptaSpace();
  if (PetscMemTypeHost(type)) PetscFunctionReturn(PETSC_SUCCESS);
#if defined(HEPTA_HAVE_CUDA)
  PetscCheck(PetscMemTypeCUDA(type), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "libhepta computes on the host and on CUDA devices: use vectors of type standard or cuda (-vec_type, -dm_vec_type)");
  cudaStream_t stream;
  PetscCall(HeptaTuningChoose());
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  space->device = true;
  space->stream = HeptaRecording::Stream() ? HeptaRecording::Stream() : stream;
  space->stop   = HeptaRecording::Stop();
  PetscFunctionReturn(PETSC_SUCCESS);
#else
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "This libhepta was built without device kernels: use host vectors (-vec_type standard, -dm_vec_type standard)");
#endif
}

PetscErrorCode HeptaCopy(const HeptaSpace &space, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  if (!bytes) PetscFunctionReturn(PETSC_SUCCESS);
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) PetscCallHepta(hepta::copy_on_device(to, from, bytes, space.stream));
#endif
  if (!space.device) PetscCall(PetscMemcpy(to, from, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaZero(const HeptaSpace &space, void *p, size_t bytes)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) PetscCallHepta(hepta::device_zero(p, bytes, space.stream));
#endif
  if (!space.device) PetscCall(PetscMemzero(p, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
PetscErrorCode HeptaOrder::Switch(hepta::Stream to)
{
  PetscDeviceContext current;

  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetCurrentContext(&current));
  if (context) PetscCall(PetscDeviceContextWaitForContext(current, context)); /* nothing for equal contexts */
  PetscCall(PetscObjectReference((PetscObject)current));
  PetscCall(PetscDeviceContextDestroy(&context)); /* gives the reference back */
  context = current;
  stream  = to;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaOrder::Forget()
{
  (void)PetscDeviceContextDestroy(&context);
  stream = nullptr;
}
#endif

/* Does HostAlloc() take this many bytes by mmap()? */
static bool IsMapped(size_t bytes)
{
#if defined(MADV_HUGEPAGE)
  return bytes >= 2 * hepta::large_page;
#else
  (void)bytes;
  return false;
#endif
}

#if defined(MADV_HUGEPAGE)
/* Bytes rounded up to large pages */
static size_t Mapped(size_t bytes)
{
  return (bytes + hepta::large_page - 1) / hepta::large_page * hepta::large_page;
}
#endif

/* Maps memory that begins on a large page and that the system zeroes at the first write; null if there is none */
static void *Map(size_t bytes)
{
#if defined(MADV_HUGEPAGE)
  const size_t size = Mapped(bytes), room = size + hepta::large_page;
  void *const  p = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (p == MAP_FAILED) return nullptr;
  const size_t before = Mapped((size_t)p) - (size_t)p;
  if (before) (void)munmap(p, before);
  if (room > before + size) (void)munmap((char *)p + before + size, room - before - size);
  /* a hint, which some systems refuse */
  (void)madvise((char *)p + before, bytes / hepta::large_page * hepta::large_page, MADV_HUGEPAGE);
  return (char *)p + before;
#else
  (void)bytes;
  return nullptr;
#endif
}

/*
   Zeroed host memory that begins on a cache line, large arrays in large pages: a product reads every value once and would pay for
   lines that the widest registers straddle and for a page walk every 4 KiB
*/
static PetscErrorCode HostAlloc(size_t bytes, void **v)
{
  PetscFunctionBegin;
  *v = nullptr;
  if (IsMapped(bytes)) *v = Map(bytes);
  else if (posix_memalign(v, hepta::cache_line, bytes)) *v = nullptr;
  PetscCheck(*v, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for %g MB of matrix values", (double)bytes / 1e6);
  if (!IsMapped(bytes)) std::memset(*v, 0, bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void HostFree(size_t bytes, void *v)
{
#if defined(MADV_HUGEPAGE)
  if (v && IsMapped(bytes)) (void)munmap(v, Mapped(bytes));
  else
#endif
    std::free(v);
}

PetscErrorCode HeptaValues::Free()
{
  PetscFunctionBegin;
  HostFree(bytes, host);
#if defined(HEPTA_HAVE_CUDA)
  PetscCallHepta(FreeDevice());
  order.Forget();
#endif
  host = device = nullptr;
  bytes         = 0;
  host_valid = device_valid = false;
  version++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaValues::Resize(size_t n)
{
  PetscFunctionBegin;
  PetscCall(Free());
  bytes = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaValues::Reserve(size_t n)
{
  PetscFunctionBegin;
  if (n > bytes) PetscCall(Resize(n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaValues::Swap(HeptaValues &other)
{
  std::swap(host, other.host);
  std::swap(device, other.device);
  std::swap(bytes, other.bytes);
  std::swap(host_valid, other.host_valid);
  std::swap(device_valid, other.device_valid);
  in_recordings = other.in_recordings = in_recordings || other.in_recordings;
#if defined(HEPTA_HAVE_CUDA)
  order.Swap(other.order);
#endif
  version++;
  other.version++;
}

/* Memory in the space, zeroed when new */
PetscErrorCode HeptaValues::TakeMemory(const HeptaSpace &space)
{
  PetscFunctionBegin;
  if (!space.device && !host) PetscCall(HostAlloc(bytes, &host));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device && !device) {
    PetscCheck(!HeptaRecording::Stream(), PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Values that are to be recorded are not on the device yet");
    PetscCallHepta(hepta::device_alloc(bytes, space.stream, &device));
    const hepta::Status zeroed = hepta::device_zero(device, bytes, space.stream);
    if (zeroed) { /* the next access must not take memory that is not zeroed for zeros */
      (void)FreeDevice();
      device = nullptr;
    }
    PetscCallHepta(zeroed);
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaValues::Access(const HeptaSpace &space, HeptaAccess access, void **p)
{
  bool &here = space.device ? device_valid : host_valid, &there = space.device ? host_valid : device_valid;

  PetscFunctionBegin;
  *p = nullptr;
  if (!bytes) PetscFunctionReturn(PETSC_SUCCESS);
#if defined(HEPTA_HAVE_CUDA)
  PetscCall(order.Follow(space));
#endif
  /* values that neither side has are zero: memory without valid values was zeroed by TakeMemory() and not written since */
  PetscCall(TakeMemory(space));
#if defined(HEPTA_HAVE_CUDA)
  if (!here && there && access != HeptaAccess::write) {
    HeptaSpace device_space = space;
    PetscCheck(!HeptaRecording::Stream(), PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Values that are to be recorded are not on the device yet");
    if (!space.device) PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &device_space));
    PetscCall(order.Follow(device_space));
    if (space.device) PetscCallHepta(hepta::copy_to_device(device, host, bytes, space.stream));
    else PetscCallHepta(hepta::copy_to_host(host, device, bytes, device_space.stream));
    PetscCall(space.device ? PetscLogCpuToGpu((PetscLogDouble)bytes) : PetscLogGpuToCpu((PetscLogDouble)bytes));
  }
#endif
  here = true;
  if (access != HeptaAccess::read) {
    there = false;
    version++;
  }
  *p = space.device ? device : host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaValues::Space(HeptaSpace *space) const
{
  PetscFunctionBegin;
  PetscCall(HeptaSpaceOf(device_valid ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaValues::Zero()
{
  HeptaSpace space;

  PetscFunctionBegin;
  if (!host_valid && !device_valid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Space(&space));
  PetscCall(Zero(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaValues::Zero(const HeptaSpace &space)
{
  void *p;

  PetscFunctionBegin;
  if (!bytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Access(space, HeptaAccess::write, &p));
  PetscCall(HeptaZero(space, p, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaValues::CopyOf(HeptaValues &from)
{
  HeptaSpace space;
  void      *to, *source;

  PetscFunctionBegin;
  PetscCall(Resize(from.bytes));
  if (!bytes || (!from.host_valid && !from.device_valid)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(from.Space(&space));
  PetscCall(from.Access(space, HeptaAccess::read, &source));
  PetscCall(Access(space, HeptaAccess::write, &to));
  PetscCall(HeptaCopy(space, to, source, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
