/* PC "ip": the Incomplete Poisson preconditioner, an explicit approximate inverse in the matrix's own pattern */
#include "ip.h"

const char *const HeptaIPVariants[] = {"scaled", "published", "full", "HeptaIPVariant", "HEPTA_IP_", nullptr};

static PC_IP *IP(PC pc)
{
  return (PC_IP *)pc->data;
}

static PetscErrorCode PCReset_IP(PC pc)
{
  PC_IP *ip = IP(pc);

  PetscFunctionBegin;
  ip->stage = HeptaPCStage::none;
  ip->factors.clear();
  ip->rows.reset();
  PetscCall(VecDestroy(&ip->work));
  PetscCall(ip->op.Reset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Recorded(PC pc, HeptaRecorded *r)
{
  const auto &factors = IP(pc)->factors;

  PetscFunctionBegin;
  r->can = std::all_of(factors.begin(), factors.end(), [](const auto &f) { return HeptaIsBlocked(f->M); });
  if (r->can && factors.size() == 1) r->product = factors[0]->M;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Updates the operator: block diagonals if the matrix fits; otherwise blocked rows on one process with block size 1, else aij */
static PetscErrorCode UpdateOperator(PC pc, bool *same)
{
  PetscFunctionBegin;
  /* false: half storage is used without a copy */
  const bool full = pc->pmat->rmap->size > 1 || HeptaBlockSize(pc->pmat->rmap) > 1;
  PetscCall(IP(pc)->op.Update(pc, full ? HeptaForm::full_diagonals : HeptaForm::diagonals,
                              full ? HeptaForm::aij : HeptaForm::block_rows, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaIPFits(PC pc, bool *fits)
{
  bool same;

  PetscFunctionBegin;
  PetscCall(HeptaPCStartAnew(pc));
  PetscCall(UpdateOperator(pc, &same));
  *fits = !IP(pc)->op.ByRows();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUp(PC pc)
{
  PC_IP *ip = IP(pc);
  bool   same;

  PetscFunctionBegin;
  PetscCall(UpdateOperator(pc, &same));
  if (!same || ip->factors.size() != (ip->variant == HEPTA_IP_FULL ? 2u : 1u)) PetscCall(HeptaIPStructure(pc));
  PetscCall(HeptaIPValues(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- M x, M being the product of the factors; transpose: y <- M^T x */
template <bool transpose> static PetscErrorCode Apply(PC pc, Vec x, Vec y)
{
  constexpr auto mult = transpose ? MatMultTranspose : MatMult;
  PC_IP         *ip   = IP(pc);

  PetscFunctionBegin;
  PetscCall(HeptaPCCheckReady(pc));
  if (ip->factors.size() == 1) {
    PetscCall(mult(ip->factors[0]->M, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!ip->work) PetscCall(VecDuplicate(x, &ip->work));
  PetscCall(mult(ip->factors[transpose]->M, x, ip->work));
  PetscCall(mult(ip->factors[!transpose]->M, ip->work, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_IP(PC pc, PetscViewer viewer)
{
  const PC_IP *ip = IP(pc);

  PetscFunctionBegin;
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "  variant %s, values in %s\n", HeptaIPVariants[ip->variant], HeptaStoredType(ip->storage)));
  PetscCall(ip->op.View(pc->pmat, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class E, E PC_IP::*choice> static PetscErrorCode Choose(PC pc, E value)
{
  PetscFunctionBegin;
  if (IP(pc)->*choice != value) PetscCall(HeptaPCStartAnew(pc));
  IP(pc)->*choice = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetFromOptions_IP(PC pc, PetscOptionItems PetscOptionsObject)
{
  PetscInt variant = IP(pc)->variant, storage = IP(pc)->storage;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Incomplete Poisson options");
  PetscCall(PetscOptionsEList("-pc_ip_variant", "Which approximate inverse", "PCIPSetVariant", HeptaIPVariants, 3,
                              HeptaIPVariants[variant], &variant, nullptr));
  PetscCall(PCIPSetVariant(pc, (HeptaIPVariant)variant));
  PetscCall(PetscOptionsEList("-pc_ip_storage", "Type of its values", "PCIPSetStorage", HeptaMatStorages, 2,
                              HeptaMatStorages[storage], &storage, nullptr));
  PetscCall(PCIPSetStorage(pc, (HeptaMatStorage)storage));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCIPSetVariant - Sets which approximate inverse `PCIP` makes

  Logically Collective

  Input Parameters:
+ pc      - the preconditioner
- variant - `HEPTA_IP_SCALED`, the default, `HEPTA_IP_PUBLISHED` or `HEPTA_IP_FULL`

  Options Database Key:
. -pc_ip_variant <scaled> - `scaled`, `published` or `full`

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. After set-up it makes the next `PCSetUp()` start anew.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is no `HeptaIPVariant`.

.seealso: `PCIP`, `HeptaIPVariant`, `PCIPSetStorage()`
@*/
PetscErrorCode PCIPSetVariant(PC pc, HeptaIPVariant variant)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, variant, 2);
  PetscCall(HeptaCheckEnum(PetscObjectComm((PetscObject)pc), variant, HeptaIPVariants));
  PetscTryMethod(pc, "PCIPSetVariant_C", (PC, HeptaIPVariant), (pc, variant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCIPSetStorage - Sets the type in which `PCIP` keeps its values

  Logically Collective

  Input Parameters:
+ pc      - the preconditioner
- storage - `HEPTA_MAT_STORAGE_DOUBLE`, the default, or `HEPTA_MAT_STORAGE_SINGLE`

  Options Database Key:
. -pc_ip_storage <double> - `double` or `single`

  Level: intermediate

  Note:
  Does nothing for a preconditioner of another type. After set-up it makes the next `PCSetUp()` start anew.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for a number that is no `HeptaMatStorage`.

.seealso: `PCIP`, `HeptaMatStorage`, `PCIPSetVariant()`
@*/
PetscErrorCode PCIPSetStorage(PC pc, HeptaMatStorage storage)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, storage, 2);
  PetscCall(HeptaCheckEnum(PetscObjectComm((PetscObject)pc), storage, HeptaMatStorages));
  PetscTryMethod(pc, "PCIPSetStorage_C", (PC, HeptaMatStorage), (pc, storage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   PCIP - "ip" - Incomplete Poisson: an explicit approximate inverse with the pattern of the matrix

   When to take it:
   Take `PCIP` inside `PCSUBDEFLATION`, or alone on a GPU in place of `PCICC`.

   Options Database Keys:
+ -pc_type ip              - sets the preconditioner type to `PCIP`
. -pc_ip_variant <scaled>  - `scaled`, `published` or `full`, as `PCIPSetVariant()`
- -pc_ip_storage <double>  - `double` or `single`: type of its values, as `PCIPSetStorage()`

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type bdia -ksp_type fusedcg -pc_type ip
.ve

   Limits:
   The scaled form is positive definite, for block size 1, if each diagonal entry is at least the sum of the magnitudes of all
   other entries of its row. For other matrices, such as finite elements for elasticity, dropped entries may make the scaled form
   indefinite, and `KSPCG` ends with `KSP_DIVERGED_INDEFINITE_PC`: take the full form or `PCBLOCKIC`.

   Level: beginner

   Notes:
   With A = L + D + U, D the diagonal (for block size bs > 1 the block diagonal, whose blocks are inverted), U = L^T for symmetric
   matrices,

.vb
     scaled     M^-1 = (I - D^-1 U) D^-1 (I - L D^-1), entries outside A's pattern dropped
     published  M^-1 = (I - L D^-1) (I - D^-1 U),      entries outside A's pattern dropped
     full       M^-1 = (I - D^-1 U) D^-1 (I - L D^-1), nothing dropped: two products with triangles
.ve

   An application is a product with a `MATBDIA` or a `MATBROW`: no triangular solve, and as fast as the product with A. For a
   5-point Poisson matrix the published rows are (1/4, 1/4, 9/8, 1/4, 1/4), the scaled rows 1/4 of the published rows. For a
   varying diagonal, as across a jump of the density, only the scaled form is of use. A's pattern is the pattern of its nonzero
   blocks.

   For a symmetric A the scaled and the full form are symmetric. The full form is positive definite if A is, and so is the
   published form but for its dropped entries.

   The matrix is a `MATBDIA`, or of a type that `MatConvert()` takes to `MATBDIA`; the converted copy is kept, on the device if
   A's vectors are on the device. Float values (`-pc_ip_storage single`) halve the bytes of an application. The set-up runs where
   the vectors of the matrix are, as one kernel for block size 1 on one MPI process. Half storage (`-mat_bdia_half`) with blocks,
   or on several MPI processes, goes through a `MATAIJ` at each set-up.

   A matrix that exceeds the limits of `MATBDIA` (`-mat_bdia_max_offsets`, `-mat_bdia_max_fill`) is treated by rows, as `PCView()`
   says. M^-1 does not change, with blocks of the matrix's block size, and an application is a product with a `MATBROW`, or a
   `MATBROWCUDA` if A's vectors are on the device. With block size 1 on one MPI process the matrix is, or is converted to, a
   `MATBROW`, and a set-up for new values takes two kernels where the vectors are. Otherwise the set-up is on the host, from the
   rows of the matrix as `MATAIJ`.

   Errors:
   `PETSC_ERR_MAT_LU_ZRPVT` for a zero diagonal entry or a singular diagonal block, with its row; `PETSC_ERR_FP` for Inf and NaN
   in the matrix and for values that overflow, with the row.

   References:
   R. Gupta, Implementation of the Deflated Preconditioned Conjugate Gradient Method for Bubbly Flow on the Graphical Processing
   Unit (GPU), M.Sc. thesis, Delft University of Technology, 2010, sections 3.2.2 and 7.6 (the published form). M. Ament, G.
   Knittel, D. Weiskopf, W. Strasser, A parallel preconditioned conjugate gradient solver for the Poisson problem on a multi-GPU
   platform, PDP 2010. The scaled form is that of SSOR with its inverses cut after the first term.

.seealso: `PCIPSetVariant()`, `PCIPSetStorage()`, `PCBLOCKIC`, `PCSUBDEFLATION`, `MATBDIA`, `MATBROW`, `PCSOR`
M*/

PetscErrorCode PCCreate_IP(PC pc)
{
  PC_IP *ip = new PC_IP;

  PetscFunctionBegin;
  PetscCall(ip->found.Resize(sizeof(hepta::ip::Found)));
  pc->data                = ip;
  pc->ops->setup          = HeptaNoThrow<HeptaPCSetUp<&HeptaEvents::ip_setup, SetUp>>;
  pc->ops->apply          = HeptaNoThrow<Apply<false>>;
  pc->ops->applytranspose = HeptaNoThrow<Apply<true>>;
  pc->ops->reset          = HeptaNoThrow<PCReset_IP>;
  pc->ops->destroy        = HeptaNoThrow<HeptaPCDestroy>;
  pc->ops->setfromoptions = HeptaNoThrow<PCSetFromOptions_IP>;
  pc->ops->view           = HeptaNoThrow<HeptaPCView<PCView_IP>>;
  PetscCall(HeptaPCComposeFunction(pc, HEPTA_RECORDED, HeptaNoThrow<Recorded>));
  PetscCall(HeptaPCComposeFunction(pc, "PCIPSetVariant_C", HeptaNoThrow<Choose<HeptaIPVariant, &PC_IP::variant>>));
  PetscCall(HeptaPCComposeFunction(pc, "PCIPSetStorage_C", HeptaNoThrow<Choose<HeptaMatStorage, &PC_IP::storage>>));
  PetscFunctionReturn(PETSC_SUCCESS);
}
