/* Single applications and setups, against the product with the matrix and against PETSc's icc */
#include "pressure.h"

#include <petsc/private/petscimpl.h> /* PetscObjectStateIncrease() */
#include <petsctime.h>

#include <algorithm>

#include "timing.h"

#ifdef HEPTA_HAVE_CUDA
  #include "device_timing.h"
#endif

namespace
{

struct Operation {
  std::string                     name;
  PetscInt                        calls; /* in one timed loop */
  bool                            graph; /* can be captured in a CUDA graph */
  std::function<PetscErrorCode()> run;
  bool                            ours    = true;
  std::string                     failure = "";
  double                          wall = 0, device = 0; /* seconds of a call */
};

/*
   Applications and setups have matrices of their own: a setup takes a matrix that is marked as changed, and an application of a
   preconditioner with a changed matrix would begin with a setup.
*/
struct Applied {
  GridProblem            applies, setups;
  Vec                    x = nullptr, y = nullptr;
  std::vector<PC>        pcs;
  std::vector<Operation> operations;
};

struct Preconditioner {
  const char                                      *tag, *name;
  bool                                             ours;
  const char                                      *type;
  PetscInt                                         applies, setups; /* calls in a timed loop, 0: not timed */
  bool                                             graph;
  std::vector<std::pair<std::string, std::string>> options;
};

} // namespace

