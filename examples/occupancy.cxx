static char help[] = "How many thread blocks a GPU holds at a time: what bounds them, CUDA's own count, and grids that are just "
                     "small enough for a barrier.\n\n";

/*T
   Concepts: GPU^resident thread blocks; GPU^barrier of the grid
   Processors: 1
T*/

/*
   For thread blocks of given numbers of threads, registers of a thread and bytes of shared memory, prints how many of them the
   registers, the shared memory, the warps and the limit of blocks of a multiprocessor allow, and the largest grid whose blocks
   are all resident: HeptaMaxResidentBlocks(), after section 5.5.1 of Firdaus's thesis and its table 5.3. On a GPU the rows are
   those of compiled kernels. Each is compared with CUDA's own calculator, the largest grid has to pass a barrier of all blocks,
   and a cooperative launch of one block more has to be refused; an ordinary launch would hang, as those of the thesis did. The
   exit code is not 0 if a row differs.

   With -device the arithmetic alone, for a GPU that need not be there.

   Sample runs:
     occupancy -device h200
     occupancy -device k20xm -thesis
     occupancy -device a100 -threads 96,128 -registers 40,41 -shared 0,8192
   Device sample runs:
     occupancy
     occupancy -threads 48,1000 -shared 1088,100000
*/
#include "occupancy_run.h"

/* In the order of the fields of HeptaDeviceLimits */
static const HeptaDeviceLimits known[]       = {{14, 32, 1024, 64, 16, 65536, 255, 65536, 256, 4, 49152, 49152, 0, 256},
                                                {108, 32, 1024, 64, 32, 65536, 255, 65536, 256, 4, 167936, 166912, 1024, 128},
                                                {132, 32, 1024, 64, 32, 65536, 255, 65536, 256, 4, 233472, 232448, 1024, 128},
                                                {132, 32, 1024, 64, 32, 65536, 255, 65536, 256, 4, 233472, 232448, 1024, 128}};
static const char *const       known_names[] = {"k20xm", "a100", "h100", "h200"};
static const char *const       known_texts[] = {"Tesla K20Xm", "NVIDIA A100", "NVIDIA H100 SXM", "NVIDIA H200"};

/* A list of numbers; those given before stay if the option is not there */
static PetscErrorCode OptionsList(PetscOptionItems PetscOptionsObject, const char key[], const char text[],
                                  std::vector<PetscInt> &list, PetscBool *set)
{
  PetscInt values[16] = {}, n = PETSC_STATIC_ARRAY_LENGTH(values);

  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(values, list.data(), list.size()));
  PetscCall(PetscOptionsIntArray(key, text, "HeptaMaxResidentBlocks", values, &n, set));
  if (*set) list.assign(values, values + n);
  PetscCheck(!list.empty(), PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ, "%s needs numbers", key);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OptionsGet(Options *o)
{
  PetscBool set, given, registers, shared;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Occupancy example", NULL);
  PetscCall(PetscOptionsEList("-device", "a GPU by name: arithmetic alone", "HeptaDeviceLimits", known_names,
                              PETSC_STATIC_ARRAY_LENGTH(known_names), known_names[0], &o->device, &o->named));
  PetscCall(OptionsList(PetscOptionsObject, "-threads", "threads of a block", o->threads, &given));
  PetscCall(OptionsList(PetscOptionsObject, "-registers", "registers of a thread, with -device", o->registers, &registers));
  PetscCall(OptionsList(PetscOptionsObject, "-shared", "bytes of shared memory of a block", o->shared, &shared));
  if (!shared) o->shared.clear(); /* they depend on the device */
  PetscCall(PetscOptionsBool("-thesis", "the three launches of the thesis's table 5.3, with -device", "HeptaMaxResidentBlocks",
                             o->thesis, &o->thesis, &set));
  PetscOptionsEnd();
  PetscCheck(o->named || !(registers || o->thesis), PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP,
             "-registers and -thesis need -device: on a GPU the registers are those of the compiled kernels");
  PetscCheck(!o->thesis || !(given || registers || shared), PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP,
             "-thesis has threads, registers and shared memory of its own: leave -threads, -registers and -shared away");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Table 5.3: 1.0625, 4.125 and 9.1875 KB of shared memory */
static std::vector<Launch> ThesisLaunches()
{
  return {{16, 38, 1088}, {32, 38, 4224}, {48, 43, 9408}};
}

/* The arithmetic for a device by name */
static PetscErrorCode Named(const Options &o)
{
  const HeptaDeviceLimits &d = known[o.device];
  std::vector<Launch>      launches;

  PetscFunctionBeginUser;
  for (PetscInt registers : o.registers) {
    for (PetscInt threads : o.threads) {
      for (PetscInt shared : SharedSizes(o, d)) launches.push_back({threads, registers, shared});
    }
  }
  PetscCall(PrintLimits(known_texts[o.device], d));
  PetscCall(PrintHead(PETSC_FALSE));
  for (const Launch &k : o.thesis ? ThesisLaunches() : launches) {
    Row r;

    PetscCall(RowGet(d, k, &r));
    PetscCall(RowPrint(r, PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     o;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE,
             "This example runs on one process, not on %d: grids of several would share the GPU", size);
  PetscCall(OptionsGet(&o));
  if (o.named) PetscCall(Named(o));
  else PetscCall(OnDevice(o));
  PetscCall(PetscFinalize());
  return 0;
}
