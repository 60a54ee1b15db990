/* Views of HeptaRows for the launchers of subdomains_kernels.hxx and subdeflation_kernels.hxx */
#pragma once

#include "../subdeflation.h"
#include "subdomains_kernels.hxx"

/* *border <- the member `border` of ListedRows and DiagonalRows */
static inline PetscErrorCode HeptaRowsBorder(HeptaRows &rows, const HeptaSpace &space, const hepta::Index **border)
{
  const std::vector<PetscInt> &all = MatBlocked(rows.A)->ghost.border;

  PetscFunctionBegin;
  *border = nullptr;
  if (!all.empty()) PetscCall(rows.border.Get(space, all, border));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f with compressed rows, in the given space */
template <class F> PetscErrorCode HeptaVisitCompressed(HeptaRows &rows, const HeptaSpace &space, F f)
{
  hepta::subdeflation::CompressedRows R{};
  PetscMemType                        type;
  const PetscInt                     *i, *j;
  PetscScalar                        *a;

  PetscFunctionBegin;
  for (Mat part : {rows.diag, rows.off}) {
    if (!part) continue;
    PetscCall(MatSeqAIJGetCSRAndMemType(part, &i, &j, &a, &type));
    PetscCheck(!PetscMemTypeHost(type) == space.device, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "The compressed rows of %s are not where they were expected", ((PetscObject)part)->type_name);
#if defined(HEPTA_HAVE_CUDA)
    /* if most rows are empty, as in `off`, the row pointers above are of nonempty rows alone */
    if (space.device) PetscCall(MatSeqAIJCUSPARSEGetIJ(part, PETSC_FALSE, &i, &j));
#endif
    if (part == rows.diag) {
      R.ai = i;
      R.aj = j;
      R.a  = a;
    } else {
      R.bi = i;
      R.bj = j;
      R.b  = a;
    }
  }
  PetscCall(f(R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f with the set entries of block diagonals, in the given space; the list is kept in `rows` */
template <class F> PetscErrorCode HeptaVisitListed(HeptaRows &rows, const HeptaSpace &space, F f)
{
  Mat_Blocked                *a = MatBlocked(rows.A);
  hepta::blocked::EntryArrays entries;
  const hepta::Index         *border;
  HeptaValues                 set;
  uint32_t                   *bits = nullptr;

  PetscFunctionBegin;
  PetscCall(a->local->GetEntries(space, rows.list, &entries));
  PetscCall(HeptaRowsBorder(rows, space, &border));
  if (border) {
    PetscCall(set.Take(a->ghost.set));
    PetscCall(set.Access(space, HeptaAccess::read, &bits));
  }
  PetscCall(HeptaVisitValues(*a->local, space, HeptaAccess::read, [&](auto *v) {
    using V = std::remove_reference_t<decltype(*v)>;
    hepta::blocked::GhostView<V> G{};
    if (border) PetscCall(a->ghost.Typed(space, HeptaAccess::read, &G));
    PetscCall(f(hepta::subdeflation::ListedRows<V>{entries.first, entries.column, entries.slot, v,
                                                   (int)HeptaBlockSize(rows.A->rmap), G, border, bits}));
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class F> PetscErrorCode HeptaVisitEntries(HeptaRows &rows, const HeptaSpace &space, F f)
{
  return rows.diag ? HeptaVisitCompressed(rows, space, f) : HeptaVisitListed(rows, space, f);
}
