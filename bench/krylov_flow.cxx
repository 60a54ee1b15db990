/* Deflated conjugate gradients of bench/krylov, on the pressure equation of two-phase flow (examples/bubbly_problem.h) */
#include <bubbly_problem.h>

#include "krylov.h"

namespace
{

struct FlowCase {
  FlowProblem kind;
  PetscInt    dim, n, box; /* cells a side, of the domain and of a subdomain */
  double      target;
};

} // namespace

/* By the flows over the faces */
static PetscErrorCode Residual(Flow flow, Vec b, Vec x, PetscReal *relative)
{
  Vec       r;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &r));
  PetscCall(FlowApply(flow, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, relative));
  PetscCall(VecNorm(b, NORM_2, &norm));
  *relative /= norm;
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The system in one format, which ours and the rival share */
static PetscErrorCode Start(const KrylovOptions &o, const FlowCase &f, PetscInt n, Flow *flow, KrylovProblem *p)
{
  auto        m = std::make_unique<KrylovMatrix>();
  FlowOptions options;
  MatInfo     info;
  PetscBool   has_exact;

  PetscFunctionBegin;
  options.dim      = f.dim;
  options.n        = n;
  options.problem  = f.kind;
  options.fix      = PETSC_TRUE;
  options.mat_type = o.device ? "bdiacuda" : "bdia";
  PetscCall(FlowCreate(PETSC_COMM_SELF, &options, flow));
  PetscCall(FlowGetDM(*flow, &p->dm));
  m->ours = true;
  m->name = options.mat_type;
  PetscCall(FlowMatrix(*flow, nullptr, &m->A));
  m->P = m->A;
  PetscCall(DMCreateGlobalVector(p->dm, &m->b));
  PetscCall(DMCreateGlobalVector(p->dm, &m->x));
  PetscCall(FlowRHS(*flow, 0, m->b, nullptr, &has_exact));
  PetscCall(MatGetInfo(m->A, MAT_LOCAL, &info));
  PetscCall(VecGetSize(m->b, &p->rows));
  p->name   = std::string(f.kind == FLOW_TWOPHASE ? "two-phase " : "bubbles ") + std::to_string(n) + "^" + std::to_string(f.dim);
  p->nnz    = info.nz_used;
  p->device = o.device;
  p->residual = [flow, b = m->b](Vec x, PetscReal *r) { return Residual(*flow, b, x, r); };
  p->matrices.push_back(std::move(m));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "krylov: %s, %" PetscInt_FMT " rows\n", p->name.c_str(), p->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OneDeflated(const KrylovOptions &o, const FlowCase &f, PetscInt n, double target, KrylovBook *book)
{
  KrylovContest c{"deflated", "subdeflation", {}, 100};
  KrylovProblem p;
  Flow          flow;

  PetscFunctionBegin;
  PetscCall(Start(o, f, n, &flow, &p));
  const KrylovMatrix *m = p.matrices[0].get();

  c.options = {
    {"pc_subdeflation_type", "boxes"}, {"pc_subdeflation_size", std::to_string(f.box)}, {"pc_subdeflation_pc_type", "ip"}};
  c.entries = {{m, &krylovDPCG, KrylovRole::ours, target},
               {m, &krylovFusedCG, KrylovRole::ours, 0},
               {m, &krylovCG, KrylovRole::rival, 0},
               {m, &krylovCGNatural, KrylovRole::rival, 0},
               {m, &krylovCGUnpreconditioned, KrylovRole::rival, 0}};
  PetscCall(KrylovCompare(o, p, c, book));
  PetscCall(KrylovProblemDestroy(&p));
  PetscCall(FlowDestroy(&flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovDeflation(const KrylovOptions &o, KrylovBook *book)
{
  const FlowCase cases[] = {{FLOW_TWOPHASE, 2, 1024, 16, 2.8}, {FLOW_BUBBLES, 3, 128, 8, 2}, {FLOW_BUBBLES, 3, 200, 16, 1.7}};

  PetscFunctionBegin;
  for (const FlowCase &f : cases) {
    const PetscInt n = PetscMax(16, f.n / o.shrink);

    PetscCall(OneDeflated(o, f, n, o.device && n == f.n ? f.target : 0, book));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
