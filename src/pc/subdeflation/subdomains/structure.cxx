/* The entries of A Z, found in the matrix's memory, once for a matrix and its labels */
#include "rows_visit.h"

using hepta::Index;
using namespace hepta::subdeflation;

PetscErrorCode HeptaAZReset(HeptaAZ &az)
{
  PetscFunctionBegin;
  az.rows = az.entries = az.chunks = az.segments = az.columns = 0;
  az.found = az.by_rows = false;
  for (HeptaValues *v : {&az.label, &az.ghost_label, &az.row, &az.subdomain, &az.chunk, &az.own, &az.segment, &az.column,
                         &az.column_at, &az.row_first, &az.row_entry})
    PetscCall(v->Free());
  az.segment_e.clear();
  az.segment_f.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAZByRows(HeptaAZ &az)
{
  HeptaSpace space;
  Index     *row, *entry;
  size_t    *first;

  PetscFunctionBegin;
  if (az.by_rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(az.row.Space(&space));
  PetscCall(az.row.Access(space, HeptaAccess::read, &row));
  PetscCall(az.row_first.Make(space, az.rows + 1, &first));
  PetscCall(az.row_entry.Make(space, az.entries, &entry));
  HeptaLaunchEach(space, hepta::by_groups, az.entries, (const Index *)row, (Index)az.rows, entry, first);
  az.by_rows = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The labels of rows and of ghost columns; for block size > 1 each field has subdomains of its own */
static PetscErrorCode SpreadLabels(PC pc, const HeptaSpace &space, Labels *labels)
{
  PC_Subdeflation *s  = Subdeflation(pc);
  HeptaAZ         &az = s->az;
  const PetscInt   bs = HeptaBlockSize(s->rows.A->rmap);
  Index           *number, *label, *ghost;

  PetscFunctionBegin;
  az.rows = (size_t)s->rows.A->rmap->n;
  PetscCall(s->label.Access(space, HeptaAccess::read, &number));
  PetscCall(az.label.Make(space, az.rows, &label));
  HeptaLaunchEach(space, label_unknowns, az.rows, (Index)bs, (const Index *)number, label);
  if (s->rows.A->rmap->size > 1) {
    PetscCall(az.label.Access(HeptaSpace(), HeptaAccess::read, &label));
    PetscCall(az.ghost_label.Make(HeptaSpace(), s->rows.ghosts.size(), &ghost));
    PetscCall(PetscSFBcastBegin(s->rows.sf, MPIU_INT, label, ghost, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(s->rows.sf, MPIU_INT, label, ghost, MPI_REPLACE));
  }
  PetscCall(az.GetLabels(space, labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds rows and subdomains of the entries, sorted by column's subdomain, then row's subdomain, then row */
static PetscErrorCode FindEntries(PC pc, const HeptaSpace &space, const Labels &labels, Index **row, Index **subdomain)
{
  PC_Subdeflation *s  = Subdeflation(pc);
  HeptaAZ         &az = s->az;
  const PetscInt   d  = s->coarse.d;
  HeptaValues      first, rows, e, f, order;
  AZEntries        entries; /* row by row */
  Index           *ordered;
  size_t          *begin;

  PetscFunctionBegin;
  PetscCall(first.Make(space, az.rows + 1, &begin));
  PetscCall(HeptaVisitEntries(s->rows, space, [&](const auto &R) {
    HeptaLaunchEach(space, count_entries, az.rows, R, labels, begin, &az.entries);
    return PETSC_SUCCESS;
  }));
  const bool many = az.entries > (size_t)PETSC_INT_MAX;
  PetscCall(
    HeptaAgreeOnError(PetscObjectComm((PetscObject)pc), many ? PETSC_ERR_SUP : PETSC_SUCCESS,
                      HeptaFormat("A Z has %" PetscCount_FMT " entries on an MPI process, more than PetscInt counts: take fewer "
                                  "subdomains, more MPI processes, or PETSc with 64-bit indices",
                                  (PetscCount)az.entries)));
  PetscCall(rows.Make(space, az.entries, &entries.row));
  PetscCall(e.Make(space, az.entries, &entries.e));
  PetscCall(f.Make(space, az.entries, &entries.f));
  PetscCall(HeptaVisitEntries(s->rows, space, [&](const auto &R) {
    HeptaLaunchEach(space, find_entries, az.rows, R, labels, (const size_t *)begin, entries);
    return PETSC_SUCCESS;
  }));
  PetscCall(first.Free());
  PetscCall(HeptaOrderByPairs(space, az.entries, entries.e, d, entries.f, d, order, &ordered));
  PetscCall(az.row.Make(space, az.entries, row));
  PetscCall(az.subdomain.Make(space, az.entries, subdomain));
  HeptaLaunchEach(space, order_entries, az.entries, entries, (const Index *)ordered, *row, *subdomain);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Divides the sorted entries into segments, chunks and columns */
static PetscErrorCode FindSegments(HeptaAZ &az, const HeptaSpace &space, const Labels &labels, const Index *row,
                                   const Index *subdomain)
{
  HeptaValues         before, begin, e, f;
  std::vector<size_t> begins;
  size_t             *segment, *p;
  Index              *segment_e, *segment_f;

  PetscFunctionBegin;
  PetscCall(before.Make(space, az.entries + 1, &segment));
  HeptaLaunchEach(space, count_segments, az.entries, labels, row, subdomain, segment, &az.segments);
  PetscCall(begin.Make(space, az.segments + 1, &p));
  PetscCall(e.Make(space, az.segments, &segment_e));
  PetscCall(f.Make(space, az.segments, &segment_f));
  HeptaLaunchEach(space, find_segments, az.entries, labels, row, subdomain, segment, p, segment_e, segment_f);
  PetscCall(begin.Give(az.segments + 1, begins));
  PetscCall(e.Give(az.segments, az.segment_e));
  PetscCall(f.Give(az.segments, az.segment_f));
  const Parts parts = split_segments(begins, az.segment_e, az.segment_f);
  az.chunks         = parts.own.size();
  az.columns        = parts.at.size();
  PetscCall(az.own.Take(parts.own));
  PetscCall(az.segment.Take(parts.segment));
  if (az.chunks == az.segments) az.chunk.Swap(begin); /* each segment is one chunk */
  else PetscCall(az.chunk.Take(parts.chunk));
  PetscCall(az.column.Take(parts.column));
  PetscCall(az.column_at.Take(parts.at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationStructure(PC pc, const HeptaSpace &space)
{
  PC_Subdeflation *s  = Subdeflation(pc);
  HeptaAZ         &az = s->az;
  Labels           labels;
  Index           *row = nullptr, *subdomain = nullptr;

  PetscFunctionBegin;
  PetscCall(HeptaAZReset(az));
  s->coarse.d = s->domains * HeptaBlockSize(s->rows.A->rmap);
  PetscCall(SpreadLabels(pc, space, &labels));
  PetscCall(FindEntries(pc, space, labels, &row, &subdomain));
  PetscCall(FindSegments(az, space, labels, row, subdomain));
  PetscCall(az.values.Resize(az.entries * sizeof(PetscScalar)));
  PetscCall(az.partial.Resize(az.chunks * sizeof(PetscScalar)));
  PetscCall(s->rows.list.Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}
