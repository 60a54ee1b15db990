/*
   Device memory that other processes may write, from regions that are never freed: other processes would have to close their
   handles of a region before it is freed, but objects are not destroyed at the same time on all processes.
*/
#include <algorithm>
#include <cstring>
#include <map>

#include "../transport.h"

#if defined(HEPTA_HAVE_CUDA)

using namespace hepta::transport;

namespace
{

struct Region {
  HeptaMailboxMemory       all;
  std::map<size_t, size_t> used; /* offset -> bytes */
};

std::vector<Region>           regions;
std::map<std::string, char *> opened; /* handle -> address in this process */

constexpr size_t least_region = 1 << 22;

/* Where the first gap of at least `bytes` bytes begins; SIZE_MAX if there is none */
size_t FindGap(const Region &c, size_t bytes)
{
  size_t end = 0;

  for (const auto &[offset, length] : c.used) {
    if (offset - end >= bytes) return end;
    end = offset + length;
  }
  return c.all.bytes - end >= bytes ? end : SIZE_MAX;
}

} // namespace

PetscErrorCode HeptaMailboxTake(size_t bytes, HeptaMailboxMemory *m)
{
  const size_t rounded = (PetscMax(bytes, 1) + 255) / 256 * 256;
  size_t       at = SIZE_MAX, k = 0;

  PetscFunctionBegin;
  for (; k < regions.size(); k++) {
    at = FindGap(regions[k], rounded);
    if (at != SIZE_MAX) break;
  }
  if (at == SIZE_MAX) {
    Region c;
    c.all.bytes = PetscMax(rounded, least_region);
    PetscCallHepta(export_memory(c.all.bytes, (void **)&c.all.p, c.all.handle));
    regions.push_back(c);
    at = 0;
  }
  *m        = regions[k].all;
  m->p      = regions[k].all.p + at;
  m->offset = at;
  m->bytes  = rounded;
  PetscCallHepta(clear_memory(m->p, rounded)); /* before other processes get the handle */
  regions[k].used[at] = rounded;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMailboxGive(HeptaMailboxMemory *m)
{
  PetscFunctionBegin;
  for (Region &c : regions) {
    if (m->p && m->p - m->offset == c.all.p) c.used.erase(m->offset);
  }
  if (m->p) hepta::count_device_free();
  m->p = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The address in this process of a handle's memory. CUDA does not open a process's own handles. */
static hepta::Status Open(const unsigned char handle[handle_bytes], char **begin)
{
  const auto own  = std::find_if(regions.begin(), regions.end(),
                                 [=](const Region &c) { return !std::memcmp(c.all.handle, handle, handle_bytes); });
  char     *&base = opened[std::string((const char *)handle, handle_bytes)];

  if (own != regions.end()) base = own->all.p;
  if (!base) {
    if (hepta::Status bad = open_memory(handle, (void **)&base)) return bad;
  }
  *begin = base;
  return nullptr;
}

PetscErrorCode HeptaMailboxOpen(MPI_Comm comm, const std::vector<HeptaMailboxMemory> &memory, void *p[])
{
  hepta::Status bad = nullptr;
  char         *begin;

  PetscFunctionBegin;
  for (size_t k = 0; k < memory.size() && !bad; k++) {
    bad = Open(memory[k].handle, &begin);
    if (!bad) p[k] = begin + memory[k].offset;
  }
  PetscCall(HeptaAgreeOnError(
    comm, bad ? PETSC_ERR_GPU : PETSC_SUCCESS,
    bad ? HeptaFormat("The device memory of another MPI process cannot be opened (%s); -hepta_transport mpi does without it", bad)
        : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
