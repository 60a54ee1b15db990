static char help[] = "MatSetPreallocationCOO() with entries in several orders, of which a few belong to other ranks or count for "
                     "nothing, compared with MATAIJ.\n\n";

#include "core.h"
#include "failure.h"

#include <numeric>

/* How a rank gives the entries of its rows */
enum class Order {
  ROWS,    /* row by row, columns ascending */
  BLOCKS,  /* block by block, each by rows */
  REVERSE, /* the last of ROWS first */
  MIXED    /* in no order */
};
static const char *const order_names[] = {"by rows", "by blocks", "reversed", "mixed"};

struct Locations {
  std::vector<PetscInt> i, j;

  void Add(PetscInt row, PetscInt column)
  {
    i.push_back(row);
    j.push_back(column);
  }
};

/* The entries of the block rows [begin, end) of a block pentadiagonal matrix, without every eleventh */
static Locations BandOf(const Shape &s, PetscInt begin, PetscInt end, Order order)
{
  Locations p, q;

  for (PetscInt m = begin; m < end; m++) {
    for (PetscInt r = 0; r < s.bs * 5; r++) { /* `r` counts rows and offsets, either first */
      const PetscInt row = order == Order::BLOCKS ? r % s.bs : r / 5, o = (order == Order::BLOCKS ? r / s.bs : r % 5) - 2;
      for (PetscInt c = 0; c < s.bs && m + 3 * o >= 0 && m + 3 * o < s.nbc; c++) {
        if ((7 * row + 3 * c + o + 2) % 11 || s.bs == 1) p.Add(m * s.bs + row, (m + 3 * o) * s.bs + c);
      }
    }
  }
  if (order == Order::ROWS || order == Order::BLOCKS) return p;
  std::vector<size_t> at(p.i.size());
  std::iota(at.rbegin(), at.rend(), 0);
  if (order == Order::MIXED)
    std::sort(at.begin(), at.end(),
              [](size_t a, size_t b) { return PairNumber((PetscInt)a, 1, 5) < PairNumber((PetscInt)b, 1, 5); });
  for (size_t k : at) q.Add(p.i[k], p.j[k]);
  return q;
}

/* Puts the entry (i, j) in several places, at borders of what an analysis may take at a time and between them */
static void Disturb(Locations &p, PetscInt i, PetscInt j)
{
  for (size_t at : {(size_t)1023, (size_t)1024, (size_t)1500, (size_t)2048, p.i.size()}) {
    at = PetscMin(at, p.i.size());
    p.i.insert(p.i.begin() + at, i);
    p.j.insert(p.j.begin() + at, j);
  }
}

static PetscErrorCode SetAll(Mat A, const Locations &locations)
{
  Locations                p = locations; /* the call may change them */
  std::vector<PetscScalar> v(p.i.size());
  PetscMPIInt              rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(MatSetPreallocationCOO(A, (PetscCount)p.i.size(), p.i.data(), p.j.data()));
  for (InsertMode mode : {INSERT_VALUES, ADD_VALUES}) {
    for (size_t k = 0; k < v.size(); k++) v[k] = PairNumber((PetscInt)k, rank, (PetscInt)mode);
    PetscCall(MatSetValuesCOO(A, v.data(), mode));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first rank's last entry is past the end: all ranks hear of it by its number */
static PetscErrorCode LateOutOfRange(MPI_Comm comm, const Shape &s, const Locations &band)
{
  Locations   p    = band;
  PetscInt    last = (PetscInt)p.i.size() - 1;
  PetscMPIInt rank;
  Mat         A;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(NewMat(comm, s, TestType(), "t_", &A));
  if (!rank) p.j[last] = s.nbc * s.bs;
  PetscCallMPI(MPI_Bcast(&last, 1, MPIU_INT, 0, comm));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "COO entry " + std::to_string(last) + " has row ",
                        [&] { return MatSetPreallocationCOO(A, (PetscCount)p.i.size(), p.i.data(), p.j.data()); }));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, PetscInt bs, PetscInt nbr)
{
  Shape    s;
  PetscInt end;

  PetscFunctionBegin;
  s.bs  = bs;
  s.nbr = s.nbc      = nbr;
  const PetscInt own = ShareOf(comm, nbr, s.rows);
  PetscCallMPI(MPI_Scan(&own, &end, 1, MPIU_INT, MPI_SUM, comm));
  for (Order order : {Order::ROWS, Order::BLOCKS, Order::REVERSE, Order::MIXED}) {
    const Locations   plain = BandOf(s, end - own, end, order);
    Locations         some[4];
    const std::string names[4] = {"", " with ignored rows", " with ignored columns", " with the last entry"};

    for (Locations &p : some) p = plain;
    Disturb(some[1], -1, 0);
    Disturb(some[2], (end - own) * bs, -5);
    Disturb(some[3], nbr * bs - 1, nbr * bs - 1); /* another rank's, but for the last one */
    for (int k = 0; k < 4; k++)
      PetscCall(CheckRecipe(comm, s, "t_", 1e-13, std::string("COO ") + order_names[(int)order] + names[k],
                            [&](Mat A) { return SetAll(A, some[k]); }));
    PetscCall(LateOutOfRange(comm, s, plain));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"t_"}));
  for (const auto &size : std::vector<std::pair<PetscInt, PetscInt>>{{1, 1500}, {2, 500}, {3, 200}, {8, 30}, {9, 25}})
    PetscCall(Test(PETSC_COMM_WORLD, size.first, size.second));
  PetscCall(PetscFinalize());
  return 0;
}
