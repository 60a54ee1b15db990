static char help[] = "Every allocation of a list of operations fails once, and from there on: PETSC_ERR_MEM comes back, and the "
                     "objects can be destroyed.\n";

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include "../../src/shared/nothrow.h"
#include "nomemory.h"

/* What an operation that failed held is lost, as PETSc's own objects are after an error: AddressSanitizer must not count it */
extern "C" int                                        __lsan_is_turned_off(void);
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off(void)
{
  return 1;
}

/* How many allocations succeed before the one that fails; negative: all do */
static long left   = -1;
static bool always = false, failed = false; /* those that follow fail too; some did */

static void *Allocate(size_t bytes)
{
  if (left == 0) {
    failed = true;
    if (!always) left = -1;
    throw std::bad_alloc();
  }
  if (left > 0) left--;
  if (void *p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}

void *operator new(size_t bytes)
{
  return Allocate(bytes);
}
void *operator new[](size_t bytes)
{
  return Allocate(bytes);
}
/* for std::stable_sort(), which goes on without */
void *operator new(size_t bytes, const std::nothrow_t &) noexcept
{
  return std::malloc(bytes ? bytes : 1);
}
void operator delete(void *p) noexcept
{
  std::free(p);
}
void operator delete[](void *p) noexcept
{
  std::free(p);
}
void operator delete(void *p, size_t) noexcept
{
  std::free(p);
}
void operator delete[](void *p, size_t) noexcept
{
  std::free(p);
}

/* Keeps the message of an error's origin without allocating */
static PetscErrorCode Note(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType type,
                           const char *message, PetscCtx ctx)
{
  if (type == PETSC_ERROR_INITIAL && message) std::strncpy((char *)ctx, message, 255);
  return code;
}

/* The step with `n` allocations before the first that fails: *done if it needs no more */
static PetscErrorCode Attempt(const char type[], const Step &step, long n, bool done[1])
{
  Run  run;
  char message[256] = "";

  PetscFunctionBegin;
  PetscCall(RunCreate(type, &run));
  PetscCall(PetscPushErrorHandler(Note, message));
  failed                    = false;
  left                      = n;
  const PetscErrorCode code = step.call(run);
  left                      = -1;
  PetscCall(PetscPopErrorHandler());
  *done = !failed;
  PetscCheck(code == (failed ? PETSC_ERR_MEM : PETSC_SUCCESS), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s, %s: error %d where allocation %ld %s: %s", type, step.name, (int)code, n,
             failed ? "failed" : "would have failed", message);
  PetscCall(RunDestroy(&run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Exhaust(const char type[], const Step &step)
{
  PetscFunctionBegin;
  for (bool from_there_on : {false, true}) {
    bool done = false;
    long n    = 0;
    for (always = from_there_on; !done; n++) PetscCall(Attempt(type, step, n, &done));
    PetscCheck(n > 1 || !step.allocates, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s: nothing was allocated", type, step.name);
    if (!from_there_on) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s: %ld allocations\n", type, step.name, n - 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Throws(int what)
{
  PetscFunctionBegin;
  if (what == 0) throw std::length_error("vector::reserve");
  if (what == 1) throw std::runtime_error("told");
  if (what == 2) throw 7;
  if (what == 3) throw HeptaError(PETSC_ERR_FP);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each exception has its error code, and PETSc's stack is as it was */
static PetscErrorCode Codes(void)
{
  const PetscErrorCode expected[] = {PETSC_ERR_MEM, PETSC_ERR_LIB, PETSC_ERR_LIB, PETSC_ERR_FP, PETSC_SUCCESS};

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  for (int k = 0; k < 5; k++) {
    const PetscErrorCode code = HeptaNoThrow<Throws>(k);
    if (code != expected[k]) PetscCall(PetscPopErrorHandler());
    PetscCheck(code == expected[k], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Exception %d became error %d instead of %d", k, (int)code,
               (int)expected[k]);
  }
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_bdia_max_fill 1000 -mat_bdia_max_offsets 100"));
  PetscCall(Codes());
  for (const char *type : {MATSEQBDIA, MATSEQBROW, MATSEQAIJBDIA, MATSEQAIJBROW}) {
    for (const Step &step : Steps()) {
      if (!step.only || !strncmp(step.only, type, strlen(step.only))) PetscCall(Exhaust(type, step));
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "ok\n"));
  PetscCall(PetscFinalize());
  return 0;
}
