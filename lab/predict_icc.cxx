/* An iteration with triangles of an incomplete factor, whose times bbs estimates itself */
#include "predict.h"

#include <algorithm>
#include <cstdio>

#include "view.h"

/* The sum of what bbs estimates for the engines that it chooses, from the view of a preconditioner on the device */
static double EstimatedByBBS(const std::string &text)
{
  double sum = 0;

  for (size_t at = text.find("estimated at "); at != std::string::npos; at = text.find("estimated at ", at + 1)) {
    double us[3];
    if (std::sscanf(text.c_str() + at, "estimated at %lf us by chunks, %lf by syncfree, %lf by levels", us, us + 1, us + 2) != 3)
      return -1;
    sum += *std::min_element(us, us + 3, [](double x, double y) { return x > 0 && (y <= 0 || x < y); }); /* 0: it cannot */
  }
  return sum > 0 ? sum : -1;
}

/* *us <- microseconds of both triangles of icc; -1: bbs does not say */
static PetscErrorCode Triangles(const HeptaTuneMatrix &M, const std::string &options, double *us)
{
  HeptaTuneSolver s;
  std::string     text;
  PC              pc;

  PetscFunctionBegin;
  PetscCall(s.Make(M, options, 0, 1));
  PetscCall(KSPSetUp(s.ksp));
  PetscCall(KSPSolve(s.ksp, M.x, M.y)); /* on the device, where bbs chooses */
  PetscCall(KSPGetPC(s.ksp, &pc));
  PetscCall(TakeView((PetscObject)pc, PETSC_VIEWER_DEFAULT, &text));
  *us = EstimatedByBBS(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaPredictICC(const HeptaPrediction &p, PetscViewer viewer)
{
  const std::string      options = "-ksp_type fusedcg -pc_type icc -pc_factor_mat_solver_type bbs -ksp_norm_type natural";
  const HeptaModelMethod passes  = {"fusedcg_none", nullptr, 1, 12, 0, 0, false, false, 0, 0};
  HeptaTuner             t       = {p.a.comm, nullptr, false, {}};
  std::string            line    = HeptaFormat("%-21s", "fusedcg_icc");
  double                 us = -1, measured = -1;
  bool                   done;
  PetscBool              known, symmetric;
  HeptaThroughput        B;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(p.host.A, &known, &symmetric));
  if (!p.device.A || !symmetric || p.gpus.back() != 8) PetscFunctionReturn(PETSC_SUCCESS); /* of one process */
  PetscCall(HeptaPredictFind(p, "iteration_", passes, &B));
  PetscCall(HeptaPredictTry([&] { return Triangles(p.device, options, &us); }, &done));
  if (done && us > 0) PetscCall(HeptaPredictTry([&] { return HeptaTuneIteration(&t, p.device, options, &measured); }, &done));
  if (!done || us < 0) line += " refuses this matrix";
  else
    line += HeptaFormat(" %9.1f         -         -         -     1    -            -         - %9.1f",
                        us + B.Time(HeptaModelBytes(passes, p.c.bytes, (double)p.a.aij->rmap->N)), measured);
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}
