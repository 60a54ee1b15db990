static char help[] = "fusedcg in single precision with gridmg on several MPI processes, beside the same in double.\n\n";

#include "gridmg_single.h"

/* Several MPI processes with planes of their own, some without */
static PetscErrorCode Slabs()
{
  static const PetscInt shapes[][3] = {{33, 72, 1}, {9, 12, 60}};

  PetscFunctionBeginUser;
  for (const auto &n : shapes) {
    for (const auto &planes : Splits(n[2] > 1 ? n[2] : n[1])) {
      for (bool half : {false, true}) {
        CycleGrid g{{n[0], n[1], n[2]}};
        Mat       A;
        g.comm   = PETSC_COMM_WORLD;
        g.planes = planes;
        PetscCall(CycleMat(g, &A, half));
        for (const char *norm : {"unpreconditioned", "preconditioned", "natural"})
          PetscCall(Compare(A, CycleName(g) + ", " + norm,
                            std::string("-pc_gridmg_gather 100 -ksp_rtol 1e-9 -ksp_norm_type ") + norm, 0.5,
                            "in single, residuals replaced"));
        PetscCall(Compare(A, CycleName(g) + ", gathered", "", 0,
                          planes.size() > 1 ? "in double, because each MPI process" : "in single"));
        PetscCall(MatDestroy(&A));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Slabs);
}
