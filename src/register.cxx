/* The type table, and the two ways of registering it: -dll_append, and HeptaRegisterAll() in programs that link the library */
#include "mat/aijblocked/seqaijblocked.h"
#include "mat/bdia/bdia.h"
#include "mat/brow/brow.h"
#include "mat/matis.h"
#include "mat/reorder.h"
#include "shared/heptaimpl.h"

HeptaEvents HEPTA_Event;

const std::vector<HeptaBlockedFormat *> &HeptaFormats()
{
  static const std::vector<HeptaBlockedFormat *> formats = {&HEPTA_BDIA, &HEPTA_BROW};

  return formats;
}

static const struct {
  const char *name;
  PetscErrorCode (*create)(PC);
} PCTypes[] = {
  {PCIP, HeptaNoThrow<PCCreate_IP>},
  {PCBLOCKIC, HeptaNoThrow<PCCreate_BlockIC>},
  {PCGRIDMG, HeptaNoThrow<PCCreate_GridMG>},
  {PCAGGMG, HeptaNoThrow<PCCreate_AggMG>},
  {PCSUBDEFLATION, HeptaNoThrow<PCCreate_Subdeflation>},
  {PCBBS, HeptaNoThrow<PCCreate_BBS>},
};

static const struct {
  const char *name;
  PetscErrorCode (*create)(KSP);
} KSPTypes[] = {
  {KSPFUSEDCG, HeptaNoThrow<KSPCreate_FusedCG>},
  {KSPFUSEDBCGS, HeptaNoThrow<KSPCreate_FusedBCGS>},
  {KSPDPCG, HeptaNoThrow<KSPCreate_DPCG>},
  {KSPBICGCR, HeptaNoThrow<KSPCreate_BiCGCR>},
};

