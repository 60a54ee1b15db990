/* COO locations of blocked rows on the device */
#include "../blocked/coo.cuh"
#include "brow_csr.hxx"
#include "brow_row.hxx"

namespace hepta::brow
{

using Key = std::uint64_t; /* row and column of an entry; an ignored entry has a key larger than all other keys */

/* Row r begins at the first key of row r or a later row; the keys are unique and ascend */
static Status compress(Index rows, Index cols, const Key *key, std::size_t n, void **memory, CSRView *csr, Stream stream)
{
  const cudaStream_t s = (cudaStream_t)stream;

  Status bad = device_alloc((std::size_t(rows) + 1 + n) * sizeof(Index), stream, memory);
  if (bad) return bad;
  Index *const i = (Index *)*memory, *const j = i + rows + 1;
  bad = each(n, s, [=] __device__(std::size_t k) { j[k] = Index(key[k] % Key(cols)); });
  if (!bad)
    bad = each(std::size_t(rows) + 1, s, [=] __device__(std::size_t r) {
      i[r] = first_above(Index(n), [&](Index k) { return key[k] >= Key(r) * Key(cols); });
    });
  *csr = {rows, cols, i, j, nullptr};
  return bad;
}

Status CooRows::Take(Index rows, Index cols, const blocked::CooEntries &e, Stream stream)
{
  const cudaStream_t s    = (cudaStream_t)stream;
  const Key          none = Key(rows) * Key(cols);
  Scratch            scratch(s);
  Key               *key, *count, found[2], last;

  used       = stream;
  Status bad = scratch.Take(e.n, &key, 2, &count);
  if (!bad) bad = device_zero(count, 2 * sizeof(Key), stream);
  if (!bad)
    bad = each(e.n, s, [=] __device__(std::size_t k) {
      const Index i = e.i[k], j = e.j[k];
      const bool  ignored = i < 0 || j < 0;
      if (!ignored && (i >= rows || j >= cols)) count[1] = 1;
      key[k] = ignored || i >= rows || j >= cols ? none : Key(i) * Key(cols) + Key(j);
    });
  if (!bad) bad = sort_once(DeviceEach{stream}, e.n, bits_of(none), key, count);
  if (!bad) bad = copy_to_host(found, count, sizeof(found), stream);
  if (bad) return bad;
  outside = found[1] != 0;
  entries = std::size_t(found[0]);
  if (!entries || outside) return nullptr;
  bad = copy_to_host(&last, key + entries - 1, sizeof(last), stream);
  if (bad) return bad;
  if (last == none) entries--;
  if (!entries || entries >= 0x7fffffffu) return nullptr;
  return compress(rows, cols, key, entries, &compressed, &csr, stream);
}

CooRows::~CooRows()
{
  (void)device_free(compressed, used);
}

} // namespace hepta::brow

namespace hepta::blocked
{

HEPTA_INSTANCE(coo_first_cuda, brow::View<Scalar>)
HEPTA_INSTANCE(coo_duplicates_cuda, brow::View<Scalar>)

} // namespace hepta::blocked
