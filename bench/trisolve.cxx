static char help[] =
  "Triangular solves: bbs against cuSPARSE's SpSV and SpSM, and icc and ilu by bbs against PETSc's own, on one GPU in one run.\n\
  -f <file,...>          Matrix Market files\n\
  -poisson <n,...>       2-D 5-point matrices of n x n rows\n\
  -poisson3 <n,...>      3-D 7-point matrices of n x n x n rows\n\
  -generated             upper triangles: many entries a row in 35 levels, few in 7, one row that depends on all\n\
                         others, a chain\n\
  -shrink <1>            divides the rows of -generated\n\
  -orders <natural,level>\n\
  -rhs <1,5,50,100>      numbers of right-hand sides\n\
  -engines               each engine apart\n\
  -preconditioners <1>   icc (symmetric matrices) or ilu as a whole, and cg with icc on the 2-D matrices\n\
  -its <50>              iterations of cg\n\
  -repeats <15>          timed rounds; medians count\n\
  -budget <0.3>          seconds after which a contestant sits out the remaining rounds\n\
  -host                  on one core, against PETSc's own factors\n\
  -view                  shows our preconditioner on stderr: which engine it took\n\
  -verbose               tells on stderr what comes next\n\
  -check                 fail when bbs fails or gives a wrong answer\n\
  -json <file>           results as JSON\n\
  -markdown <file>       results as Markdown tables; then both files are written anew after each case\n\n";

/*
  Sample runs:
    ./trisolve -f 1138_bus.mtx.gz,bodyy6.mtx.gz -engines -json out.json
    ./trisolve -poisson 1024,1448 -poisson3 100,126 -generated        minutes on an H200
    ./trisolve -host -poisson 32 -poisson3 8 -generated -shrink 100   seconds
*/
#include <hepta.h>

#include "petsc_types.h"
#include "trisolve.h"

static PetscErrorCode GetInts(const char option[], PetscInt least, std::vector<PetscInt> *v)
{
  PetscInt  given[32], n = 32;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, option, given, &n, &set));
  if (set) v->assign(given, given + n);
  for (PetscInt k : *v)
    PetscCheck(k >= least, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "%s takes numbers from %" PetscInt_FMT " on, not %" PetscInt_FMT, option, least, k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetWords(const char option[], std::vector<std::string> *v)
{
  char     *given[64];
  PetscInt  n = 64;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, option, given, &n, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  v->assign(given, given + n);
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFree(given[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOptions(TriOptions *o)
{
  PetscBool host = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-host", &host, nullptr));
  o->device = PetscBool(!host);
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-engines", &o->engines, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-generated", &o->generated, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-preconditioners", &o->preconditioners, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-view", &o->view, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-verbose", &o->verbose, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &o->repeats, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-its", &o->its, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-shrink", &o->shrink, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-budget", &o->budget, nullptr));
  PetscCheck(o->repeats >= 1 && o->its >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats and -its must be at least 1");
  PetscCheck(o->shrink >= 1 && o->shrink <= 1000, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-shrink must be 1 to 1000, not %" PetscInt_FMT, o->shrink);
  PetscCall(GetInts("-rhs", 1, &o->rhs));
  PetscCheck(!o->rhs.empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "-rhs needs at least one number");
  PetscCall(GetInts("-poisson", 2, &o->poisson));
  PetscCall(GetInts("-poisson3", 2, &o->poisson3));
  PetscCall(GetWords("-f", &o->files));
  PetscCall(GetWords("-orders", &o->orders));
  for (const std::string &w : o->orders)
    PetscCheck(w == "natural" || w == "level", PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "-orders is a list of natural and level, not \"%s\"", w.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A case that cannot be made, for want of a diagonal entry or of the file, is a row that says so, and no fault of ours */
static PetscErrorCode OneCase(const TriOptions &o, const TriSource &source, const std::string &order, TriTables &tables)
{
  const std::string title = source.name + ", " + order + " order";
  std::string       failure;
  TriCase           c;

  PetscFunctionBegin;
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "trisolve: %s\n", title.c_str()));
  c.name  = source.name;
  c.order = order;
  PetscCall(BenchTry(title, [&]() { return source.make(order, &c); }, &failure));
  if (failure.empty()) {
    PetscCall(BenchTry(title, [&]() { return TriSolves(o, c, tables); }, &failure));
  } else failure = "refused: " + failure;
  if (!failure.empty()) {
    std::vector<BenchCell> row(tables.ratios.columns.size(), BenchNone());
    row[0]     = BenchText(c.name);
    row[1]     = BenchText(order);
    row.back() = BenchText(failure);
    tables.ratios.rows.push_back(row);
    tables.bad += c.U.rows > 0;
  } else if (o.preconditioners && c.A.rows) {
    PetscCall(BenchTry(title, [&]() { return TriPreconditioners(o, c, tables); }, &failure));
    tables.bad += !failure.empty();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  TriOptions             o;
  std::vector<TriSource> sources;
  PetscBool              have = PETSC_TRUE, check = PETSC_FALSE, file;
  PetscInt               bad = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(GetOptions(&o));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-check", &check, nullptr));
  PetscCall(TriSources(o, &sources));
  if (o.device) PetscCall(BenchHaveDevice(&have));
  PetscCheck(sources.size(), PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "Nothing to measure: give -f, -poisson, -poisson3 or -generated (see -help)");
  if (have) {
    TriTables tables(o);
    PetscCall(PetscOptionsHasName(nullptr, nullptr, "-markdown", &file));
    for (const TriSource &s : sources) {
      for (const std::string &order : s.orders) {
        PetscCall(OneCase(o, s, order, tables));
        if (file) PetscCall(BenchReport(tables.All()));
      }
    }
    if (!file) PetscCall(BenchReport(tables.All()));
    bad = tables.bad;
  }
  PetscCheck(!check || !bad, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " cases failed: the tables say which", bad);
  PetscCall(PetscFinalize());
  return have ? 0 : 77;
}
