/* The type table, and the two roads that register it: -dll_append, and HeptaRegisterAll() in programs that link the library */
#include "mat/brow/ordering.h"
#include "shared/heptaimpl.h"

HeptaEvents HEPTA_Event;

/* The types for the device are there without CUDA too, to say what is missing instead of "Unknown Mat type" */
static const struct {
  const char *name;
  PetscErrorCode (*create)(Mat);
} MatTypes[] = {
  {MATSEQBDIA,     HeptaNoThrow<MatCreate_SeqBDIA>    },
  {MATMPIBDIA,     HeptaNoThrow<MatCreate_MPIBDIA>    },
  {MATSEQBDIACUDA, HeptaNoThrow<MatCreate_SeqBDIACUDA>},
  {MATMPIBDIACUDA, HeptaNoThrow<MatCreate_MPIBDIACUDA>},
  {MATSEQAIJBDIA,  HeptaNoThrow<MatCreate_SeqAIJBDIA> },
  {MATSEQBROW,     HeptaNoThrow<MatCreate_SeqBROW>    },
  {MATMPIBROW,     HeptaNoThrow<MatCreate_MPIBROW>    },
  {MATSEQBROWCUDA, HeptaNoThrow<MatCreate_SeqBROWCUDA>},
  {MATMPIBROWCUDA, HeptaNoThrow<MatCreate_MPIBROWCUDA>},
  {MATSEQAIJBROW,  HeptaNoThrow<MatCreate_SeqAIJBROW> },
};

static const struct {
  const char *root, *seq, *mpi;
} MatRoots[] = {
  {MATBDIA,     MATSEQBDIA,     MATMPIBDIA    },
  {MATBDIACUDA, MATSEQBDIACUDA, MATMPIBDIACUDA},
  {MATBROW,     MATSEQBROW,     MATMPIBROW    },
  {MATBROWCUDA, MATSEQBROWCUDA, MATMPIBROWCUDA},
  {"aijbrow",   MATSEQAIJBROW,  MATMPIAIJ     },
  {"aijbdia",   MATSEQAIJBDIA,  MATMPIAIJ     }, /* where PETSc looks up which parallel matrix has parts of this type */
};

static const struct {
  const char *name;
  PetscErrorCode (*create)(PC);
} PCTypes[] = {
  {PCIP,           HeptaNoThrow<PCCreate_IP>          },
  {PCBLOCKIC,      HeptaNoThrow<PCCreate_BlockIC>     },
  {PCSUBDEFLATION, HeptaNoThrow<PCCreate_SubDeflation>},
  {PCBBS,          HeptaNoThrow<PCCreate_BBS>         },
};

static const struct {
  const char *name;
  PetscErrorCode (*create)(KSP);
} KSPTypes[] = {
  {KSPFUSEDCG,   HeptaNoThrow<KSPCreate_FusedCG>  },
  {KSPFUSEDBCGS, HeptaNoThrow<KSPCreate_FusedBCGS>},
  {KSPDPCG,      HeptaNoThrow<KSPCreate_DPCG>     },
  {KSPBICGCR,    HeptaNoThrow<KSPCreate_BiCGCR>   },
};

