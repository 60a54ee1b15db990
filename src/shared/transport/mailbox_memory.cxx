/*
   Device memory that other processes may write. It comes from chunks that are never given back: a process must close its handles of another's memory before that is freed, and
   objects are not destroyed at the same time everywhere.
*/
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "transport.h"

#if defined(HEPTA_HAVE_CUDA)

using namespace hepta::transport;

namespace
{

struct Chunk {
  HeptaMailboxMemory       all;
  std::map<size_t, size_t> used; /* offset -> bytes */
};

std::vector<Chunk>            chunks;
std::map<std::string, char *> opened; /* handle -> address here */

constexpr size_t least_chunk = 1 << 22;

/* Where the first gap of so many bytes begins; SIZE_MAX for none */
size_t FindGap(const Chunk &c, size_t bytes)
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
  for (; k < chunks.size(); k++) {
    at = FindGap(chunks[k], rounded);
    if (at != SIZE_MAX) break;
  }
  if (at == SIZE_MAX) {
    Chunk c;
    c.all.bytes   = PetscMax(rounded, least_chunk);
    c.all.process = (long long)getpid();
    PetscCallHepta(export_memory(c.all.bytes, (void **)&c.all.p, c.all.handle));
    chunks.push_back(c);
    at = 0;
  }
  *m        = chunks[k].all;
  m->p      = chunks[k].all.p + at;
  m->offset = at;
  m->bytes  = rounded;
  PetscCallHepta(clear_memory(m->p, rounded)); /* before anybody else knows of it */
  chunks[k].used[at] = rounded;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMailboxGive(HeptaMailboxMemory *m)
{
  PetscFunctionBegin;
  for (Chunk &c : chunks) {
    if (m->p && m->p - m->offset == c.all.p) c.used.erase(m->offset);
  }
  if (m->p) hepta::count_device_free();
  m->p = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMailboxOpen(const HeptaMailboxMemory &m, char **p)
{
  PetscFunctionBegin;
  *p = m.p;
  if (m.process == (long long)getpid()) PetscFunctionReturn(PETSC_SUCCESS);
  char *&base = opened[std::string((const char *)m.handle, handle_bytes)];
  if (!base) PetscCallHepta(open_memory(m.handle, (void **)&base));
  *p = base + m.offset;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
