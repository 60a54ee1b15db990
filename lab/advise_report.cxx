/* The table of HeptaMatAdvise(), and the advice */
#include "advise.h"

#include <petscviewer.h>

static const struct {
  const char *name;
  MatType     device;
  const char *size; /* the option that sets the block or tile size */
} formats[] = {
  {MATAIJ, MATAIJCUSPARSE, nullptr},      {MATBAIJ, nullptr, "-mat_block_size"}, {MATBDIA, MATBDIACUDA, "-mat_bdia_bs"},
  {MATBROW, MATBROWCUDA, "-mat_brow_bs"}, {MATSELL, MATSELLCUDA, nullptr},
};

static const char *const space_names[] = {"host", "device"};

MatType HeptaMatFormatType(HeptaMatFormat format, bool device)
{
  return device ? formats[(int)format].device : formats[(int)format].name;
}

HeptaModelMatrix HeptaCandidate::Model(const HeptaModel &m, double rows, double part) const
{
  HeptaModelMatrix A;

  A.type  = HeptaMatFormatType(format, true);
  A.rows  = rows * part;
  A.bytes = bytes * part;
  A.slots = slots * part;
  A.bs    = (double)PetscMax(1, bs);
  A.chain = format == HeptaMatFormat::bdia ? m.ChainOfDiagonals(A.rows, A.bs, offsets) : chain > 0 ? chain : -1;
  A.alone = alone > 0;
  return A;
}

std::string HeptaCandidateOptions(const HeptaCandidate &c, bool device)
{
  const char *const size    = formats[(int)c.format].size;
  std::string       options = HeptaFormat("-mat_type %s", HeptaMatFormatType(c.format, device));

  if (size) options += HeptaFormat(" %s %" PetscInt_FMT, size, c.bs);
  return options + (device ? " -vec_type cuda" : "");
}

/* Are there times for the host or the device? A tuning file of an absent device gives predicted times. */
static bool HasTimes(const HeptaAdvice &a, bool device)
{
  return a.space[device].there || (device && a.model && !a.measure);
}

/* One time, or why there is none */
static std::string Cell(double seconds, bool refused)
{
  if (refused) return "   refused";
  return seconds < 0 ? "         -" : HeptaFormat(" %9.2e", seconds);
}

static std::string Row(const HeptaAdvice &a, const HeptaCandidate &c)
{
  std::string row  = HeptaFormat("%-5s", formats[(int)c.format].name), notes;
  const auto  note = [&notes](const std::string &text) { notes += (notes.empty() ? "  " : ", ") + text; };

  row += c.bs ? HeptaFormat(" %4" PetscInt_FMT, c.bs) : "    -";
  row += HeptaFormat(" %15.0f %7.2f", c.bytes, a.entries > 0 ? c.slots / a.entries : 1.0);
  if (!c.misfit.empty()) return row + "  does not fit: " + c.misfit;
  for (int device = 0; device < 2; device++) {
    if (!HasTimes(a, device)) continue;
    row += "  " + Cell(c.time[device].estimated, false);
    if (device && a.model) row += c.time[1].off > 0 ? HeptaFormat(" %5.0f", 100 * c.time[1].off) : "     -";
    if (a.measure) row += "  " + Cell(c.time[device].measured, c.time[device].refused);
  }
  if (c.format == HeptaMatFormat::brow) note(HeptaFormat("density %.2f", c.slots > 0 ? a.entries / c.slots : 1.0));
  if (c.chain > 0) note(HeptaFormat("chain of %.0f", c.chain));
  if (c.alone > 0) note(HeptaFormat("%.0f rows alone", c.alone));
  if (c.ordered) note("rows reordered");
  return row + notes;
}

static std::string Head(const HeptaAdvice &a)
{
  std::string head = "type    bs           bytes    fill";

  for (int device = 0; device < 2; device++) {
    if (!HasTimes(a, device)) continue;
    head += HeptaFormat("  %10s", space_names[device]);
    if (device && a.model) head += "  +- %";
    if (a.measure) head += "    measured";
  }
  return head;
}

/* The time by which candidates are compared; negative if there is none */
static double Seconds(const HeptaAdvice &a, const HeptaCandidate &c, bool device)
{
  return a.measure ? c.time[device].measured : c.time[device].estimated;
}

