static char help[] = "What an iteration computes, moves and launches: flops as they are logged, beside those of PETSc's method "
                     "with the same iterates; vectors, bytes and kernels of the view, beside docs/krylov.md.\n\n";

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
                                       {KSPFUSEDCG, "-pc_type blockic -ksp_fusedcg_flexible", 13, 16, 0, 1},
                                       {KSPFUSEDCG, "-pc_type none -ksp_fusedcg_single_reduction", 10, 13, 1, 1},
                                       {KSPFUSEDCG, "-pc_type jacobi -ksp_fusedcg_single_reduction", 11, 17, 1, 1},
                                       {KSPDPCG, DEFLATION "jacobi", 12.5, 15.5, 5, 1},
                                       {KSPDPCG, DEFLATION "none", 10.5, 13.5, 5, 1},
                                       {KSPFUSEDBCGS, "-pc_type none", 19, 22, 5, 2},
                                       {KSPFUSEDBCGS, "-pc_type jacobi", 21, 26, 5, 2},
                                       {KSPFUSEDBCGS, "-pc_type jacobi -ksp_pc_side right", 25, 27, 5, 2},
                                       {KSPFUSEDBCGS, "-pc_type blockic", 22, 22, 0, 2},
                                       {KSPFUSEDBCGS, "-pc_type blockic -ksp_pc_side right", 21, 23, 0, 2},
                                       {KSPBICGCR, "-pc_type none", 14, 16, 3, 1},
                                       {KSPBICGCR, "-pc_type jacobi", 16, 18, 3, 1},
                                       {KSPBICGCR, "-pc_type jacobi -ksp_norm_type unpreconditioned", 19, 21, 3, 1},
                                       {KSPBICGCR, "-pc_type blockic", 16, 18, 0, 1},
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
  const bool   inside = TestOnDevice() && bdia,
               known  = vectors == Labels(m, m.inside) || (!bdia && vectors == Labels(m, m.inside) + 1);
  const char  *what   = m.options;
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
  PetscCheck((text.find("without those of the preconditioner") != std::string::npos) ==
               (std::strstr(m.options, "blockic") != nullptr),
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s %s:\n%s", m.type, what, text.c_str());
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
