/* Errors that every rank raises together, and what several setters refuse */
#include <cstdarg>
#include <vector>

#include "heptaimpl.h"

std::string HeptaFormat(const char format[], ...)
{
  std::vector<char> text(1024);
  size_t            length = 0; /* of the whole message, with the terminating zero */

  for (int pass = 0; pass < 2; pass++) {
    va_list args;
    va_start(args, format);
    const PetscErrorCode ierr = PetscVSNPrintf(text.data(), text.size(), format, &length, args);
    va_end(args);
    if (ierr != PETSC_SUCCESS) return format;
    if (length <= text.size()) break;
    text.resize(length);
  }
  return text.data();
}

PetscErrorCode HeptaCheckEnum(MPI_Comm comm, int value, const char *const names[])
{
  int n = 0;

  PetscFunctionBegin;
  while (names[n + 2]) n++;
  PetscCheck(value >= 0 && value < n, comm, PETSC_ERR_ARG_OUTOFRANGE, "%d is no %s: those are from 0 (%s) to %d (%s)", value,
             names[n], names[0], n - 1, names[n - 1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAgreeOnAll(MPI_Comm comm, bool *all)
{
  PetscMPIInt yes = *all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &yes, 1, MPI_INT, MPI_MIN, comm));
  *all = yes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAgreeOnAny(MPI_Comm comm, bool *any)
{
  bool none = !*any;

  PetscFunctionBegin;
  PetscCall(HeptaAgreeOnAll(comm, &none));
  *any = !none;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaShareWords(MPI_Comm comm, std::string *words, PetscErrorCode *code)
{
  PetscMPIInt rank, size, first;
  int         head[2] = {(int)words->size(), code ? *code : 0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  first = head[code ? 1 : 0] ? rank : size;
  if (size > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(head, 2, MPI_INT, first, comm));
  words->resize(head[0]);
  PetscCallMPI(MPI_Bcast(words->data(), head[0], MPI_CHAR, first, comm));
  if (code) *code = (PetscErrorCode)head[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAgreeOnError(MPI_Comm comm, PetscErrorCode code, std::string why)
{
  PetscFunctionBegin;
  PetscCall(HeptaShareWords(comm, &why, &code));
  PetscCheck(!code, comm, code, "%s", why.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}
