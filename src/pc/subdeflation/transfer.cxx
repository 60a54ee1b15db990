/* Transfer between rows and subdomains: products of Z^T, Z and A Z with vectors */
#include "../../shared/arrays.h"
#include "subdeflation.h"

using hepta::Index;
using namespace hepta::subdeflation;

/* q <- Z^T r - (A Z)^T w for user vectors; the stored A Z includes the scale */
static PetscErrorCode RestrictVectors(PC pc, Vec r, Vec w)
{
  PC_Subdeflation         *s = Subdeflation(pc);
  const PetscInt           d = s->coarse.d;
  std::vector<PetscScalar> other(d, 0);
  PetscScalar             *q;

  PetscFunctionBegin;
  PetscCall(s->coarse.q.Access(HeptaSpace(), HeptaAccess::write, &q));
  for (PetscInt k = 0; k < d; k++) q[k] = 0;
  if (r) PetscCall(VecMDot(r, d, s->vectors.data(), q));
  if (w) PetscCall(VecMDot(w, d, s->az_vectors.data(), other.data()));
  for (PetscInt k = 0; k < d; k++) q[k] = s->scale[k] * q[k] - other[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationRestrict(PC pc, Vec r, Vec w)
{
  PC_Subdeflation   *s  = Subdeflation(pc);
  HeptaAZ           &az = s->az;
  HeptaArrays        p;
  size_t            *column, *at;
  const PetscScalar *partial;
  PetscScalar       *q;

  PetscFunctionBegin;
  if (!s->UsesLabels()) {
    PetscCall(RestrictVectors(pc, r, w));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaArraysGet(r, w, nullptr, &p));
  PetscCall(HeptaAZSums(az, p.space, p.x, p.z, &partial));
  PetscCall(az.column.Access(p.space, HeptaAccess::read, &column));
  PetscCall(az.column_at.Access(p.space, HeptaAccess::read, &at));
  PetscCall(s->coarse.q.Access(p.space, HeptaAccess::write, &q));
  if (az.columns < (size_t)s->coarse.d) PetscCall(s->coarse.q.Zero(p.space)); /* subdomains without entries on this rank */
  HeptaLaunchEach(p.space, gather, az.columns, (const size_t *)column, (const size_t *)at, PetscScalar(1), partial, q);
  PetscCall(HeptaLogFlops(p.space, (w ? 2. : 0.) * (PetscLogDouble)az.entries + (r ? (PetscLogDouble)az.rows : 0.)));
  PetscCall(HeptaArraysRestore(r, w, nullptr, &p));
  /* the inverse sums q where the vectors are, other coarse solvers on the host */
  const bool there = s->coarse_type == HEPTA_SUBDEFLATION_COARSE_INVERSE;
  PetscCall(s->coarse.of_ranks.Add(PetscObjectComm((PetscObject)pc), there ? p.space : HeptaSpace(), s->coarse.d, s->coarse.q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationProlong(PC pc, Vec w, Vec z)
{
  PC_Subdeflation *s = Subdeflation(pc);
  HeptaArrays      p;
  Index           *label;
  PetscScalar     *y;

  PetscFunctionBegin;
  if (!s->UsesLabels()) {
    PetscCall(s->coarse.y.Access(HeptaSpace(), HeptaAccess::read, &y));
    if (w && w != z) PetscCall(VecCopy(w, z));
    if (!w) PetscCall(VecSet(z, 0));
    std::vector<PetscScalar> scaled(y, y + s->coarse.d);
    for (PetscInt k = 0; k < s->coarse.d; k++) scaled[k] *= s->scale[k];
    PetscCall(VecMAXPY(z, s->coarse.d, scaled.data(), s->vectors.data()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaArraysGet(nullptr, w, z, &p));
  PetscCall(s->az.label.Access(p.space, HeptaAccess::read, &label));
  PetscCall(s->coarse.y.Access(p.space, HeptaAccess::read, &y));
  HeptaLaunchEach(p.space, prolong, s->az.rows, (const Index *)label, (const PetscScalar *)y, p.z, p.y);
  PetscCall(HeptaLogFlops(p.space, (PetscLogDouble)s->az.rows));
  PetscCall(HeptaArraysRestore(nullptr, w, z, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationSubtractAZ(PC pc, Vec r, Vec t)
{
  PC_Subdeflation *s  = Subdeflation(pc);
  HeptaAZ         &az = s->az;
  HeptaArrays      p;
  Index           *subdomain, *entry;
  size_t          *first;
  PetscScalar     *values, *y;

  PetscFunctionBegin;
  if (!s->UsesLabels()) {
    PetscCall(s->coarse.y.Access(HeptaSpace(), HeptaAccess::read, &y));
    std::vector<PetscScalar> minus(y, y + s->coarse.d);
    for (PetscScalar &v : minus) v = -v;
    PetscCall(VecCopy(r, t));
    PetscCall(VecMAXPY(t, s->coarse.d, minus.data(), s->az_vectors.data()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaAZByRows(az));
  PetscCall(HeptaArraysGet(r, nullptr, t, &p));
  PetscCall(az.subdomain.Access(p.space, HeptaAccess::read, &subdomain));
  PetscCall(az.row_first.Access(p.space, HeptaAccess::read, &first));
  PetscCall(az.row_entry.Access(p.space, HeptaAccess::read, &entry));
  PetscCall(az.values.Access(p.space, HeptaAccess::read, &values));
  PetscCall(s->coarse.y.Access(p.space, HeptaAccess::read, &y));
  HeptaLaunchEach(p.space, az_product, az.rows, (const size_t *)first, (const Index *)entry, (const Index *)subdomain,
                  (const PetscScalar *)values, (const PetscScalar *)y, p.x, p.y);
  PetscCall(HeptaLogFlops(p.space, 2. * (PetscLogDouble)az.entries));
  PetscCall(HeptaArraysRestore(r, nullptr, t, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
