/* Rows of the table, and their checks on a GPU */
#include "occupancy_run.h"

#include <cstdlib>
#include <cstring>
#include <string>

#if defined(HEPTA_HAVE_CUDA)
  #include "occupancy.h"
#endif

std::vector<PetscInt> SharedSizes(const Options &o, const HeptaDeviceLimits &d)
{
  if (!o.shared.empty()) return o.shared;
  return {0, 9408, 32768, d.max_block_shared};
}

PetscErrorCode PrintLimits(const char name[], const HeptaDeviceLimits &d)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %d multiprocessors, each with\n", name, (int)d.multiprocessors));
  PetscCall(PetscPrintf(
    PETSC_COMM_WORLD,
    "  %d registers, at most %d of a thread and %d of a block, in units of %d for a warp and for %d warps at a time\n",
    (int)d.registers, (int)d.max_registers, (int)d.max_block_registers, (int)d.register_unit, (int)d.warp_unit));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %d bytes of shared memory, at most %d of a block and %d for CUDA, in units of %d\n",
                        (int)d.shared_memory, (int)d.max_block_shared, (int)d.reserved_block_shared, (int)d.shared_unit));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %d warps of %d threads, %d blocks of at most %d threads\n", (int)d.max_warps,
                        (int)d.warp_size, (int)d.max_blocks, (int)d.max_threads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for the longest words of a column that others follow */
constexpr int bounded = 40;

PetscErrorCode PrintHead(PetscBool checks)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "threads  registers  shared | blocks by registers  shared  warps  blocks | largest grid  %*s%s\n",
                        checks ? -bounded : 0, "bounded by", checks ? " | CUDA's  barrier us  one block more" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowGet(const HeptaDeviceLimits &d, const Launch &k, Row *r)
{
  PetscFunctionBeginUser;
  r->launch = k;
  PetscCall(HeptaMaxResidentBlocks(&d, k.threads, k.registers, k.shared, r->by, &r->least, &r->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowPrint(const Row &r, PetscBool checks)
{
  const std::string shared = r.by[HEPTA_RESIDENT_SHARED] == PETSC_INT_MAX ? "-" : std::to_string(r.by[HEPTA_RESIDENT_SHARED]);
  std::string       least;

  PetscFunctionBeginUser;
  for (int l = 0; l < 4; l++) {
    if (r.by[l] == r.by[r.least]) least += (least.empty() ? "" : ", ") + std::string(HeptaResidentLimits[l]);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%7d  %9d  %6d | %19d  %6s  %5d  %6d | %12d  %*s%s", (int)r.launch.threads,
                        (int)r.launch.registers, (int)r.launch.shared, (int)r.by[HEPTA_RESIDENT_REGISTERS], shared.c_str(),
                        (int)r.by[HEPTA_RESIDENT_WARPS], (int)r.by[HEPTA_RESIDENT_BLOCKS], (int)r.blocks, checks ? -bounded : 0,
                        least.c_str(), checks ? "" : "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where there is no GPU; an error if the environment says that there must be one */
static PetscErrorCode NoDevice(const char why[])
{
  const char *must = std::getenv("HEPTA_TEST_GPU");

  PetscFunctionBeginUser;
  PetscCheck(!must || std::strcmp(must, "1"), PETSC_COMM_WORLD, PETSC_ERR_GPU, "%s, and HEPTA_TEST_GPU=1 forbids skipping", why);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skipped: %s; -device h200 prints the arithmetic of a GPU that is not there\n", why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
  #define CallDevice(...) \
    do { \
      const char *bad_ = __VA_ARGS__; \
      PetscCheck(!bad_, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", bad_); \
    } while (0)

/* The row beside CUDA's calculator; its largest grid passes a barrier, and one block more is refused. `dynamic` bytes of its
   shared memory are. */
static PetscErrorCode CheckRow(int k, const Row &r, int dynamic)
{
  const int    threads = (int)r.launch.threads, blocks = (int)r.blocks;
  int          resident;
  OccupancyRun run, more;

  PetscFunctionBeginUser;
  CallDevice(OccupancyCalculator(k, threads, dynamic, &resident));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %6d", resident));
  PetscCheck(resident == r.by[r.least], PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "CUDA's calculator gives a multiprocessor %d blocks, HeptaMaxResidentBlocks() %d", resident, (int)r.by[r.least]);
  CallDevice(OccupancyLaunch(k, threads, dynamic, blocks, &run));
  PetscCheck(!run.too_large, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A cooperative grid of %d blocks is refused as too large", blocks);
  PetscCheck(run.arrived == blocks && !run.early, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Of %d blocks %d came to the barrier, and %d left it before all had come", blocks, run.arrived, run.early);
  CallDevice(OccupancyLaunch(k, threads, dynamic, blocks + 1, &more));
  PetscCheck(more.too_large && !more.arrived, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "A cooperative grid of %d blocks is not refused, and %d came to the barrier", blocks + 1, more.arrived);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %10.1f  refused\n", (double)run.us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows of kernel k; *rows grows */
static PetscErrorCode CheckKernel(const Options &o, const HeptaDeviceLimits &d, int k, PetscInt *rows)
{
  OccupancyKernel kernel;

  PetscFunctionBeginUser;
  CallDevice(OccupancyKernelGet(k, &kernel));
  for (PetscInt threads : o.threads) {
    if (threads > kernel.threads && threads <= d.max_threads) continue; /* the kernel is compiled for fewer */
    for (PetscInt shared : SharedSizes(o, d)) {
      const PetscInt total = PetscMax(shared, kernel.shared);
      Row            r;

      PetscCall(RowGet(d, {threads, kernel.registers, total}, &r));
      PetscCall(RowPrint(r, PETSC_TRUE));
      PetscCall(CheckRow(k, r, (int)(total - kernel.shared)));
      (*rows)++;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OnDevice(const Options &o)
{
  HeptaDeviceLimits d;
  char              name[256];
  PetscInt          rows = 0;

  PetscFunctionBeginUser;
  const char *missing = OccupancyDevice(name, sizeof(name));
  if (missing) {
    PetscCall(NoDevice((std::string("there is no GPU to check on (CUDA says: ") + missing + ")").c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaGetDeviceLimits(&d));
  PetscCall(PrintLimits(name, d));
  PetscCall(PrintHead(PETSC_TRUE));
  for (int k = 0; k < OccupancyKernels(); k++) PetscCall(CheckKernel(o, d, k, &rows));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%d rows: CUDA's calculator says the same, each largest grid passed a barrier of all its blocks, each "
                        "grid of one block more was refused\n",
                        (int)rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode OnDevice(const Options &)
{
  PetscFunctionBeginUser;
  PetscCall(NoDevice("this was built without CUDA, so there is no GPU to check on"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
