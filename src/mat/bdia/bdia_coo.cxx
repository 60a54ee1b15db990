/* COO assembly of block diagonals with the locations analyzed on the device: PlanLocal() of blocked_coo_plan.cxx does the same on the host */
#if defined(HEPTA_HAVE_CUDA)

  #include "../blocked/coo_device.h"
  #include "bdia.h"
  #include "bdia_coo.hxx"

namespace hepta::bdia
{

/* The union of the entries' offsets and those already stored; *good is false if an entry is outside, or there are more than `most` offsets */
static PetscErrorCode FindOffsets(const Diagonals &D, PetscInt most, const HeptaSpace &space, const blocked::CooEntries &entries, std::vector<PetscInt> &offsets, bool *good)
{
  const unsigned int room = 1024;
  HeptaValues        bits, list, found;
  uint32_t          *b;
  Index             *l;
  CooFound          *f;

  PetscFunctionBegin;
  PetscCall(bits.Resize(((size_t)D.nbr + D.nbc + 31) / 32 * sizeof(uint32_t)));
  PetscCall(found.Resize(sizeof(CooFound)));
  PetscCall(bits.Zero(space));
  PetscCall(found.Zero(space));
  PetscCall(bits.Access(space, HeptaAccess::read_write, &b));
  PetscCall(list.Make(space, room, &l));
  PetscCall(found.Access(space, HeptaAccess::read_write, &f));
  PetscCallHepta(coo_offsets_cuda(D.nbr, D.nbc, D.bs, entries, b, l, room, f, space.stream));
  PetscCall(found.Access(HeptaSpace(), HeptaAccess::read, &f));
  PetscCall(list.Access(HeptaSpace(), HeptaAccess::read, &l));
  const unsigned int n = f->offsets;
  *good                = !f->outside && n <= room;
  offsets.assign(D.off.begin(), D.off.end());
  for (unsigned int k = 0; *good && k < n; k++) {
    if (D.Find(l[k]) < 0) offsets.push_back(l[k]);
  }
  *good = *good && (PetscInt)offsets.size() <= most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Diagonals::PlanCOO(const blocked::Settings &s, const HeptaSpace &space, size_t n, const PetscInt i[], const PetscInt j[], blocked::COOPlan &plan, bool *done)
{
  const blocked::CooEntries entries{n, i, j};
  HeptaValues               bits;
  std::vector<PetscInt>     offsets;
  const Index              *table;
  uint32_t                 *b;

  PetscFunctionBegin;
  *done = false;
  if (half) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindOffsets(*this, s.OfFormat<Options>().max_offsets, space, entries, offsets, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Preset(offsets));
  PetscCall(off_table.Get(space, off, &table));
  PetscCall(bits.Make(space, Size() / 32, &b));
  PetscCall(blocked::COOPlanOnDevice(View<PetscScalar>{nbr, nbc, (int)bs, (int)diag.size(), ld, table, nullptr, false, off.data()}, space, Size(), entries, b, plan));
  PetscCall(bits.Access(HeptaSpace(), HeptaAccess::read, &b));
  PetscCall(PetscArraycpy(set, b, Size() / 32));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::bdia

#endif
