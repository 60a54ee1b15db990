/* The seqaijbdia matrix: a MATSEQAIJ in every respect, with products through block diagonals */
#include "../aijblocked/seqaijblocked.h"
#include "../bdia/bdia.h"

using namespace hepta::bdia;
using hepta::blocked::CSRView;
using hepta::blocked::Settings;

static PetscErrorCode ReadOptions(Mat A, Settings &s)
{
  Options limits = s.OfFormat<Options>();

  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)A);
  PetscCall(PetscOptionsBoundedInt("-mat_bdia_max_offsets", "Most block offsets; more are left to the compressed rows",
                                   "MATSEQAIJBDIA", limits.max_offsets, &limits.max_offsets, nullptr, 1));
  PetscCall(PetscOptionsBoundedReal("-mat_bdia_max_fill", "Most value slots per entry; more are left to the compressed rows",
                                    "MATSEQAIJBDIA", limits.max_fill, &limits.max_fill, nullptr, 1.0));
  PetscOptionsEnd();
  s.SetOfFormat(limits);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Block diagonals of the given block size, unless they exceed the limits */
static PetscErrorCode ReadRows(const Settings &s, const CSRView &csr, PetscInt bs, HeptaStorage &local, std::string *why)
{
  const Options    &limits = s.OfFormat<Options>();
  const PetscInt    nbr = csr.rows / bs, nbc = csr.cols / bs;
  const PetscCount  entries = csr.i[csr.rows];
  Diagonals        &D       = static_cast<Diagonals &>(local);
  size_t            slots;
  View<PetscScalar> view;

  PetscFunctionBegin;
  const std::vector<PetscInt> off = csr_offsets(csr, (int)bs, &slots);
  if ((PetscInt)off.size() > limits.max_offsets) {
    *why = HeptaFormat("%d block offsets at block size %" PetscInt_FMT ", more than -mat_bdia_max_offsets %" PetscInt_FMT,
                       (int)off.size(), bs, limits.max_offsets);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if ((PetscReal)slots > limits.max_fill * (PetscReal)entries) {
    *why = HeptaFormat("fill %.2f at block size %" PetscInt_FMT ", above -mat_bdia_max_fill %g", (double)slots / (double)entries,
                       bs, (double)limits.max_fill);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (D.bs != bs || D.nbr != nbr || D.nbc != nbc || D.off != off) {
    PetscCall(D.Shape(bs, nbr, nbc, false));
    PetscCall(D.Preset(off));
  }
  D.entries = entries;
  D.slots   = (PetscCount)slots;
  PetscCall(D.Typed(HeptaSpace(), HeptaAccess::write, &view));
  PetscCallHepta(csr_fill_host(csr, view));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATSEQAIJBDIA - "seqaijbdia" - a `MATSEQAIJ` that multiplies through block diagonals, for programs that ask for `MATAIJ` in
   their code

   When to take it:
   Take `MATSEQAIJBDIA` for a grid where the program sets `MATAIJ` in its code, or reads the arrays of a `MATSEQAIJ`. Where
   options set the type of the matrix take `MATBDIA`.

   Options Database Keys:
+ -mat_seqaij_type seqaijbdia - every sequential `MATSEQAIJ` of the program, and the local blocks of every `MATMPIAIJ`, become
                                matrices of this type
. -mat_type seqaijbdia        - sets the type of one sequential matrix
. -mat_bdia_max_offsets n     - matrices with more block offsets multiply through their compressed rows (default 27)
- -mat_bdia_max_fill f        - matrices with more value slots per entry multiply through their compressed rows (default 4)

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_seqaij_type seqaijbdia -ksp_type fusedbcgs -pc_type ilu
.ve

   Limits:
   Half storage and single precision belong to `MATBDIA`, which keeps no compressed rows. There is no such matrix on several MPI
   processes. The root name, `-mat_type aijbdia`, gives a plain `MATMPIAIJ` there; it exists because PETSc looks up under it which
   parallel type has parts of this one. Use `-mat_seqaij_type seqaijbdia`: then the local blocks of every `MATMPIAIJ` are of this
   type.

   Level: beginner

   References:
   See `MATBDIA`.

   Notes:
   The compressed rows stay and serve everything but `MatMult()`, `MatMultAdd()`, `MatMultTranspose()` and
   `MatMultTransposeAdd()`: assembly, factorizations, relaxation, products of matrices, submatrices. The block diagonals are a
   copy, made on the host at the first product after values or structure changed; they need the memory of the values times the
   fill. Vectors in device memory are multiplied on the device, with a copy of the block diagonals there.

   The block size is that of the matrix when that fits the limits, else 1. A matrix that fits neither way (an interpolation, for
   example), or most of whose rows are empty (as in the off-diagonal block of a `MATMPIAIJ`), keeps multiplying through its
   compressed rows. `MatView()` with the format `PETSC_VIEWER_ASCII_INFO` says which, and why.

   `MatConvert()` to `MATSEQAIJ` gives a plain `MATSEQAIJ`, also under `-mat_seqaij_type seqaijbdia`. PETSc itself counts on every
   `MATSEQAIJ` being of the type that the option names when it transposes one: convert it back first, or clear the option.

.seealso: `MATBDIA`, `MATSEQAIJ`, `MatSeqAIJSetType()`, `MatSeqAIJRegister()`
M*/
const HeptaSeqAIJKind HEPTA_SeqAIJBDIA = {MATSEQAIJBDIA,
                                          "aijbdia",
                                          "block diagonals",
                                          &HEPTA_BDIA,
                                          HeptaNoThrow<MatCreate_SeqAIJ<HEPTA_SeqAIJBDIA>>,
                                          HeptaNoThrow<MatConvert_SeqAIJ<HEPTA_SeqAIJBDIA>>,
                                          ReadOptions,
                                          ReadRows};
