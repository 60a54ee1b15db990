/*
   A format of blocked matrices: the names and texts, and the constructors of its types. The operations are in the format's
   storage. src/register.cxx lists the formats.
*/
#pragma once

#include <vector>

#include "../../shared/heptaimpl.h"

struct HeptaStorage;
struct HeptaSeqAIJKind;

/* Log events, set by RegisterFormat() in src/register.cxx */
struct HeptaMatEvents {
  PetscLogEvent mult = 0, multtranspose = 0, assembly = 0, convert = 0;
};

struct HeptaBlockedFormat {
  using Create = PetscErrorCode (*)(Mat);
  using Method = std::pair<const char *, PetscErrorCodeFn *>;

  const char *name = nullptr, *cuda = nullptr; /* "bdia": -mat_type bdia, options -mat_bdia_...; "bdiacuda" */
  MatType     seq = nullptr, mpi = nullptr, seqcuda = nullptr, mpicuda = nullptr;
  /* HeptaSetConstructors() */
  Create create_seq = nullptr, create_mpi = nullptr, create_seqcuda = nullptr, create_mpicuda = nullptr;
  /* "HeptaBDIA": the beginning of the names of log events */
  const char *log = nullptr;
  /* in messages: where entries without a slot are */
  const char *unstored = nullptr;
  /* in messages: how to get a slot for each entry in double precision */
  const char *direct                               = nullptr;
  PetscErrorCode (*options)(Mat, PetscOptionItems) = nullptr;
  HeptaStorage *(*storage)()                       = nullptr; /* creates a storage */
  std::vector<Method>    methods;                             /* functions composed with the matrix */
  const HeptaSeqAIJKind *seqaij = nullptr;                    /* the type under MATSEQAIJ */
  HeptaMatEvents         events;
};

template <class F> HeptaBlockedFormat::Method HeptaMethod(const char *name, F f)
{
  return {name, (PetscErrorCodeFn *)(void (*)(void))f};
}

/* All formats */
PETSC_INTERN const std::vector<HeptaBlockedFormat *> &HeptaFormats();

/* blocked.cxx: the constructor of a format's types, `type` being one of its four names */
PETSC_INTERN PetscErrorCode MatCreate_Blocked(Mat, const HeptaBlockedFormat &, MatType type);

template <HeptaBlockedFormat &F, MatType HeptaBlockedFormat::*type> PetscErrorCode MatCreate_Format(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate_Blocked(A, F, F.*type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <HeptaBlockedFormat &F> void HeptaSetConstructors(HeptaBlockedFormat &f)
{
  f.create_seq     = HeptaNoThrow<MatCreate_Format<F, &HeptaBlockedFormat::seq>>;
  f.create_mpi     = HeptaNoThrow<MatCreate_Format<F, &HeptaBlockedFormat::mpi>>;
  f.create_seqcuda = HeptaNoThrow<MatCreate_Format<F, &HeptaBlockedFormat::seqcuda>>;
  f.create_mpicuda = HeptaNoThrow<MatCreate_Format<F, &HeptaBlockedFormat::mpicuda>>;
}