/* MatRegisterRootName() would add a second entry at every call */
static PetscErrorCode RegisterRoot(const char root[], const char seq[], const char mpi[])
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  for (MatRootName n = MatRootNameList; n && !same; n = n->next) PetscCall(PetscStrcmp(n->rname, root, &same));
  if (!same) PetscCall(MatRegisterRootName(root, seq, mpi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaEventsRegister(void)
{
  const struct {
    const char    *name;
    PetscLogEvent *event;
    PetscClassId   id;
  } events[] = {
    {"HeptaBDIAMult",     &HEPTA_Event.bdia.mult,          MAT_CLASSID},
    {"HeptaBDIAMultTr",   &HEPTA_Event.bdia.multtranspose, MAT_CLASSID},
    {"HeptaBDIAAssembly", &HEPTA_Event.bdia.assembly,      MAT_CLASSID},
    {"HeptaBDIAConvert",  &HEPTA_Event.bdia.convert,       MAT_CLASSID},
    {"HeptaBROWMult",     &HEPTA_Event.brow.mult,          MAT_CLASSID},
    {"HeptaBROWMultTr",   &HEPTA_Event.brow.multtranspose, MAT_CLASSID},
    {"HeptaBROWAssembly", &HEPTA_Event.brow.assembly,      MAT_CLASSID},
    {"HeptaBROWConvert",  &HEPTA_Event.brow.convert,       MAT_CLASSID},
    {"HeptaIPSetUp",      &HEPTA_Event.ip_setup,           PC_CLASSID },
    {"HeptaBlockICSetUp", &HEPTA_Event.blockic_setup,      PC_CLASSID },
    {"HeptaSubDefSetUp",  &HEPTA_Event.deflation_setup,    PC_CLASSID },
    {"HeptaSubDefApply",  &HEPTA_Event.deflation_apply,    PC_CLASSID },
    {"HeptaBBSSetUp",     &HEPTA_Event.bbs_setup,          PC_CLASSID },
  };

  PetscFunctionBegin;
  for (const auto &e : events) { /* asks first: registering a name twice would make a second event */
    PetscCall(PetscLogEventGetId(e.name, e.event));
    if (*e.event < 0) PetscCall(PetscLogEventRegister(e.name, e.id, e.event));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RegisterAll(void)
{
  PetscFunctionBegin;
  PetscCall(MatInitializePackage()); /* first: otherwise registering a solver type would hide PETSc's own */
  PetscCall(PCInitializePackage());
  PetscCall(KSPInitializePackage());
  PetscCall(HeptaEventsRegister());
  PetscCall(HeptaTuningFromOptions());
  for (const auto &t : MatTypes) PetscCall(MatRegister(t.name, t.create));
  for (const auto &r : MatRoots) PetscCall(RegisterRoot(r.root, r.seq, r.mpi));
  PetscCall(MatSeqAIJRegister(MATSEQAIJBDIA, HeptaNoThrow<MatConvert_SeqAIJ_SeqAIJBDIA>));
  PetscCall(MatSeqAIJRegister(MATSEQAIJBROW, HeptaNoThrow<MatConvert_SeqAIJ_SeqAIJBROW>));
  PetscCall(MatSolverTypeRegister_Blocked("seqbd"));
  PetscCall(MatSolverTypeRegister_Blocked("seqbro"));
  PetscCall(MatSolverTypeRegister_BBS());
  PetscCall(MatOrderingRegister(MATORDERINGLEVEL, HeptaNoThrow<MatGetOrdering_Level>));
  PetscCall(MatOrderingRegister(MATORDERINGBLOCKDENSITY, HeptaNoThrow<MatGetOrdering_BlockDensity>));
  for (const auto &t : PCTypes) PetscCall(PCRegister(t.name, t.create));
  for (const auto &t : KSPTypes) PetscCall(KSPRegister(t.name, t.create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaRegisterAll - Registers the types of Hepta with PETSc

  Not Collective

  Options Database Keys:
+ -hepta_tuning_bandwidth           - bytes a microsecond of a pass over vectors
. -hepta_tuning_pass                - microseconds of the shortest iteration of a Krylov method that is recorded
. -hepta_tuning_recording           - microseconds to launch a recording of iterations
. -hepta_tuning_level_kernel        - bbs: microseconds of a level that is a kernel of its own
. -hepta_tuning_level_bandwidth     - bbs: bytes a microsecond that such kernels read
. -hepta_tuning_level_alone         - bbs: microseconds of a level in one thread block
. -hepta_tuning_level_shared        - bbs: microseconds of a level of one of several chunks
. -hepta_tuning_chunk_bandwidth     - bbs: bytes a microsecond that one multiprocessor reads
. -hepta_tuning_chunk_step          - bbs: microseconds of a step of the threads of a chunk
. -hepta_tuning_chunk_share         - bbs: microseconds to halve the number of partial sums of a row
. -hepta_tuning_chunk_barrier       - bbs: microseconds of a barrier of a thread block
. -hepta_tuning_chunk_fetches       - bbs: values a microsecond that are fetched from other chunks
. -hepta_tuning_chunk_fetch         - bbs: microseconds of a value of another chunk, many right-hand sides
. -hepta_tuning_syncfree_level      - bbs: microseconds of a level, and of 128 entries of a row, that waits for warps
. -hepta_tuning_syncfree_bandwidth  - bbs: bytes a microsecond that warps read while they wait
. -hepta_tuning_together_level      - bbs: microseconds of a level for many right-hand sides together
. -hepta_tuning_together_long_entry - bbs: microseconds of an entry of the longest row, for them together
. -hepta_tuning_together_value      - bbs: microseconds of a value of a right-hand side and of the solution
. -hepta_tuning_together_entry      - bbs: microseconds of an entry, for each right-hand side
- -hepta_tuning_view                - print these numbers, those that are given included, as lines of an options file

  Level: beginner

  Notes:
  A program that links libhepta calls this once after `PetscInitialize()`; calling it again does nothing. A program that loads the library by
  `-dll_append` or `-dll_prepend` needs no call: PETSc does the same through `PetscDLLibraryRegister_hepta()`.

  The numbers are what a GPU takes for its smallest steps; engines of `bbs` and the length of recordings are chosen by them. The defaults are of an H200.

  After `PetscFinalize()` and a new `PetscInitialize()` it must be called again.

.seealso: `MATBDIA`, `MATBROW`, `MATSEQAIJBDIA`, `MATSEQAIJBROW`, `MatRegister()`, `PetscDLLibraryAppend()`
@*/
PetscErrorCode HeptaRegisterAll(void)
{
  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<RegisterAll>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc calls after loading libhepta.so: the name must match the library's */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_hepta(void)
{
  PetscFunctionBegin;
  PetscCall(HeptaRegisterAll());
  PetscFunctionReturn(PETSC_SUCCESS);
}
