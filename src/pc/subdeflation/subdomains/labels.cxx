/* The subdomain of each block row */
#include <algorithm>
#include <cmath>

#include "../../../shared/rows.h"
#include "../subdeflation.h"
#include "subdomains_kernels.hxx"

using hepta::Index;
using namespace hepta::subdeflation;

/* The key of a block row's subdomain: (major, minor) with major < majors, minor < minors; without major: minor alone */
struct SubdomainKeys {
  HeptaValues major, minor;
  PetscInt    majors = 0, minors = 0;
};

/* The number of subdomains requested, at most the number of block rows */
static PetscErrorCode Count(PC pc, PetscInt *count)
{
  PC_Subdeflation *s  = Subdeflation(pc);
  const PetscInt   nb = s->rows.A->rmap->N / HeptaBlockSize(s->rows.A->rmap);

  PetscFunctionBegin;
  *count = s->count ? s->count : PetscMin(nb, 1024);
  PetscCheck(*count <= nb, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " subdomains (-pc_subdeflation_count) are more than the matrix has block rows: %" PetscInt_FMT,
             *count, nb);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs of consecutive block rows, as equal as they can be */
static PetscErrorCode Stripes(PC pc, const HeptaSpace &space, SubdomainKeys &key)
{
  Mat            A  = Subdeflation(pc)->rows.A;
  const PetscInt bs = HeptaBlockSize(A->rmap);
  Index         *stripe;

  PetscFunctionBegin;
  PetscCall(Count(pc, &key.minors));
  PetscCall(key.minor.Make(space, (size_t)(A->rmap->n / bs), &stripe));
  HeptaLaunchEach(space, stripe_keys, (size_t)(A->rmap->n / bs), (long long)(A->rmap->rstart / bs), (long long)key.minors,
                  (long long)(A->rmap->N / bs), stripe);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The cells along a side of a box, at least 4. The number d of boxes is about 2048, where convergence is fast and the dense
   inverse cheap. In small grids d is at most cells^(2/3), so that the d^3 operations of the inverse stay in proportion to a
   solve.
*/
static PetscInt DefaultSize(const HeptaGrid &g)
{
  const double d     = PetscMin(2048., std::pow((double)g.n[0] * (double)g.n[1] * (double)g.n[2], 2. / 3.));
  PetscInt     size  = 4;
  const auto   boxes = [&](int x) { return (double)((g.n[x] + size - 1) / size); };

  while (boxes(0) * boxes(1) * boxes(2) > PetscMax(d, 1.)) size++;
  return size;
}

/* The cells of this rank's block rows */
static Cells CellsOf(const HeptaGrid &g)
{
  Cells cells{};

  for (int x = 0; x < 3; x++) {
    cells.width[x] = g.box ? g.size[x] : g.n[x];
    cells.start[x] = g.box ? g.start[x] : 0;
  }
  cells.first = g.box ? 0 : g.first;
  return cells;
}

static PetscErrorCode Boxes(PC pc, const HeptaSpace &space, SubdomainKeys &key)
{
  PC_Subdeflation *s    = Subdeflation(pc);
  const size_t     rows = (size_t)(s->rows.A->rmap->n / HeptaBlockSize(s->rows.A->rmap));
  PetscInt        *size = s->size;
  CellBoxes        boxes;
  Index           *box;

  PetscFunctionBegin;
  PetscCheck(s->grid.dim, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
             "Boxes (-pc_subdeflation_type boxes) need a grid: give -pc_subdeflation_grid n or nx,ny or nx,ny,nz, a DMDA, or a "
             "bdia matrix with -mat_bdia_grid; or take -pc_subdeflation_type stripes");
  for (PetscInt x = 0; x < 3; x++) {
    if (!s->nsize) size[x] = DefaultSize(s->grid);
    else if (x >= s->nsize) size[x] = size[s->nsize - 1];
    boxes.size[x] = PetscMin(size[x], s->grid.n[x]);
    boxes.n[x] = s->boxes[x] = (s->grid.n[x] - 1) / boxes.size[x] + 1;
  }
  key.minors = s->boxes[0] * s->boxes[1] * s->boxes[2];
  PetscCall(key.minor.Make(space, rows, &box));
  HeptaLaunchEach(space, box_keys, rows, CellsOf(s->grid), boxes, box);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph of block rows */
static PetscErrorCode Adjacency(PC pc, PetscInt nb, Mat *adjacency)
{
  Mat                   A  = Subdeflation(pc)->rows.A;
  const PetscInt        bs = HeptaBlockSize(A->rmap), first = A->rmap->rstart / bs;
  PetscInt             *i, *j;
  std::vector<PetscInt> cols;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nb + 1, &i));
  i[0] = 0;
  for (PetscInt m = 0; m < nb; m++) {
    const size_t begin = cols.size();
    PetscCall(HeptaForRows(A, (first + m) * bs, (first + m + 1) * bs, false,
                           [&](PetscInt, PetscInt n, const PetscInt *column, const PetscScalar *) {
                             for (PetscInt k = 0; k < n; k++) cols.push_back(column[k] / bs);
                             return PETSC_SUCCESS;
                           }));
    std::sort(cols.begin() + begin, cols.end());
    cols.erase(std::unique(cols.begin() + begin, cols.end()), cols.end());
    cols.erase(std::remove(cols.begin() + begin, cols.end(), first + m), cols.end());
    PetscCall(PetscIntCast((MPIU_Count)cols.size(), &i[m + 1]));
  }
  PetscCall(PetscMalloc1(cols.size(), &j));
  std::copy(cols.begin(), cols.end(), j);
  PetscCall(MatCreateMPIAdj(PetscObjectComm((PetscObject)pc), nb, A->rmap->N / bs, i, j, nullptr, adjacency));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Partitions the graph by MatPartitioning */
static PetscErrorCode Graph(PC pc, SubdomainKeys &key)
{
  Mat             A    = Subdeflation(pc)->rows.A;
  const PetscInt  rows = A->rmap->n / HeptaBlockSize(A->rmap);
  Mat             adjacency;
  MatPartitioning part;
  const PetscInt *number;
  IS              is;

  PetscFunctionBegin;
  PetscCall(Count(pc, &key.minors));
  PetscCall(Adjacency(pc, rows, &adjacency));
  PetscCall(MatPartitioningCreate(PetscObjectComm((PetscObject)pc), &part));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)part, ((PetscObject)pc)->prefix));
  PetscCall(PetscObjectAppendOptionsPrefix((PetscObject)part, "pc_subdeflation_"));
  PetscCall(MatPartitioningSetAdjacency(part, adjacency));
