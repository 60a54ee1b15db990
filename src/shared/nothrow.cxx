#include "nothrow.h"

#include <new>
#include <stdexcept>

/* Removes from PETSc's stack the functions that an exception left without PetscFunctionReturn() */
static void PopStack(const HeptaStackDepth &before)
{
#if PetscDefined(USE_DEBUG) && !PetscDefined(HAVE_THREADSAFETY)
  while (petscstack.currentsize > before.depth) {
    const int         top      = petscstack.currentsize - 1;
    const char *const function = top < PETSCSTACKSIZE ? petscstack.function[top] : "";
    PetscStackPopNoCheck(function);
  }
#else
  (void)before;
#endif
}

PetscErrorCode HeptaException(const HeptaStackDepth &before)
{
  PopStack(before);
  PetscFunctionBegin;
  try {
    throw;
  } catch (const HeptaError &e) {
    PetscCall(e.code);
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM,
            "Out of memory on the host: the system refused what libhepta asked for. Use more MPI processes or a smaller problem");
  } catch (const std::length_error &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM,
            "libhepta needs an array of more elements than there can be (%s): use more MPI processes or a smaller problem",
            e.what());
  } catch (const std::exception &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "C++ exception in libhepta: %s", e.what());
  } catch (...) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "C++ exception in libhepta, of a type that says nothing");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
