/*
   What the bubbly example prints, draws and writes for ParaView
*/
#include "bubbly_run.h"
#include "plot_script.h"
#include <petscviewer.h>
#include <vector>

#define PLOT_CELLS 512 /* at most this many points a side are drawn */

PetscErrorCode RunViewSolver(const Run *run)
{
  KSPType   type;
  MatType   mat;
  PetscReal rtol;

  PetscFunctionBeginUser;
  PetscCall(KSPGetType(run->ksp, &type));
  PetscCall(MatGetType(run->A, &mat));
  PetscCall(KSPGetTolerances(run->ksp, &rtol, NULL, NULL, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solver   %s: %s with this preconditioner, matrix %s, relative tolerance %g\n",
                        run->name, type, mat, (double)rtol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunReport(const System *system, const Run *run)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "answer   %s: %s after %" PetscInt_FMT " iterations, true relative residual %.2e",
                        run->name, KSPConvergedReasons[run->reason], run->its, (double)run->residual));
  if (system->has_exact) PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", largest error %.2e", (double)run->error));
  if (!run->converged)
    PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, run->reason > 0 ? ": the true residual does not confirm convergence" : ": not converged"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\ntime     %s: set up %.6f s, solve %.6f s\n", run->name, run->setup, run->solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunsCompare(const Run *first, const Run *other)
{
  const PetscLogDouble a = first->total_setup + first->total_solve, b = other->total_setup + other->total_solve;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ratio    %s / %s: set up and solve %.2f (%.4f s / %.4f s)%s\n", other->name,
                        first->name, b / PetscMax(a, 1e-9), b, a, other->failed ? ", but it did not converge" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OutputVTK(Flow flow, PetscInt step, Vec x, const char name[])
{
  char        file[PETSC_MAX_PATH_LEN + 16];
  PetscViewer viewer;
  DM          da;
  Vec         rho, p;

  PetscFunctionBeginUser;
  PetscCall(FlowGetDM(flow, &da));
  PetscCall(DMCreateGlobalVector(da, &rho));
  PetscCall(DMCreateGlobalVector(da, &p));
  PetscCall(PetscObjectSetName((PetscObject)rho, "density"));
  PetscCall(PetscObjectSetName((PetscObject)p, "pressure"));
  PetscCall(FlowDensity(flow, rho));
  PetscCall(VecCopy(x, p));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s_%04" PetscInt_FMT ".vts", name, step));
  PetscCall(PetscViewerVTKOpen(PETSC_COMM_WORLD, file, FILE_MODE_WRITE, &viewer));
  PetscCall(VecView(rho, viewer));
  PetscCall(VecView(p, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&rho));
  PetscCall(VecDestroy(&p));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "file     %s: density and pressure for ParaView\n", file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A plane of cells, every stride-th of them: each process fills in its own, the first gets all */
typedef struct {
  PetscInt               n[2], stride, k; /* points drawn; the plane's third coordinate */
  std::vector<PetscReal> values;
} Plane;

static PetscErrorCode GetPlane(DM da, Vec x, Plane *plane)
{
  PetscInt           s[3], m[3];
  const PetscScalar *a;
  PetscMPIInt        rank;

  PetscFunctionBeginUser;
  plane->values.assign((size_t)(plane->n[0] * plane->n[1]), 0.0);
  PetscCall(DMDAGetCorners(da, &s[0], &s[1], &s[2], &m[0], &m[1], &m[2]));
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt v = 0; v < plane->n[1]; v++) {
    for (PetscInt u = 0; u < plane->n[0]; u++) {
      const PetscInt i = u * plane->stride - s[0], j = v * plane->stride - s[1], k = plane->k - s[2];

      if (i >= 0 && i < m[0] && j >= 0 && j < m[1] && k >= 0 && k < m[2])
        plane->values[v * plane->n[0] + u] = PetscRealPart(a[i + m[0] * (j + m[1] * k)]);
    }
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Reduce(rank ? plane->values.data() : MPI_IN_PLACE, plane->values.data(), (PetscMPIInt)plane->values.size(),
                          MPIU_REAL, MPIU_SUM, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Density and pressure; in 3-D of the plane z = 1/4, which is in the middle of the default's bubbles */
static PetscErrorCode WriteFields(const System *system, Vec x, const char csv[])
{
  Plane    rho, p;
  Vec      density;
  DM       da;
  PetscInt n[3];
  FILE    *f;

  PetscFunctionBeginUser;
  PetscCall(FlowGetDM(system->flow, &da));
  PetscCall(DMDAGetInfo(da, NULL, &n[0], &n[1], &n[2], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  rho.stride = PetscMax(1, (PetscMax(n[0], n[1]) + PLOT_CELLS - 1) / PLOT_CELLS);
  rho.k      = n[2] / 4;
  for (int d = 0; d < 2; d++) rho.n[d] = (n[d] + rho.stride - 1) / rho.stride;
  p = rho;
  PetscCall(DMCreateGlobalVector(da, &density));
  PetscCall(FlowDensity(system->flow, density));
  PetscCall(GetPlane(da, density, &rho));
  PetscCall(GetPlane(da, x, &p));
  PetscCall(VecDestroy(&density));
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, csv, "w", &f));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "x,y,z,density,%s\n", system->has_exact ? "solution" : "pressure"));
  for (PetscInt v = 0; v < p.n[1]; v++) {
    for (PetscInt u = 0; u < p.n[0]; u++) {
      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "%.6g,%.6g,%.6g,%.6g,%.9g\n", (u * p.stride + 0.5) / n[0],
                             (v * p.stride + 0.5) / n[0], n[2] > 1 ? (p.k + 0.5) / n[0] : 0.0, (double)rho.values[v * p.n[0] + u],
                             (double)p.values[v * p.n[0] + u]));
    }
  }
  PetscCall(PetscFClose(PETSC_COMM_WORLD, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual norms relative to the right-hand side's, as the solvers judge them */
static PetscErrorCode WriteHistories(Vec b, PetscInt n, const Run run[], const char csv[])
{
  FILE     *f;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, csv, "w", &f));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "preconditioner,iteration,residual\n"));
  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt i = 0; i < run[k].nhistory; i++)
      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, f, "%s,%" PetscInt_FMT ",%.9e\n", run[k].name, i,
                             (double)(norm > 0.0 ? run[k].history[i] / norm : run[k].history[i])));
  }
  PetscCall(PetscFClose(PETSC_COMM_WORLD, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OutputPlot(const System *system, PetscInt n, const Run run[], const char name[])
{
  char csv[PETSC_MAX_PATH_LEN + 32];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(csv, sizeof(csv), "%s_fields.csv", name));
  PetscCall(WriteFields(system, run[0].x, csv));
  PetscCall(PetscSNPrintf(csv, sizeof(csv), "%s_convergence.csv", name));
  PetscCall(WriteHistories(system->b, n, run, csv));
  const std::string fields = std::string(name) + "_fields", convergence = std::string(name) + "_convergence";
  PetscCall(MakePicture(HEPTA_PLOT_FLOW_SCRIPT, {name},
                        fields + ".png and " + convergence + ".png, numbers in .csv files of the same names",
                        "the numbers are in " + fields + ".csv and " + convergence + ".csv"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
