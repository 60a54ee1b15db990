/* The values of A Z, and sums over its entries */
#include "subdomains/rows_visit.h"

using hepta::Index;
using namespace hepta::subdeflation;

PetscErrorCode HeptaAZ::GetLabels(const HeptaSpace &space, Labels *labels)
{
  Index *local, *ghost;

  PetscFunctionBegin;
  PetscCall(label.Access(space, HeptaAccess::read, &local));
  PetscCall(ghost_label.Access(space, HeptaAccess::read, &ghost));
  *labels = {local, ghost};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationValues(PC pc, const HeptaSpace &space)
{
  PC_Subdeflation *s  = Subdeflation(pc);
  HeptaAZ         &az = s->az;
  Labels           labels;
  Index           *row, *subdomain;
  const Index     *border;
  PetscScalar     *values;

  PetscFunctionBegin;
  PetscCall(az.GetLabels(space, &labels));
  PetscCall(az.row.Access(space, HeptaAccess::read, &row));
  PetscCall(az.subdomain.Access(space, HeptaAccess::read, &subdomain));
  PetscCall(az.values.Access(space, HeptaAccess::write, &values));
  const auto compute = [&](const auto &rows) {
    HeptaLaunchEach(space, az_values, az.entries, rows, labels, (const Index *)row, (const Index *)subdomain, values);
    return PETSC_SUCCESS;
  };
  if (s->rows.diag) {
    PetscCall(HeptaVisitCompressed(s->rows, space, compute));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaRowsBorder(s->rows, space, &border));
  PetscCall(HeptaVisit(*MatBDIADiagonals(s->rows.A), space, HeptaAccess::read, [&](auto A) {
    using V = std::remove_reference_t<decltype(*A.v)>;
    hepta::blocked::GhostView<V> G{};
    if (border) PetscCall(MatBlocked(s->rows.A)->ghost.Typed(space, HeptaAccess::read, &G));
    return compute(DiagonalRows<V>{A, G, border});
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAZSums(HeptaAZ &az, const HeptaSpace &space, const PetscScalar r[], const PetscScalar w[],
                           const PetscScalar **partial)
{
  Index         *row;
  size_t        *first;
  unsigned char *own;
  PetscScalar   *values, *sums;

  PetscFunctionBegin;
  PetscCall(az.chunk.Access(space, HeptaAccess::read, &first));
  PetscCall(az.own.Access(space, HeptaAccess::read, &own));
  PetscCall(az.row.Access(space, HeptaAccess::read, &row));
  PetscCall(az.values.Access(space, HeptaAccess::read, &values));
  PetscCall(az.partial.Access(space, HeptaAccess::write, &sums));
  const Chunks c = {az.chunks, first, own};
  HeptaLaunch(space, chunk_sums, c, (const Index *)row, (const PetscScalar *)values, r, w, sums);
  *partial = sums;
  PetscFunctionReturn(PETSC_SUCCESS);
}
