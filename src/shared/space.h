/* Which memory a kernel works in, and arrays that live in the memory of host and device */
#pragma once

#include <utility>
#include <vector>

#include "each.hxx"
#include "heptaimpl.h"

/* The memory that a launcher works in; for a device also the stream of PETSc's current device context */
struct HeptaSpace {
  bool          device = false;
  hepta::Stream stream = nullptr;
  bool          beside = false;   /* may overlap the preceding kernel, which sends ghost values, but must end after that kernel */
  const int    *stop   = nullptr; /* of HeptaRecording, if there is one */
};

#if defined(HEPTA_HAVE_CUDA)
/*
   While an object of this class lives, launches in device spaces are recorded instead of run. Every recorded launch must have run
   once before, so that memory and tables are allocated; replays are in the order of the stream of the current context.

   HeptaLogFlops() counts flops here in place of logging the flops, if there is an s: of a recording and of launches beside a
   recording the owner logs flops when an iteration is known to have run.
*/
class HeptaRecording {
public:
  /*
     to: the stream that records, null to launch without recording. s: null, or kernels that can skip their work do so when *s is
     not zero.
  */
  HeptaRecording(hepta::Stream to, const int *s) : outer_stream(stream), outer_stop(stop)
  {
    stream = to;
    stop   = s;
  }
  HeptaRecording(const HeptaRecording &)            = delete;
  HeptaRecording &operator=(const HeptaRecording &) = delete;
  ~HeptaRecording()
  {
    stream = outer_stream;
    stop   = outer_stop;
  }

  static hepta::Stream Stream() { return stream; } /* null: launches run */
  static const int    *Stop() { return stop; }

  static double Flops() { return flops; } /* so far, of all such objects */
  static void   AddFlops(double n) { flops += n; }

private:
  static inline hepta::Stream stream = nullptr;
  static inline const int    *stop   = nullptr;
  static inline double        flops  = 0;
  hepta::Stream               outer_stream;
  const int                  *outer_stop;
};
#endif

/* HeptaSpaceOf - the space of a memory type: an error for device memory when this library has no device kernels */
PETSC_INTERN PetscErrorCode HeptaSpaceOf(PetscMemType, HeptaSpace *);
/* Copies within the memory of a space, in the order of its stream */
PETSC_INTERN PetscErrorCode HeptaCopy(const HeptaSpace &, void *to, const void *from, size_t bytes);
PETSC_INTERN PetscErrorCode HeptaZero(const HeptaSpace &, void *p, size_t bytes);

#if defined(HEPTA_HAVE_CUDA)
  /* Calls a launcher and logs its time as GPU time; the log is closed before an error is raised */
  #define HeptaLaunchTimed(on_device) \
    do { \
      PetscCall(PetscLogGpuTimeBegin()); \
      const hepta::Status hepta_launch_ = on_device; \
      PetscCall(PetscLogGpuTimeEnd()); \
      PetscCallHepta(hepta_launch_); \
    } while (0)
  /* Calls the launcher for the device or that for the host, by the space */
  #define HeptaLaunchOn(space, on_device, on_host) \
    do { \
      if ((space).device) HeptaLaunchTimed(on_device); \
      else PetscCallHepta(on_host); \
    } while (0)
#else
  #define HeptaLaunchOn(space, on_device, on_host) \
    do { \
      (void)(space); \
      PetscCallHepta(on_host); \
    } while (0)
#endif
/* HeptaLaunch() calls name_cuda or name_host, HeptaLaunchEach() a launcher that is a template over Each */
#define HeptaLaunch(space, name, ...) HeptaLaunchOn(space, name##_cuda(__VA_ARGS__, (space).stream), name##_host(__VA_ARGS__))
#define HeptaLaunchEach(space, name, ...) \
  HeptaLaunchOn(space, name(hepta::DeviceEach{(space).stream}, __VA_ARGS__), name(hepta::HostEach(), __VA_ARGS__))

enum class HeptaAccess {
  read,
  write, /* without a copy from the other side: elements not written keep the last value of this side */
  read_write
};

/*
   The device context in whose stream an array of device memory was last used. Before a use in another stream, the device waits
   for all launches in that context so far: readers for writers, and writers for readers. A reference keeps the context alive.
*/
class HeptaOrder {
public:
  HeptaOrder()                              = default;
  HeptaOrder(const HeptaOrder &)            = delete;
  HeptaOrder &operator=(const HeptaOrder &) = delete;
#if defined(HEPTA_HAVE_CUDA)
  ~HeptaOrder() { Forget(); }

  /* to be called before each use; the space has the stream of the current context */
  PetscErrorCode Follow(const HeptaSpace &space)
  {
    const bool same = !space.device || (context && stream == space.stream);

    return PetscLikely(same) || HeptaRecording::Stream() ? PETSC_SUCCESS : Switch(space.stream);
  }
  /* the stream of the last use */
  hepta::Stream Stream() const { return stream; }
  /* to be called when the memory has been freed */
  void Forget();
  void Swap(HeptaOrder &other)
  {
    std::swap(context, other.context);
    std::swap(stream, other.stream);
  }

private:
  PetscDeviceContext context = nullptr;
  hepta::Stream      stream  = nullptr;
  PetscErrorCode     Switch(hepta::Stream to);
#endif
};

/*
   An array (matrix values, a table, work space) that lives in the memory of its last write. The first access in the other memory
   copies the array; the copy stays valid until the other side is written. Memory is allocated at the first access, zeroed.
*/
class HeptaValues {
public:
  HeptaValues()                               = default;
  HeptaValues(const HeptaValues &)            = delete;
  HeptaValues &operator=(const HeptaValues &) = delete;
  ~HeptaValues() { (void)Free(); }

