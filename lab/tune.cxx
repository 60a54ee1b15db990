/* hepta-tune: measures a GPU and writes its tuning file */
#include "model.h"
#include "tune_basics.hxx"
#include "tune_triangles.h"

#include <algorithm>
#include <cmath>

#include <petscdevice.h>
#include <petsctime.h>

#include "shared/nothrow.h"

#if defined(HEPTA_HAVE_CUDA)
/* The throughputs of copies and sums, by the bytes that they move */
static PetscErrorCode AddVectors(HeptaTuner *t, const hepta::BasicTimes &b)
{
  std::vector<double> bytes[2], us[2];
  HeptaThroughput     B;

  PetscFunctionBegin;
  for (const auto &s : b.sizes) {
    bytes[0].push_back(2 * s.bytes);
    bytes[1].push_back(s.bytes);
    us[0].push_back(s.copy);
    us[1].push_back(s.sum);
    PetscCall(PetscViewerASCIIPrintf(t->viewer, "    %10.0f bytes: copied at %6.0f GB/s, summed at %6.0f\n", s.bytes,
                                     2e-3 * s.bytes / s.copy, 1e-3 * s.bytes / s.sum));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(HeptaThroughputFit(bytes[k], us[k], &B));
    HeptaModelAdd(k ? "sum" : "copy", B, &t->file);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* Steps that kernels consist of, and the bandwidth of copies and sums by size: for programs that predict times */
PetscErrorCode HeptaTuneBasics(HeptaTuner *t)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  hepta::BasicTimes   b;
  const hepta::Status bad = hepta::measure_basics_cuda(t->quick ? 1 << 28 : 1 << 30, t->quick ? 3 : 9, &b);

  PetscCheck(!bad, PETSC_COMM_SELF, PETSC_ERR_LIB, "hepta-tune cannot measure this GPU: %s", bad);
  const hepta::ModelNumber steps[] = {
    {"launch", "microseconds between kernels that are launched one after the other", b.launch},
    {"recorded", "microseconds between kernels that are recorded one after the other", b.recorded},
    {"barrier", "microseconds of a barrier of a thread block of 1024 threads", b.barrier},
    {"handover", "microseconds until a thread block sees what another one has written", b.handover},
  };
  for (const hepta::ModelNumber &n : steps) {
    if (n.value >= hepta::least_number) t->file.model.push_back(n);
    PetscCall(PetscViewerASCIIPrintf(t->viewer, "  %s %.4g us\n", n.name.c_str(), n.value));
  }
  PetscCall(AddVectors(t, b));
  PetscFunctionReturn(PETSC_SUCCESS);
#else
  SETERRQ(t->comm, PETSC_ERR_SUP, "hepta-tune measures a GPU, and this Hepta was built without CUDA");
#endif
}

/* Is `name` a number of exchanges, which a single process cannot measure? */
static bool IsOfExchange(const std::string &name)
{
  return name.rfind("ipc_", 0) == 0 || name.rfind("nccl_", 0) == 0 || name.rfind("mpi_", 0) == 0;
}

/* The key of this GPU, and unless in_use the library's constants as first numbers, except for the exchange numbers in use */
static PetscErrorCode Begin(HeptaTuner *t, PetscBool in_use)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  PetscDeviceContext context;
  hepta::Status      bad = hepta::tuning_key_cuda(&t->file.key);
  PetscCheck(!bad, PETSC_COMM_SELF, PETSC_ERR_GPU, "hepta-tune measures a GPU, and there is none: %s", bad);
  PetscCall(PetscDeviceContextGetCurrentContext(&context)); /* PETSc selects the GPU of this process */
  bad = hepta::tuning_key_cuda(&t->file.key);
  PetscCheck(!bad, PETSC_COMM_SELF, PETSC_ERR_GPU, "The GPU of this process does not answer: %s", bad);
#else
  (void)t;
#endif
  for (const hepta::TuningNumber &n : hepta::tuning_numbers()) {
    if (!in_use && !IsOfExchange(n.name)) PetscCall(HeptaSetTuning(n.name, (PetscReal)(hepta::Tuning().*n.value)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tune(MPI_Comm comm, PetscViewer viewer, PetscBool quick, PetscBool in_use, char **text)
{
  HeptaTuner t = {comm, viewer, quick == PETSC_TRUE, {}};
  const struct {
    const char *name;
    PetscErrorCode (*f)(HeptaTuner *);
  } parts[] = {
    {"steps", HeptaTuneBasics},        {"products", HeptaTuneProducts},     {"iterations", HeptaTuneKrylov},
    {"triangles", HeptaTuneTriangles}, {"transports", HeptaTuneTransports}, {"throughput", HeptaTuneModel},
  };
  hepta::TuningFile again;

  PetscFunctionBegin;
  PetscCall(Begin(&t, in_use));
  for (const auto &part : parts) {
    PetscLogDouble begin, end;
    PetscCall(PetscTime(&begin));
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", part.name));
    PetscCall(part.f(&t));
    PetscCall(PetscTime(&end));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  (%.1f s)\n", end - begin));
  }
  PetscCall(HeptaTuneInUse(&t.file.numbers));
  const std::string all = hepta::write_tuning(t.file), bad = hepta::read_tuning(all, &again);
  PetscCheck(bad.empty(), comm, PETSC_ERR_PLIB, "A number that was measured cannot be used: %s", bad.c_str());
  PetscCall(PetscStrallocpy(all.c_str(), text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaTune - Measures the GPU of this process: the numbers by which the library chooses its kernels

  Collective

  Input Parameters:
+ comm   - all processes have GPUs of one kind; on several, exchanges between them are measured too
. viewer - an ASCII viewer: what was measured
. quick  - in some 10 seconds in place of a minute, without what predictions need
- in_use - begins with the numbers in use in place of the library's constants

  Output Parameter:
. text - the tuning file, to be freed with `PetscFree()`

  Level: developer

.seealso: `HeptaSetTuning()`, `HeptaRegisterAll()`
@*/
PetscErrorCode HeptaTune(MPI_Comm comm, PetscViewer viewer, PetscBool quick, PetscBool in_use, char **text)
{
  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<Tune>(comm, viewer, quick, in_use, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The files, or the numbers in use where there are none */
static PetscErrorCode Judge(PetscInt n, const char *const files[], HeptaTuner *t)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    hepta::TuningFile file;
    std::string       text;
    PetscCheck(hepta::read_text(files[k], &text), t->comm, PETSC_ERR_FILE_OPEN, "The tuning file %s cannot be read", files[k]);
    const std::string bad = hepta::read_tuning(text, &file);
    PetscCheck(bad.empty(), t->comm, PETSC_ERR_FILE_UNEXPECTED, "%s is no tuning file: %s", files[k], bad.c_str());
    t->judged.emplace_back(files[k], file.numbers);
  }
  if (n) PetscFunctionReturn(PETSC_SUCCESS);
  t->judged.emplace_back("in use", hepta::Tuning());
  PetscCall(HeptaTuneInUse(&t->judged[0].second));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Regrets(MPI_Comm comm, PetscViewer viewer, PetscInt n, const char *const files[])
{
  HeptaTuner   t = {comm, viewer, false, {}};
  HeptaRegrets regrets;

  PetscFunctionBegin;
  PetscCall(Judge(n, files, &t));
  regrets.resize(t.judged.size());
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "| numbers | problem | choice | us | best | us | regret |\n|---|---|---|---|---|---|---|\n"));
  const struct {
    const char                *name;
    const std::vector<double> &candidates;
    std::vector<HeptaTuneCase> cases;
  } parts[] = {
    {"busy_threads", hepta_busy_threads, HeptaTuneProductCases(&t, true)},
    {"product_threads", hepta_product_threads, HeptaTuneProductCases(&t, true)},
    {"cache_share", hepta_cache_shares, HeptaTuneCacheCases(&t, true)},
    {"gridmg_tiles", hepta_gridmg_tiles, HeptaTuneMultigridCases(&t, true)},
  };
  for (const auto &part : parts) PetscCall(HeptaTuneRegret(&t, part.name, part.candidates, part.cases, &regrets));
  PetscCall(HeptaTuneTriangleRegret(&t, &regrets));
  for (size_t f = 0; f < regrets.size(); f++) {
    std::vector<double> &r = regrets[f];
    std::sort(r.begin(), r.end());
    PetscCall(PetscViewerASCIIPrintf(viewer, "regret of %s: median %.3f, largest %.3f, %d of %d above 0.05\n",
                                     t.judged[f].first.c_str(), r[r.size() / 2], r.back(),
                                     (int)(r.end() - std::upper_bound(r.begin(), r.end(), 0.05)), (int)r.size()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaTuneRegrets - Measures how far the library's choices are from the best, on problems that `HeptaTune()` does not measure

  Collective

  Input Parameters:
+ comm   - as for `HeptaTune()`
. viewer - an ASCII viewer: a line for each file and problem, and for each file the median and the largest regret, which is the
           time lost over the least time
. n      - the number of files, 0 for the numbers in use
- files  - tuning files by their names, of any GPU

  Level: developer

  Note:
  One number is judged at a time, beside the other numbers of the first file; for triangles all numbers of a file together. The
  numbers in use are those of the last file afterwards.

.seealso: `HeptaTune()`
@*/
PetscErrorCode HeptaTuneRegrets(MPI_Comm comm, PetscViewer viewer, PetscInt n, const char *const files[])
{
  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<Regrets>(comm, viewer, n, files));
  PetscFunctionReturn(PETSC_SUCCESS);
}
