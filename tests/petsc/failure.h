/* For tests of errors: the call must fail, and its message must hold certain words */
#pragma once

#include <petscsys.h>

#include <string>

/* Keeps the message of the error's origin, prints nothing */
static PetscErrorCode KeepMessage(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType type, const char *message, PetscCtx ctx)
{
  if (type == PETSC_ERROR_INITIAL && message) *(std::string *)ctx = message;
  return code;
}

/* Raises an error unless f() returns `code` with a message that holds `words` */
template <class F> static PetscErrorCode ExpectError(PetscErrorCode code, const std::string &words, F f)
{
  std::string message;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(KeepMessage, &message));
  const PetscErrorCode got = f();
  PetscCall(PetscPopErrorHandler());
  PetscCheck(got == code, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Error code %d instead of %d, with message: %s", (int)got, (int)code, message.c_str());
  PetscCheck(message.find(words) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The message \"%s\" does not hold \"%s\"", message.c_str(), words.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}