static PetscErrorCode CreatePC(GridProblem *p, const Preconditioner &c, Mat *A, PC *pc)
{
  const std::string prefix = std::string(c.tag) + "_";
  DM                da;

  PetscFunctionBegin;
  PetscCall(p->Matrix(c.ours, A));
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetOptionsPrefix(*pc, prefix.c_str()));
  PetscCall(PCSetType(*pc, c.type));
  PetscCall(PCSetOperators(*pc, *A, *A));
  if (c.ours) { /* it asks the DM for the grid */
    PetscCall(FlowGetDM(p->flow, &da));
    PetscCall(PCSetDM(*pc, da));
  }
  for (const auto &[option, value] : c.options) PetscCall(PressureDefault(prefix, option.c_str(), value.c_str()));
  PetscCall(PCSetFromOptions(*pc));
  PetscCall(PCSetUp(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operations of one preconditioner; if it cannot be made, their failure */
static PetscErrorCode Add(Applied &a, const Preconditioner &c)
{
  PetscFunctionBegin;
  for (bool apply : {true, false}) {
    Operation      op{std::string(apply ? "PCApply of " : "PCSetUp of ") + c.name, apply ? c.applies : c.setups, apply && c.graph,
                      nullptr, c.ours};
    PC             pc = nullptr;
    Mat            A  = nullptr;
    const Applied *v  = &a;
    if (!op.calls) continue;
    PetscCall(BenchTry(op.name, [&]() { return CreatePC(apply ? &a.applies : &a.setups, c, &A, &pc); }, &op.failure));
    if (apply) op.run = [pc, v]() { return PCApply(pc, v->x, v->y); };
    else {
      op.run = [pc, A]() {
        PetscFunctionBegin;
        PetscCall(PetscObjectStateIncrease((PetscObject)A)); /* as new values do */
        PetscCall(PCSetUp(pc));
        PetscFunctionReturn(PETSC_SUCCESS);
      };
    }
    if (op.failure.empty()) PetscCall(BenchTry(op.name, op.run, &op.failure));
    a.pcs.push_back(pc);
    a.operations.push_back(op);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddAll(const PressureOptions &o, Applied &a)
{
  const std::string                                box = std::to_string(PetscMax(2, o.apply_n / 32)); /* 32 x 32 boxes */
  std::vector<std::pair<std::string, std::string>> icc;
  Mat                                              A, B;

  PetscFunctionBegin;
  if (o.device) icc.push_back({"pc_factor_mat_solver_type", "cusparse"});
  PetscCall(a.applies.Matrix(true, &A));
  PetscCall(a.applies.Matrix(false, &B));
  const Applied *v = &a;
  a.operations.push_back({"MatMult of bdia", 200, true, [=]() { return MatMult(A, v->x, v->y); }});
  a.operations.push_back({"MatMult of aij", 200, false, [=]() { return MatMult(B, v->x, v->y); }, false});
  const Preconditioner all[] = {
    {"ip", "ip", true, "ip", 200, 50, true, {}},
    {"ip_single", "ip, single storage", true, "ip", 200, 0, true, {{"pc_ip_storage", "single"}}},
    {"deflation", "subdeflation, 32 x 32 boxes", true, "subdeflation", 50, 20, true, {{"pc_subdeflation_size", box}}},
    {"blockic", "blockic, two lines", true, "blockic", 50, 10, false, {{"pc_blockic_blocks", "lines"}, {"pc_blockic_size", "2"}}},
    {"icc", "icc", false, PCICC, 2, 1, false, icc},
  };
  for (const Preconditioner &c : all) PetscCall(Add(a, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Loops of calls as the host sees them, with one synchronization at the end */
static PetscErrorCode TimeOnHost(const PressureOptions &o, Applied &a)
{
  std::vector<Contestant>  contestants;
  std::vector<Operation *> timed;

  PetscFunctionBegin;
  for (Operation &op : a.operations) {
    const Operation *c = &op;
    if (!op.failure.empty()) continue;
    timed.push_back(&op);
    contestants.push_back({op.name,
                           [c, &o]() {
                             double end;
                             PetscFunctionBegin;
                             for (PetscInt k = 0; k < c->calls; k++) PetscCall(c->run());
                             PetscCall(BenchNow(o.device, &end));
                             PetscFunctionReturn(PETSC_SUCCESS);
                           },
                           {}});
  }
  PetscCall(BenchRun(contestants, o.repeats, 1));
  for (size_t k = 0; k < timed.size(); k++) timed[k]->wall = contestants[k].Median() / (double)timed[k]->calls;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What only launches kernels, as the device sees it: what the host does between launches does not count */
static PetscErrorCode TimeOnDevice(Applied &a)
{
  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  std::vector<DeviceContestant> contestants;
  std::vector<Operation *>      timed;
  DeviceTimer                   timer;
  double                        bytes_per_ms;

  PetscCall(timer.Create());
  for (Operation &op : a.operations) {
    std::vector<DeviceContestant> one = {{op.name, 0, Way::Device, 0, op.run, nullptr, op.calls}};
    std::string                   refused; /* to run on the timer's stream */
    if (!op.graph || !op.failure.empty()) continue;
    PetscCall(BenchTry(op.name + " for device time", [&]() { return timer.Check(one, {}); }, &refused));
    if (!refused.empty()) continue;
    timed.push_back(&op);
    contestants.push_back(one[0]);
  }
  PetscCall(timer.Run(contestants, &bytes_per_ms));
  for (size_t k = 0; k < timed.size(); k++) timed[k]->device = 1e-3 * contestants[k].Median();
  PetscCall(timer.Destroy());
#else
  (void)a;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tables(const Applied &a, std::vector<BenchTable> &tables, PetscInt *bad)
{
  const std::string                           what    = a.applies.Title() + ", ";
  const std::pair<const char *, const char *> pairs[] = {
    {"PCApply of ip", "MatMult of bdia"},
    {"PCApply of ip, single storage", "MatMult of bdia"},
    {"PCSetUp of ip", "MatMult of bdia"},
    {"PCApply of subdeflation, 32 x 32 boxes", "MatMult of bdia"},
    {"PCApply of blockic, two lines", "MatMult of bdia"},
    {"PCSetUp of blockic, two lines", "MatMult of bdia"},
    {"PCApply of icc", "PCApply of blockic, two lines"},
  };
  BenchTable times, ratios;

  PetscFunctionBegin;
  times.title    = what + "single operations";
  times.note     = "microseconds of a call; wall: loops of calls with one synchronization; device: CUDA graphs of calls between "
                   "events; setups of a changed matrix";
  times.columns  = {"operation", "wall", "device", "result"};
  ratios.title   = what + "ratios of these";
  ratios.columns = {"operation", "over", "wall", "device"};
  for (const Operation &op : a.operations) {
    const auto time = [](double t) { return t > 0 ? BenchNumber("%.2f", 1e6 * t) : BenchNone(); };
    times.rows.push_back({BenchText(op.name), time(op.wall), time(op.device),
                          BenchText(op.failure.empty() ? "ran" : "failed: " + op.failure.substr(0, 100))});
    *bad += op.ours && !op.failure.empty();
  }
  for (const auto &[above, below] : pairs) {
    const auto find = [&](const char *name) {
      return std::find_if(a.operations.begin(), a.operations.end(), [&](const Operation &op) { return op.name == name; });
    };
    const auto u = find(above), v = find(below);
    PetscCheck(u != a.operations.end() && v != a.operations.end(), PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "No operation \"%s\" or no \"%s\"", above, below);
    ratios.rows.push_back({BenchText(above), BenchText(below), BenchRatio(u->wall, v->wall), BenchRatio(u->device, v->device)});
  }
  tables.push_back(ratios);
  tables.push_back(times);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PressureApply(const PressureOptions &o, std::vector<BenchTable> &tables, PetscInt *bad)
{
  Applied     a;
  DM          da;
  PetscBool   has_exact;
  std::string ignored;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(o, FLOW_TWOPHASE, o.apply_n, &a.applies));
  PetscCall(ProblemCreate(o, FLOW_TWOPHASE, o.apply_n, &a.setups));
  PetscCall(FlowGetDM(a.applies.flow, &da));
  PetscCall(DMCreateGlobalVector(da, &a.x));
  PetscCall(DMCreateGlobalVector(da, &a.y));
  PetscCall(FlowRHS(a.applies.flow, 0, a.x, nullptr, &has_exact));
  PetscCall(AddAll(o, a));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "pressure: %s: timing single operations\n", a.applies.Title().c_str()));
  PetscCall(TimeOnHost(o, a));
  if (o.device) PetscCall(TimeOnDevice(a));
  PetscCall(Tables(a, tables, bad));
  for (PC &pc : a.pcs) PetscCall(BenchTry("freeing a preconditioner", [&]() { return PCDestroy(&pc); }, &ignored));
  PetscCall(VecDestroy(&a.x));
  PetscCall(VecDestroy(&a.y));
  PetscCall(a.applies.Destroy());
  PetscCall(a.setups.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}