#if !defined(PETSC_HAVE_PARMETIS) && !defined(PETSC_HAVE_PTSCOTCH) && !defined(PETSC_HAVE_CHACO) && !defined(PETSC_HAVE_PARTY)
  PetscCall(MatPartitioningSetType(part, MATPARTITIONINGAVERAGE)); /* PETSc's own: runs of consecutive rows */
#endif
  PetscCall(MatPartitioningSetNParts(part, key.minors));
  PetscCall(MatPartitioningSetFromOptions(part));
  PetscCall(MatPartitioningApply(part, &is));
  PetscCall(ISGetIndices(is, &number));
  /* -mat_partitioning_nparts may be larger than the count */
  for (PetscInt m = 0; m < rows; m++) key.minors = PetscMax(key.minors, number[m] + 1);
  PetscCall(key.minor.Take(std::vector<PetscInt>(number, number + rows)));
  PetscCall(ISRestoreIndices(is, &number));
  PetscCall(ISDestroy(&is));
  PetscCall(MatPartitioningDestroy(&part));
  PetscCall(MatDestroy(&adjacency));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The user's labels of the local block rows; *there <- the number of subdomains, empty subdomains included */
static PetscErrorCode Given(PC pc, SubdomainKeys &key, PetscInt *there)
{
  PC_Subdeflation *s  = Subdeflation(pc);
  Mat              A  = s->rows.A;
  const PetscInt   bs = HeptaBlockSize(A->rmap);
  const PetscInt  *number;
  std::string      why;
  PetscInt         n, last = -1;

  PetscFunctionBegin;
  PetscCheck(s->labels, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
             "-pc_subdeflation_type labels needs PCSubdeflationSetLabels()");
  PetscCall(ISGetLocalSize(s->labels, &n));
  if (n != A->rmap->n / bs)
    why = HeptaFormat("PCSubdeflationSetLabels() was given %" PetscInt_FMT " labels on an MPI process with %" PetscInt_FMT
                      " block rows",
                      n, A->rmap->n / bs);
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)pc), why.empty() ? PETSC_SUCCESS : PETSC_ERR_ARG_SIZ, why));
  key.minors = s->count ? s->count : A->rmap->N / bs;
  PetscCall(ISGetIndices(s->labels, &number));
  for (PetscInt m = 0; m < n; m++) {
    if ((number[m] < 0 || number[m] >= key.minors) && why.empty()) {
      why = HeptaFormat("Block row %" PetscInt_FMT " has label %" PetscInt_FMT ", which is not from 0 to %" PetscInt_FMT,
                        A->rmap->rstart / bs + m, number[m], key.minors - 1);
    }
    last = PetscMax(last, number[m]);
  }
  PetscCall(key.minor.Take(std::vector<PetscInt>(number, number + n)));
  PetscCall(ISRestoreIndices(s->labels, &number));
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)pc), why.empty() ? PETSC_SUCCESS : PETSC_ERR_ARG_OUTOFRANGE, why));
  PetscCallMPI(MPIU_Allreduce(&last, there, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)pc)));
  *there += 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Components of strongly coupled rows, split into boxes if `boxes` */
