static char help[] =
  "What an iteration computes, moves and launches: flops as they are logged, on the host and on the device, vectors, bytes and "
  "kernels of the view, all by formulas that stand here; docs/passes.md has the passes.\n\n";

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>

#include "disk.h"
#include "krylov.h"
#include "view.h"

constexpr PetscInt SIDE = 40;

/* The number before `words` in the text, 0 if there is none */
static double NumberBefore(const std::string &text, const char *words)
{
  const size_t at = text.find(words), from = at == std::string::npos ? at : text.rfind(' ', at - 1);

  return from == std::string::npos ? 0 : std::atof(text.c_str() + from);
}

/* *flops <- those of what f() does on this process, wherever it does them */
template <class F> static PetscErrorCode Flops(F f, PetscLogDouble *flops)
{
  PetscLogDouble begin;

  PetscFunctionBeginUser;
  PetscCall(PetscGetFlops(&begin));
  PetscCall(f());
  PetscCall(PetscGetFlops(flops));
  *flops -= begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckEqual(const std::string &what, double found, double expected)
{
  PetscFunctionBeginUser;
  PetscCheck(found == expected, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %.10g, by the formula %.10g", what.c_str(), found,
             expected);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   *flops <- those of an iteration, from solves of two lengths, since the first iteration and the set-up do others; *view <- what
   the solver says of itself afterwards
*/
static PetscErrorCode OfIteration(Mat A, KSPType type, const std::string &options, PetscLogDouble *flops,
                                  std::string *view = nullptr, std::array<int, 2> its = {8, 20})
{
  PetscLogDouble of[2];
  Vec            b, x;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 2; k++) {
    PetscInt did;
    KSP      ksp;
    PetscCall(NewSolver(A, type, options, &ksp));
    PetscCall(KSPSetTolerances(ksp, 0, 0, PETSC_CURRENT, its[k]));
    PetscCall(KSPSolve(ksp, b, x)); /* sets up */
    PetscCall(Flops([&] { return KSPSolve(ksp, b, x); }, &of[k]));
    PetscCall(KSPGetIterationNumber(ksp, &did));
    PetscCheck(did == its[k], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s %s ends after %" PetscInt_FMT " of %d iterations", type,
               options.c_str(), did, its[k]);
    if (view) PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_ASCII_INFO_DETAIL, view));
    PetscCall(KSPDestroy(&ksp));
  }
  *flops = (of[1] - of[0]) / (its[1] - its[0]);
  PetscCall(Destroy(&b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   PETSc's method with a matrix on the host: on a device PETSc does not log all that it does there. PETSc logs 2 N - 1 flops for a
   sum over N rows, ours 2 N, so that ours are as many more as there are sums.
*/
static PetscErrorCode TestBesidePetsc(Mat A)
{
  static const struct {
    Methods     types;
    const char *options;
    int         sums;
  } methods[] = {{{KSPCG, KSPFUSEDCG}, "-ksp_norm_type unpreconditioned ", 3},
                 {{KSPCG, KSPFUSEDCG}, "-ksp_norm_type natural -ksp_cg_single_reduction -ksp_fusedcg_single_reduction ", 2},
                 {{KSPCR, KSPBICGCR}, "-ksp_norm_type preconditioned ", 3},
                 {{KSPBCGS, KSPFUSEDBCGS}, "-ksp_pc_side right ", 3},
                 {{KSPBCGS, KSPFUSEDBCGS}, "-ksp_pc_side left ", 3}};
  Mat host;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &host));
  PetscCall(MatSetOption(host, MAT_SPD, PETSC_TRUE));
  for (const auto &m : methods) {
    for (const char *pc : {"none", "jacobi"}) {
      const std::string options = m.options + std::string("-pc_type ") + pc;
      PetscLogDouble    petsc, ours;
      PetscCall(OfIteration(host, m.types.petsc, options, &petsc));
      PetscCall(OfIteration(A, m.types.ours, options, &ours));
      PetscCall(CheckEqual(m.types.ours + (" " + options) + ", beside PETSc's flops", ours, petsc + m.sums));
    }
  }
  PetscCall(MatDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number for each place of the preconditioner: none, jacobi in the passes, and others */
struct Places {
  double none, jacobi, other;
};

/*
   What an iteration does, for N rows:

   row       flops a row of updates and sums, with the norm: 2 for a sum, 2 for each vector that is added with a factor, and one
             for each product with the inverse diagonal of jacobi
   products  with A or A^T, of these `transposed` with A^T; so many applications, and `transposed` transposed ones
   inside, beside   vectors that are read or written if products are passes and if they are not
   passes    kernels of an iteration but for those of applications of the preconditioner, where products are passes; 0: not known
*/
struct Iteration {
  KSPType     type;
  const char *options;
  Places      row;
  int         products, transposed, applies;
  Places      inside, beside, passes;
};

/*
   Rows: fusedcg has x, r, p, (p, q), (r, z), dpcg Z y too, flexible (z, q) too, with a single reduction s too. fusedbcgs has two
   vectors added to p and to x, one to s and r, and (r0, v), (s, t), (t, t), (r0, r). bicgcr has x, z, p, q, (z, w), (q, u), of
   the unpreconditioned norm r too unless z is r, two-sided z* and q* too.
*/
static const Iteration ITERATIONS[] = {
  {KSPFUSEDCG, "-ksp_norm_type none ", {10, 11, 10}, 1, 0, 1, {10, 12, 12}, {13, 15, 15}, {2, 2, 3}},
  {KSPFUSEDCG, "-ksp_norm_type unpreconditioned ", {12, 13, 12}, 1, 0, 1, {10, 12, 12}, {13, 15, 15}, {2, 2, 3}},
  {KSPFUSEDCG, "-ksp_fusedcg_flexible ", {14, 15, 14}, 1, 0, 1, {10, 12, 13}, {13, 15, 16}, {2, 2, 3}},
  {KSPFUSEDCG,
   "-ksp_norm_type natural -ksp_fusedcg_single_reduction ",
   {12, 13, 12},
   1,
   0,
   1,
   {10, 11, 15},
   {13, 17, 15},
   {1, 1, 3}},
  {KSPDPCG, "-ksp_norm_type unpreconditioned ", {13, 14, 13}, 1, 0, 1, {10.5, 12.5, 12.5}, {13.5, 15.5, 15.5}, {5, 5, 6}},
  {KSPFUSEDBCGS, "-ksp_norm_type none ", {20, 22, 20}, 2, 0, 2, {19, 21, 22}, {22, 26, 22}, {5, 5, 7}},
  {KSPFUSEDBCGS, "-ksp_pc_side right ", {22, 24, 22}, 2, 0, 2, {19, 25, 21}, {22, 27, 23}, {5, 5, 5}},
  {KSPBICGCR, "-ksp_norm_type none ", {12, 13, 12}, 1, 0, 1, {14, 16, 16}, {16, 18, 18}, {3, 3, 4}},
  {KSPBICGCR, "-ksp_norm_type preconditioned ", {14, 15, 14}, 1, 0, 1, {14, 16, 16}, {16, 18, 18}, {3, 3, 4}},
  {KSPBICGCR, "-ksp_norm_type unpreconditioned ", {14, 17, 16}, 1, 0, 1, {14, 19, 19}, {16, 21, 21}, {3, 3, 4}},
  {KSPBICGCR, "-ksp_norm_type none -ksp_bicgcr_symmetric no ", {16, 18, 16}, 2, 1, 1, {23, 26, 25}, {24, 27, 26}, {0, 0, 0}}};

/* kernels: of an application, 0 where the first method tells; anew: further kernels if the application before gives no scale */
struct Preconditioner {
  const char *options;
  bool        one, transposed; /* for one process alone; does the transposed application exist? */
  int         kernels, anew;
};

/*
   icc has a kernel for each triangle, gridmg a kernel for the scale, one for the input, one for the inverse and two for each
   level but for the last
*/
static const Preconditioner PCS[] = {
  {"none", false, true, 0, 0},
  {"jacobi", false, true, 0, 0},
  {"ip", false, true, 1, 0},
  {"icc -pc_factor_mat_solver_type bbs", true, true, 2, 0},
  {"gridmg -pc_gridmg_grid 40,40 -pc_gridmg_storage double -pc_gridmg_levels 3", false, false, 7, 0},
  {"aggmg", false, false, 0, 2},
  {"blockic", false, true, 0, 0}};

static bool Is(const Preconditioner &pc, const char *type)
{
  return !std::strncmp(pc.options, type, std::strlen(type));
}

static double At(const Places &p, const Preconditioner &pc)
{
  return Is(pc, "none") ? p.none : Is(pc, "jacobi") ? p.jacobi : p.other;
}

/* The matrix on this process */
struct Sizes {
  double      rows = 0, entries = 0;
  bool        bdia = false, lines = false; /* block diagonals; whole lines of the grid on each process */
  PetscMPIInt size = 1;
};

static PetscErrorCode SizesOf(Mat A, Sizes *s)
{
  PetscInt  rows;
  MatInfo   info;
  PetscBool bdia;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &s->size));
  PetscCall(MatGetLocalSize(A, &rows, nullptr));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &bdia, MATSEQBDIACUDA, MATMPIBDIACUDA, MATSEQBDIA, MATMPIBDIA, ""));
  *s = {(double)rows, info.nz_used, (bool)bdia, SIDE * SIDE % (SIDE * s->size) == 0, s->size};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Flops of an application: of aggmg, and of others on several processes, what the log says.

   ip       a product with M, which has the entries of A
   icc      the entries beside the diagonal once in each of the two halves, and the diagonal
   gridmg   on each level but the last, for each cell, 2 sweeps before and 2 after the next level, of 4 neighbors each, a
            difference and a product with the inverse diagonal; the residual; a sum and a correction. Then a dense inverse.
   blockic  5 diagonals, counted with slots beyond the grid