/* The fastest of the candidates that keep the order of the rows; brow: of the brow candidates */
static const HeptaCandidate *Fastest(const HeptaAdvice &a, bool device, bool brow = false)
{
  const HeptaCandidate *best = nullptr;

  for (const HeptaCandidate &c : a.candidates) {
    const double t = Seconds(a, c, device);
    if (c.ordered || (brow && c.format != HeptaMatFormat::brow)) continue;
    if (t >= 0 && (!best || t < Seconds(a, *best, device))) best = &c;
  }
  return best;
}

/* "2.5 times as fast" or "2.5 times slower"; "as fast" if three digits show no difference */
static std::string Compare(double seconds, double best, const char how[])
{
  const std::string times = best > 0 ? HeptaFormat("%.3g", seconds / best) : "1";
  return times == "1" ? "as fast" : times + " times " + how;
}

/* Prints the options of the fastest candidate on the host or the device, and the comparison with aij, the first candidate */
static PetscErrorCode Advise(const HeptaAdvice &a, bool device, const HeptaCandidate &best, const char begin[],
                             PetscViewer viewer)
{
  const double aij  = Seconds(a, a.candidates[0], device);
  std::string  line = HeptaFormat("%s%s: %s", begin, space_names[device], HeptaCandidateOptions(best, device).c_str());

  PetscFunctionBegin;
  if (&best != &a.candidates[0] && aij > 0)
    line += HeptaFormat("  (%s as %s there)", Compare(aij, Seconds(a, best, device), "as fast").c_str(),
                        HeptaMatFormatType(HeptaMatFormat::aij, device));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The faster of host and device first */
static PetscErrorCode Conclude(const HeptaAdvice &a, PetscViewer viewer)
{
  const HeptaCandidate *best[2] = {Fastest(a, false), HasTimes(a, true) ? Fastest(a, true) : nullptr};
  const bool            first   = best[1] && (!best[0] || Seconds(a, *best[1], true) < Seconds(a, *best[0], false));

  PetscFunctionBegin;
  if (!best[first]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    Advise(a, first, *best[first], a.measure ? "fastest as measured, on the " : "fastest by the estimate, on the ", viewer));
  if (best[!first])
    PetscCall(Advise(
      a, !first, *best[!first],
      (Compare(Seconds(a, *best[!first], !first), Seconds(a, *best[first], first), "slower") + ", on the ").c_str(), viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How much faster brow is if the rows are reordered */
static PetscErrorCode AdviseOrder(const HeptaAdvice &a, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (int device = 0; device < 2; device++) {
    const HeptaCandidate *given = a.space[device].there && !a.order.empty() ? Fastest(a, device, true) : nullptr;
    const double          t     = given ? Seconds(a, a.candidates.back(), device) : -1;

    if (t <= 0) continue;
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "after MatGetOrdering() by %s and MatPermute(), on the %s: %s  (%s as brow in the given order)\n",
      MATORDERINGBLOCKDENSITY, space_names[device], HeptaCandidateOptions(a.candidates.back(), device).c_str(),
      Compare(Seconds(a, *given, device), t, "as fast").c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a program waits for that launches a product on its own */
static std::string Launch(const HeptaModel &model)
{
  const double us = model.Number("launch");

  return us > 0 ? HeptaFormat(", which launches a kernel in %.1e s", 1e-6 * us) : std::string();
}

PetscErrorCode HeptaAdviceReport(const HeptaAdvice &a, PetscViewer viewer)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(a.comm, &size));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "%" PetscInt_FMT " x %" PetscInt_FMT " matrix with %.0f entries on %d rank%s: seconds of a product\n", a.aij->rmap->N,
    a.aij->cmap->N, a.entries, size, size > 1 ? "s" : ""));
  if (a.model)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "times on a device by measurements of %s, of products that need not wait for the host%s\n",
                                     a.model->file.key.gpu.c_str(), Launch(*a.model).c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "bandwidth of a copy: host %.2e bytes/s", a.space[0].bandwidth));
  if (a.space[1].there)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, ", device %.2e bytes/s, smallest kernel %.2e s", a.space[1].bandwidth, a.space[1].launch));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n%s\n", Head(a).c_str()));
  for (const HeptaCandidate &c : a.candidates) PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", Row(a, c).c_str()));
  PetscCall(AdviseOrder(a, viewer));
  PetscCall(Conclude(a, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