/* Registers a root name once: MatRegisterRootName() would add another entry at every call */
static PetscErrorCode RegisterRoot(const char root[], const char seq[], const char mpi[])
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  for (MatRootName n = MatRootNameList; n && !same; n = n->next) PetscCall(PetscStrcmp(n->rname, root, &same));
  if (!same) PetscCall(MatRegisterRootName(root, seq, mpi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Registers an event unless it is registered already, since PETSc would create a second one */
static PetscErrorCode RegisterEvent(const std::string &name, PetscClassId id, PetscLogEvent *event)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId(name.c_str(), event));
  if (*event < 0) PetscCall(PetscLogEventRegister(name.c_str(), id, event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Types for the device are registered without CUDA too, so that the error says what is missing, not "Unknown Mat type" */
static PetscErrorCode RegisterFormat(HeptaBlockedFormat &f)
{
  const std::string log = f.log, seq = f.seq;

  PetscFunctionBegin;
  PetscCall(RegisterEvent(log + "Mult", MAT_CLASSID, &f.events.mult));
  PetscCall(RegisterEvent(log + "MultTr", MAT_CLASSID, &f.events.multtranspose));
  PetscCall(RegisterEvent(log + "Assembly", MAT_CLASSID, &f.events.assembly));
  PetscCall(RegisterEvent(log + "Convert", MAT_CLASSID, &f.events.convert));
  PetscCall(MatRegister(f.seq, f.create_seq));
  PetscCall(MatRegister(f.mpi, f.create_mpi));
  PetscCall(MatRegister(f.seqcuda, f.create_seqcuda));
  PetscCall(MatRegister(f.mpicuda, f.create_mpicuda));
  PetscCall(MatRegister(f.seqaij->name, f.seqaij->create));
  PetscCall(MatSeqAIJRegister(f.seqaij->name, f.seqaij->convert));
  PetscCall(RegisterRoot(f.name, f.seq, f.mpi));
  PetscCall(RegisterRoot(f.cuda, f.seqcuda, f.mpicuda));
  PetscCall(RegisterRoot(f.seqaij->root, f.seqaij->name, MATMPIAIJ));
  PetscCall(MatSolverTypeRegister_Blocked(seq.substr(0, seq.size() - 1).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preconditioners' events */
static PetscErrorCode RegisterEvents(void)
{
  PetscFunctionBegin;
  PetscCall(RegisterEvent("HeptaIPSetUp", PC_CLASSID, &HEPTA_Event.ip_setup));
  PetscCall(RegisterEvent("HeptaBlockICSetUp", PC_CLASSID, &HEPTA_Event.blockic_setup));
  PetscCall(RegisterEvent("HeptaSubDefSetUp", PC_CLASSID, &HEPTA_Event.deflation_setup));
  PetscCall(RegisterEvent("HeptaSubDefApply", PC_CLASSID, &HEPTA_Event.deflation_apply));
  PetscCall(RegisterEvent("HeptaGridMGSetUp", PC_CLASSID, &HEPTA_Event.gridmg_setup));
  PetscCall(RegisterEvent("HeptaGridMGApply", PC_CLASSID, &HEPTA_Event.gridmg_apply));
  PetscCall(RegisterEvent("HeptaAggMGSetUp", PC_CLASSID, &HEPTA_Event.aggmg_setup));
  PetscCall(RegisterEvent("HeptaAggMGApply", PC_CLASSID, &HEPTA_Event.aggmg_apply));
  PetscCall(RegisterEvent("HeptaBBSSetUp", PC_CLASSID, &HEPTA_Event.bbs_setup));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode View(PetscViewer viewer)
{
  std::string mats, pcs, ksps, source;

  PetscFunctionBegin;
  for (const HeptaBlockedFormat *f : HeptaFormats()) mats += std::string(" ") + f->name + " " + f->cuda + " " + f->seqaij->name;
  for (const auto &t : PCTypes) pcs += std::string(" ") + t.name;
  for (const auto &t : KSPTypes) ksps += std::string(" ") + t.name;
  PetscCall(HeptaViewMachine(viewer));
  PetscCall(HeptaTuningSource(&source));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  tuning: %s\n  Mat:%s\n  PC:%s\n  KSP:%s\n  MatSolver: %s\n", source.c_str(),
                                   mats.c_str(), pcs.c_str(), ksps.c_str(), MATSOLVERBBS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaView - Prints file and version of the library, PETSc, the GPU, the transport between processes, the tuning file, the types

  Collective on `PETSC_COMM_WORLD`

  Input Parameter:
. viewer - an ASCII viewer, such as `PETSC_VIEWER_STDOUT_WORLD`

  Options Database Key:
. -hepta_view - print the same when the types are registered

  Level: beginner

.seealso: `HeptaRegisterAll()`
@*/
PetscErrorCode HeptaView(PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(viewer, PETSC_VIEWER_CLASSID, 1);
  PetscCall(HeptaNoThrow<View>(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewFromOptions(void)
{
  PetscBool view = PETSC_FALSE;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "libhepta", "HeptaRegisterAll");
  PetscCall(PetscOptionsBool("-hepta_view", "Print the library, PETSc, GPU, tuning, transport and types", "HeptaView", view,
                             &view, nullptr));
  PetscOptionsEnd();
  if (view) PetscCall(View(PETSC_VIEWER_STDOUT_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   An error if the program's libpetsc was configured otherwise than the PETSc of this library's headers: PETSc's numbers and
   structs would have other sizes. It comes first, and calls no function that takes a PetscInt.
*/
static PetscErrorCode CheckPETSc(void)
{
  const bool    with_cuda = PetscDefined(HAVE_CUDA);
  size_t        integer, scalar;
  PetscDataType type;
  PetscBool     cuda, found;

  PetscFunctionBegin;
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &integer));
  PetscCall(PetscDataTypeFromString("scalar", &type, &found));
  PetscCall(PetscDataTypeGetSize(type, &scalar));
  PetscCall(PetscHasExternalPackage("cuda", &cuda));
  PetscCheck(
    integer == sizeof(PetscInt) && scalar == sizeof(PetscScalar) && cuda == (PetscBool)with_cuda, PETSC_COMM_SELF, PETSC_ERR_LIB,
    "libhepta was built for %s, %s CUDA, and the PETSc of this program has scalars of %zu bytes, %zu-bit indices, and %sCUDA: "
    "build libhepta with the PETSC_DIR and PETSC_ARCH of the program",
    HeptaBuiltFor, with_cuda ? "with" : "without", scalar, 8 * integer, cuda ? "" : "no ");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool registered = false; /* since PetscInitialize(): a program may link the library and load it by -dll_append too */

static PetscErrorCode Forget(void)
{
  registered = false;
  return PETSC_SUCCESS;
}

static PetscErrorCode RegisterAll(void)
{
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckPETSc());
  PetscCall(MatInitializePackage()); /* first: otherwise registering a solver type would hide PETSc's own */
  PetscCall(PCInitializePackage());
  PetscCall(KSPInitializePackage());
  PetscCall(RegisterEvents());
  PetscCall(HeptaTuningFromOptions());
  for (HeptaBlockedFormat *f : HeptaFormats()) PetscCall(RegisterFormat(*f));
  PetscCall(HeptaMatISRegister());
  PetscCall(MatSolverTypeRegister_BBS());
  PetscCall(MatOrderingRegister(MATORDERINGLEVEL, HeptaNoThrow<MatGetOrdering_Level>));
  PetscCall(MatOrderingRegister(MATORDERINGBLOCKDENSITY, HeptaNoThrow<MatGetOrdering_BlockDensity>));
  for (const auto &t : PCTypes) PetscCall(PCRegister(t.name, t.create));
  for (const auto &t : KSPTypes) PetscCall(KSPRegister(t.name, t.create));
  PetscCall(KSPMonitorRegister("fusedcg_error", PETSCVIEWERASCII, PETSC_VIEWER_DEFAULT, HeptaNoThrow<HeptaFusedCGMonitorError>,
                               nullptr, nullptr));
  PetscCall(ViewFromOptions());
  PetscCall(PetscRegisterFinalize(Forget));
  registered = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaRegisterAll - Registers the types of Hepta with PETSc

  Collective on `PETSC_COMM_WORLD`

  Options Database Keys:
+ -hepta_tuning <file|none> - the numbers by which kernels are chosen: a file that `hepta-tune` has written, or the constants of
                              the library; by default the file `tuning-*.txt` of this GPU in `$XDG_CACHE_HOME/hepta` or
                              `~/.cache/hepta`, if there is one
. -hepta_view               - print what `HeptaView()` prints
- -hepta_tuning_view        - print the numbers in use as such a file, and where they are from

  Level: beginner

  Notes:
  A program that links libhepta calls this once after `PetscInitialize()`; calling it again does nothing. A program that loads the
  library by `-dll_append` or `-dll_prepend` needs no call: PETSc does the same through `PetscDLLibraryRegister_hepta()`.

  The numbers are what a GPU takes for its smallest steps; engines of `bbs`, launches of products, the length of recordings and,
  with `-hepta_transport auto`, the transport are chosen by them. The constants are of an H200, those of exchanges of two H100s. A
  file holds for one GPU, driver, version of CUDA and of this library; a file that is damaged is named once and ignored, and so is
  one of the same GPU with another of these, or one that was given and is of another GPU.

  After `PetscFinalize()` and a new `PetscInitialize()` it must be called again.

  Errors:
  `PETSC_ERR_LIB` if the program's PETSc has other scalars or indices than the PETSc that the library was built for, or if one of
  the two has CUDA and the other has not.

.seealso: `HeptaView()`, `HeptaSetTuning()`, `MATBDIA`, `MATBROW`, `MATSEQAIJBDIA`, `MATSEQAIJBROW`, `MatRegister()`,
          `PetscDLLibraryAppend()`
@*/
PetscErrorCode HeptaRegisterAll(void)
{
  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<RegisterAll>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by PETSc after loading libhepta.so; the name must match the library's */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_hepta(void)
{
  PetscFunctionBegin;
  PetscCall(HeptaRegisterAll());
  PetscFunctionReturn(PETSC_SUCCESS);
}
