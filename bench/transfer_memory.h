/* Memory that bytes are moved between, with contents that tell whose they are */
#pragma once

#include <petscsys.h>

enum class MemoryKind {
  Pageable, /* of the host, as malloc() gives it */
  Pinned,   /* of the host, page-locked */
  Mapped,   /* the same in the address space of the device, so that kernels read and write it */
  Device
};

class Memory {
public:
  Memory()                          = default;
  Memory(const Memory &)            = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory();

  /* bytes: a multiple of 8; device memory is of the current device. All words are 0. */
  PetscErrorCode Allocate(MemoryKind, size_t bytes);
  char          *Data(void) const { return data_; }
  /* Writes word i as seed 2^32 + i + 1 */
  PetscErrorCode Fill(unsigned seed);
  /* Makes the bytes from offset on 0, and the word behind them */
  PetscErrorCode Clear(size_t offset, size_t bytes);
  /* Whether the bytes from offset on are the first ones of a memory filled with this seed, and the word behind them is 0 */
  PetscErrorCode Holds(size_t offset, size_t bytes, unsigned seed, PetscBool *right) const;

private:
  size_t WithWordBehind(size_t offset, size_t bytes) const;

  char      *data_  = nullptr;
  size_t     bytes_ = 0;
  MemoryKind kind_  = MemoryKind::Pageable;
};
