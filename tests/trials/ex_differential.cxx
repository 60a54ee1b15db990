static char help[] =
  "Random sequences of changes to a matrix of ours and to the same matrix as MATAIJ: both must stay equal, and so\n\
must kept preconditioners and new ones.\n\
  -seed S        the first sequence (1)\n\
  -count N       how many\n\
  -steps L       changes in each (15)\n\
  -time T        stop after T seconds\n\
  -only 3,7      these steps of each sequence alone\n\
  -without a,b   leave out these changes\n\
  -keep p0_      this preconditioner alone, by its prefix; 'none': none\n\
  -verbose       print each step before it is taken\n\n";

#include "sequence.h"

#include <algorithm>
#include <map>

struct Plan {
  PetscInt                        seed = 1, count = 0, steps = 15;
  PetscReal                       time    = 0;
  PetscBool                       verbose = PETSC_FALSE;
  std::vector<PetscInt>           only;
  std::vector<Change>             changes; /* each as often as its weight says */
  std::map<std::string, PetscInt> done;
  PetscInt                        compared = 0, applied = 0;
};

/* a_ii <- 1.5 (1 + sum_j |a_ij|) in both: every factorization exists then */
static PetscErrorCode MakeDominant(Sequence &s)
{
  const Mat    mat[2] = {s.A, s.B};
  Vec          d[2];
  PetscScalar *a;
  PetscInt     start, end;

  PetscFunctionBegin;
  PetscCall(RandomVectors(s, s.A, s.B, true, d));
  PetscCall(VecGetOwnershipRange(d[0], &start, &end));
  PetscCall(VecGetArrayWrite(d[0], &a));
  for (PetscInt i = start; i < end; i++) {
    PetscInt           n;
    const PetscScalar *v;
    PetscReal          sum = 1;

    PetscCall(MatGetRow(s.A, i, &n, nullptr, &v));
    for (PetscInt k = 0; k < n; k++) sum += PetscAbsScalar(v[k]);
    PetscCall(MatRestoreRow(s.A, i, &n, nullptr, &v));
    a[i - start] = 1.5 * sum;
  }
  PetscCall(VecRestoreArrayWrite(d[0], &a));
  PetscCall(VecCopy(d[0], d[1]));
  for (int k = 0; k < 2; k++) PetscCall(MatDiagonalSet(mat[k], d[k], INSERT_VALUES));
  PetscCall(DestroyVectors(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Precondition(Sequence &s)
{
  PetscFunctionBegin;
  if (!s.square || !s.M) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MakeDominant(s));
  PetscCall(Compare(s, s.A, s.B, "with a dominant diagonal"));
  PetscCall(ComparePreconditioners(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values stay far from the ends of the range of floats */
static PetscErrorCode KeepInRange(Sequence &s)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatNorm(s.A, NORM_INFINITY, &norm));
  if (norm == 0 || (norm <= 1e4 && norm >= 1e-4)) PetscFunctionReturn(PETSC_SUCCESS);
  for (Mat X : {s.A, s.B}) PetscCall(MatScale(X, 1 / norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does any rank see a difference? */
static PetscErrorCode Failed(const Sequence &s, bool *failed)
{
  PetscMPIInt any = !s.failure.empty();

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  *failed = any;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeStep(Sequence &s, Plan &p, PetscInt step)
{
  s.Begin(step);
  const Change &change = p.changes[s.Random((PetscInt)p.changes.size())];

  PetscFunctionBegin;
  s.Note(std::to_string(step) + " " + change.name);
  if (p.verbose) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %s\n", s.trace.c_str()));
  PetscCall(SequenceSizes(s));
  for (Mat X : {s.A, s.B}) PetscCall(AllowNewEntries(X));
  PetscCall(change.apply(s));
  PetscCall(Compare(s, s.A, s.B, change.name));
  PetscCall(KeepInRange(s));
  p.done[change.name]++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunSequence(Sequence &s, Plan &p, bool *failed)
{
  PetscFunctionBegin;
  PetscCall(SequenceCreate(s));
  PetscCall(Failed(s, failed));
  for (PetscInt step = 0; step < p.steps && !*failed; step++) {
    if (!p.only.empty() && std::find(p.only.begin(), p.only.end(), step) == p.only.end()) continue;
    PetscCall(TakeStep(s, p, step));
    PetscCall(Failed(s, failed));
  }
  PetscCall(SequenceDestroy(s));
  p.compared += s.compared;
  p.applied += s.applied;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void TellFailure(const Sequence &s, const char *program)
{
  if (!s.failure.empty()) (void)std::printf("[%d] seed %d: %s\n", s.rank, (int)s.seed, s.failure.c_str());
  if (s.rank == 0)
    (void)std::printf("[0] steps: %s\nagain: mpiexec -n %d %s -seed %d -count 1\n", s.trace.c_str(), s.size, program,
                      (int)s.seed);
  (void)std::fflush(stdout);
}

static PetscErrorCode GetPlan(PetscMPIInt size, Plan *p)
{
  char      text[256] = "";
  PetscInt  only[64], n = PETSC_STATIC_ARRAY_LENGTH(only);
  PetscBool set;

  PetscFunctionBegin;
  p->count = TestQuick() ? 4 : size == 1 ? 3000 : 360 / size;
  if (TestOnDevice() && !TestQuick()) p->count = size == 1 ? 300 : 120 / size;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-seed", &p->seed, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-steps", &p->steps, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-time", &p->time, &set));
  if (set) p->count = PETSC_INT_MAX - p->seed;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-count", &p->count, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-verbose", &p->verbose, nullptr));
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, "-only", only, &n, &set));
  if (set) p->only.assign(only, only + n);
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-without", text, sizeof(text), nullptr));
  const std::string without = "," + std::string(text) + ",";
  for (const std::vector<Change> &list : {value_changes, structure_changes, copy_changes, {{"precondition", 4, Precondition}}}) {
    for (const Change &c : list) {
      if (without.find("," + std::string(c.name) + ",") == std::string::npos) p->changes.insert(p->changes.end(), c.weight, c);
    }
  }
  PetscCheck(!p->changes.empty(), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-without leaves no change");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stops at the first difference */
static PetscErrorCode RunAll(Plan &p, const char *program, bool *failed)
{
  const PetscLogDouble begin = MPI_Wtime();
  PetscInt             done  = 0;
  double               now   = 0;

  PetscFunctionBegin;
  for (*failed = false; done < p.count && !*failed && (p.time <= 0 || now < p.time); done++) {
    Sequence s;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &s.rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &s.size));
    s.seed = p.seed + done;
    if (p.verbose) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "seed %d\n", (int)s.seed));
    const PetscErrorCode code = RunSequence(s, p, failed);
    if (code || *failed) TellFailure(s, program);
    PetscCall(code);
    now = MPI_Wtime() - begin;
    PetscCallMPI(MPI_Bcast(&now, 1, MPI_DOUBLE, 0, PETSC_COMM_WORLD));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d sequences from seed %d: %d pairs of matrices and %d preconditioners compared\n",
                        (int)done, (int)p.seed, (int)p.compared, (int)p.applied));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Plan        p;
  PetscMPIInt size;
  bool        failed;

  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(GetPlan(size, &p));
  PetscCall(InsertKeptOptions());
  /* MATSEQAIJ's LU and SOR with i-nodes read and write past their arrays after changes of structure */
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_no_inode", "1"));
  PetscCall(PetscOptionsSetValue(nullptr, "-options_left", "no")); /* not every sequence asks for every preconditioner */
  PetscCall(RunAll(p, argv[0], &failed));
  for (const Change &c : p.changes)
    PetscCheck(failed || p.count < 50 || !p.only.empty() || p.done[c.name], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "The change %s never came", c.name);
  PetscCall(PetscFinalize());
  return failed;
}
