/* A method that is the sum of measured methods and of applications of ip */
#include "predict.h"

/* Exchanges of an application of ip between passes, in those of fusedcg with jacobi, as measured on two H200s */
constexpr double ip_exchanges = 0.5;

/*
   Microseconds of an application of ip between passes: a product with M, which has the entries of A. A pass that multiplies with
   block diagonals makes sums too; after ip the sums are another pass, which a product with blocked rows needs in any case.
*/
static double Application(const HeptaPrediction &p, double part)
{
  HeptaThroughput sum;
  const bool      pass = p.c.format == HeptaMatFormat::bdia && p.a.model->Find("sum", &sum);

  return HeptaPredictProduct(p, part, false) + (pass ? sum.Time(2 * 8 * part * (double)p.a.aij->rmap->N) : 0);
}

/* *l += x times the line of a measured method, whose set-up and memory stay the same however often a preconditioner is applied */
static void Add(double x, const HeptaPredictLine &m, HeptaPredictLine *l)
{
  const auto   before = l->part, part = m.part;
  const double once = x < 0 ? -1 : 1;

  l->us.resize(before ? PetscMin(l->us.size(), m.us.size()) : m.us.size());
  for (size_t k = 0; k < l->us.size(); k++) l->us[k] += x * m.us[k];
  l->part = [=](double of) { return (before ? before(of) : 0) + (part ? x * part(of) : 0); };
  l->host += x * m.host;
  l->setup += once * PetscMax(0, m.setup);
  l->memory += once * m.memory;
  l->off = PetscMax(l->off, m.off);
}

PetscErrorCode HeptaPredictSum(const HeptaPrediction &p, const HeptaModelSum &s, const HeptaPredictLine *icc, HeptaPredictLine *l)
{
  const double     rows = (double)p.a.aij->rmap->N, times = s.applications;
  HeptaPredictLine ip;

  PetscFunctionBegin;
  l->name    = s.name;
  l->options = s.options + p.a.grid;
  l->host = l->setup = 0;
  for (const auto &[name, x] : s.methods) {
    HeptaPredictLine m;
    if (icc && icc->name == std::string(name)) m = *icc;
    else PetscCall(HeptaPredictDescribe(p, HeptaModelFind(name), &m));
    Add(x, m, l);
  }
  if (icc) {
    l->host = l->setup = -1;
    l->part            = nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  l->setup = PetscMax(0, l->setup);
  if (times <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaPredictDescribe(p, HeptaModelFind("fusedcg_ip"), &ip));
  for (size_t k = 0; k < l->us.size(); k++)
    l->us[k] += times * (Application(p, 1. / p.gpus[k]) + ip_exchanges * HeptaPredictExchange(p, k));
  const auto passes = l->part;
  l->part           = [&p, passes, times](double part) { return passes(part) + times * Application(p, part); };
  l->host += times * (p.c.bytes + 16 * rows) / p.a.space[0].bandwidth * 1e6;
  /* hepta-tune measures a set-up of ip with a matrix that fits bdia: up to 70 times the set-up by blocked rows */
  l->setup = p.c.format == HeptaMatFormat::bdia ? l->setup + ip.setup : -1;
  l->memory += p.c.bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}
