static char help[] =
  "PC bbs against substitution by hand: triangles, types, engines, right-hand sides, new values and structures.\n\n";

#include "triangle.h"

#include <limits>

static const char *const engines[] = {"",
                                      "-mat_bbs_engine levels",
                                      "-mat_bbs_engine syncfree",
                                      "-mat_bbs_engine chunks",
                                      "-mat_bbs_engine together",
                                      "-mat_bbs_chunk 1",
                                      "-mat_bbs_chunk 7",
                                      "-mat_bbs_chunk 64"};

/* Applied twice, to the same bits; against substitution, and the residual */
static PetscErrorCode CheckApply(PC pc, Mat A, const Entries &e, Kind kind, const std::string &what)
{
  Vec       b, x, y;
  Numbers   given, got;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(ToNumbers(b, &given));
  for (bool transposed : {false, true}) {
    const std::string all = what + (transposed ? ", transposed" : "");
    PetscCall(VecSet(x, std::numeric_limits<PetscReal>::quiet_NaN()));
    PetscCall(transposed ? PCApplyTranspose(pc, b, x) : PCApply(pc, b, x));
    PetscCall(transposed ? PCApplyTranspose(pc, b, y) : PCApply(pc, b, y));
    PetscCall(VecEqual(x, y, &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: not the same bits the second time", all.c_str());
    PetscCall(ToNumbers(x, &got));
    const PetscReal d     = Distance(ByHand(e, kind, transposed, given), got),
                    error = kind == Kind::both ? 0 : BackwardError(e, transposed, given, got);
    PetscCheck(d <= (PetscDefined(USE_REAL_SINGLE) ? 3 : 2) * TestTolerance(1e-13), PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: %g from the answer", all.c_str(), (double)d);
    PetscCheck(error <= TestTolerance(1e-14), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: backward error %g", all.c_str(),
               (double)error);
  }
  PetscCall(Destroy(&b, &x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x <- what the preconditioner is to make of b */
static PetscErrorCode SetByHand(const Entries &e, Kind kind, bool transposed, Vec b, Vec x)
{
  Numbers      given;
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(ToNumbers(b, &given));
  given = ByHand(e, kind, transposed, given);
  PetscCall(VecGetArrayWrite(x, &a));
  std::copy(given.begin(), given.end(), a);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Many right-hand sides at a time, against substitution for each */
static PetscErrorCode CheckMatApply(PC pc, Mat A, const Entries &e, Kind kind, const std::string &what)
{
  PetscInt n;
  Vec      like;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, nullptr));
  PetscCall(MatCreateVecs(A, &like, nullptr));
  for (PetscInt count : {5, 1, 100}) {
    for (bool transposed : {false, true}) {
      Columns B, X;
      PetscCall(ColumnsCreate(n, count, count % 2 * 3, &B));
      PetscCall(ColumnsCreate(n, count, count % 2 * 3, &X));
      PetscCall(transposed ? PCMatApplyTranspose(pc, B.part, X.part) : PCMatApply(pc, B.part, X.part));
      PetscCall(CheckColumns(
        B, X, like, [&](Vec b, Vec x) { return SetByHand(e, kind, transposed, b, x); },
        (what + ", " + std::to_string(count) + (transposed ? " columns transposed" : " columns")).c_str()));
      PetscCall(ColumnsDestroy(&B));
      PetscCall(ColumnsDestroy(&X));
    }
  }
  PetscCall(VecDestroy(&like));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Entries Scaled(Entries e, PetscScalar a)
{
  for (size_t k = 0; k < e.v.size(); k++) e.v[k] *= a + 0.01 * (k % 7);
  return e;
}

/* A triangle in a type with options; then with other values */
static PetscErrorCode Check(Entries e, Kind kind, MatType type, const std::string &options, bool many)
{
  const std::string what = "bs " + std::to_string(e.bs) + ", " + std::to_string(e.n) + " rows of " + type + " " + options;
  Mat               A;
  PC                pc;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, type, e, &A));
  PetscCall(NewPC(A, "-pc_type bbs " + options, &pc));
  if (!strcmp(type, TestAIJ())) e.bs = 1; /* the block size of aij is not heeded */
  PetscCall(CheckApply(pc, A, e, kind, what));
  if (many && (strcmp(type, MATBAIJ) || !TestOnDevice())) PetscCall(CheckMatApply(pc, A, e, kind, what));
  PetscCall(Fill(A, Scaled(e, 2)));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckApply(pc, A, Scaled(e, 2), kind, what + ", new values"));
  PetscCall(Destroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Triangles(void)
{
  PetscFunctionBegin;
  for (Kind kind : {Kind::upper, Kind::lower, Kind::both}) {
    for (const std::string &name : TestQuick() ? std::vector<std::string>{Names(kind).back()} : Names(kind)) {
      for (const char *engine : engines) {
        const bool many = !*engine || strstr(engine, "chunk") || strstr(engine, "together");
        for (PetscInt bs : TestQuick() ? std::vector<PetscInt>{2} : std::vector<PetscInt>{1, 2, 3, 5}) {
          for (MatType type : {(MatType)MATBAIJ, TestType()})
            PetscCall(Check(Part(Scattered(50, bs, 2, false, 1), kind), kind, type, name + engine, many));
        }
        PetscCall(Check(Part(Scattered(200, 1, 4, false, 1), kind), kind, TestAIJ(), name + engine, many));
        if (kind == Kind::both && PetscDefined(USE_REAL_SINGLE)) continue; /* whose answers are beyond its range */
        PetscCall(Check(Part(Jumps({9, 8, 3}, 1, 0.3, 1), kind), kind, TestAIJ(), name + engine, many));
        PetscCall(Check(Part(Jumps({9, 8, 3}, 1, 0.3, 1), kind), kind, TestType(), name + engine, many));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A full row and column, the first or the last, and the diagonal */
static Entries Arrow(PetscInt n, PetscInt at)
{
  Entries e;

  e.n = n;
  for (PetscInt i = 0; i < n; i++) {
    e.Add(i, i, 2 + PairNumber(i, 2, 3));
    if (i != at) e.Add(i, at, PairNumber(i, 1, 3));
    if (i != at) e.Add(at, i, PairNumber(i, 3, 3));
  }
  return e;
}

/* A row in ten without entries beside the diagonal: levels of one row beside wide ones */
static PetscErrorCode Shapes(void)
{
  Entries diagonal = Scattered(77, 1, 0, false, 1), one = Scattered(1, 1, 0, false, 1), block = Scattered(1, 3, 0, false, 1);

  PetscFunctionBegin;
  for (const char *engine : engines) {
    for (Kind kind : {Kind::upper, Kind::lower, Kind::both}) {
      const std::string options = Names(kind).back() + engine;
      for (MatType type : {TestAIJ(), TestType()}) {
        for (const Entries &e : {diagonal, one}) PetscCall(Check(e, kind, type, options, false));
        PetscCall(Check(Part(Chain(700), kind), kind, type, options, false));
      }
      for (MatType type : {(MatType)MATBAIJ, TestType()}) PetscCall(Check(block, kind, type, options, false));
      for (PetscInt at : {0, 4999}) PetscCall(Check(Part(Arrow(5000, at), kind), kind, TestAIJ(), options, false));
    }
    PetscCall(Check(diagonal, Kind::upper, TestAIJ(), engine, false));
    PetscCall(Check(Part(Chain(10000), Kind::lower), Kind::lower, TestAIJ(), engine, false));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Empty(void)
{
  PetscFunctionBegin;
  for (MatType type : {TestAIJ(), TestType(), (MatType)MATBAIJ}) {
    for (const char *triangle : {"auto", "upper", "lower", "both"})
      PetscCall(Check(Entries(), Kind::upper, type, std::string("-pc_bbs_triangle ") + triangle, strcmp(type, MATBAIJ)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More entries in the same matrix, another matrix, the other triangle */
static PetscErrorCode OtherStructure(MatType type)
{
  Entries e = Part(Chain(60), Kind::upper), f = Part(Scattered(45, 1, 3, false, 1), Kind::lower);
  Mat     A, B;
  PC      pc;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, type, e, &A));
  PetscCall(Make(PETSC_COMM_SELF, type, f, &B));
  PetscCall(NewPC(A, "-pc_type bbs", &pc));
  PetscCall(CheckApply(pc, A, e, Kind::upper, "before"));
  for (PetscInt i = 0; i < 40; i += 3) e.Add(i, i + 11, -0.2);
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(Fill(A, e));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckApply(pc, A, e, Kind::upper, std::string(type) + ", more entries"));
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, B, B));
  PetscCall(PCSetUp(pc));
  PetscCall(CheckApply(pc, B, f, Kind::lower, std::string(type) + ", another matrix"));
  PetscCall(Destroy(&pc, &A, &B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side with NaNs, one of which has all bits set, spoils what depends on it and no more; nobody waits for it */
static PetscErrorCode NotANumber(const std::string &options)
{
  const PetscInt n = 300, bad = 200;
  uint64_t       bits    = ~(uint64_t)0;
  PetscScalar    all_set = 0, *a;
  System         s;
  Numbers        got, good;

  PetscFunctionBegin;
  memcpy(&all_set, &bits, sizeof(all_set));
  PetscCall(SystemCreate(PETSC_COMM_SELF, TestAIJ(), Part(Chain(n), Kind::upper), "-pc_type bbs " + options, &s));
  PetscCall(PCApply(s.pc, s.b, s.x));
  PetscCall(ToNumbers(s.x, &good));
  PetscCall(VecGetArray(s.b, &a));
  a[bad]     = all_set;
  a[bad - 9] = std::numeric_limits<PetscReal>::quiet_NaN();
  PetscCall(VecRestoreArray(s.b, &a));
  PetscCall(PCApply(s.pc, s.b, s.x));
  PetscCall(ToNumbers(s.x, &got));
  for (PetscInt i = 0; i < n; i++)
    PetscCheck(i <= bad ? PetscIsNanScalar(got[i]) : PetscAbsScalar(got[i] - good[i]) <= 1e-5 * PetscAbsScalar(good[i]),
               PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: entry %d is %g after a NaN in entry %d, and was %g", options.c_str(), (int)i,
               (double)got[i], (int)bad, (double)good[i]);
  PetscCall(SystemDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Single precision asked for after a set-up rounds the values */
static PetscErrorCode OtherStorage(void)
{
  System  s;
  Numbers exact, rounded;

  PetscFunctionBegin;
  if (PetscDefined(USE_REAL_SINGLE)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SystemCreate(PETSC_COMM_SELF, TestAIJ(), Part(Scattered(90, 1, 3, false, 1), Kind::upper), "-pc_type bbs ", &s));
  PetscCall(PCApply(s.pc, s.b, s.x));
  PetscCall(ToNumbers(s.x, &exact));
  PetscCall(SetOptions("-pc_type bbs -mat_bbs_storage single"));
  PetscCall(PCSetFromOptions(s.pc));
  PetscCall(PCApply(s.pc, s.b, s.x));
  PetscCall(ToNumbers(s.x, &rounded));
  PetscCheck(Distance(exact, rounded) > 1e-10 && Distance(exact, rounded) < 1e-5, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Single precision after double changes the answer by %g", (double)Distance(exact, rounded));
  PetscCall(SystemDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors of the host after a set-up on the device, and those of the device again */
static PetscErrorCode OtherMemory(const std::string &options)
{
  const Entries   e    = Part(Scattered(90, 1, 3, false, 1), Kind::upper);
  const PetscReal most = strstr(options.c_str(), "single") ? 1e-5 : 1e-13;
  System          s;
  Vec             b, x;
  Numbers         given, got;

  PetscFunctionBegin;
  PetscCall(SystemCreate(PETSC_COMM_SELF, TestAIJ(), e, "-pc_type bbs " + options, &s));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, e.n, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecCopy(s.b, b));
  PetscCall(ToNumbers(b, &given));
  const Numbers wanted = ByHand(e, Kind::upper, false, given);
  for (const auto &v : {std::make_pair(s.b, s.x), std::make_pair(b, x), std::make_pair(s.b, s.x)}) {
    PetscCall(VecSet(v.second, 7));
    PetscCall(PCApply(s.pc, v.first, v.second));
    PetscCall(ToNumbers(v.second, &got));
    PetscCheck(Distance(wanted, got) <= TestTolerance(most), PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: with other memory %g from the answer", options.c_str(), (double)Distance(wanted, got));
  }
  PetscCall(Destroy(&b, &x));
  PetscCall(SystemDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows depend on those of the level before, from one end to the other: nothing is near */
static Entries Wide(PetscInt levels, PetscInt rows, PetscInt length)
{
  Entries e;

  e.n = levels * rows;
  for (PetscInt i = 0; i < e.n; i++) {
    e.Add(i, i, 2 + PairNumber(i, 2, 3));
    for (PetscInt k = 0; k < length && i >= rows; k++)
      e.Add(i, (i / rows - 1) * rows + (37 * i + k * (rows / length)) % rows, PairNumber(i, k, 3) / length);
  }
  return e;
}

/* What the device takes of itself, in the words of the view */
static PetscErrorCode Chosen(const Entries &e, bool many, const std::vector<const char *> &words)
{
  System s;

  PetscFunctionBegin;
  PetscCall(Check(e, Kind::lower, TestAIJ(), "", many));
  PetscCall(SystemCreate(PETSC_COMM_SELF, TestAIJ(), e, "-pc_type bbs", &s));
  PetscCall(PCApply(s.pc, s.b, s.x));
  PetscCall(CheckView(s.pc, TestOnDevice() ? words : std::vector<const char *>{"one after the other on the host"}));
  PetscCall(SystemDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, [] {
    PetscCall(Triangles());
    if (!TestQuick()) PetscCall(Shapes());
    PetscCall(Empty());
    PetscCall(Chosen(Wide(3, 8000, 20), true, {"engine syncfree", "engine together from 16 right-hand sides on"}));
    /* more tiles than the device holds warps, so that a warp takes several */
    if (TestOnDevice() && !TestQuick())
      PetscCall(Check(Wide(4, 30000, 3), Kind::lower, TestAIJ(), "-mat_bbs_engine syncfree", false));
    PetscCall(Chosen(Part(Jumps({90, 90}, 1, 0, 1), Kind::lower), true, {"engine chunks"}));
    PetscCall(Chosen(Part(Arrow(TestQuick() ? 3000 : 300000, TestQuick() ? 2999 : 299999), Kind::lower), false,
                     {TestQuick() ? "engine chunks" : "engine levels"}));
    for (const char *engine : engines) PetscCall(NotANumber(engine));
    for (const char *engine : engines) PetscCall(OtherMemory(engine));
    PetscCall(OtherMemory("-mat_bbs_engine together -mat_bbs_chunk 8"));
    for (const char *engine : engines) PetscCall(NotANumber(std::string(engine) + " -mat_bbs_storage single"));
    for (const char *engine : engines) PetscCall(OtherMemory(std::string(engine) + " -mat_bbs_storage single"));
    PetscCall(OtherStorage());
    for (MatType type : {TestAIJ(), TestType()}) PetscCall(OtherStructure(type));
    return PETSC_SUCCESS;
  });
}
