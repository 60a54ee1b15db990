static char help[] = "What an iteration computes, moves and launches: flops as they are logged, beside those of PETSc's method "
                     "with the same iterates; vectors, bytes and kernels of the view, beside docs/passes.md.\n\n";

#include <cstdlib>
#include <cstring>

#include "disk.h"
#include "krylov.h"
#include "view.h"

/* *flops <- those of an iteration, from solves of two lengths, since the first iteration and the set-up do others */
static PetscErrorCode OfIteration(Mat A, KSPType type, const std::string &options, PetscLogDouble *flops)
{
  PetscLogDouble of[2];
  const int      its[2] = {8, 20};
  Vec            b, x;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 2; k++) {
    PetscLogDouble begin, end;
    PetscInt       did;
    KSP            ksp;
    PetscCall(NewSolver(A, type, options, &ksp));
    PetscCall(KSPSetTolerances(ksp, 0, 0, PETSC_CURRENT, its[k]));
    PetscCall(KSPSolve(ksp, b, x)); /* sets up */
    PetscCall(PetscGetFlops(&begin));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(PetscGetFlops(&end));
    PetscCall(KSPGetIterationNumber(ksp, &did));
    PetscCheck(did == its[k], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s %s ends after %" PetscInt_FMT " of %d iterations", type,
               options.c_str(), did, its[k]);
    of[k] = end - begin;
    PetscCall(KSPDestroy(&ksp));
  }
  *flops = (of[1] - of[0]) / (its[1] - its[0]);
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's method with a matrix on the host: on a device it does not log all that it does there */
static PetscErrorCode TestFlops(Mat A)
{
  Mat host;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &host));
  PetscCall(MatSetOption(host, MAT_SPD, PETSC_TRUE));
  for (const Method &m : METHODS) {
    for (const char *pc : {"none", "jacobi"}) {
      const std::string options = m.options + std::string("-pc_type ") + pc;
      PetscLogDouble    petsc, ours;
      if (m.deflated) continue;
      PetscCall(OfIteration(host, m.types.petsc, options, &petsc));
      PetscCall(OfIteration(A, m.types.ours, options, &ours));
      PetscCheck(PetscAbsReal((PetscReal)(ours - petsc)) <= 0.15 * petsc, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
                 "%s %s: %g flops an iteration, PETSc's %g", m.types.ours, options.c_str(), ours, petsc);
    }
  }
  PetscCall(MatDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *flops <- those of what f() does */
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

/* *product <- flops of a product, *apply <- flops of an application of the preconditioner of these options */
static PetscErrorCode OfParts(Mat A, const std::string &options, PetscLogDouble *product, PetscLogDouble *apply)
{
  Vec b, x;
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(NewSolver(A, KSPFUSEDCG, options, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPSetUp(ksp));
  PetscCall(Flops([&] { return MatMult(A, b, x); }, product));
  PetscCall(Flops([&] { return PCApply(pc, b, x); }, apply));
  PetscCall(Destroy(&ksp, &b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckFlops(KSPType type, const std::string &options, PetscLogDouble flops, PetscLogDouble expected)
{
  PetscFunctionBeginUser;
  PetscCheck(flops == expected, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s %s: %g flops an iteration, by the formula %g", type,
             options.c_str(), flops, expected);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Flops of an iteration for N rows: those of the passes, and so many products and applications. L. A. Firdaus's thesis, table
   6.19, has 21 N + 6 nnz - 2 for BiCGStab, of which the first residual, once a solve, is N + 2 nnz: an iteration is
   20 N + 4 nnz - 2. As PETSc does, fusedbcgs logs N more for p and for x, each a sum of three terms (VecAXPBYPCZ()), N less for
   each product (no addition to the first term), and one more for each of two sums. Table 6.18 has 3 products, 5 sums in 10
   kernels, 12 kernels for vectors, 2 for zeros and 8 copies to the host; a recorded iteration has 5 kernels (ITERATIONS).
*/
static PetscErrorCode TestFormulas(Mat A)
{
  const struct {
    KSPType type;
    int     passes, products;
  } methods[] = {{KSPFUSEDCG, 10, 1}, {KSPFUSEDBCGS, 22, 2}, {KSPBICGCR, 12, 1}};
  PetscLogDouble flops, product, apply;
  PetscInt       rows;
  MatInfo        info;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &rows, nullptr));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  for (const char *pc : {"none", "jacobi", "ip", "icc -pc_factor_mat_solver_type bbs", "gridmg -pc_gridmg_grid 40,40"}) {
    const std::string options = std::string("-ksp_norm_type none -pc_type ") + pc;
    PetscCall(OfParts(A, options, &product, &apply));
    PetscCall(CheckFlops("a product", options, product, 2 * info.nz_used - rows));
    if (!std::strcmp(pc, "ip")) PetscCall(CheckFlops("an application", options, apply, product)); /* M has the entries of A */
    if (!std::strncmp(pc, "icc", 3)) PetscCall(CheckFlops("two triangles", options, apply, 2 * (info.nz_used - rows)));
    for (const auto &m : methods) {
      PetscCall(OfIteration(A, m.type, options, &flops));
      PetscCall(CheckFlops(m.type, options, flops, m.passes * (double)rows + m.products * (product + apply)));
      if (!std::strcmp(m.type, KSPFUSEDBCGS) && !std::strcmp(pc, "none"))
        PetscCall(CheckFlops(m.type, options, flops, (21. * rows + 6 * info.nz_used - 2) - (rows + 2 * info.nz_used) + 2));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   R. Gupta's thesis, equation 105, has 45 N + d^2 flops for an iteration of deflated CG with ip and 5 points, d subdomains. Of
   its table 1 dpcg logs products with A and M, 9 N each but for the walls, N for Z^T r, 6 N for x, r and p, and 2 N for the norm.
   For A Z dpcg logs 2 (N + border) in place of 9 N, since a row of A Z has an entry, and rows at a border another one. Sums are
   (p, q) and (r, z), 2 N each, not four. No pass scales a vector, which is N. A product with E^-1 is d^2 multiplications and as
   many additions, which the thesis counts as one. Tables 2 and 3 have memory accesses and bandwidths of a Tesla C1060.
*/
static PetscErrorCode TestDeflated(Mat A, PetscInt n)
{
  PetscLogDouble flops;
  MatInfo        info;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  for (int d : {4, 8}) {
    const double      N = (double)(n * n), border = 2. * (double)n * (d - 1), walls = 2 * (5 * N - info.nz_used);
    const std::string options =
      "-ksp_norm_type unpreconditioned -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_pc_type ip "
      "-pc_subdeflation_count " +
      std::to_string(d);
    PetscCall(OfIteration(A, KSPDPCG, options, &flops));
    PetscCall(CheckFlops(KSPDPCG, options, flops, 45 * N + d * d - 2 * walls - (9 * N - 2 * (N + border)) - 4 * N - N + d * d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A method, the vectors that its iteration reads or writes if products are passes and if they are not, and for passes alone the
   kernels, 0 for more than passes */
struct Iteration {
  KSPType     type;
  const char *options;
  double      inside, beside;
  int         kernels, products;
};

#define DEFLATION "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4 -pc_subdeflation_pc_type "

static const Iteration ITERATIONS[] = {{KSPFUSEDCG, "-pc_type none", 10, 13, 2, 1},
                                       {KSPFUSEDCG, "-pc_type jacobi", 12, 15, 2, 1},
                                       {KSPFUSEDCG, "-pc_type jacobi -ksp_fusedcg_flexible", 12, 15, 2, 1},
                                       {KSPFUSEDCG, "-pc_type blockic", 12, 15, 0, 1},
                                       {KSPFUSEDCG, "-pc_type icc -pc_factor_mat_solver_type bbs", 12, 15, 0, 1},
                                       {KSPFUSEDCG, "-pc_type blockic -ksp_fusedcg_flexible", 13, 16, 0, 1},
                                       {KSPFUSEDCG, "-pc_type none -ksp_fusedcg_single_reduction", 10, 13, 1, 1},
                                       {KSPFUSEDCG, "-pc_type jacobi -ksp_fusedcg_single_reduction", 11, 17, 1, 1},
                                       {KSPDPCG, DEFLATION "jacobi", 12.5, 15.5, 5, 1},
                                       {KSPDPCG, DEFLATION "none", 10.5, 13.5, 5, 1},
                                       {KSPFUSEDBCGS, "-pc_type none", 19, 22, 5, 2},
                                       {KSPFUSEDBCGS, "-pc_type jacobi", 21, 26, 5, 2},
                                       {KSPFUSEDBCGS, "-pc_type jacobi -ksp_pc_side right", 25, 27, 5, 2},
                                       {KSPFUSEDBCGS, "-pc_type blockic", 22, 22, 0, 2},
                                       {KSPFUSEDBCGS, "-pc_type ip", 22, 22, 0, 2},
                                       {KSPFUSEDBCGS, "-pc_type ip -ksp_pc_side right", 21, 23, 0, 2},
                                       {KSPFUSEDBCGS, "-pc_type icc -pc_factor_mat_solver_type bbs", 22, 22, 0, 2},
                                       {KSPFUSEDBCGS, "-pc_type gridmg -pc_gridmg_grid 40,40", 22, 22, 0, 2},
                                       {KSPFUSEDBCGS, "-pc_type blockic -ksp_pc_side right", 21, 23, 0, 2},
                                       {KSPBICGCR, "-pc_type none", 14, 16, 3, 1},
                                       {KSPBICGCR, "-pc_type jacobi", 16, 18, 3, 1},
                                       {KSPBICGCR, "-pc_type jacobi -ksp_norm_type unpreconditioned", 19, 21, 3, 1},
                                       {KSPBICGCR, "-pc_type blockic", 16, 18, 0, 1},
                                       {KSPBICGCR, "-pc_type ip", 16, 18, 0, 1},
                                       {KSPBICGCR, "-pc_type icc -pc_factor_mat_solver_type bbs", 16, 18, 0, 1},
                                       {KSPBICGCR, "-pc_type none -ksp_bicgcr_symmetric no", 23, 24, 0, 2},
                                       {KSPBICGCR, "-pc_type jacobi -ksp_bicgcr_symmetric no", 26, 27, 0, 2}};

/* The number before `words` in the text, 0 if there is none */
static double NumberBefore(const std::string &text, const char *words)
{
  const size_t at = text.find(words), from = at == std::string::npos ? at : text.rfind(' ', at - 1);

  return from == std::string::npos ? 0 : std::atof(text.c_str() + from);
}

/* Labels take 4 bytes in place of 8 where indices do */
static double Labels(const Iteration &m, double vectors)
{
  return std::strcmp(m.type, KSPDPCG) || sizeof(PetscInt) == 4 ? vectors : vectors + 0.5;
}

static PetscErrorCode TestMoved(Mat A, const Iteration &m)
{
  std::string text;
  PetscInt    rows;
  PetscBool   bdia;
  MatInfo     info;
  KSP         ksp;
  Vec         b, x;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(NewSolver(A, m.type, m.options, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(TakeView((PetscObject)ksp, PETSC_VIEWER_ASCII_INFO_DETAIL, &text));
  PetscCall(MatGetLocalSize(A, &rows, nullptr));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &bdia, MATSEQBDIACUDA, MATMPIBDIACUDA, MATSEQBDIA, MATMPIBDIA, ""));
  const double vectors = NumberBefore(text, " vectors read or written"), bytes = NumberBefore(text, " bytes, "),
               matrix = NumberBefore(text, " bytes of matrices"), kernels = NumberBefore(text, " kernels, ");
  const bool inside = TestOnDevice() && bdia,
             known  = vectors == Labels(m, m.inside) || (!bdia && vectors == Labels(m, m.inside) + 1);
  const char *what  = m.options;
  PetscCheck(TestOnDevice() && !bdia ? known || vectors == Labels(m, m.beside)
                                     : vectors == Labels(m, inside ? m.inside : m.beside),
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s %s: %g vectors:\n%s", m.type, what, vectors, text.c_str());
  PetscCheck(PetscAbsReal(bytes - vectors * rows * sizeof(PetscScalar)) <= 1e-5 * bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s %s: %g bytes of vectors:\n%s", m.type, what, bytes, text.c_str());
  PetscCheck(matrix >= m.products * 8 * info.nz_used && matrix <= m.products * (bdia ? 1.2 : 2) * 8 * info.nz_used,
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s %s: %g bytes of matrices with %g entries:\n%s", m.type, what, matrix,
             info.nz_used, text.c_str());
  PetscCheck(!TestOnDevice() ? kernels == 0 : !bdia || !m.kernels || kernels == m.kernels, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s %s: %g kernels:\n%s", m.type, what, kernels, text.c_str());
  const bool inner = std::strstr(m.options, "none") || std::strstr(m.options, "jacobi");
  PetscCheck((text.find("without those of the preconditioner") != std::string::npos) == !inner, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s %s:\n%s", m.type, what, text.c_str());
  PetscCall(Destroy(&ksp, &b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscMPIInt size;
  Mat         A;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(DiskMat(40, &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(TestFlops(A));
  if (size == 1 && !TestOnDevice()) PetscCall(TestFormulas(A));
  if (size == 1 && !TestOnDevice()) PetscCall(TestDeflated(A, 40));
  for (const Iteration &m : ITERATIONS) {
    if (size == 1) PetscCall(TestMoved(A, m));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}
