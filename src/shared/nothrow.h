/*
   C++ exceptions end at the functions that PETSc calls: A->ops->mult = HeptaNoThrow<MatMult_Blocked>

   PETSc's own functions are C and cannot be unwound, and a program expects an error code where there is no memory. Every function
   pointer that PETSc or a program gets goes through HeptaNoThrow; scripts/docs_check.py looks for pointers that do not.
*/
#pragma once

#include <petscsys.h>

#include <exception>

/* A PETSc error, already raised, thrown through functions that do not return an error code */
struct HeptaError : std::exception {
  const PetscErrorCode code;

  explicit HeptaError(PetscErrorCode code_) : code(code_) {}
};

/* The depth of PETSc's stack of functions, which a debug build keeps by PetscFunctionBegin and PetscFunctionReturn() */
struct HeptaStackDepth {
#if PetscDefined(USE_DEBUG) && !PetscDefined(HAVE_THREADSAFETY)
  int depth = petscstack.currentsize;
#endif
};

/* HeptaException - converts the exception being handled to a PETSc error and restores the depth of PETSc's stack; to be called in
   a catch block */
PETSC_INTERN PetscErrorCode HeptaException(const HeptaStackDepth &);

template <auto Function> struct HeptaNoThrowCall;
template <class... Args, PetscErrorCode (*Function)(Args...)> struct HeptaNoThrowCall<Function> {
  static PetscErrorCode Call(Args... args)
  {
    const HeptaStackDepth depth;

    try {
      return Function(args...);
    } catch (...) {
      return HeptaException(depth);
    }
  }
};

/* A function with the arguments of Function, which it calls; an exception is returned as an error */
template <auto Function> constexpr auto HeptaNoThrow = &HeptaNoThrowCall<Function>::Call;