  /* the array becomes `bytes` zeros; the old memory is freed, the new one allocated at the first access */
  PetscErrorCode Resize(size_t bytes);
  /* Resize() if there is less room than `bytes`, otherwise nothing; for work space, whose contents do not matter */
  PetscErrorCode Reserve(size_t bytes);
  PetscErrorCode Free();
  PetscErrorCode Access(const HeptaSpace &, HeptaAccess, void **);
  /* Access() to values of type T */
  template <class T> PetscErrorCode Access(const HeptaSpace &space, HeptaAccess access, T **p)
  {
    void *v = nullptr;

    PetscFunctionBegin;
    *p = nullptr;
    PetscCall(Access(space, access, &v));
    *p = (T *)v;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* the array becomes n elements of type T, to be written in the given space; memory of the right size is kept */
  template <class T> PetscErrorCode Make(const HeptaSpace &space, size_t n, T **p)
  {
    PetscFunctionBegin;
    *p = nullptr;
    if (bytes != n * sizeof(T)) PetscCall(Resize(n * sizeof(T)));
    PetscCall(Access(space, HeptaAccess::write, p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* the array becomes a copy of the vector */
  template <class T> PetscErrorCode Take(const std::vector<T> &from)
  {
    T *p;

    PetscFunctionBegin;
    PetscCall(Make(HeptaSpace(), from.size(), &p));
    for (size_t k = 0; k < from.size(); k++) p[k] = from[k];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* copies the first n elements to the vector */
  template <class T> PetscErrorCode Give(size_t n, std::vector<T> &to)
  {
    T *p;

    PetscFunctionBegin;
    PetscCall(Access(HeptaSpace(), HeptaAccess::read, &p));
    to.assign(p, p + n);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* zeros all values in the given space; without a space, where the values are, and without allocating memory */
  PetscErrorCode Zero(const HeptaSpace &);
  PetscErrorCode Zero();
  /* copies the values of another array, in the memory where they are */
  PetscErrorCode CopyOf(HeptaValues &from);
  /* swaps everything with another array */
  void Swap(HeptaValues &);

  bool IsOnHost() const { return host_valid; }
  bool IsOnDevice() const { return device_valid; }
  bool IsOnlyOnHost() const { return !bytes || (host_valid && !device_valid); }
  /* the space where an operation on the values alone copies nothing: the device if its values are valid */
  PetscErrorCode Space(HeptaSpace *) const;
  /* a number that changes with each access that may change the values */
  unsigned long Version() const { return version; }

private:
  void          *host = nullptr, *device = nullptr;
  size_t         bytes      = 0;
  unsigned long  version    = 1;
  bool           host_valid = false, device_valid = false; /* both false: all values are zero */
  HeptaOrder     order;                                    /* of the accesses to the device's memory */
  PetscErrorCode TakeMemory(const HeptaSpace &);
#if defined(HEPTA_HAVE_CUDA)
  hepta::Status FreeDevice() { return hepta::device_free(device, order.Stream(), in_recordings); }
#endif

protected:
  bool in_recordings = true; /* may a recording have the address of the memory? */
};

/* Work space of a set-up, which no recording uses: recordings survive the end of its memory */
class HeptaWorkSpace : public HeptaValues {
public:
  HeptaWorkSpace() { in_recordings = false; }
};

/* The device's copy of a constant table; Invalidate() must be called when the table changes */
template <class T> class HeptaTable {
public:
  HeptaTable()                              = default;
  HeptaTable(const HeptaTable &)            = delete;
  HeptaTable &operator=(const HeptaTable &) = delete;
  ~HeptaTable() { Invalidate(); }

  void Invalidate()
  {
#if defined(HEPTA_HAVE_CUDA)
    (void)hepta::device_free(device, order.Stream());
    order.Forget();
#endif
    device = nullptr;
  }
  /* *p <- the table itself on the host, its copy on the device */
  PetscErrorCode Get(const HeptaSpace &space, const std::vector<T> &table, const T **p)
  {
    PetscFunctionBegin;
    *p = table.data();
#if defined(HEPTA_HAVE_CUDA)
    if (!space.device) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(order.Follow(space));
    if (!device && !table.empty()) {
      PetscCheck(!HeptaRecording::Stream(), PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "A table that is to be recorded is not on the device yet");
      PetscCallHepta(hepta::device_alloc(table.size() * sizeof(T), space.stream, &device));
      const hepta::Status copied = hepta::copy_to_device(device, table.data(), table.size() * sizeof(T), space.stream);
      if (copied) Invalidate(); /* the copy failed, so the next call must copy again */
      PetscCallHepta(copied);
      PetscCall(PetscLogCpuToGpu((PetscLogDouble)(table.size() * sizeof(T))));
    }
    *p = (const T *)device;
#else
    (void)space;
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }

#if defined(HEPTA_HAVE_CUDA)
  /* room on the device for a table of n elements, which the caller writes and Get() returns from then on */
  PetscErrorCode Make(const HeptaSpace &space, size_t n, T **p)
  {
    PetscFunctionBegin;
    *p = nullptr;
    Invalidate();
    PetscCall(order.Follow(space));
    PetscCallHepta(hepta::device_alloc(n * sizeof(T), space.stream, &device));
    *p = (T *)device;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* copies the first n elements of a table made by Make() to the host */
  PetscErrorCode Bring(const HeptaSpace &space, size_t n, std::vector<T> &table) const
  {
    PetscFunctionBegin;
    table.resize(n);
    PetscCall(order.Follow(space));
    PetscCallHepta(hepta::copy_to_host(table.data(), device, n * sizeof(T), space.stream));
    PetscCall(PetscLogGpuToCpu((PetscLogDouble)(n * sizeof(T))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif

private:
  void              *device = nullptr;
  mutable HeptaOrder order;
};