*/
static double OfApplication(const Preconditioner &pc, const Sizes &s, double logged)
{
  if (Is(pc, "none")) return 0;
  if (Is(pc, "jacobi")) return s.rows;
  if (Is(pc, "ip")) return 2 * s.entries - s.rows;
  if (Is(pc, "icc")) return 2 * (s.entries - s.rows) + s.rows;
  if (s.size > 1) return logged;
  if (Is(pc, "gridmg")) return (1600 + 400) * (4 * (4 * 2 + 2) + (4 * 2 + 2) + 2) + 2 * 100 * 100;
  if (Is(pc, "blockic")) return 2 * 5 * s.rows;
  return logged;
}

/* *product <- flops of a product, *apply <- flops of an application of the preconditioner */
static PetscErrorCode OfParts(Mat A, const Preconditioner &pc, PetscLogDouble *product, PetscLogDouble *apply)
{
  Vec b, x;
  KSP ksp;
  PC  inner;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(NewSolver(A, KSPFUSEDCG, std::string("-pc_type ") + pc.options, &ksp));
  PetscCall(KSPGetPC(ksp, &inner));
  PetscCall(KSPSetUp(ksp));
  PetscCall(Flops([&] { return MatMult(A, b, x); }, product));
  PetscCall(PCApply(inner, b, x)); /* PETSc's jacobi inverts the diagonal at the first application */
  PetscCall(Flops([&] { return PCApply(inner, b, x); }, apply));
  PetscCall(Destroy(&ksp, &b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr int DOMAINS = 4; /* stripes that dpcg deflates with */

/*
   Flops of the deflation by d stripes of lines, on one process: the sums Z^T r; A Z, which has an entry in each row, and another
   one in the two lines at each border; E^-1
*/
static double OfDeflation(const Sizes &s, int d)
{
  return s.rows + 2 * (s.rows + 2. * SIDE * (d - 1)) + 2 * d * d;
}

static std::string OptionsOf(const Iteration &m, const Preconditioner &pc)
{
  const bool deflated = !std::strcmp(m.type, KSPDPCG);

  return WithPC({{nullptr, m.type}, m.options, deflated, false}, pc.options, DOMAINS) +
         (Is(pc, "icc") ? std::string("-") + (deflated ? "pc_subdeflation_" : "") + "mat_bbs_engine syncfree " : "");
}

/*
   Bytes of matrices: bdia has a slot for each row of a diagonal that lies in the matrix, or a bit less than twice as much in
   blocked rows with indices
*/
static PetscErrorCode CheckBytes(const Iteration &m, const Sizes &s, bool inverse, const std::string &what,
                                 const std::string &text)
{
  const double matrix = NumberBefore(text, " bytes of matrices"), entries = sizeof(PetscScalar) * s.entries,
               vectors = NumberBefore(text, " vectors read or written"), bytes = NumberBefore(text, " bytes, ");

  PetscFunctionBeginUser;
  PetscCall(CheckEqual(what + ", bytes of vectors", bytes, vectors * s.rows * sizeof(PetscScalar)));
  if (s.bdia) {
    const double slots = 5 * s.rows - 2 * (1 + SIDE);
    PetscCall(CheckEqual(what + ", bytes of matrices", matrix, (m.products + inverse) * sizeof(PetscScalar) * slots));
  } else
    PetscCheck(matrix >= m.products * entries && matrix <= 2 * (m.products + inverse) * entries, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: %g bytes of matrices with %g entries:\n%s", what.c_str(), matrix, s.entries, text.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The table has labels of 4 bytes beside numbers of 8 */
static double Labels(const Iteration &m, double vectors)
{
  return std::strcmp(m.type, KSPDPCG) ? vectors : vectors - 0.5 + (double)sizeof(PetscInt) / sizeof(PetscScalar);
}

static PetscErrorCode CheckVectors(const Iteration &m, const Preconditioner &pc, const Sizes &s, const std::string &what,
                                   const std::string &text)
{
  const double vectors = NumberBefore(text, " vectors read or written"), inside = Labels(m, At(m.inside, pc)),
               beside = Labels(m, At(m.beside, pc));

  PetscFunctionBeginUser;
  if (TestOnDevice() && !s.bdia) /* the product of blocked rows may have sums, where p is made before */
    PetscCheck(vectors == inside || vectors == inside + 1 || vectors == beside, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s: %g vectors:\n%s", what.c_str(), vectors, text.c_str());
  else PetscCall(CheckEqual(what + ", vectors", vectors, TestOnDevice() ? inside : beside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Kernels, on the device alone. ip is a pass of CG that makes the sums too; where no formula has the kernels of an application,
   all methods must have the same.
*/
static PetscErrorCode CheckKernels(const Iteration &m, const Preconditioner &pc, const Sizes &s, bool inverse,
                                   const std::string &what, const std::string &text)
{
  static std::map<std::string, double> known;
  const double                         kernels = NumberBefore(text, " kernels, "), passes = At(m.passes, pc);
  double                              &apply = known[pc.options];
  const bool                           cg    = !std::strcmp(m.type, KSPFUSEDCG) || !std::strcmp(m.type, KSPDPCG);

  PetscFunctionBeginUser;
  if (!TestOnDevice()) PetscCall(CheckEqual(what + ", kernels", kernels, 0));
  if (!TestOnDevice() || !s.bdia || !passes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(kernels > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is not recorded:\n%s", what.c_str(), text.c_str());
  if (pc.kernels) apply = pc.kernels;
  else if (!At({0, 0, 1}, pc)) apply = 0;
  else if (!apply) apply = kernels - passes; /* of the first method */
  PetscCheck(apply > 0 || !At({0, 0, 1}, pc), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %g kernels", what.c_str(), kernels);
  PetscCall(CheckEqual(what + ", kernels", kernels, passes + (inverse ? 0 : m.applies * (apply + (cg ? 0 : pc.anew)))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An iteration of the method with the preconditioner: flops of the log, and the numbers of the view */
static PetscErrorCode TestIteration(Mat A, const Iteration &m, const Preconditioner &pc, double apply)
{
  const std::string options = OptionsOf(m, pc), what = m.type + (" " + options);
  const bool        deflated = !std::strcmp(m.type, KSPDPCG), inner = At({0, 0, 1}, pc) > 0;
  PetscLogDouble    flops;
  std::string       text;
  Sizes             s;

  PetscFunctionBeginUser;
  PetscCall(SizesOf(A, &s));
  /* does a pass multiply with M? */
  const bool inverse = TestOnDevice() && s.size == 1 && Is(pc, "ip") &&
                       (deflated || (!std::strcmp(m.type, KSPFUSEDCG) && !std::strstr(m.options, "single_reduction")));
  const double applied  = inner ? m.applies * apply + m.transposed * (Is(pc, "ip") ? 2 * s.entries : apply) : 0,
               expected = At(m.row, pc) * s.rows + m.products * (2 * s.entries - s.rows) + m.transposed * s.rows + applied +
                          (deflated ? OfDeflation(s, DOMAINS) : 0);
  PetscCall(OfIteration(A, m.type, options, &flops, &text));
  PetscCall(CheckEqual(what + ", flops", flops, expected));
  if (s.size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckEqual(what + ", flops of the view", NumberBefore(text, " flops"), expected));
  PetscCall(CheckVectors(m, pc, s, what, text));
  PetscCall(CheckBytes(m, s, inverse, what, text));
  PetscCall(CheckKernels(m, pc, s, inverse, what, text));
  PetscCheck((text.find("without those of the preconditioner") != std::string::npos) == (inner && !inverse), PETSC_COMM_SELF,
             PETSC_ERR_PLIB, "%s:\n%s", what.c_str(), text.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestIterations(Mat A)
{
  PetscLogDouble product, apply;
  Sizes          s;

  PetscFunctionBeginUser;
  PetscCall(SizesOf(A, &s));
  for (const Preconditioner &pc : PCS) {
    if (s.size > 1 && (pc.one || (!pc.transposed && !s.lines))) continue;
    PetscCall(OfParts(A, pc, &product, &apply));
    PetscCall(CheckEqual("a product, flops", product, 2 * s.entries - s.rows));
    PetscCall(CheckEqual(pc.options + std::string(", flops of an application"), apply, OfApplication(pc, s, apply)));
    for (const Iteration &m : ITERATIONS) {
      if (s.size > 1 && !std::strcmp(m.type, KSPDPCG)) continue; /* the borders of the stripes are not those of processes */
      /* of several processes PETSc logs the sums of what other processes have for a row, and a transport of ours does not */
      if (m.transposed && (!pc.transposed || s.size > 1)) continue;
      PetscCall(TestIteration(A, m, pc, apply));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   L. A. Firdaus's thesis, table 6.19, has 21 N + 6 nnz - 2 for BiCGStab, of which the first residual, once a solve, is
   N + 2 nnz: an iteration is 20 N + 4 nnz - 2. We log N less for each product (no addition to the first term), and one more for
   each of two sums. Table 6.18 has 3 products, 5 sums in 10 kernels, 12 kernels for vectors, 2 for zeros and 8 copies to the
   host; a recorded iteration has 5 kernels (ITERATIONS).

   R. Gupta's thesis, equation 105, has 45 N + d^2 flops for an iteration of deflated CG with ip and 5 points, d subdomains. Of
   its table 1 dpcg logs products with A and M, 9 N each but for the walls, N for Z^T r, 6 N for x, r and p, and 2 N for the norm.
   For A Z dpcg logs 2 (N + border) in place of 9 N, since a row of A Z has an entry, and rows at a border another one. Sums are
   (p, q) and (r, z), 2 N each, not four. No pass scales a vector, which is N; the pass that makes p adds Z y, which is N. A
   product with E^-1 is d^2 multiplications and as many additions, which the thesis counts as one. Tables 2 and 3 have memory
   accesses and bandwidths of a Tesla C1060.
*/
static PetscErrorCode TestTheses(Mat A)
{
  PetscLogDouble flops;
  Sizes          s;

  PetscFunctionBeginUser;
  PetscCall(SizesOf(A, &s));
  const double N = s.rows, nnz = s.entries, walls = 2 * (5 * N - nnz);
  PetscCall(OfIteration(A, KSPFUSEDBCGS, "-ksp_norm_type none -pc_type none", &flops));
  PetscCall(CheckEqual("table 6.19, flops", flops, (21 * N + 6 * nnz - 2) - (N + 2 * nnz) - 2 * N + 2));
  for (int d : {4, 8}) {
    const double      border = 2. * SIDE * (d - 1), sums = 4 * N, scale = N, Zy = N;
    const std::string options =
      "-ksp_norm_type unpreconditioned -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_pc_type ip "
      "-pc_subdeflation_count " +
      std::to_string(d);
    PetscCall(OfIteration(A, KSPDPCG, options, &flops));
    PetscCall(CheckEqual("equation 105, flops", flops,
                         45 * N + d * d - 2 * walls - (9 * N - 2 * (N + border)) - sums - scale + Zy + d * d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   fusedcg in single with gridmg. Flops of 12 a row, the product by couplings and row sums: for each of 4 neighbors a difference,
   a product and a sum, and one product. On the host 15 vectors of floats are read or written, on the device 10: p is made inside
   the product, and the cycle sums (r, z). A coupling for each of two axes and the row sum are read. A replaced residual is not
   counted.
*/
static PetscErrorCode TestSingle(Mat A)
{
  static const Preconditioner pc = {"gridmg -pc_gridmg_grid 40,40 -pc_gridmg_levels 3", false, false, 0, 0};
  const std::string options = std::string("-ksp_fusedcg_precision single -ksp_norm_type unpreconditioned -pc_type ") + pc.options;
  PetscLogDouble    flops;
  std::string       text;
  Sizes             s;

  PetscFunctionBeginUser;
  PetscCall(SizesOf(A, &s));
  const double vectors = TestOnDevice() ? 5 : 7.5, expected = (12 + 4 * 3 + 1) * s.rows + OfApplication(pc, s, 0);
  PetscCall(OfIteration(A, KSPFUSEDCG, options, &flops, &text, {2, 4}));
  PetscCheck(text.find("in single, residuals replaced") != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s",
             text.c_str());
  PetscCall(CheckEqual("in single, flops", flops, expected));
  PetscCall(CheckEqual("in single, flops of the view", NumberBefore(text, " flops"), expected));
  PetscCall(CheckEqual("in single, vectors", NumberBefore(text, " vectors read or written"), vectors));
  PetscCall(CheckEqual("in single, bytes", NumberBefore(text, " bytes, "), vectors * s.rows * sizeof(PetscScalar)));
  PetscCall(CheckEqual("in single, bytes of matrices", NumberBefore(text, " bytes of matrices"), 3 * s.rows * sizeof(float)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  Mat   A;
  Sizes s;

  PetscFunctionBeginUser;
  PetscCall(DiskMat(SIDE, &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(SizesOf(A, &s));
  PetscCall(TestBesidePetsc(A));
  PetscCall(TestIterations(A));
  if (s.size == 1) PetscCall(TestTheses(A));
  if (s.size == 1 && s.bdia && !PetscDefined(USE_REAL_SINGLE)) PetscCall(TestSingle(A));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
