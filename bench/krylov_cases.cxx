/* Systems of bench/krylov that come as arrays of compressed rows */
#include <algorithm>

#include "csr_file.h"
#include "krylov.h"

PetscErrorCode KrylovSizes(const KrylovOptions &o, const char option[], PetscInt least, std::vector<PetscInt> *sizes)
{
  PetscInt  given[32], n = 32;
  PetscBool set;

  PetscFunctionBegin;
  for (PetscInt &s : *sizes) s = PetscMax(least, s / o.shrink);
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, option, given, &n, &set));
  if (set) sizes->assign(given, given + n);
  for (PetscInt s : *sizes)
    PetscCheck(s >= least, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "%s takes numbers from %" PetscInt_FMT " on, not %" PetscInt_FMT, option, least, s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::string Cube(const char *name, PetscInt n, int dim)
{
  return std::string(name) + " " + std::to_string(n) + "^" + std::to_string(dim);
}

static std::string Type(const KrylovProblem &p, const std::string &type)
{
  return type + (p.device ? "cuda" : "");
}

/* Those of ours first */
static PetscErrorCode Compare(const KrylovOptions &o, const KrylovProblem &p, PCType pc,
                              const std::vector<const KrylovMethod *> &methods, double target, std::vector<KrylovEntry> rivals,
                              PetscInt most_its, KrylovBook *book)
{
  KrylovContest c{methods[0]->name, pc, {}, most_its};

  PetscFunctionBegin;
  for (const auto &m : p.matrices) {
    for (const KrylovMethod *method : methods) {
      if (m->ours) c.entries.push_back({m.get(), method, KrylovRole::ours, target});
    }
  }
  c.entries.insert(c.entries.end(), rivals.begin(), rivals.end());
  PetscCall(KrylovCompare(o, p, c, book));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* fusedcg with jacobi on bdia, for 3-D in half storage too */
static PetscErrorCode Poisson(const KrylovOptions &o, PetscInt n, int dim, double target, KrylovBook *book)
{
  KrylovProblem p;

  PetscFunctionBegin;
  PetscCall(KrylovProblemStart(o, Cube("Poisson", n, dim), CSRPoisson(n, n, dim > 2 ? n : 1), &p));
  PetscCall(MatSetOption(p.aij, MAT_SPD, PETSC_TRUE));
  PetscCall(KrylovProblemAdd(&p, true, Type(p, "bdia"), "seq" + Type(p, "bdia"), nullptr, nullptr));
  if (dim > 2)
    PetscCall(KrylovProblemAdd(&p, true, Type(p, "bdia") + " half", "seq" + Type(p, "bdia"), "-mat_bdia_half", nullptr));
  PetscCall(KrylovProblemAddRivals(&p, 1));
  PetscCall(Compare(o, p, PCJACOBI, {&krylovFusedCG, &krylovFusedCGSingle}, target, KrylovCGRivals(p), 1000, book));
  PetscCall(KrylovProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovCG2(const KrylovOptions &o, KrylovBook *book)
{
  const std::pair<PetscInt, double> targets[] = {{128, 9}, {512, 5.5}, {1024, 2.8}, {2048, 2.3}};
  std::vector<PetscInt>             sizes;

  PetscFunctionBegin;
  for (const auto &t : targets) sizes.push_back(t.first);
  PetscCall(KrylovSizes(o, "-cg2_n", 8, &sizes));
  for (PetscInt n : sizes) {
    const auto t = std::find_if(std::begin(targets), std::end(targets), [n](const auto &a) { return a.first == n; });
    PetscCall(Poisson(o, n, 2, o.device && t != std::end(targets) ? t->second : 0, book));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovCG3(const KrylovOptions &o, KrylovBook *book)
{
  std::vector<PetscInt> sizes = {200};

  PetscFunctionBegin;
  PetscCall(KrylovSizes(o, "-cg3_n", 4, &sizes));
  for (PetscInt n : sizes) PetscCall(Poisson(o, n, 3, o.device && n == 200 ? 2 : 0, book));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovHost(const KrylovOptions &o, KrylovBook *book)
{
  KrylovOptions         host    = o;
  std::vector<PetscInt> squares = {1024}, cubes = {126};

  PetscFunctionBegin;
  host.device  = PETSC_FALSE;
  host.repeats = PetscMin(o.repeats, 3);
  PetscCall(KrylovSizes(host, "-host2_n", 8, &squares));
  PetscCall(KrylovSizes(host, "-host3_n", 4, &cubes));
  for (PetscInt n : squares) PetscCall(Poisson(host, n, 2, n == 1024 ? 1.3 : 0, book));
  for (PetscInt n : cubes) PetscCall(Poisson(host, n, 3, n == 126 ? 1.3 : 0, book));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* bicgcr with jacobi on a symmetric matrix, where it is the conjugate residual method */
PetscErrorCode KrylovCR(const KrylovOptions &o, KrylovBook *book)
{
  std::vector<PetscInt> sizes = {1024};

  PetscFunctionBegin;
  PetscCall(KrylovSizes(o, "-cr_n", 8, &sizes));
  for (PetscInt n : sizes) {
    KrylovProblem p;

    PetscCall(KrylovProblemStart(o, Cube("Poisson", n, 2), CSRPoisson(n, n, 1), &p));
    PetscCall(MatSetOption(p.aij, MAT_SPD, PETSC_TRUE));
    PetscCall(KrylovProblemAdd(&p, true, Type(p, "bdia"), "seq" + Type(p, "bdia"), nullptr, nullptr));
    PetscCall(KrylovProblemAddRivals(&p, 1));
    PetscCall(Compare(o, p, PCJACOBI, {&krylovBiCGCR}, 0, KrylovCRRivals(p), 500, book));
    PetscCall(KrylovProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* fusedcg with ip against PETSc's variants of cg with ip on the same matrix */
PetscErrorCode KrylovIP(const KrylovOptions &o, KrylovBook *book)
{
  std::vector<PetscInt> sizes = {1024};

  PetscFunctionBegin;
  PetscCall(KrylovSizes(o, "-ip_n", 8, &sizes));
  for (PetscInt n : sizes) {
    KrylovProblem            p;
    std::vector<KrylovEntry> rivals;

    PetscCall(KrylovProblemStart(o, Cube("Poisson", n, 2), CSRPoisson(n, n, 1), &p));
    PetscCall(KrylovProblemAdd(&p, false, Type(p, "bdia"), "seq" + Type(p, "bdia"), nullptr, nullptr));
    rivals = KrylovCGRivals(p); /* the same matrix twice: of the rivals, then ours */
    PetscCall(KrylovProblemAdd(&p, true, Type(p, "bdia"), "seq" + Type(p, "bdia"), nullptr, nullptr));
    PetscCall(Compare(o, p, "ip", {&krylovFusedCG}, o.device && n == 1024 ? 2.5 : 0, rivals, 500, book));
    PetscCall(KrylovProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* fusedbcgs on General Hepta matrices of 8 unknowns a cell */
PetscErrorCode KrylovBCGS(const KrylovOptions &o, KrylovBook *book)
{
  struct Grid {
    PetscInt J, H, I;
    double   target;
  } const grids[] = {{16, 16, 32, 7}, {32, 32, 64, 2.8}, {32, 64, 64, 2.2}};

  PetscFunctionBegin;
  for (const Grid &g : grids) {
    const PetscInt s = o.shrink, J = PetscMax(2, g.J / s), H = PetscMax(2, g.H / s), I = PetscMax(4, g.I / s);
    KrylovProblem  p;

    PetscCall(KrylovProblemStart(o, "General Hepta", CSRGeneralHepta(J, H, I, 8), &p));
    PetscCall(KrylovProblemAdd(&p, true, Type(p, "bdia"), "seq" + Type(p, "bdia"), nullptr, nullptr));
    PetscCall(KrylovProblemAddRivals(&p, p.nc));
    for (PCType pc : {PCNONE, PCJACOBI, PCPBJACOBI})
      PetscCall(Compare(o, p, pc, {&krylovFusedBCGS}, o.device && s == 1 ? g.target : 0, KrylovBCGSRivals(p), 100, book));
    PetscCall(KrylovProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both methods on one matrix in blocked rows, the rivals' blocks as large as the tiles that brow chooses */
static PetscErrorCode OneBlocked(const KrylovOptions &o, const std::string &name, CSR &&A, double target, KrylovBook *book)
{
  KrylovProblem p;
  PetscInt      bs = 1;

  PetscFunctionBegin;
  PetscCall(KrylovProblemStart(o, name, std::move(A), &p));
  PetscCall(KrylovProblemAdd(&p, true, Type(p, "brow"), "seq" + Type(p, "brow"), "-mat_brow_bs", "auto"));
  if (!p.matrices.empty()) PetscCall(MatBROWGetTileSize(p.matrices[0]->A, &bs));
  PetscCall(KrylovProblemAddRivals(&p, bs));
  if (!o.device) target = 0;
  PetscCall(Compare(o, p, PCJACOBI, {&krylovFusedCG, &krylovFusedCGSingle}, target, KrylovCGRivals(p), 300, book));
  PetscCall(Compare(o, p, PCJACOBI, {&krylovFusedBCGS}, target, KrylovBCGSRivals(p), 100, book));
  PetscCall(KrylovProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovFiles(const KrylovOptions &o, const char what[], std::vector<std::string> *files)
{
  PetscFunctionBegin;
  if (o.files.empty())
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "krylov: no -matrix, so the case %s is left out\n", what));
  for (const std::string &file : o.files) {
    PetscBool there;

    PetscCall(PetscTestFile(file.c_str(), 'r', &there));
    if (there) files->push_back(file);
    else PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "krylov: there is no file %s, so it is left out\n", file.c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovBlocks(const KrylovOptions &o, KrylovBook *book)
{
  std::vector<std::string> files;

  PetscFunctionBegin;
  PetscCall(KrylovFiles(o, "blocks", &files));
  for (const std::string &file : files) {
    for (PetscInt least : {(PetscInt)0, o.copies_to}) {
      CSR A;

      PetscCall(CSRRead(file, least, &A));
      PetscCall(OneBlocked(o, CSRFileName(file) + (least ? ", copies" : ""), std::move(A), least ? 2 : 6, book));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* fusedcg on one matrix with values in double and in float, against PETSc's cg in the norm of Verschoor and Jalba's method */
PetscErrorCode KrylovStorage(const KrylovOptions &o, KrylovBook *book)
{
  std::vector<std::string> files;

  PetscFunctionBegin;
  PetscCall(KrylovFiles(o, "storage", &files));
  for (const std::string &file : files) {
    std::vector<KrylovEntry> rivals;
    KrylovProblem            p;
    CSR                      A;

    PetscCall(CSRRead(file, 0, &A));
    PetscCall(KrylovProblemStart(o, CSRFileName(file), std::move(A), &p));
    for (const char *storage : {"double", "single"})
      PetscCall(
        KrylovProblemAdd(&p, true, Type(p, "brow") + " " + storage, "seq" + Type(p, "brow"), "-mat_brow_storage", storage));
    PetscCall(KrylovProblemAddRivals(&p, 1));
    for (const auto &m : p.matrices) {
      if (!m->ours) rivals.push_back({m.get(), &krylovCGNatural, KrylovRole::rival, 0});
    }
    PetscCall(Compare(o, p, PCJACOBI, {&krylovFusedCG}, 0, rivals, 300, book));
    PetscCall(KrylovProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
