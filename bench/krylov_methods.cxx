/* What bench/krylov compares, and the bytes that an iteration of ours moves */
#include "krylov.h"

#include <cstring>

const KrylovMethod krylovFusedCG            = {"fusedcg", "fusedcg", KSP_NORM_NATURAL, PC_LEFT, false};
const KrylovMethod krylovFusedCGSingle      = {"fusedcg, single reduction", "fusedcg", KSP_NORM_NATURAL, PC_LEFT, true};
const KrylovMethod krylovFusedBCGS          = {"fusedbcgs", "fusedbcgs", KSP_NORM_UNPRECONDITIONED, PC_RIGHT, false};
const KrylovMethod krylovDPCG               = {"dpcg", "dpcg", KSP_NORM_NATURAL, PC_LEFT, false};
const KrylovMethod krylovCG                 = {"cg", KSPCG, KSP_NORM_PRECONDITIONED, PC_LEFT, false};
const KrylovMethod krylovCGNatural          = {"cg, natural norm", KSPCG, KSP_NORM_NATURAL, PC_LEFT, false};
const KrylovMethod krylovCGUnpreconditioned = {"cg, unpreconditioned norm", KSPCG, KSP_NORM_UNPRECONDITIONED, PC_LEFT, false};
const KrylovMethod krylovBCGS               = {"bcgs", KSPBCGS, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, false};
const KrylovMethod krylovBiCGCR             = {"bicgcr", "bicgcr", KSP_NORM_NATURAL, PC_LEFT, false};

static const KrylovMethod singleReduction = {"cg, single reduction, natural norm", KSPCG, KSP_NORM_NATURAL, PC_LEFT, true};
static const KrylovMethod pipelinedCG     = {"pipecg, natural norm", KSPPIPECG, KSP_NORM_NATURAL, PC_LEFT, false};
static const KrylovMethod groppCG         = {"groppcg, natural norm", KSPGROPPCG, KSP_NORM_NATURAL, PC_LEFT, false};
static const KrylovMethod residuals       = {"cr, natural norm", KSPCR, KSP_NORM_NATURAL, PC_LEFT, false};
static const KrylovMethod pipelinedCR     = {"pipecr", KSPPIPECR, KSP_NORM_PRECONDITIONED, PC_LEFT, false};
static const KrylovMethod pipelinedBCGS   = {"pipebcgs", KSPPIPEBCGS, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, false};

/* cuSPARSE's blocks in a Mat shell are no format of PETSc's: they stand beside */
static std::vector<KrylovEntry> Rivals(const KrylovProblem &p, const std::vector<const KrylovMethod *> &methods,
                                       const KrylovMethod &beside)
{
  std::vector<KrylovEntry> entries;

  for (const auto &m : p.matrices) {
    if (m->ours) entries.push_back({m.get(), &beside, KrylovRole::beside, 0});
    for (const KrylovMethod *method : methods) {
      if (!m->ours)
        entries.push_back({m.get(), method, m->name.rfind("bsr", 0) == 0 ? KrylovRole::beside : KrylovRole::rival, 0});
    }
  }
  return entries;
}

/* Those that hide reductions gain nothing on one core */
std::vector<KrylovEntry> KrylovCGRivals(const KrylovProblem &p)
{
  if (!p.device) return Rivals(p, {&krylovCG, &krylovCGNatural, &singleReduction}, krylovCGNatural);
  return Rivals(p, {&krylovCG, &krylovCGNatural, &singleReduction, &pipelinedCG, &groppCG}, krylovCGNatural);
}

std::vector<KrylovEntry> KrylovCRRivals(const KrylovProblem &p)
{
  return Rivals(p, {&residuals, &pipelinedCR}, residuals);
}

std::vector<KrylovEntry> KrylovBCGSRivals(const KrylovProblem &p)
{
  return Rivals(p, {&krylovBCGS, &pipelinedBCGS}, krylovBCGS);
}

namespace
{

/* Of an iteration: vectors that its passes read or write, a vector once in each pass; products with A; products with the matrix
   of ip, which has A's pattern */
struct Passes {
  const char *type, *pc;
  double      vectors;
  int         products, inverses;
};

} // namespace

/*
   fusedcg     p <- z + beta p, q <- A p, (p, q)                         reads z, p, writes p, q
               x <- x + alpha p, r <- r - alpha q, z <- M^-1 r, (r, z)   reads x, p, r, q, writes x, r; none: z is r;
                                                                         jacobi: reads the diagonal, writes z; ip: reads r
                                                                         again, writes z
   single      all of it in one pass                                     reads r, s, w, p, x, writes them; jacobi: reads the
                                                                         diagonal
   fusedbcgs   p <- r + beta (p - omega v), p^ <- M^-1 p                 reads r, p, v, writes p; jacobi: reads the diagonal,
                                                                         writes p^
               v <- A p^, (v, r0)                                        reads p^, r0, writes v
               s <- r - alpha v, s^ <- M^-1 s                            reads r, v, writes s; jacobi: reads the diagonal,
                                                                         writes s^
               t <- A s^, (t, s), (t, t)                                 reads s^, writes t; jacobi: reads s
               x <- x + alpha p^ + omega s^, r <- s - omega t,           reads x, p^, s^, t, r0, writes x, r; jacobi: reads s
               (r, r), (r, r0)
*/
static const Passes passes[] = {
  {"fusedcg", PCNONE, 10, 1, 0},     {"fusedcg", PCJACOBI, 12, 1, 0}, {"fusedcg", "ip", 12, 1, 1},
  {"single", PCNONE, 10, 1, 0},      {"single", PCJACOBI, 11, 1, 0},  {"fusedbcgs", PCNONE, 19, 2, 0},
  {"fusedbcgs", PCJACOBI, 25, 2, 0},
};

double KrylovBytes(const KrylovProblem &p, const KrylovEntry &e, PCType pc)
{
  for (const Passes &a : passes) {
    if (e.role == KrylovRole::ours && e.matrix->bytes > 0 && !std::strcmp(e.method->single ? "single" : e.method->type, a.type) &&
        !std::strcmp(pc, a.pc))
      return (a.products + a.inverses) * e.matrix->bytes + a.vectors * sizeof(PetscScalar) * (double)p.rows;
  }
  return 0;
}

PetscErrorCode KrylovDropMissing(const KrylovProblem &p, KrylovContest *c, bool *ours)
{
  std::vector<KrylovEntry> there;

  PetscFunctionBegin;
  *ours = false;
  for (const KrylovEntry &e : c->entries) {
    void (*create)(void) = nullptr;

    PetscCall(PetscFunctionListFind(KSPList, e.method->type, &create));
    if (create) there.push_back(e);
    else
      PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "krylov: %s, %s: there is no KSP type %s here, so it is left out\n",
                             p.name.c_str(), c->pc, e.method->type));
    *ours = *ours || (create && e.role == KrylovRole::ours);
  }
  c->entries = there;
  PetscFunctionReturn(PETSC_SUCCESS);
}
