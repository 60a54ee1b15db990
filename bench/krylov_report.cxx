/* Comparisons of bench/krylov, and their tables */
#include "krylov.h"

KrylovBook::KrylovBook()
{
  targets.title = "Iterations of ours against the fastest rival";
  targets.note  = "microseconds of an iteration, wall clock of a solve of so many iterations with the device synchronized at its "
                  "end, medians of interleaved rounds";
  targets.columns = {"case", "rows",          "Nc",       "preconditioner", "ours",   "iterations",
                     "us",   "fastest rival", "rival us", "rival / ours",   "target", "reached"};
  floors.title    = "Iterations of ours over the floor of their passes";
  floors.note = "floor: bytes that the passes of an iteration move at least, at the bandwidth of a copy in the same run; below "
                "some million rows caches make it meaningless";
  floors.columns = {"case",      "rows",     "Nc", "preconditioner", "ours",   "MB",
                    "copy GB/s", "floor us", "us", "ours / floor",   "target", "reached"};
  solves.title   = "Solves from zero";
  solves.note = "one solve each, stopped by the same tolerance in the same norm or by the limit; residual: true and relative, by "
                "neither solver nor format";
  solves.columns = {"case",       "rows", "Nc",     "preconditioner", "method",          "norm",
                    "iterations", "ms",   "reason", "residual",       "agrees with ours"};
  times.title    = "All times";
  times.note     = "microseconds of an iteration; beside: PETSc's method on our matrix, which is no rival";
  times.columns  = {"case", "rows", "Nc", "preconditioner", "method", "part", "us", "result"};
}

PetscErrorCode KrylovBook::Write() const
{
  std::vector<BenchTable> tables;

  PetscFunctionBegin;
  for (const BenchTable *t : {&targets, &floors, &solves, &thesis, &formats, &times}) {
    if (!t->rows.empty()) tables.push_back(*t);
  }
  PetscCall(BenchReport(tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number of iterations that takes some tens of milliseconds, so that beginning and end of a solve hardly count */
static PetscInt Iterations(const KrylovOptions &o, const KrylovProblem &p, const KrylovContest &c)
{
  const double least = p.device ? 30 : 10, by_size = (p.device ? 2e9 : 5e7) / p.nnz;

  return o.its ? o.its : (PetscInt)PetscMax(least, PetscMin((double)c.most_its, by_size));
}

static const KrylovRun *FastestRival(const std::vector<KrylovRun> &runs)
{
  const KrylovRun *best = nullptr;

  for (const KrylovRun &r : runs) {
    if (r.entry->role == KrylovRole::rival && r.seconds > 0 && (!best || r.seconds < best->seconds)) best = &r;
  }
  return best;
}

/* The first cells of a row in all tables */
static std::vector<BenchCell> Cells(const KrylovProblem &p, const KrylovContest &c)
{
  return {BenchText(p.name), BenchWhole(p.rows), BenchWhole(p.nc), BenchText(c.pc)};
}

static void Append(std::vector<BenchCell> row, std::initializer_list<BenchCell> more, BenchTable &t)
{
  row.insert(row.end(), more);
  t.rows.push_back(row);
}

static BenchCell Reached(bool reached)
{
  return BenchText(reached ? "yes" : "no");
}

/* An iteration of ours against the fastest rival, and on stderr at once */
static PetscErrorCode AddTarget(const KrylovProblem &p, const KrylovContest &c, const KrylovRun &r, const KrylovRun *rival,
                                KrylovBook *book)
{
  const double ratio = rival ? rival->seconds / r.seconds : 0, target = r.entry->target;

  PetscFunctionBegin;
  Append(Cells(p, c),
         {BenchText(r.entry->Name()), BenchWhole(r.its), BenchNumber("%.2f", 1e6 * r.seconds),
          rival ? BenchText(rival->entry->Name()) : BenchNone(), rival ? BenchNumber("%.2f", 1e6 * rival->seconds) : BenchNone(),
          rival ? BenchNumber("%.2f", ratio) : BenchNone(), target > 0 ? BenchNumber("%.2g", target) : BenchNone(),
          target > 0 ? Reached(ratio >= target) : BenchNone()},
         book->targets);
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "krylov: %s, %s: %s %.2f us", p.name.c_str(), c.pc,
                         r.entry->Name().c_str(), 1e6 * r.seconds));
  if (rival)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, ", %s %.2f us, ratio %.2f", rival->entry->Name().c_str(),
                           1e6 * rival->seconds, ratio));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, target > 0 ? ", target %.2g\n" : "\n", target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AddFloor(const KrylovProblem &p, const KrylovContest &c, const KrylovRun &r, double bytes_per_second,
                     KrylovBook *book)
{
  const double bytes = KrylovBytes(p, *r.entry, c.pc), floor = bytes_per_second > 0 ? bytes / bytes_per_second : 0,
               ratio = floor > 0 ? r.seconds / floor : 0;
  const bool counts  = p.device && p.rows >= 4000000; /* else the vectors stay in the cache */

  if (floor <= 0) return;
  Append(Cells(p, c),
         {BenchText(r.entry->Name()), BenchNumber("%.1f", 1e-6 * bytes), BenchNumber("%.0f", 1e-9 * bytes_per_second),
          BenchNumber("%.2f", 1e6 * floor), BenchNumber("%.2f", 1e6 * r.seconds), BenchNumber("%.2f", ratio),
          counts ? BenchNumber("%.2f", 1.15) : BenchNone(), counts ? Reached(ratio <= 1.15) : BenchNone()},
         book->floors);
}

