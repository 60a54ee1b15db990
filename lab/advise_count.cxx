/* The values and indices of a matrix in each format */
#include <algorithm>
#include <cmath>

#include "advise.h"

#include "advise_kernels.hxx"
#include "advise_chain.hxx"
#include "mat/bdia/diagonals.h"
#include "mat/blocked/blocked.h"
#include "mat/brow/brow_layout.hxx"
#include "mat/brow/brow_order.hxx"

using hepta::Index;
using hepta::advise::Blocks;
using hepta::advise::Rows;

/* A rank's rows: the part in its own columns, and the part in other ranks' columns, with global numbers */
struct CompressedParts {
  Rows                     own, ghost;
  hepta::brow::BlockCounts counts;
};

constexpr double index_bytes = sizeof(PetscInt), value_bytes = sizeof(PetscScalar);

static PetscErrorCode GetParts(Mat A, CompressedParts &p)
{
  const PetscInt begin = A->cmap->rstart, end = A->cmap->rend;
  PetscInt       last;

  PetscFunctionBegin;
  p.own.rows = p.ghost.rows = (Index)A->rmap->n;
  p.own.cols                = (Index)A->cmap->n;
  p.ghost.cols              = (Index)A->cmap->N;
  PetscCall(
    HeptaForRows(A, A->rmap->rstart, A->rmap->rend, false, [&](PetscInt, PetscInt n, const PetscInt *cols, const PetscScalar *) {
      for (PetscInt k = 0; k < n; k++) {
        if (cols[k] >= begin && cols[k] < end) p.own.j.push_back((Index)(cols[k] - begin));
        else p.ghost.j.push_back((Index)cols[k]);
      }
      for (Rows *rows : {&p.own, &p.ghost}) {
        PetscCall(PetscIntCast((MPIU_Count)rows->j.size(), &last));
        rows->i.push_back((Index)last);
      }
      return PETSC_SUCCESS;
    }));
  p.counts = hepta::brow::count_blocks(p.own.rows, p.own.cols, p.own.i.data(), p.own.j.data());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds blocks with the index of a block column for each, and further indices */
static void AddBlocks(double blocks, double bs, double indices, HeptaCandidate &c)
{
  c.slots += blocks * bs * bs;
  c.bytes += blocks * (bs * bs * value_bytes + index_bytes) + indices * index_bytes;
}

/* Adds the ghost part of Hepta's types, with the indices of the block rows with ghost blocks */
static void AddGhost(const CompressedParts &p, PetscInt bs, HeptaCandidate &c)
{
  const Blocks b = count_blocks(p.ghost, (int)bs);

  AddBlocks((double)b.blocks, (double)bs, (double)b.rows, c);
}

/* Adds compressed block rows, which also store where each begins */
static void AddCompressed(const CompressedParts &p, PetscInt bs, HeptaCandidate &c)
{
  const bool counted = bs <= hepta::brow::max_counted;

  AddBlocks(counted ? (double)p.counts.blocks[bs] : (double)count_blocks(p.own, (int)bs).blocks, (double)bs,
            p.own.rows / (double)bs + 1, c);
  if (!p.ghost.j.empty()) AddBlocks((double)count_blocks(p.ghost, (int)bs).blocks, (double)bs, p.ghost.rows / (double)bs + 1, c);
}

/* Adds the slices of MATSELL, of 16 rows if PETSc is configured for GPUs, otherwise of 8: a value and a column for each slot, and
   where each slice begins */
static void AddSlices(const Rows &A, HeptaCandidate &c)
{
  const int height = PetscDefined(HAVE_CUDA) || PetscDefined(HAVE_HIP) ? 16 : 8;

  AddBlocks((double)count_slices(A, height), 1, std::ceil((double)A.rows / height) + 1, c);
}

static hepta::brow::Layout Layout(const Rows &A, int bs)
{
  return hepta::brow::make_layout(hepta::brow::block_pattern(A.rows, A.cols, bs, A.i.data(), A.j.data()));
}

static double LongestRow(const Rows &A)
{
  Index longest = 0;

  for (Index row = 0; row < A.rows; row++) longest = std::max(longest, A.i[row + 1] - A.i[row]);
  return (double)longest;
}

/* The chain of the rank's own part on the predicted device */
static double Chain(const CompressedParts &p, const HeptaModel &m, HeptaCandidate &c)
{
  const double rows = (double)p.own.rows;

  switch (c.format) {
  case HeptaMatFormat::bdia: return m.ChainOfDiagonals(rows, (double)c.bs, c.offsets);
  case HeptaMatFormat::brow: {
    const hepta::brow::Layout L = Layout(p.own, (int)c.bs);
    c.alone                     = (double)L.nlong;
    return hepta::advise::chain_of(L, m.BusyThreads());
  }
  case HeptaMatFormat::sell: return hepta::advise::chain_of_sell(rows, c.slots, LongestRow(p.own));
  default: return 0;
  }
}

/* Counts this rank's part; bs is the block size of the Mat; model: of the predicted device, null if there is none */
static void Count(const CompressedParts &p, PetscInt bs, const HeptaModel *model, HeptaCandidate &c)
{
  switch (c.format) {
  case HeptaMatFormat::aij: AddCompressed(p, 1, c); break;
  case HeptaMatFormat::baij: AddCompressed(p, c.bs, c); break;
  case HeptaMatFormat::bdia: {
    size_t slots;
    c.offsets =
      (double)hepta::bdia::csr_offsets({p.own.rows, p.own.cols, p.own.i.data(), p.own.j.data(), nullptr}, (int)c.bs, &slots)
        .size();
    c.slots = (double)slots;
    c.bytes = c.slots * value_bytes;
    AddGhost(p, c.bs, c);
    break;
  }
  case HeptaMatFormat::brow:
    c.slots = (double)p.counts.blocks[c.bs] * (double)(c.bs * c.bs);
    c.bytes = p.counts.bytes((int)c.bs, sizeof(PetscScalar));
    AddGhost(p, bs, c);
    break;
  case HeptaMatFormat::sell:
    AddSlices(p.own, c);
    if (!p.ghost.j.empty()) AddSlices(p.ghost, c);
    break;
  }
  if (model) c.chain = Chain(p, *model, c);
}

/* sizes <- the block sizes from 1 to 8 that divide the rows and columns of every rank, and the block size of the Mat */
static PetscErrorCode BlockSizes(Mat A, std::vector<PetscInt> &sizes)
{
  const PetscInt own     = HeptaCommonBlockSize(A);
  PetscInt       wrong[] = {0, 0, 0, 0, 0, 0, 0, 0};

  PetscFunctionBegin;
  for (PetscInt bs = 1; bs <= 8; bs++) wrong[bs - 1] = A->rmap->n % bs || A->cmap->n % bs;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, wrong, 8, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
  for (PetscInt bs = 1; bs <= 8; bs++) {
    if (!wrong[bs - 1]) sizes.push_back(bs);
  }
  if (own > 8) sizes.push_back(own);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void List(const std::vector<PetscInt> &sizes, std::vector<HeptaCandidate> &list)
{
  list.emplace_back(HeptaMatFormat::aij);
  for (PetscInt bs : sizes) {
    if (bs > 1) list.emplace_back(HeptaMatFormat::baij, bs);
  }
  for (PetscInt bs : sizes) list.emplace_back(HeptaMatFormat::bdia, bs);
  for (PetscInt bs = 1; bs <= hepta::brow::max_counted; bs++) list.emplace_back(HeptaMatFormat::brow, bs);
  list.emplace_back(HeptaMatFormat::sell);
}

/* Adds brow with the best tile size in an order with denser tiles, if found; for square matrices on one rank */
static void CountOrdered(HeptaAdvice &a, const Rows &rows)
{
  HeptaCandidate  c(HeptaMatFormat::brow);
  CompressedParts p;

  a.order = hepta::brow::density_order(rows.rows, rows.i.data(), rows.j.data());
  if (a.order.empty()) return;
  p.own.rows = p.own.cols = rows.rows;
  hepta::brow::permute_rows(a.order, rows.i, rows.j, p.own.i, p.own.j);
  p.counts  = hepta::brow::count_blocks(p.own.rows, p.own.cols, p.own.i.data(), p.own.j.data());
  c.bs      = p.counts.best(sizeof(PetscScalar));
  c.ordered = true;
  Count(p, 1, a.model.get(), c);
  a.candidates.push_back(c);
}

PetscErrorCode HeptaAdviceCount(HeptaAdvice &a)
{
  const hepta::bdia::Options limits;
  const Mat                  A  = a.aij;
  const PetscInt             bs = HeptaCommonBlockSize(A);
  std::vector<PetscInt>      sizes;
  CompressedParts            p;
  PetscMPIInt                size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(a.comm, &size));
  PetscCall(GetParts(A, p));
  a.entries = (double)p.own.j.size() + (double)p.ghost.j.size();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &a.entries, 1, MPI_DOUBLE, MPI_SUM, a.comm));
  PetscCall(BlockSizes(A, sizes));
  List(sizes, a.candidates);
  for (HeptaCandidate &c : a.candidates) {
    Count(p, bs, a.model.get(), c);
    double sums[] = {c.bytes, c.slots}, most[] = {c.offsets, c.chain, c.alone};
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, a.comm));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, a.comm));
    c.bytes   = sums[0];
    c.slots   = sums[1];
    c.offsets = most[0];
    c.chain   = most[1];
    c.alone   = most[2];
    if (c.offsets > (double)limits.max_offsets) c.misfit = HeptaFormat("%.0f offsets", c.offsets);
    else if (c.format == HeptaMatFormat::bdia && c.slots > (double)limits.max_fill * a.entries)
      c.misfit = HeptaFormat("fill above %.1f", (double)limits.max_fill);
  }
  if (size == 1 && A->rmap->N == A->cmap->N) CountOrdered(a, p.own);
  PetscFunctionReturn(PETSC_SUCCESS);
}
