/* The launchers of deflation with two levels, against a dense A Z */
#include "pc/subdeflation/subdeflation_kernels.hxx"
#include "two_levels.h"

using namespace hepta;
using namespace hepta::subdeflation;
using namespace hepta::test;

TEST(SubdeflationTwoLevels, Entries)
{
  Problem             P;
  Placed<float>       A(P.shape, P.A);
  PlacedGhost<float>  B(P.B);
  Indices             positions(12, -1);
  std::vector<Scalar> values[2];
  Indices             first[2] = {{0}, {0}}, columns[2];

  for (std::size_t b = 0; b < P.B.row.size(); b++) positions[P.B.row[b]] = Index(b);
  for (Index i = 0; i < 24; i++) {
    for (int part = 0; part < 2; part++) {
      const Dense &D = part ? P.B.D : P.A;
      for (Index j = 0; j < D.cols; j++) {
        if (D(i, j) == 0) continue;
        columns[part].push_back(j);
        values[part].push_back(D(i, j));
      }
      first[part].push_back(Index(columns[part].size()));
    }
  }
  Memory<Index> own(P.own), ghost(P.ghost), border(positions), row(P.row), subdomain(P.subdomain), ai(first[0]), aj(columns[0]),
    bi(first[1]), bj(columns[1]);
  Memory<Scalar> a(values[0]), b(values[1]), by_diagonals(Vector(P.row.size(), nan_value)),
    by_rows(Vector(P.row.size(), nan_value));
  const Labels              labels{own.get(), ghost.get()};
  const DiagonalRows<float> diagonals{A.view(), B.view(), border.get()};
  const CompressedRows      rows{ai.get(), aj.get(), a.get(), bi.get(), bj.get(), b.get()};
  const Index              *i = row.get(), *e = subdomain.get();

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(az_values, P.row.size(), diagonals, labels, i, e, by_diagonals.get()), nullptr);
  EXPECT_EQ(by_diagonals.values(), P.Entries());
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(az_values, P.row.size(), rows, labels, i, e, by_rows.get()), nullptr);
  EXPECT_EQ(by_rows.values(), P.Entries());
}

/* E, (A Z)^T w, Z^T r and Z^T r - (A Z)^T w from the sums of chunks */
TEST(SubdeflationTwoLevels, Sums)
{
  const Problem         P;
  const Vector          R = numbers(24, 1), W = numbers(24, 2);
  Memory<std::size_t>   first(P.chunk), segment(P.segment), column(P.column), at(P.at);
  Memory<unsigned char> own(P.is_own);
  Memory<Index>         row(P.row);
  Memory<Scalar>        az(P.Entries()), r(R), w(W), partial(Vector(P.is_own.size(), nan_value));
  const Chunks          chunks{P.is_own.size(), first.get(), own.get()};
  const Scalar         *none = nullptr;
  Dense                 E(P.d, P.d);

  for (int kind = 0; kind < 4; kind++) {
    Vector sum(P.d, 0);
    for (Index i = 0; i < 24; i++) {
      if (kind & 1) sum[P.own[i]] += R[i];
      for (Index e = 0; e < P.d && (kind & 2); e++) sum[e] -= P.AZ(i, e) * W[i];
      for (Index e = 0; e < P.d && !kind; e++) E(P.own[i], e) += P.AZ(i, e);
    }
    for (Scalar &s : sum) s *= -2;
    Memory<Scalar> out(Vector(kind ? P.d : P.d * P.d, 0));
    ASSERT_EQ(
      HEPTA_ON_BOTH(chunk_sums, chunks, row.get(), az.get(), kind & 1 ? r.get() : none, kind & 2 ? w.get() : none, partial.get()),
      nullptr);
    const std::size_t n = kind ? P.d : P.at.size(), *begin = kind ? column.get() : segment.get(), *to = kind ? nullptr : at.get();
    ASSERT_EQ(HEPTA_EACH_ON_BOTH(gather, n, begin, to, Scalar(kind ? -2 : 1), (const Scalar *)partial.get(), out.get()), nullptr);
    EXPECT_EQ(out.values(), kind ? sum : E.a);
  }
}

/* Chunks of fewer entries than a warp has lanes, and of more than it has loads in flight */
TEST(SubdeflationTwoLevels, LongChunks)
{
  const Sizes  begin = {0, 1, 32, 64, 192, 321, 1021};
  const Vector V = numbers(begin.back(), 3), R = numbers(50, 1), W = numbers(50, 2);
  Indices      rows;

  for (std::size_t k = 0; k < V.size(); k++) rows.push_back(Index(k * 7 % 50));
  Memory<std::size_t>   first(begin);
  Memory<unsigned char> own({1, 0, 1, 0, 1, 1});
  Memory<Index>         row(rows);
  Memory<Scalar>        az(V), r(R), w(W), partial(Vector(begin.size() - 1, nan_value));
  const Chunks          chunks{begin.size() - 1, first.get(), own.get()};
  Vector                sum(begin.size() - 1, 0);
  for (std::size_t c = 0; c + 1 < begin.size(); c++) {
    for (std::size_t k = begin[c]; k < begin[c + 1]; k++) sum[c] += (c == 1 || c == 3 ? 0 : R[rows[k]]) - V[k] * W[rows[k]];
  }
  ASSERT_EQ(HEPTA_ON_BOTH(chunk_sums, chunks, row.get(), az.get(), r.get(), w.get(), partial.get()), nullptr);
  EXPECT_EQ(partial.values(), sum);
}

/* z + Z y, and r - A Z y by rows */
TEST(SubdeflationTwoLevels, Prolong)
{
  const Problem  P;
  const Vector   W = numbers(24, 3), Y = numbers(P.d, 4);
  Memory<Index>  label(P.own), subdomain(P.subdomain);
  Memory<Scalar> y(Y), w(W), z(Vector(24, nan_value)), t(Vector(24, nan_value)), az(P.Entries());
  const Scalar  *from = y.get(), *none = nullptr;
  Vector         sum(24), product      = W;
  Sizes          first = {0};
  Indices        entries;

  for (Index i = 0; i < 24; i++) {
    sum[i] = Y[P.own[i]];
    for (Index e = 0; e < P.d; e++) product[i] -= P.AZ(i, e) * Y[e];
    for (std::size_t k = P.row.size(); k-- > 0;) {
      if (P.row[k] == i) entries.push_back(Index(k));
    }
    first.push_back(entries.size());
  }
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(prolong, std::size_t(24), (const Index *)label.get(), from, none, z.get()), nullptr);
  EXPECT_EQ(z.values(), sum);
  for (Index i = 0; i < 24; i++) sum[i] += W[i];
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(prolong, std::size_t(24), (const Index *)label.get(), from, (const Scalar *)w.get(), z.get()),
            nullptr);
  EXPECT_EQ(z.values(), sum);
  for (Index i = 0; i < 24; i++) sum[i] += Y[P.own[i]];
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(prolong, std::size_t(24), (const Index *)label.get(), from, (const Scalar *)z.get(), z.get()),
            nullptr);
  EXPECT_EQ(z.values(), sum);
  Memory<std::size_t> row(first);
  Memory<Index>       entry(entries);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(az_product, std::size_t(24), (const std::size_t *)row.get(), (const Index *)entry.get(),
                               (const Index *)subdomain.get(), (const Scalar *)az.get(), from, (const Scalar *)w.get(), t.get()),
            nullptr);
  EXPECT_EQ(t.values(), product);
}