static void AddTime(const KrylovProblem &p, const KrylovContest &c, const KrylovRun &r, KrylovBook *book)
{
  const char *part = r.entry->role == KrylovRole::ours ? "ours" : r.entry->role == KrylovRole::rival ? "rival" : "beside";

  Append(Cells(p, c),
         {BenchText(r.entry->Name()), BenchText(part), r.seconds > 0 ? BenchNumber("%.2f", 1e6 * r.seconds) : BenchNone(),
          BenchText(!r.failure.empty() ? "failed: " + r.failure.substr(0, 100)
                    : r.early.empty()  ? "ran"
                                       : r.early)},
         book->times);
}

/* The rival's residual is ours: within a factor of 3, since two methods may stop a few iterations apart, or both are below the
   tolerance, which bounds the true residual in the unpreconditioned norm */
static bool Agree(const KrylovOptions &o, KSPNormType norm, const KrylovSolved &a, const KrylovSolved &b)
{
  const PetscReal least = PetscMin(a.residual, b.residual), most = PetscMax(a.residual, b.residual);

  return (a.reason > 0) == (b.reason > 0) && most > 0 &&
         (most <= 3 * least || (norm == KSP_NORM_UNPRECONDITIONED && most <= 1.1 * o.rtol));
}

static void AddSolve(const KrylovProblem &p, const KrylovContest &c, const KrylovRun &r, KSPNormType norm, const KrylovSolved &s,
                     const BenchCell &agrees, KrylovBook *book)
{
  Append(Cells(p, c),
         {BenchText(r.entry->Name()), BenchText(KSPNormTypes[norm]), BenchWhole(s.its), BenchNumber("%.3f", 1e3 * s.seconds),
          BenchText(KSPConvergedReasons[s.reason]), BenchNumber("%.2e", (double)s.residual), agrees},
         book->solves);
}

/* Ours in the norm of the fastest rival, and that */
static PetscErrorCode Solves(const KrylovOptions &o, const KrylovProblem &p, const KrylovContest &c,
                             const std::vector<KrylovRun> &runs, KrylovBook *book)
{
  const KrylovRun *rival = FastestRival(runs);
  KrylovSolved     theirs, mine;
  KSPNormType      norm = KSP_NORM_DEFAULT;

  PetscFunctionBegin;
  if (rival) {
    norm = rival->entry->method->norm;
    PetscCall(KrylovConverge(o, p, *rival, norm, &theirs));
  }
  for (const KrylovRun &r : runs) {
    if (r.entry->role != KrylovRole::ours || r.seconds <= 0) continue;
    const KSPNormType my_norm = rival ? norm : r.entry->method->norm;
    PetscCall(KrylovConverge(o, p, r, my_norm, &mine));
    const bool agrees = rival && Agree(o, norm, mine, theirs);
    AddSolve(p, c, r, my_norm, mine, rival ? Reached(agrees) : BenchNone(), book);
    book->bad += rival && !agrees;
  }
  if (rival) AddSolve(p, c, *rival, norm, theirs, BenchNone(), book);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovCompare(const KrylovOptions &o, const KrylovProblem &p, KrylovContest c, KrylovBook *book)
{
  std::vector<KrylovRun> runs;
  double                 bytes_per_second;
  bool                   ours;

  PetscFunctionBegin;
  PetscCall(KrylovDropMissing(p, &c, &ours));
  if (!ours) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KrylovTime(o, p, c, Iterations(o, p, c), 1, &runs, &bytes_per_second));
  const KrylovRun *rival = FastestRival(runs);
  for (const KrylovRun &r : runs) {
    AddTime(p, c, r, book);
    if (r.entry->role != KrylovRole::ours) continue;
    book->bad += r.seconds <= 0 || !rival;
    book->compared += r.seconds > 0;
    if (r.seconds <= 0) continue;
    PetscCall(AddTarget(p, c, r, rival, book));
    AddFloor(p, c, r, bytes_per_second, book);
  }
  PetscCall(Solves(o, p, c, runs, book));
  PetscCall(KrylovRunsDestroy(&runs));
  PetscFunctionReturn(PETSC_SUCCESS);
}
