static char help[] =
  "KSPBICGCR beside KSPCR, and for unsymmetric matrices beside its recurrences written with PETSc's vectors.\n\n";

#include "beside_cg.h"
#include "windy.h"

static const PetscInt N     = TestQuick() ? 6 : 12; /* cells a side */
static const Methods  TYPES = {KSPCR, KSPBICGCR};

static PetscErrorCode Symmetric(Mat A)
{
  PetscMPIInt              size;
  std::vector<std::string> pcs = {"none", "jacobi",  "pbjacobi",
                                  "ip",   "blockic", "subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 4"};

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (TestQuick()) pcs = {"none", "jacobi", "ip"};
  else if (size == 1) pcs.insert(pcs.end(), {"icc", "icc -pc_factor_mat_solver_type bbs"});
  for (const std::string &pc : pcs) {
    for (const char *norm : {"preconditioned", "natural"})
      PetscCall(Compare(TYPES, A, std::string("-ksp_norm_type ") + norm + " -pc_type " + pc));
  }
  for (const char *options : {"-ksp_norm_type none -ksp_max_it 7 -pc_type jacobi", "-ksp_max_it 1", "-ksp_max_it 5 -pc_type ip",
                              "-ksp_rtol 1e-30 -ksp_atol 1e-3", "-ksp_divtol 1.0001 -pc_type none"})
    PetscCall(Compare(TYPES, A, options));
  PetscCall(Compare(TYPES, A, "-pc_type jacobi", [](KSP ksp, Vec) { return KSPSetInitialGuessNonzero(ksp, PETSC_TRUE); }));
  PetscCall(Compare(TYPES, A, "-pc_type ip", [](KSP, Vec b) { return VecSet(b, 0); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An indefinite matrix is solved, an indefinite preconditioner refused, and a value that is not finite found */
static PetscErrorCode Indefinite(MPI_Comm comm)
{
  PetscFunctionBeginUser;
  for (int kind = 0; kind < 3; kind++) {
    Mat      A;
    PetscInt start, end;

    PetscCall(PhaseMat(comm, N, TestType(), true, &A));
    PetscCall(MatGetOwnershipRange(A, &start, &end));
    if (start == 0 && end > 0) PetscCall(MatSetValue(A, 0, 0, kind == 2 ? (PetscScalar)NAN : (PetscScalar)-3, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(Compare(TYPES, A, kind == 1 ? "-pc_type jacobi" : "-pc_type none -ksp_max_it 20"));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norms that are told are those of the residual, which PETSc's cr does not tell: its recurrence for r has the wrong sign */
static PetscErrorCode Unpreconditioned(Mat A, const std::string &options)
{
  return NormsAreTrue(A, KSPBICGCR, "-ksp_norm_type unpreconditioned " + options);
}

/* The vectors of the two-sided recurrences */
struct Twin {
  Vec x, r, z, zs, p, q, qs, u, us, w, ws;
};

/* norms <- those of z in `its` iterations of BiCR after Sogabe, Sugihara and Zhang with M^-1 on the left, from x = 0; x is left
   in t */
static PetscErrorCode TwoSided(Mat A, PC pc, Vec b, int its, Twin *t, std::vector<PetscReal> &norms)
{
  PetscScalar rho, next, qu;
  PetscReal   norm;

  PetscFunctionBeginUser;
  for (Vec *v : {&t->x, &t->r, &t->z, &t->zs, &t->p, &t->q, &t->qs, &t->u, &t->us, &t->w, &t->ws}) PetscCall(VecDuplicate(b, v));
  PetscCall(VecSet(t->x, 0));
  PetscCall(PCApply(pc, b, t->z));
  PetscCall(PCApplyTranspose(pc, b, t->zs));
  PetscCall(VecCopy(t->z, t->p));
  PetscCall(MatMult(A, t->z, t->q));
  PetscCall(MatMultTranspose(A, t->zs, t->qs));
  PetscCall(VecDot(t->q, t->zs, &rho));
  for (int k = 0; k < its; k++) {
    PetscCall(PCApply(pc, t->q, t->u));
    PetscCall(PCApplyTranspose(pc, t->qs, t->us));
    PetscCall(VecDot(t->u, t->qs, &qu));
    PetscCall(VecAXPY(t->x, rho / qu, t->p));
    PetscCall(VecAXPY(t->z, -rho / qu, t->u));
    PetscCall(VecAXPY(t->zs, -rho / qu, t->us));
    PetscCall(VecNorm(t->z, NORM_2, &norm));
    norms.push_back(norm);
    PetscCall(MatMult(A, t->z, t->w));
    PetscCall(MatMultTranspose(A, t->zs, t->ws));
    PetscCall(VecDot(t->w, t->zs, &next));
    PetscCall(VecAYPX(t->p, next / rho, t->z));
    PetscCall(VecAYPX(t->q, next / rho, t->w));
    PetscCall(VecAYPX(t->qs, next / rho, t->ws));
    rho = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Unsymmetric(Mat A, const std::string &pc)
{
  const int              its = TestQuick() ? 5 : 15;
  std::vector<PetscReal> norms;
  KSP                    ksp;
  PC                     inside;
  Vec                    b;
  Run                    run;
  Twin                   t;
  PetscReal              difference, size;

  PetscFunctionBeginUser;
  PetscCall(Side(A, &b));
  PetscCall(NewSolver(A, KSPBICGCR, "-ksp_rtol 1e-30 -ksp_atol 0 -ksp_max_it " + std::to_string(its) + " -pc_type " + pc, &ksp));
  PetscCall(Solve(ksp, b, &run));
  PetscCheck(run.its == its && run.reason == KSP_DIVERGED_ITS, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
             "%s: reason %d after %" PetscInt_FMT " iterations", pc.c_str(), (int)run.reason, run.its);
  PetscCall(KSPGetPC(ksp, &inside));
  PetscCall(TwoSided(A, inside, b, its, &t, norms));
  for (int k = 0; k < its; k++)
    PetscCheck(PetscAbsReal(norms[k] - run.history[k + 1]) <= TestTolerance(1e-8) * run.history[0], PETSC_COMM_WORLD,
               PETSC_ERR_PLIB, "%s: norm %d is %g instead of %g", pc.c_str(), k + 1, (double)run.history[k + 1],
               (double)norms[k]);
  PetscCall(VecNorm(t.x, NORM_2, &size));
  PetscCall(VecAXPY(t.x, -1, run.x));
  PetscCall(VecNorm(t.x, NORM_2, &difference));
  PetscCheck(difference <= TestTolerance(1e-7) * size, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the answer differs by %g of %g",
             pc.c_str(), (double)difference, (double)size);
  for (Vec *v : {&t.x, &t.r, &t.z, &t.zs, &t.p, &t.q, &t.qs, &t.u, &t.us, &t.w, &t.ws}) PetscCall(VecDestroy(v));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&run.x));
  PetscCall(VecDestroy(&b));
  PetscCall(Unpreconditioned(A, "-pc_type " + pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat         A;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PhaseMat(PETSC_COMM_WORLD, N, TestType(), true, &A));
  PetscCall(Symmetric(A));
  for (const char *options : {"-pc_type jacobi", "-pc_type none", "-pc_type ip"}) PetscCall(Unpreconditioned(A, options));
  PetscCall(Unsymmetric(A, "jacobi -ksp_bicgcr_symmetric no"));
  PetscCall(MatDestroy(&A));
  PetscCall(Windy(PETSC_COMM_WORLD, N, 0.3, &A));
  std::vector<std::string> pcs = {"none", "jacobi", "pbjacobi", "ip"};
  if (size == 1) pcs.push_back("ilu -pc_factor_mat_solver_type bbs");
  for (const std::string &pc : pcs) PetscCall(Unsymmetric(A, pc));
  PetscCall(MatDestroy(&A));
  PetscCall(Indefinite(PETSC_COMM_WORLD));
  for (const char *options : {"-pc_type jacobi", "-pc_type ip"}) {
    PetscCall(Kept(TYPES, PETSC_COMM_WORLD, N, options));
    if (TestQuick()) break;
  }
  PetscCall(PetscFinalize());
  return 0;
}
