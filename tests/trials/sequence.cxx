/* Shapes and types of random sequences, and what is put into both matrices */
#include "sequence.h"

#include <cstdarg>
#include <cstdio>
#include <map>

void Sequence::Begin(PetscInt step)
{
  std::seed_seq both = {(unsigned)seed, (unsigned)step};

  engine.seed(both);
}

PetscInt Sequence::Random(PetscInt n)
{
  return n > 0 ? (PetscInt)(engine() % (unsigned)n) : 0;
}

void Sequence::Differs(const char format[], ...)
{
  char    text[512];
  va_list args;

  if (!failure.empty()) return;
  va_start(args, format);
  (void)std::vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  failure = text;
}

PetscErrorCode AllowNewEntries(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NewMatrix(const Sequence &s, MatType type, PetscInt bs, Mat *A)
{
  PetscBool aij;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, s.m, s.n, s.M, s.N));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, type));
  PetscCall(PetscStrcmp(type, MATAIJ, &aij));
  if (!aij) PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(AllowNewEntries(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sizes of the matrices as they are now */
PetscErrorCode SequenceSizes(Sequence &s)
{
  PetscMPIInt same;

  PetscFunctionBegin;
  PetscCall(MatGetSize(s.A, &s.M, &s.N));
  PetscCall(MatGetLocalSize(s.A, &s.m, &s.n));
  same = s.M == s.N && s.m == s.n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  s.square = same;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks dealt out to the ranks, most of them to the first: some ranks have none */
static std::vector<PetscInt> Shares(Sequence &s, PetscInt blocks)
{
  std::vector<PetscInt> share(s.size, 0);

  for (PetscInt k = 0; k < blocks; k++) share[s.Maybe(3) ? s.Random(s.size) : 0]++;
  return share;
}

static void ChooseShape(Sequence &s)
{
  s.bs                             = 1 + (s.Maybe(3) ? s.Random(4) : 0);
  s.square                         = s.half || !s.Maybe(4);
  const std::vector<PetscInt> rows = Shares(s, s.Maybe(5) ? s.Random(3) : 1 + s.Random(25));
  const std::vector<PetscInt> cols = s.square ? rows : Shares(s, s.Random(25));

  s.m = rows[s.rank] * s.bs;
  s.n = cols[s.rank] * s.bs;
  s.M = s.N = 0;
  for (PetscMPIInt r = 0; r < s.size; r++) s.M += rows[r] * s.bs, s.N += cols[r] * s.bs;
}

/* Half storage is of bdia's; seqaijbdia and seqaijbrow are for one rank and the host */
static void ChooseType(Sequence &s)
{
  const char              *fixed = std::getenv("HEPTA_TEST_TYPE");
  std::vector<std::string> types = {MATBDIA, MATBROW, MATBDIA, MATBROW};

  if (s.size == 1 && !TestOnDevice()) types.insert(types.end(), {MATSEQAIJBDIA, MATSEQAIJBROW});
  s.type       = fixed ? fixed : types[s.Random((PetscInt)types.size())];
  const bool b = s.type == MATBDIA, blocked = b || s.type == MATBROW;
  s.half   = s.Maybe(4) && b;
  s.single = s.Maybe(5) && blocked;
  s.tol    = s.single || PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-9;
  if (TestOnDevice()) s.type += "cuda";
}

/* Any structure is stored, and every option has a value: those of the sequence before are gone */
static PetscErrorCode SetStorageOptions(Sequence &s)
{
  const std::string storage = s.single ? "single" : "double", tile = s.Maybe(2) ? std::to_string(s.Random(9)) : "0";

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(nullptr, "-mat_bdia_max_offsets 100000 -mat_bdia_max_fill 100000"));
  PetscCall(PetscOptionsInsertString(nullptr, ("-mat_bdia_storage " + storage + " -mat_brow_storage " + storage).c_str()));
  PetscCall(PetscOptionsInsertString(nullptr, s.half ? "-mat_bdia_half 1" : "-mat_bdia_half 0"));
  PetscCall(PetscOptionsInsertString(nullptr, ("-mat_brow_bs " + tile).c_str()));
  s.Note(s.type + (s.half ? " half" : "") + (s.single ? " single" : "") + " tile " + tile);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SequenceCreate(Sequence &s)
{
  PetscFunctionBegin;
  s.Begin(-1);
  ChooseType(s);
  ChooseShape(s);
  PetscCall(SetStorageOptions(s));
  s.Note("bs " + std::to_string(s.bs) + ", " + std::to_string(s.M) + " x " + std::to_string(s.N) + ":");
  PetscCall(NewMatrix(s, MATAIJ, s.bs, &s.A));
  PetscCall(NewMatrix(s, s.type.c_str(), s.bs, &s.B));
  PetscCall(SetEntries(s, s.A, s.B, s.Maybe(4) ? 0 : 3 * s.M, ADD_VALUES, s.Maybe(2), !s.Maybe(5) && s.square));
  PetscCall(ChooseKept(s));
  PetscCall(Compare(s, s.A, s.B, "first assembly"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SequenceDestroy(Sequence &s)
{
  PetscFunctionBegin;
  for (Kept &k : s.kept) PetscCall(PCDestroy(&k.pc));
  PetscCall(MatDestroy(&s.A));
  PetscCall(MatDestroy(&s.B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each entry is set once, by any of the ranks */
PetscErrorCode SetEntries(Sequence &s, Mat A, Mat B, PetscInt count, InsertMode mode, bool near, bool diagonal)
{
  std::map<std::pair<PetscInt, PetscInt>, PetscReal> entry;
  PetscInt                                           at = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count && s.M && s.N; k++) {
    const PetscInt  i = s.Random(s.M), j = near ? i + s.Random(7) - 3 : s.Random(s.N);
    const PetscReal v = s.Value();
    if (j < 0 || j >= s.N) continue;
    entry[{i, j}] = v;
    if (s.half) entry[{j, i}] = v;
  }
  for (PetscInt i = 0; diagonal && i < PetscMin(s.M, s.N); i++) entry[{i, i}] = 4 + s.Value();
  for (Mat X : {A, B}) PetscCall(AllowNewEntries(X));
  for (auto &e : entry) {
    if (at++ % s.size != s.rank) continue;
    for (Mat X : {A, B}) PetscCall(MatSetValue(X, e.first.first, e.first.second, e.second, mode));
  }
  for (Mat X : {A, B}) {
    PetscCall(MatAssemblyBegin(X, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(X, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RandomVectors(Sequence &s, Mat A, Mat B, bool rows, Vec v[2])
{
  PetscInt     start, end, size;
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, rows ? nullptr : &v[0], rows ? &v[0] : nullptr));
  PetscCall(MatCreateVecs(B, rows ? nullptr : &v[1], rows ? &v[1] : nullptr));
  PetscCall(VecGetSize(v[0], &size));
  PetscCall(VecGetOwnershipRange(v[0], &start, &end));
  PetscCall(VecGetArrayWrite(v[0], &a));
  for (PetscInt i = 0; i < size; i++) {
    const PetscReal value = s.Value();
    if (i >= start && i < end) a[i - start] = value;
  }
  PetscCall(VecRestoreArrayWrite(v[0], &a));
  PetscCall(VecCopy(v[0], v[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DestroyVectors(Vec v[2])
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&v[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
