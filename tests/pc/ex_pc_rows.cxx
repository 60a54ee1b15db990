static char help[] = "PC ip and PC blockic by rows: against dense arithmetic where block diagonals do not fit, against block "
                     "diagonals where they do.\n\n";

#include "blockic_dense.h"
#include "ip_dense.h"

#include <limits>

#include "failure.h"
#include "program.h"

/* Blocks at offsets, or at random locations where there are none; rows are diagonally dominant with a large diagonal */
struct Spec {
  PetscInt              bs = 1, nb = 36, tile = 1; /* tile: so many block rows and columns are at the same places */
  std::vector<PetscInt> off       = {-7, -6, -1, 0, 1, 6, 7};
  bool                  symmetric = false, holes = false; /* holes: one entry in ten is missing */
  PetscReal             diagonal = 0;                     /* 0: it dominates */
  PetscInt              without  = -1;                    /* a row without a diagonal entry */
};

static bool There(const Spec &s, PetscInt m, PetscInt c)
{
  if (!s.off.empty()) return std::find(s.off.begin(), s.off.end(), c - m) != s.off.end();
  return m == c || PairNumber(PetscMin(m, c), PetscMax(m, c), 77) > 1 - 12. / (PetscReal)s.nb;
}

static PetscErrorCode Assemble(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With seed 2 some blocks beside the diagonal are zero */
static PetscErrorCode Fill(Mat A, const Spec &s, PetscInt seed)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = 0; j < s.nb * s.bs; j++) {
      const PetscInt a = s.symmetric ? PetscMin(i, j) : i, b = s.symmetric ? PetscMax(i, j) : j;
      if (!There(s, i / s.bs / s.tile, j / s.bs / s.tile) || (i == j && i == s.without) ||
          (s.holes && i != j && PairNumber(a, b, 4711) < -0.8))
        continue;
      const bool zero = seed == 2 && a / s.bs != b / s.bs && PairNumber(PetscMin(a, b) / s.bs, PetscMax(a, b) / s.bs, 99) > 0.6;
      const PetscReal   on_diagonal = s.diagonal > 0 ? s.diagonal : 9. * (PetscReal)s.bs;
      const PetscScalar v           = zero ? PetscScalar(0) : PairNumber(a, b, seed) + (i != j ? 0 : on_diagonal);
      PetscCall(MatSetValue(A, i, j, v, INSERT_VALUES));
    }
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewMat(const Spec &s, MatType type, Mat *A)
{
  PairSpec p;

  PetscFunctionBeginUser;
  p.bs = s.bs;
  p.nb = s.nb;
  PetscCall(PairCreateOne(PETSC_COMM_WORLD, p, type, A));
  PetscCall(Fill(*A, s, 1));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, s.symmetric ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, s.symmetric ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewPC(Mat A, const std::string &options, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsClear(nullptr));
  PetscCall(PetscOptionsInsertString(nullptr, ("-use_gpu_aware_mpi 0 " + options).c_str()));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y <- the preconditioner times the same numbers, whatever the type of its vectors */
static PetscErrorCode Apply(PC pc, bool transpose, Vec *y)
{
  PetscInt start, end;
  Mat      A;
  Vec      x;

  PetscFunctionBeginUser;
  PetscCall(PCGetOperators(pc, nullptr, &A));
  PetscCall(MatCreateVecs(A, &x, y));
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  for (PetscInt i = start; i < end; i++) PetscCall(VecSetValue(x, i, PairNumber(i, 5, 17), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(transpose ? PCApplyTranspose(pc, x, *y) : PCApply(pc, x, *y));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char by_rows[] = "does not fit block diagonals";

/* Every type must give what block diagonals give, by rows; force: what keeps them from block diagonals */
static PetscErrorCode Same(const Spec &s, const std::string &options, const std::string &force, PetscReal tol)
{
  const std::string what = options + ", bs " + std::to_string(s.bs) + (s.symmetric ? ", symmetric" : "");
  Mat               D, A;
  PC                diagonals, pc;

  PetscFunctionBeginUser;
  PetscCall(NewMat(s, TestOnDevice() ? MATBDIACUDA : MATBDIA, &D));
  PetscCall(NewPC(D, options, &diagonals));
  for (MatType type : {TestAIJ(), TestOnDevice() ? (MatType)MATBROWCUDA : (MatType)MATBROW}) {
    PetscCall(NewMat(s, type, &A));
    PetscCall(NewPC(A, options + " " + force, &pc));
    for (PetscInt seed : {1, 2}) {
      PetscCall(Fill(D, s, seed));
      PetscCall(Fill(A, s, seed));
      PetscCall(PCSetUp(diagonals));
      PetscCall(PCSetUp(pc));
      PetscCall(CheckView(pc, {by_rows}));
      for (bool transpose : {false, true}) {
        PetscReal difference = 0, most = 0;
        Vec       y[2];
        PetscCall(Apply(diagonals, transpose, &y[0]));
        PetscCall(Apply(pc, transpose, &y[1]));
        PetscCall(TestDifference(y[0], y[1], &difference, &most));
        PetscCheck(difference <= tol * most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s, seed %d%s: differs by %g of %g",
                   what.c_str(), type, (int)seed, transpose ? ", transposed" : "", (double)difference, (double)most);
        for (Vec &v : y) PetscCall(VecDestroy(&v));
      }
    }
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(PCDestroy(&diagonals));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char force[] = "-mat_bdia_max_offsets 1";

static PetscErrorCode AsDiagonals(PetscInt bs, bool symmetric)
{
  const std::string blockic = "-pc_type blockic -pc_blockic_grid 6,6 ";
  Spec              s;

  PetscFunctionBeginUser;
  s.bs        = bs;
  s.symmetric = symmetric;
  for (const char *cut : {"lines -pc_blockic_size 2", "boxes -pc_blockic_size 3", "rows -pc_blockic_size 1000"})
    PetscCall(Same(s, blockic + "-pc_blockic_blocks " + cut, force, 1e-12));
  s.holes = true;
  for (const char *variant : {"scaled", "published", "full"})
    PetscCall(Same(s, std::string("-pc_type ip -pc_ip_variant ") + variant, force, 1e-12));
  PetscCall(Same(s, "-pc_type ip -pc_ip_storage single", force, 1e-5));
  s.holes    = false;
  s.diagonal = 0.3; /* pivots fail */
  for (const char *shift : {"positive_definite", "nonzero -pc_blockic_shift_amount 0.5", "inblocks -pc_blockic_shift_amount 2"})
    PetscCall(Same(s, blockic + "-pc_blockic_shift_type " + shift, force, 1e-8));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Some ranks have no rows */
static PetscErrorCode Few(void)
{
  Spec s;

  PetscFunctionBeginUser;
  s.bs    = 2;
  s.nb    = 3;
  s.holes = true;
  for (const char *type : {"ip", "blockic"}) PetscCall(Same(s, std::string("-pc_type ") + type, "-mat_bdia_max_fill 1", 1e-12));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckIP(PC pc, Mat A, const std::string &variant, const std::string &what)
{
  return CheckIP(pc, A, variant, 1e-12, what);
}

static PetscErrorCode CheckBlockIC(PC pc, Mat A, const std::string &size, const std::string &what)
{
  std::vector<PetscInt> group(A->rmap->n / A->rmap->bs);

  PetscFunctionBeginUser;
  for (size_t m = 0; m < group.size(); m++) group[m] = (PetscInt)m / std::stoi(size);
  PetscCall(PCSetUp(pc));
  PetscCall(CheckDense(pc, A, group, 1e-11, what.c_str(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* First a setting and a check, then the same after a change of values and after one of structure */
static PetscErrorCode Random(const Spec &s, MatType type, const std::string &options, const std::string &value,
                             PetscErrorCode (*check)(PC, Mat, const std::string &, const std::string &))
{
  const std::string what = options + value + ", bs " + std::to_string(s.bs) + ", " + type;
  PetscInt          start, N;
  Mat               A;
  PC                pc;

  PetscFunctionBeginUser;
  PetscCall(NewMat(s, type, &A));
  PetscCall(NewPC(A, options + value, &pc));
  PetscCall(check(pc, A, value, what));
  PetscCall(CheckView(pc, {by_rows}));
  PetscCall(Fill(A, s, 2));
  PetscCall(check(pc, A, value, what + ", changed values"));
  PetscCall(MatGetOwnershipRange(A, &start, nullptr));
  PetscCall(MatGetSize(A, &N, nullptr));
  for (PetscInt k : {start + 1, N - 1 - start}) PetscCall(MatSetValue(A, start, k, 0.5, ADD_VALUES));
  PetscCall(Assemble(A));
  PetscCall(check(pc, A, value, what + ", changed structure"));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of block rows or, on one process, of single entries in tiles of brow */
static PetscErrorCode NoDiagonals(PetscInt bs, PetscInt tile)
{
  PetscFunctionBeginUser;
  for (MatType type : {TestAIJ(), TestOnDevice() ? (MatType)MATBROWCUDA : (MatType)MATBROW}) {
    Spec s;
    s.bs    = bs;
    s.nb    = 60;
    s.tile  = tile;
    s.holes = true;
    s.off.clear();
    for (const char *variant : {"scaled", "published", "full"})
      PetscCall(Random(s, type, "-pc_type ip -pc_ip_variant ", variant, CheckIP));
    for (const char *size : {"9", "1000"})
      PetscCall(Random(s, type, "-pc_type blockic -pc_blockic_blocks rows -pc_blockic_size ", size, CheckBlockIC));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up must fail with the words, for block diagonals and by rows alike */
static PetscErrorCode Fails(Mat A, const std::string &options, PetscErrorCode code, const std::string &words)
{
  PC pc;

  PetscFunctionBeginUser;
  for (const char *limit : {"27", "1"}) {
    PetscCall(NewPC(A, options + " -mat_bdia_max_offsets " + limit, &pc));
    PetscCall(ExpectError(code, words, [&] { return PCSetUp(pc); }));
    PetscCall(PCDestroy(&pc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal block of the last rank's first block row has no inverse, then an entry is infinite */
static PetscErrorCode Errors(PetscInt bs, bool symmetric)
{
  PetscMPIInt rank, size;
  PetscInt    first;
  Mat         A;
  Spec        s;

  PetscFunctionBeginUser;
  s.bs        = bs;
  s.symmetric = symmetric;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(NewMat(s, TestOnDevice() ? MATBROWCUDA : MATBROW, &A));
  PetscCall(MatGetOwnershipRange(A, &first, nullptr));
  PetscCallMPI(MPI_Bcast(&first, 1, MPIU_INT, size - 1, PETSC_COMM_WORLD));
  for (PetscInt k = 0; k < bs * bs && rank == size - 1; k++)
    PetscCall(MatSetValue(A, first + k % bs, first + k / bs, bs > 1 ? 1 : 0, INSERT_VALUES));
  PetscCall(Assemble(A));
  const std::string row = "row " + std::to_string(bs > 1 ? first + 1 : first);
  PetscCall(Fails(A, "-pc_type ip", PETSC_ERR_MAT_LU_ZRPVT, row + " has "));
  if (bs == 1 && rank == size - 1) PetscCall(MatSetValue(A, first, first, 1e-15, INSERT_VALUES)); /* too small for blockic */
  PetscCall(Assemble(A));
  PetscCall(Fails(A, "-pc_type blockic -pc_blockic_shift_type none", symmetric ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT,
                  (symmetric ? "not positive in " : "a zero pivot in ") + row + ";"));
  PetscCall(Fill(A, s, 1));
  if (rank == size - 1) PetscCall(MatSetValue(A, first, first, std::numeric_limits<PetscReal>::quiet_NaN(), INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(Fails(A, "-pc_type ip", PETSC_ERR_FP, "row " + std::to_string(first) + " of the matrix"));
  PetscCall(Fill(A, s, 1));
  if (rank == size - 1) PetscCall(MatSetValue(A, first, first + bs, std::numeric_limits<PetscReal>::infinity(), INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(Fails(A, "-pc_type blockic", PETSC_ERR_FP, "row " + std::to_string(first) + " of the factors"));
  PetscCall(MatDestroy(&A));
  if (bs > 1) PetscFunctionReturn(PETSC_SUCCESS);
  s.without = first;
  PetscCall(NewMat(s, TestOnDevice() ? MATBROWCUDA : MATBROW, &A));
  PetscCall(Fails(A, "-pc_type ip", PETSC_ERR_MAT_LU_ZRPVT, row + " has "));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (bool symmetric : {false, true}) {
    for (PetscInt bs : {1, 2, 3}) PetscCall(AsDiagonals(bs, symmetric));
    for (PetscInt bs : {1, 2}) PetscCall(Errors(bs, symmetric));
  }
  PetscCall(Few());
  for (PetscInt bs : {1, 3}) PetscCall(NoDiagonals(bs, 1));
  if (size == 1) PetscCall(NoDiagonals(1, 4));
  PetscCall(PetscOptionsClear(nullptr));
  PetscCall(PetscFinalize());
  return 0;
}
