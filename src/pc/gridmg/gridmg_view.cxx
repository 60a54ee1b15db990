/* Views of multigrid on boxes, and why axes are not coarsened */
#include "gridmg_cycle.h"

PetscErrorCode HeptaGridMG::View(PetscViewer viewer) const
{
  double bytes = 0;

  PetscFunctionBegin;
  std::string type = HeptaMatStorages[choice.storage];
  if (choice.bf16) type += ", couplings in bf16";
  PetscCall(PetscViewerASCIIPrintf(
    viewer,
    "  V-cycle over %d levels of nested boxes, %" PetscInt_FMT " red-black sweep%s before and after, over-correction %g, in %s\n",
    (int)levels.size(), choice.sweeps, choice.sweeps > 1 ? "s" : "", (double)choice.overcorrection, type.c_str()));
  std::string few;
  if (ranks.few) few = HeptaFormat(", because a process has %" PetscInt_FMT " planes of it", (PetscInt)ranks.few);
  if (ranks.several)
    PetscCall(PetscViewerASCIIPrintf(
      viewer,
      "    levels of which each MPI process has planes of its own: %d; level %d and those that follow are gathered by each%s\n",
      (int)ranks.gathered, (int)ranks.gathered, few.c_str()));
  for (size_t l = 0; l < ranks.gathered; l++)
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "    level %d: planes of each neighbor: %" PetscInt_FMT " of right-hand sides, %" PetscInt_FMT " of solutions\n",
      (int)l, (PetscInt)Ghosts(l), (PetscInt)GhostsOfSolution(l)));
  for (size_t l = 0; l < levels.size(); l++) {
    hepta::gridmg::Grid g = levels[l].grid;
    if (l < ranks.gathered) g.n[axes - 1] = levels[l].first.back();
    bytes += (double)(levels[l].size * CellSize(l));
    PetscCall(PetscViewerASCIIPrintf(viewer, "    level %d: %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells%s\n",
                                     (int)l, (PetscInt)g.n[0], (PetscInt)g.n[1], (PetscInt)g.n[2],
                                     l + 1 < levels.size() ? "" : ", dense inverse"));
  }
  const double n = (double)levels.back().cells, N = (double)LastRows();
  bytes += (n * n + 2 * N * N) * (double)sizeof(double);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)op.A)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "    %.1f bytes for each row beside the matrix\n", bytes / (double)op.A->rmap->N));
  PetscCall(ViewAxes(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The levels before the last on which an axis is weak, as "level 0" or "levels 0 to 4 and 6"; empty if there are none */
static std::string WeakLevels(const std::vector<HeptaGridMGLevel> &levels, int axis)
{
  std::string words;
  size_t      runs = 0, count = 0;

  for (size_t l = 0; l + 1 < levels.size(); l++) {
    size_t end = l;
    while (end + 1 < levels.size() && levels[end].weak[axis]) end++;
    if (end == l) continue;
    words += (runs++ ? " and " : "") + std::to_string(l) + (end - l > 1 ? " to " + std::to_string(end - 1) : "");
    count += end - l;
    l = end;
  }
  return words.empty() ? words : (count > 1 ? "levels " : "level ") + words;
}

PetscErrorCode HeptaGridMG::ViewAxes(PetscViewer viewer) const
{
  PetscFunctionBegin;
  for (int a = 0; a < axes; a++) {
    const std::string where = WeakLevels(levels, a);
    double            least = 1, most = 0;
    if (where.empty()) continue;
    for (size_t l = 0; l + 1 < levels.size(); l++) {
      if (!levels[l].weak[a]) continue;
      least = PetscMin(least, levels[l].strength[a]);
      most  = PetscMax(most, levels[l].strength[a]);
    }
    std::string numbers = HeptaFormat("%.2g", least);
    if (numbers != HeptaFormat("%.2g", most)) numbers += HeptaFormat(" to %.2g", most);
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "    axis %d is not coarsened on %s: its couplings are %s of the strongest (-pc_gridmg_axis_strength %g)\n", a + 1,
      where.c_str(), numbers.c_str(), (double)choice.strong));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
