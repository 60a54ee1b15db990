/* Why axes are not coarsened, for views */
#include "cycle.h"

/* The levels before the last on which an axis is weak, as "level 0" or "levels 0 to 4 and 6"; empty if there are none */
static std::string WeakLevels(const std::vector<HeptaCycleLevel> &levels, int axis)
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

PetscErrorCode HeptaCycle::ViewAxes(PetscViewer viewer) const
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
    PetscCall(PetscViewerASCIIPrintf(viewer, "    axis %d is not coarsened on %s: its couplings are %s of the strongest (-%s_axis_strength %g)\n", a + 1, where.c_str(), numbers.c_str(), choice.options, (double)choice.strong));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
