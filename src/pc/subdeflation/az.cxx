/* A Z by entries: its structure, found once for a matrix and its labels, and its values */
#include <algorithm>

#include "subdeflation.h"

using hepta::Index;
using namespace hepta::bdia;
using namespace hepta::blocked;
using namespace hepta::subdeflation;

constexpr size_t CHUNK = 1024; /* entries that are summed at once */

/* The labels of rows and of ghost columns: with blocks one subdomain for each field */
static PetscErrorCode SpreadLabels(PC pc)
{
  PC_Subdeflation *s  = Subdeflation(pc);
  HeptaAZ         &az = s->az;
  const PetscInt   bs = s->rows.A->rmap->bs, n = s->rows.A->rmap->n;

  PetscFunctionBegin;
  az.label.resize(n);
  for (PetscInt i = 0; i < n; i++) az.label[i] = s->label[i / bs] * bs + i % bs;
  az.ghost_label.resize(s->rows.ghosts.size());
  PetscCall(PetscSFBcastBegin(s->rows.sf, MPIU_INT, az.label.data(), az.ghost_label.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(s->rows.sf, MPIU_INT, az.label.data(), az.ghost_label.data(), MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry of A Z: subdomains of column and row, and the row */
struct Entry {
  Index e, f, row;
};

/* Every row has one for its own subdomain, even where it sums to nothing */
static PetscErrorCode FindEntries(const HeptaRows &rows, const HeptaAZ &az, std::vector<Entry> &entries)
{
  PetscFunctionBegin;
  entries.reserve(2 * az.label.size());
  for (size_t i = 0; i < az.label.size(); i++) {
    const size_t begin = entries.size();
    entries.push_back({az.label[i], az.label[i], (Index)i});
    PetscCall(rows.Row((PetscInt)i, [&](PetscInt j, bool ghost) {
      const Index e = ghost ? az.ghost_label[j] : az.label[j];
      for (size_t k = begin; k < entries.size(); k++) {
        if (entries[k].e == e) return;
      }
      entries.push_back({e, az.label[i], (Index)i});
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stable, by key(entry) in 0 ... n - 1 */
template <class K> static void CountingSort(std::vector<Entry> &entries, PetscInt n, K key)
{
  std::vector<size_t> next(n + 1, 0);
  std::vector<Entry>  sorted(entries.size());

  for (const Entry &x : entries) next[key(x) + 1]++;
  for (PetscInt k = 0; k < n; k++) next[k + 1] += next[k];
  for (const Entry &x : entries) sorted[next[key(x)]++] = x;
  entries.swap(sorted);
}

/* Entries in order into segments, chunks and columns */
static void MakeSegments(const std::vector<Entry> &entries, HeptaAZ &az)
{
  for (size_t k = 0; k < entries.size(); k++) {
    const Entry &x       = entries[k];
    const bool   column  = !k || x.e != entries[k - 1].e;
    const bool   segment = column || x.f != entries[k - 1].f;
    az.row.push_back(x.row);
    az.subdomain.push_back(x.e);
    if (segment) {
      az.segment.push_back(az.chunk.size());
      az.segment_e.push_back(x.e);
      az.segment_f.push_back(x.f);
    }
    if (column) {
      az.column.push_back(az.chunk.size());
      az.column_at.push_back(x.e);
    }
    if (segment || k - az.chunk.back() == CHUNK) {
      az.chunk.push_back(k);
      az.own.push_back(x.e == x.f);
    }
  }
  az.segment.push_back(az.chunk.size());
  az.column.push_back(az.chunk.size());
  az.chunk.push_back(entries.size());
}

void HeptaAZByRows(HeptaAZ &az)
{
  if (!az.row_first.empty()) return;
  az.row_first.assign(az.label.size() + 1, 0);
  for (Index i : az.row) az.row_first[i + 1]++;
  for (size_t i = 0; i < az.label.size(); i++) az.row_first[i + 1] += az.row_first[i];
  std::vector<size_t> next(az.row_first.begin(), az.row_first.end() - 1);
  az.row_entry.resize(az.row.size());
  for (size_t k = 0; k < az.row.size(); k++) az.row_entry[next[az.row[k]]++] = k;
}

static void Clear(HeptaAZ &az)
{
  for (auto *v : {&az.label, &az.ghost_label, &az.row, &az.subdomain}) v->clear();
  for (auto *v : {&az.chunk, &az.segment, &az.column, &az.column_at, &az.row_first, &az.row_entry, &az.dense_at}) v->clear();
  for (auto *v : {&az.segment_e, &az.segment_f}) v->clear();
  az.own.clear();
  for (auto &t : az.tables) t.Invalidate();
  for (auto &t : az.size_tables) t.Invalidate();
  az.own_table.Invalidate();
}

void HeptaAZTakeLabels(HeptaAZ &az, std::vector<Index> label)
{
  Clear(az);
  az.label.swap(label);
}

PetscErrorCode HeptaSubdeflationStructure(PC pc)
{
  PC_Subdeflation   *s  = Subdeflation(pc);
  HeptaAZ           &az = s->az;
  const PetscInt     d  = s->domains * s->rows.A->rmap->bs;
  std::vector<Entry> entries;

  PetscFunctionBegin;
  Clear(az);
  PetscCall(SpreadLabels(pc));
  PetscCall(FindEntries(s->rows, az, entries));
  CountingSort(entries, d, [](const Entry &x) { return x.f; });
  CountingSort(entries, d, [](const Entry &x) { return x.e; });
  MakeSegments(entries, az);
  for (size_t k = 0; k < az.segment_e.size(); k++) az.dense_at.push_back((size_t)az.segment_f[k] * d + az.segment_e[k]);
  PetscCall(az.values.Resize(az.row.size() * sizeof(PetscScalar)));
  PetscCall(az.partial.Resize(az.own.size() * sizeof(PetscScalar)));
  s->coarse.d = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f with the rows of block diagonals, in the given space */
template <class F> static PetscErrorCode VisitDiagonals(HeptaRows &rows, const HeptaSpace &space, F f)
{
  Mat_Blocked *a      = MatBlocked(rows.A);
  const Index *border = nullptr;

  PetscFunctionBegin;
  if (!a->ghost.border.empty()) PetscCall(rows.border.Get(space, a->ghost.border, &border));
  PetscCall(HeptaVisit(*MatBDIADiagonals(rows.A), space, HeptaAccess::read, [&](auto A) {
    using V = std::remove_reference_t<decltype(*A.v)>;
    GhostView<V> G{};
    if (border) PetscCall(a->ghost.Typed(space, HeptaAccess::read, &G));
    PetscCall(f(DiagonalRows<V>{A, G, border}));
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls f with compressed rows, in the given space */
template <class F> static PetscErrorCode VisitCompressed(HeptaRows &rows, const HeptaSpace &space, F f)
{
  CompressedRows  R{};
  PetscMemType    type;
  const PetscInt *i, *j;
  PetscScalar    *a;

  PetscFunctionBegin;
  for (Mat part : {rows.diag, rows.off}) {
    if (!part) continue;
    PetscCall(MatSeqAIJGetCSRAndMemType(part, &i, &j, &a, &type));
    PetscCheck(!PetscMemTypeHost(type) == space.device, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The compressed rows of %s are not where they were expected", ((PetscObject)part)->type_name);
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

PetscErrorCode HeptaSubdeflationValues(PC pc, const HeptaSpace &space)
{
  PC_Subdeflation *s  = Subdeflation(pc);
  HeptaAZ         &az = s->az;
  const Index     *p[4];
  PetscScalar     *values;

  PetscFunctionBegin;
  const std::vector<Index> *const v[4] = {&az.label, &az.ghost_label, &az.row, &az.subdomain};
  for (int k = 0; k < 4; k++) PetscCall(az.tables[k].Get(space, *v[k], &p[k]));
  PetscCall(az.values.Access(space, HeptaAccess::write, &values));
  const Labels labels  = {p[0], p[1]};
  const auto   compute = [&](const auto &rows) {
    HeptaLaunchEach(space, az_values, az.row.size(), rows, labels, p[2], p[3], values);
    return PETSC_SUCCESS;
  };
  if (s->rows.diag) PetscCall(VisitCompressed(s->rows, space, compute));
  else PetscCall(VisitDiagonals(s->rows, space, compute));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAZSums(HeptaAZ &az, const HeptaSpace &space, const PetscScalar r[], const PetscScalar w[], const PetscScalar **partial)
{
  const Index *row;
  Chunks       c{};
  PetscScalar *values, *sums;

  PetscFunctionBegin;
  c.n = az.own.size();
  PetscCall(az.size_tables[0].Get(space, az.chunk, &c.first));
  PetscCall(az.own_table.Get(space, az.own, &c.own));
  PetscCall(az.tables[2].Get(space, az.row, &row));
  PetscCall(az.values.Access(space, HeptaAccess::read, &values));
  PetscCall(az.partial.Access(space, HeptaAccess::write, &sums));
  HeptaLaunch(space, chunk_sums, c, row, (const PetscScalar *)values, r, w, sums);
  *partial = sums;
  PetscFunctionReturn(PETSC_SUCCESS);
}
