/*
   What the reservoir example prints and draws
*/
#include "reservoir_run.h"
#include "plot_script.h"
#include <hepta.h>
#include <cstring>

/* Any type that keeps block diagonals; the type that PETSc sees on one process is another than on several */
static PetscErrorCode IsBDIA(Mat A, PetscBool *bdia)
{
  MatType type;
  char   *p, *aij;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscStrstr(type, "bdia", &p));
  PetscCall(PetscStrstr(type, "aij", &aij));
  *bdia = (PetscBool)(p && !aij);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* matrix   seqbdia, block size 3, fill 1.00, 7 offsets -64 -8 -1 0 1 8 64 */
static PetscErrorCode ReportMatrix(Mat A)
{
  PetscInt        bs, nd;
  const PetscInt *off;
  PetscReal       fill;
  PetscBool       bdia;
  PetscMPIInt     size;
  MatType         type;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "matrix   %s on %d process%s, block size %" PetscInt_FMT, type, size,
                        size > 1 ? "es" : "", bs));
  PetscCall(IsBDIA(A, &bdia));
  if (bdia) {
    PetscCall(MatBDIAGetFill(A, &fill));
    PetscCall(MatBDIAGetOffsets(A, &nd, &off));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", fill %.2f, %" PetscInt_FMT " block offsets%s", (double)fill, nd,
                          size > 1 ? " on the first process:" : ":"));
    for (PetscInt d = 0; d < nd; d++) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %" PetscInt_FMT, off[d]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunReport(const System *system, const Run *run)
{
  KSPType   ksp_type;
  PCType    pc_type;
  PC        pc;
  PetscReal rtol;

  PetscFunctionBeginUser;
  PetscCall(ReportMatrix(run->A));
  PetscCall(KSPGetType(run->ksp, &ksp_type));
  PetscCall(KSPGetPC(run->ksp, &pc));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(KSPGetTolerances(run->ksp, &rtol, NULL, NULL, NULL));
  PetscCall(
    PetscPrintf(PETSC_COMM_WORLD, "solver   %s, preconditioner %s, relative tolerance %g\n", ksp_type, pc_type, (double)rtol));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "answer   %s after %" PetscInt_FMT " iterations, true relative residual %.2e",
                        KSPConvergedReasons[run->reason], run->its, (double)run->residual));
  if (system->e) PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", largest error %.2e", (double)run->error));
  if (!run->converged)
    PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, run->reason > 0 ? ": the true residual does not confirm convergence" : ": not converged"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\ntime     convert %.4f s, set up %.4f s, solve %.4f s", run->convert, run->setup,
                        run->solve));
  if (run->product > 0.0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", one product %.2f us", 1e6 * run->product));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunsCompare(const Run *first, const Run *other)
{
  MatType   type, othertype;
  Vec       d;
  PetscReal difference, norm;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(first->A, &type));
  PetscCall(MatGetType(other->A, &othertype));
  PetscCall(VecDuplicate(first->x, &d)); /* one of the two may live on a device */
  PetscCall(VecCopy(other->x, d));
  PetscCall(VecAXPY(d, -1.0, first->x));
  PetscCall(VecNorm(d, NORM_INFINITY, &difference));
  PetscCall(VecNorm(other->x, NORM_INFINITY, &norm));
  PetscCall(VecDestroy(&d));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "differ   the answers of %s and %s by %.2e of the largest unknown\n", othertype, type,
                        (double)(norm > 0.0 ? difference / norm : difference)));
  if (first->product > 0.0)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ratio    %s / %s: solve %.2f, product %.2f\n", othertype, type,
                          other->solve / first->solve, other->product / first->product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteCSV(PetscInt n, const Run run[], const char csv[])
{
  FILE   *f;
  MatType type;

  PetscFunctionBeginUser;
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, csv, "w", &f));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "matrix,iteration,residual\n"));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(MatGetType(run[k].A, &type));
    for (PetscInt i = 0; i < run[k].nhistory; i++)
      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "%s,%" PetscInt_FMT ",%.9e\n", type, i, (double)run[k].history[i]));
  }
  PetscCall(PetscFClose(PETSC_COMM_WORLD, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunsPlot(PetscInt n, const Run run[], const char file[])
{
  char  csv[PETSC_MAX_PATH_LEN + 4];
  char *dot, *slash;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(csv, file, PETSC_MAX_PATH_LEN));
  PetscCall(PetscStrrchr(csv, '/', &slash)); /* past the last '/', or the whole */
  dot = std::strrchr(slash, '.');
  if (dot) *dot = '\0';
  PetscCall(PetscStrlcat(csv, ".csv", sizeof(csv)));
  PetscCall(WriteCSV(n, run, csv));
  PetscCall(MakePicture(HEPTA_PLOT_SCRIPT, {csv, file}, std::string(file) + ", numbers in " + csv,
                        std::string("the numbers are in ") + csv));
  PetscFunctionReturn(PETSC_SUCCESS);
}