static PetscErrorCode Materials(PC pc, const HeptaSpace &space, bool boxes, SubdomainKeys &key)
{
  PC_Subdeflation *s = Subdeflation(pc);

  PetscFunctionBegin;
  if (boxes) {
    PetscCall(HeptaSubdeflationMaterial(pc, space, key.major, &key.majors));
    PetscCall(Boxes(pc, space, key));
    for (PetscInt &b : s->boxes) b = 0; /* E is not a matrix on the grid of boxes */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaSubdeflationMaterial(pc, space, key.minor, &key.minors));
  PetscCheck(key.minors <= s->most, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "%" PetscInt_FMT " components of strongly coupled rows are more than -pc_subdeflation_max %" PetscInt_FMT
             ": use -pc_subdeflation_type boxes, or a smaller -pc_subdeflation_strength",
             key.minors, s->most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* label and domains of the PC <- the numbers of the keys that occur on any rank; collective */
static PetscErrorCode Number(PC pc, const HeptaSpace &space, SubdomainKeys &key)
{
  PC_Subdeflation        *s    = Subdeflation(pc);
  const size_t            rows = (size_t)(s->rows.A->rmap->n / HeptaBlockSize(s->rows.A->rmap));
  std::vector<PetscInt64> keys;
  std::vector<PetscInt>   labels;
  Index                  *major = nullptr, *minor;

  PetscFunctionBegin;
  if (s->rows.A->rmap->size == 1) {
    PetscCall(
      HeptaNumberLocal(space, rows, key.majors ? &key.major : nullptr, key.majors, key.minor, key.minors, s->label, &s->domains));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (key.majors) PetscCall(key.major.Access(HeptaSpace(), HeptaAccess::read, &major));
  PetscCall(key.minor.Access(HeptaSpace(), HeptaAccess::read, &minor));
  keys.resize(rows);
  for (size_t m = 0; m < rows; m++) keys[m] = (major ? (PetscInt64)major[m] * key.minors : 0) + minor[m];
  PetscCall(HeptaNumberKeys(PetscObjectComm((PetscObject)pc), keys, labels, &s->domains));
  PetscCall(s->label.Take(labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationLabel(PC pc, const HeptaSpace &space)
{
  PC_Subdeflation *s     = Subdeflation(pc);
  PetscInt         there = 0;
  SubdomainKeys    key;

  PetscFunctionBegin;
  PetscCall(s->rows.list.Free());
  for (PetscInt &b : s->boxes) b = 0;
  switch (s->type) {
  case HEPTA_SUBDEFLATION_STRIPES: PetscCall(Stripes(pc, space, key)); break;
  case HEPTA_SUBDEFLATION_BOXES: PetscCall(Boxes(pc, space, key)); break;
  case HEPTA_SUBDEFLATION_GRAPH: PetscCall(Graph(pc, key)); break;
  case HEPTA_SUBDEFLATION_MATERIAL:
  case HEPTA_SUBDEFLATION_MATERIALBOXES: PetscCall(Materials(pc, space, s->type == HEPTA_SUBDEFLATION_MATERIALBOXES, key)); break;
  case HEPTA_SUBDEFLATION_LABELS: PetscCall(Given(pc, key, &there)); break;
  case HEPTA_SUBDEFLATION_VECTORS:
  case HEPTA_SUBDEFLATION_AUTO:
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB, "Subdomains of the type %s have no labels",
            HeptaSubdeflationTypes[s->type]);
  }
  if (s->type == HEPTA_SUBDEFLATION_MATERIAL) { /* key.minor numbers the components from 0 */
    s->label.Swap(key.minor);
    s->domains = key.minors;
  } else PetscCall(Number(pc, space, key));
  s->dropped = there ? there - s->domains : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSubdeflationSetLabels - Gives `PCSUBDEFLATION` the subdomain of each block row

  Collective

  Input Parameters:
+ pc     - the preconditioner
- labels - on each MPI process as many numbers as it has block rows (rows, for block size 1), each at least 0

  Level: intermediate

  Notes:
  Does nothing for a preconditioner of another type. A subdomain may have rows of several MPI processes. Numbers without rows are
  dropped; the view shows how many. With block size bs > 1 a subdomain has bs coarse unknowns, one for each field.

.seealso: `PCSUBDEFLATION`, `PCSubdeflationSetType()`, `PCSubdeflationSetVectors()`
@*/
PetscErrorCode PCSubdeflationSetLabels(PC pc, IS labels)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidHeaderSpecific(labels, IS_CLASSID, 2);
  PetscTryMethod(pc, "PCSubdeflationSetLabels_C", (PC, IS), (pc, labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}
