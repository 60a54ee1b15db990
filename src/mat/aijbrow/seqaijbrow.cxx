/* The seqaijbrow matrix: a MATSEQAIJ in every respect, with products through block rows */
#include "../aijblocked/seqaijblocked.h"
#include "../brow/brow.h"

using hepta::blocked::CSRView;
using hepta::blocked::Settings;
using hepta::brow::BlockRows;

static PetscErrorCode ReadOptions(Mat A, Settings &s)
{
  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)A);
  PetscCall(MatBROWReadSettings(A, PetscOptionsObject, s));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Into the blocks that are there, if they hold all entries: *fits */
static PetscErrorCode Put(BlockRows &B, const CSRView &csr, bool *fits)
{
  hepta::brow::View<PetscScalar> view;

  PetscFunctionBegin;
  PetscCall(B.Zero());
  PetscCall(B.Typed(HeptaSpace(), HeptaAccess::read_write, &view));
  *fits = !set_csr_host(view, csr.i, csr.j, csr.a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values mostly have the old pattern: it is tried first */
static PetscErrorCode ReadRows(const Settings &s, const CSRView &csr, PetscInt bs, HeptaStorage &local, std::string *why)
{
  BlockRows       &B       = static_cast<BlockRows &>(local);
  const PetscCount entries = csr.i[csr.rows];
  bool             fits    = false;

  PetscFunctionBegin;
  (void)why; /* any matrix has block rows */
  if (B.packed && B.rows == csr.rows && B.cols == csr.cols && B.entries == entries) PetscCall(Put(B, csr, &fits));
  if (!fits) {
    PetscCall(B.SetUp(s, bs, csr.rows, csr.cols));
    PetscCall(B.Preset(csr.i, csr.j));
    PetscCall(Put(B, csr, &fits));
    PetscCheck(fits, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The block rows do not hold all entries");
  }
  B.CountSlots();
  B.entries = entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATSEQAIJBROW - "seqaijbrow" - a `MATSEQAIJ` that multiplies through blocked rows, for programs that ask for `MATAIJ` in their
   code

   When to take it:
   Take `MATSEQAIJBROW` for a mesh where the program sets `MATAIJ` in its code, or reads the arrays of a `MATSEQAIJ`. Where
   options set the type of the matrix take `MATBROW`.

   Options Database Keys:
+ -mat_seqaij_type seqaijbrow - every sequential `MATSEQAIJ` of the program, and the local blocks of every `MATMPIAIJ`, become
                                matrices of this type
. -mat_type seqaijbrow        - sets the type of one sequential matrix
. -mat_brow_bs <n|auto>       - tile size, as for `MATBROW`
. -mat_brow_mapping <auto>    - as for `MATBROW`
- -mat_brow_bx <0>            - as for `MATBROW`

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_seqaij_type seqaijbrow -ksp_type fusedcg -pc_type aggmg
.ve

   Limits:
   Single precision belongs to `MATBROW`, which keeps no compressed rows.

   Level: beginner

   Notes:
   It is to `MATBROW` what `MATSEQAIJBDIA` is to `MATBDIA`: the compressed rows stay and serve everything but products, and the
   blocked rows are a copy, read at the first product after values or structure changed. Any pattern will do; a matrix without
   entries, or most of whose rows are empty, keeps multiplying through its compressed rows.

   References:
   See `MATBROW`.

.seealso: `MATBROW`, `MATSEQAIJBDIA`, `MATSEQAIJ`, `MatSeqAIJSetType()`, `MatSeqAIJRegister()`
M*/
const HeptaSeqAIJKind HEPTA_SeqAIJBROW = {MATSEQAIJBROW,
                                          "aijbrow",
                                          "block rows",
                                          &HEPTA_BROW,
                                          HeptaNoThrow<MatCreate_SeqAIJ<HEPTA_SeqAIJBROW>>,
                                          HeptaNoThrow<MatConvert_SeqAIJ<HEPTA_SeqAIJBROW>>,
                                          ReadOptions,
                                          ReadRows};
