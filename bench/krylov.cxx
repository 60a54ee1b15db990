static char help[] =
  "Iterations of fusedcg, fusedbcgs, dpcg and bicgcr against PETSc's own methods, the fastest of their variants and\n\
formats, in one run.\n\
  -device            on one GPU; otherwise on one core\n\
  -case <list>       of cg2, cg3, ip, bcgs, blocks, dpcg, cr, host, storage, thesis, formats; default all but the last three\n\
                     with -device, host without\n\
  -thesis            as -case thesis: five iterations of BiCGStab on General Hepta matrices, GFLOPS;\n\
                     -thesis_rows <n>: the most rows; -thesis_nc <n>: those with n unknowns a cell\n\
  -matrix <file,...> blocks: Matrix Market files, symmetric and positive definite, as they are and repeated\n\
                     to -copies_to <2000000> rows; storage: the same files, with values in double and in float;\n\
                     formats: any square ones, with more methods, repeated where -copies_to is given\n\
  -formats_n <n,...> formats: sides of Poisson problems, none by default\n\
  -cg2_n, -cg3_n, -ip_n, -cr_n, -host2_n, -host3_n <n,...>   sides of the Poisson problems\n\
  -shrink <1>        divides the sides of all problems that are not given\n\
  -its <k>           iterations of a timed solve; default: by the size of the problem\n\
  -repeats <5>       timed rounds; medians count\n\
  -rtol <1e-8>, -max_it <k>   of the solves that are compared by their residuals\n\
  -check             fail when one of ours fails, or its residual is not that of the rival\n\
  -json <file>       results as JSON\n\
  -markdown <file>   results as Markdown tables; then both files are written anew after each case\n\
KSP types that the library does not have are left out. Solvers and preconditioners take PETSc's options with the prefix\n\
krylov_.\n\n";

/*
  Sample runs:
    ./krylov -device -matrix bcsstk38.mtx.gz,msc01440.mtx.gz,Dubcova1.mtx.gz -json out.json
                                             minutes on an H200, 20 GB on the host and on the GPU
    ./krylov -device -case cg2 -cg2_n 1024   seconds
    ./krylov -device -thesis                 a minute
    ./krylov                                 some minutes on one core
*/
#include "krylov.h"

#include <algorithm>

static PetscErrorCode GetWords(const char option[], std::vector<std::string> *words)
{
  char     *given[64];
  PetscInt  n = 64;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, option, given, &n, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  words->assign(given, given + n);
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFree(given[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOptions(KrylovOptions *o)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-device", &o->device, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-thesis", &o->thesis, nullptr));
  if (o->thesis) o->cases = {"thesis"};
  else if (o->device) o->cases = {"cg2", "cg3", "ip", "bcgs", "blocks", "dpcg", "cr", "host"};
  else o->cases = {"host"};
  PetscCall(GetWords("-case", &o->cases));
  PetscCall(GetWords("-matrix", &o->files));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-its", &o->its, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &o->repeats, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-max_it", &o->max_it, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-shrink", &o->shrink, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-copies_to", &o->copies_to, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-rtol", &o->rtol, nullptr));
  PetscCheck(o->its >= 0 && o->max_it >= 0 && o->repeats >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-its and -max_it must not be negative, -repeats at least 1");
  PetscCheck(o->shrink >= 1 && o->copies_to >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-shrink and -copies_to must be at least 1");
  PetscCheck(o->rtol > 0 && o->rtol < 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-rtol must be between 0 and 1");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cases that -case asks for, in its order */
static PetscErrorCode Cases(const KrylovOptions &o, KrylovBook *book)
{
  const struct {
    const char *name;
    PetscErrorCode (*run)(const KrylovOptions &, KrylovBook *);
  } cases[] = {
    {"cg2", KrylovCG2},         {"cg3", KrylovCG3},        {"ip", KrylovIP},           {"bcgs", KrylovBCGS},
    {"blocks", KrylovBlocks},   {"dpcg", KrylovDeflation}, {"cr", KrylovCR},           {"host", KrylovHost},
    {"storage", KrylovStorage}, {"thesis", KrylovThesis},  {"formats", KrylovFormats},
  };
  PetscBool to_file;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-markdown", &to_file));
  for (const std::string &wanted : o.cases) {
    const auto c = std::find_if(std::begin(cases), std::end(cases), [&](const auto &a) { return wanted == a.name; });
    PetscCheck(c != std::end(cases), PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "-case is a list of cg2, cg3, ip, bcgs, blocks, dpcg, cr, host, storage, thesis and formats, not \"%s\"",
               wanted.c_str());
    PetscCall(c->run(o, book));
    if (to_file) PetscCall(book->Write());
  }
  if (!to_file) PetscCall(book->Write());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  KrylovOptions o;
  KrylovBook    book;
  PetscBool     have = PETSC_TRUE, check = PETSC_FALSE;
  PetscMPIInt   ranks;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCheck(ranks == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "krylov runs on one MPI process, not on %d", ranks);
  PetscCall(HeptaRegisterAll());
  PetscCall(GetOptions(&o));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-check", &check, nullptr));
  if (o.device) PetscCall(BenchHaveDevice(&have));
  if (have) PetscCall(Cases(o, &book));
  PetscCheck(!have || !check || (!book.bad && book.compared), PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "%" PetscInt_FMT " of %" PetscInt_FMT
             " comparisons failed, or had no rival with the same residual: the tables say which",
             book.bad, book.compared);
  PetscCall(PetscFinalize());
  return have ? 0 : 77;
}
