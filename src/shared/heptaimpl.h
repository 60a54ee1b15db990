/* Helpers on the PETSc side that every type uses */
#pragma once

#include <hepta.h>
#include <petsc/private/matimpl.h>
#include <petsc/private/petscimpl.h>

#include <string>

#include "compat.h"
#include "hepta_hd.hxx"
#include "nothrow.h"

/* The block size of A's rows and columns, or 1 where they differ */
static inline PetscInt HeptaCommonBlockSize(Mat A)
{
  const PetscInt bs = HeptaBlockSize(A->rmap);

  return bs == HeptaBlockSize(A->cmap) ? bs : 1;
}

/* Turns what a launcher returns into a PETSc error */
#define PetscCallHepta(...) \
  do { \
    const hepta::Status hepta_status_ = __VA_ARGS__; \
    PetscCheck(!hepta_status_, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", hepta_status_); \
  } while (0)

/*
   HeptaAgreeOnError - when a rank of comm has an error, every rank raises that error, so that no rank waits for another

   Collective. code is 0 on a rank without error; the message is that of the lowest rank with an error.
*/
PETSC_INTERN PetscErrorCode HeptaAgreeOnError(MPI_Comm comm, PetscErrorCode code, std::string why);
/*
   All ranks get *words and *code of the lowest rank whose code is not 0; without `code`, *words of the lowest rank with words.
   Without such a rank nothing changes. Collective.
*/
PETSC_INTERN PetscErrorCode HeptaShareWords(MPI_Comm comm, std::string *words, PetscErrorCode *code = nullptr);

/* *all <- is *all true on every rank of comm? *any <- is *any true on some rank? Collective. */
PETSC_INTERN PetscErrorCode HeptaAgreeOnAll(MPI_Comm comm, bool *all);
PETSC_INTERN PetscErrorCode HeptaAgreeOnAny(MPI_Comm comm, bool *any);

/* The type of stored values, for views: HEPTA_MAT_STORAGE_DOUBLE stands for PetscScalar */
static inline const char *HeptaStoredType(HeptaMatStorage storage)
{
  return PetscDefined(USE_REAL_SINGLE) ? "single" : HeptaMatStorages[storage];
}

/*
   An error if the value is outside the enum that `names` describes as for PetscOptionsEnum(): the values' names, the enum's name,
   its prefix, null
*/
PETSC_INTERN PetscErrorCode HeptaCheckEnum(MPI_Comm comm, int value, const char *const names[]);

/* printf into a std::string, for messages that may turn out not to be needed */
std::string HeptaFormat(const char format[], ...) PETSC_ATTRIBUTE_FORMAT(1, 2);

/* Log events, set at registration */
typedef struct {
  PetscLogEvent ip_setup, blockic_setup, deflation_setup, deflation_apply, gridmg_setup, gridmg_apply, aggmg_setup, aggmg_apply,
    bbs_setup;
} HeptaEvents;
PETSC_INTERN HeptaEvents HEPTA_Event;

/* What src/register.cxx lists besides the formats of blocked matrices */
/* registers PETSc's factorizations for the sequential types of blocked matrices whose names begin with `begin` and are longer */
PETSC_INTERN PetscErrorCode MatSolverTypeRegister_Blocked(const char begin[]);
PETSC_INTERN PetscErrorCode MatSolverTypeRegister_BBS(void);
/* tuning.cxx */
PETSC_INTERN PetscErrorCode HeptaTuningFromOptions(void);
/*
   takes the numbers of this GPU from its tuning file; to be called before numbers are used for a device; later calls do nothing
*/
PETSC_INTERN PetscErrorCode HeptaTuningChoose(void);
/* *source <- the tuning file in use, or "constants of the library" */
PETSC_INTERN PetscErrorCode HeptaTuningSource(std::string *source);
/* machine.cxx: the library, PETSc, the GPU and the transport; collective on PETSC_COMM_WORLD */
PETSC_INTERN PetscErrorCode HeptaViewMachine(PetscViewer);
PETSC_INTERN PetscErrorCode MatGetOrdering_Level(Mat, MatOrderingType, IS *, IS *);
PETSC_INTERN PetscErrorCode PCCreate_IP(PC);
PETSC_INTERN PetscErrorCode PCCreate_BlockIC(PC);
PETSC_INTERN PetscErrorCode PCCreate_GridMG(PC);
PETSC_INTERN PetscErrorCode PCCreate_AggMG(PC);
PETSC_INTERN PetscErrorCode PCCreate_Subdeflation(PC);
PETSC_INTERN PetscErrorCode PCCreate_BBS(PC);
PETSC_INTERN PetscErrorCode KSPCreate_FusedCG(KSP);
/* the monitor "fusedcg_error", which needs no vectors */
PETSC_INTERN PetscErrorCode HeptaFusedCGMonitorError(KSP, PetscInt it, PetscReal, PetscViewerAndFormat *);
PETSC_INTERN PetscErrorCode KSPCreate_FusedBCGS(KSP);
PETSC_INTERN PetscErrorCode KSPCreate_DPCG(KSP);
PETSC_INTERN PetscErrorCode KSPCreate_BiCGCR(KSP);
