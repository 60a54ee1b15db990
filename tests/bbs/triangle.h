/* Triangular matrices and their substitution by hand: what the tests of PC bbs share */
#pragma once

#include "entries.h"

enum class Kind {
  upper,
  lower,
  both /* unit lower L and upper U in one matrix */
};

typedef std::vector<PetscScalar> Numbers;

/* One triangle, with the diagonal blocks, or all; the block size is that of the entries */
static inline Entries Part(const Entries &e, Kind kind)
{
  Entries f;

  f.n  = e.n;
  f.bs = e.bs;
  for (size_t k = 0; k < e.v.size(); k++) {
    const PetscInt m = e.i[k] / e.bs, c = e.j[k] / e.bs;
    if (kind == Kind::both || m == c || (kind == Kind::upper) == (m < c)) f.Add(e.i[k], e.j[k], e.v[k]);
  }
  return f;
}

static inline Entries Transposed(Entries e)
{
  std::swap(e.i, e.j);
  return e;
}

/* x <- D^-1 x for a block by rows, by Gauss elimination with row exchanges */
static inline void SolveBlock(PetscInt bs, Numbers d, PetscScalar *x)
{
  for (PetscInt c = 0; c < bs; c++) {
    PetscInt p = c;
    for (PetscInt r = c; r < bs; r++) p = PetscAbsScalar(d[r * bs + c]) > PetscAbsScalar(d[p * bs + c]) ? r : p;
    for (PetscInt s = 0; s < bs; s++) std::swap(d[c * bs + s], d[p * bs + s]);
    std::swap(x[c], x[p]);
    for (PetscInt r = c + 1; r < bs; r++) {
      const PetscScalar l = d[r * bs + c] / d[c * bs + c];
      for (PetscInt s = c; s < bs; s++) d[r * bs + s] -= l * d[c * bs + s];
      x[r] -= l * x[c];
    }
  }
  for (PetscInt c = bs - 1; c >= 0; c--) {
    for (PetscInt s = c + 1; s < bs; s++) x[c] -= d[c * bs + s] * x[s];
    x[c] /= d[c * bs + c];
  }
}

/* x <- T^-1 x for one triangle of e, block row by block row; with a unit diagonal where asked */
static inline void Substitute(const Entries &e, bool upper, bool unit, Numbers *x)
{
  const PetscInt                   bs = e.bs, nb = e.n / bs;
  std::vector<std::vector<size_t>> rows(nb);

  for (size_t k = 0; k < e.v.size(); k++) rows[e.i[k] / bs].push_back(k);
  for (PetscInt step = 0; step < nb; step++) {
    const PetscInt m = upper ? nb - 1 - step : step;
    Numbers        d(bs * bs, 0);
    for (size_t k : rows[m]) {
      const PetscInt c = e.j[k] / bs;
      if (c == m) d[e.i[k] % bs * bs + e.j[k] % bs] += e.v[k];
      else if (upper == (c > m)) (*x)[e.i[k]] -= e.v[k] * (*x)[e.j[k]];
    }
    if (!unit) SolveBlock(bs, d, x->data() + m * bs);
  }
}

/* What the preconditioner is to make of b */
static inline Numbers ByHand(const Entries &e, Kind kind, bool transposed, Numbers b)
{
  const Entries t = transposed ? Transposed(e) : e;

  if (kind == Kind::both) {
    Substitute(t, false, !transposed, &b);
    Substitute(t, true, transposed, &b);
  } else Substitute(t, (kind == Kind::upper) != transposed, false, &b);
  return b;
}

/* The largest |b - T x|_i / (|T| |x| + |b|)_i: how far the system that x solves is from the one given */
static inline PetscReal BackwardError(const Entries &e, bool transposed, const Numbers &b, const Numbers &x)
{
  std::vector<long double> r(b.begin(), b.end()), size(b.size());
  PetscReal                worst = 0;

  for (size_t i = 0; i < b.size(); i++) size[i] = PetscAbsScalar(b[i]);
  for (size_t k = 0; k < e.v.size(); k++) {
    const PetscInt    i = transposed ? e.j[k] : e.i[k], j = transposed ? e.i[k] : e.j[k];
    const long double a = (long double)e.v[k] * x[j];
    r[i] -= a;
    size[i] += std::fabs(a);
  }
  for (size_t i = 0; i < b.size(); i++) {
    const PetscReal error = size[i] > 0 ? (PetscReal)(std::fabs(r[i]) / size[i]) : 0;
    if (!(error <= worst)) worst = error; /* NaN too */
  }
  return worst;
}

static inline PetscErrorCode ToNumbers(Vec x, Numbers *a)
{
  const PetscScalar *v;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &v));
  a->assign(v, v + n);
  PetscCall(VecRestoreArrayRead(x, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||a - b|| / ||a|| */
static inline PetscReal Distance(const Numbers &a, const Numbers &b)
{
  PetscReal d = 0, n = 0;

  for (size_t i = 0; i < a.size(); i++) {
    d += (a[i] - b[i]) * (a[i] - b[i]);
    n += a[i] * a[i];
  }
  return n > 0 ? std::sqrt(d / n) : std::sqrt(d);
}

/* The options that fit a kind */
static inline std::vector<std::string> Names(Kind kind)
{
  if (kind == Kind::both) return {"-pc_bbs_triangle both "};
  return {"", kind == Kind::upper ? "-pc_bbs_triangle upper " : "-pc_bbs_triangle lower "};
}

/* Three diagonals: in each triangle as many levels as rows */
static inline Entries Chain(PetscInt n)
{
  Entries e;

  e.n = n;
  for (PetscInt i = 0; i < n; i++) {
    if (i > 0) e.Add(i, i - 1, 0.4 * PairNumber(i, 1, 3));
    e.Add(i, i, 1 + 0.1 * PairNumber(i, 2, 3));
    if (i < n - 1) e.Add(i, i + 1, 0.4 * PairNumber(i, 3, 3));
  }
  return e;
}
