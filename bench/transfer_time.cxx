#include <petsctime.h>

#include <algorithm>

#include "transfer.h"

static PetscErrorCode FirstRanks(PetscMPIInt n, const std::string &where, std::vector<Group> *groups)
{
  PetscMPIInt rank;
  MPI_Comm    comm;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &comm));
  groups->push_back({where, comm});
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferRanks(std::vector<Group> *groups)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(FirstRanks(1, "one rank", groups));
  if (size > 1) PetscCall(FirstRanks(size, std::to_string(size) + " ranks at once", groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferPairs(std::vector<Group> *groups)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(FirstRanks(2, "one pair", groups));
  if (size > 3) PetscCall(FirstRanks(size - size % 2, std::to_string(size / 2) + " pairs at once", groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferFree(std::vector<Group> *groups)
{
  PetscFunctionBegin;
  for (Group &g : *groups) {
    if (g.comm != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&g.comm));
  }
  groups->clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferAgree(std::string *why)
{
  PetscMPIInt rank, size, first;
  char        text[512] = "";

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  first = why->empty() ? size : rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(text, why->c_str(), sizeof(text)));
  PetscCallMPI(MPI_Bcast(text, (PetscMPIInt)sizeof(text), MPI_CHAR, first, PETSC_COMM_WORLD));
  *why = text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Partners::Get(Partners *p)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &p->rank));
  p->peer = p->rank ^ 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void TransferAddDirections(Way w, const Partners &p, const Step &send, const Step &receive, const Step &exchange,
                           std::vector<Way> *ways)
{
  const Step first = p.rank < p.peer ? send : receive, second = p.rank < p.peer ? receive : send;

  w.direction = "one direction";
  w.trips     = 2;
  w.start     = [first, second](size_t bytes) {
    PetscFunctionBegin;
    PetscCall(first(bytes));
    PetscCall(second(bytes));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  ways->push_back(w);
  w.direction = "both at once";
  w.trips     = 1;
  w.start     = exchange;
  ways->push_back(w);
}

static PetscErrorCode Run(const Way &w, size_t bytes, PetscInt calls)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < calls; k++) {
    PetscCall(w.start(bytes));
    if (w.each) PetscCall(w.wait());
  }
  if (!w.each) PetscCall(w.wait());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One transfer, whose bytes must have come everywhere */
static PetscErrorCode Check(const Group &g, const Way &w, size_t bytes)
{
  PetscBool right;

  PetscFunctionBegin;
  PetscCall(w.clear(bytes));
  PetscCallMPI(MPI_Barrier(g.comm));
  PetscCall(Run(w, bytes, 1));
  PetscCallMPI(MPI_Barrier(g.comm));
  PetscCall(w.holds(bytes, &right));
  PetscCheck(right, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s, %s, %s: %zu bytes did not come as they were sent", w.way.c_str(),
             w.mode.c_str(), w.direction.c_str(), g.where.c_str(), bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of one transfer of a batch on the slowest rank */
static PetscErrorCode Batch(const Group &g, const Way &w, size_t bytes, PetscInt calls, double *seconds)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(g.comm));
  PetscCall(PetscTime(&begin));
  PetscCall(Run(w, bytes, calls));
  PetscCall(PetscTime(&end));
  *seconds = (end - begin) / (double)(calls * w.trips);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, g.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every way for one size; warm-up batches, which are not counted, tell how many transfers fill the time of a batch */
static PetscErrorCode TimeSize(const TransferOptions &o, const Group &g, const std::vector<Way> &ways, size_t bytes,
                               std::vector<Series> &series)
{
  std::vector<std::vector<double>> seconds(ways.size());
  std::vector<PetscInt>            calls;
  double                           s;

  PetscFunctionBegin;
  for (const Way &w : ways) {
    PetscCall(Check(g, w, bytes));
    PetscCall(Batch(g, w, bytes, std::min((PetscInt)2, o.calls), &s));
    calls.push_back(
      std::max(std::min((PetscInt)2, o.calls), (PetscInt)std::min((double)o.calls, o.batch / std::max(s * w.trips, 1e-9))));
  }
  for (PetscInt k = 0; k < o.repeats; k++) {
    for (size_t i = 0; i < ways.size(); i++) {
      PetscCall(Batch(g, ways[i], bytes, calls[i], &s));
      seconds[i].push_back(s);
    }
  }
  for (size_t i = 0; i < ways.size(); i++) {
    std::nth_element(seconds[i].begin(), seconds[i].begin() + seconds[i].size() / 2, seconds[i].end());
    series[i].seconds.push_back(seconds[i][seconds[i].size() / 2]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferTime(const TransferOptions &o, const Group &g, const std::vector<Way> &ways, TransferResults *results)
{
  std::vector<Series> series;

  PetscFunctionBegin;
  if (g.comm == MPI_COMM_NULL) PetscFunctionReturn(PETSC_SUCCESS);
  for (const Way &w : ways) series.push_back({w.way, w.mode, w.direction, g.where, w.link, {}});
  for (size_t bytes : o.sizes) PetscCall(TimeSize(o, g, ways, bytes, series));
  results->series.insert(results->series.end(), series.begin(), series.end());
  PetscFunctionReturn(PETSC_SUCCESS);
}
