/* COO places of blocked rows on the device */
#include "../blocked/coo.cuh"
#include "brow_coo.hxx"
#include "brow_row.hxx"

namespace hepta::brow
{

using Key = std::uint64_t; /* row and column of an entry; entries that are ignored have the key after the last */

/* Row r begins where the first key of its own or a later row is; the keys are unique and ascend */
static Status compress(Index rows, Index cols, const Key *key, std::size_t n, void **memory, CSR *csr, Stream stream)
{
  const cudaStream_t s = (cudaStream_t)stream;

  Status bad = device_alloc((std::size_t(rows) + 1 + n) * sizeof(Index), stream, memory);
  if (bad) return bad;
  Index *const i = (Index *)*memory, *const j = i + rows + 1;
  bad = each(n, s, [=] __device__(std::size_t k) { j[k] = Index(key[k] % Key(cols)); });
  if (!bad) bad = each(std::size_t(rows) + 1, s, [=] __device__(std::size_t r) { i[r] = first_above(Index(n), [&](Index k) { return key[k] >= Key(r) * Key(cols); }); });
  *csr = {rows, cols, i, j};
  return bad;
}

Status CooRows::Take(Index rows, Index cols, const blocked::CooEntries &e, Stream stream)
{
  const cudaStream_t s    = (cudaStream_t)stream;
  const Key          none = Key(rows) * Key(cols);
  const long long    n    = (long long)e.n;
  int                bits = 1;
  std::size_t        need[2];
  Key                found[2];

  used = stream;
  while (bits < 64 && none >> bits) bits++;
  Status bad = cuda_status(cub::DeviceRadixSort::SortKeys(nullptr, need[0], (const Key *)nullptr, (Key *)nullptr, n, 0, bits, s));
  if (!bad) bad = cuda_status(cub::DeviceSelect::Unique(nullptr, need[1], (const Key *)nullptr, (Key *)nullptr, (Key *)nullptr, n, s));
  if (!bad) bad = device_alloc((2 * e.n + 2) * sizeof(Key) + (need[0] > need[1] ? need[0] : need[1]), stream, &memory);
  if (bad) return bad;
  Key *const count = (Key *)memory, *const key = count + 2, *const sorted = key + e.n;
  void *const work = sorted + e.n;
  bad              = device_zero(count, 2 * sizeof(Key), stream);
  if (!bad)
    bad = each(e.n, s, [=] __device__(std::size_t k) {
      const Index i = e.i[k], j = e.j[k];
      const bool  ignored = i < 0 || j < 0;
      if (!ignored && (i >= rows || j >= cols)) count[1] = 1;
      key[k] = ignored || i >= rows || j >= cols ? none : Key(i) * Key(cols) + Key(j);
    });
  if (!bad) bad = cuda_status(cub::DeviceRadixSort::SortKeys(work, need[0], (const Key *)key, sorted, n, 0, bits, s));
  if (!bad) bad = cuda_status(cub::DeviceSelect::Unique(work, need[1], (const Key *)sorted, key, count, n, s));
  if (!bad) bad = copy_to_host(found, count, sizeof(found), stream);
  if (bad) return bad;
  outside = found[1] != 0;
  entries = std::size_t(found[0]);
  if (!entries || outside) return nullptr;
  Key last;
  bad = copy_to_host(&last, key + entries - 1, sizeof(last), stream);
  if (bad) return bad;
  if (last == none) entries--;
  if (!entries || entries >= 0x7fffffffu) return nullptr;
  return compress(rows, cols, key, entries, &compressed, &csr, stream);
}

CooRows::~CooRows()
{
  (void)device_free(memory, used);
  (void)device_free(compressed, used);
}

} // namespace hepta::brow

namespace hepta::blocked
{

template Status coo_first_cuda(const brow::View<Scalar> &, const CooEntries &, std::size_t, std::uint32_t *, unsigned long long *, Stream);
template Status coo_duplicates_cuda(const brow::View<Scalar> &, const CooEntries &, const std::uint32_t *, std::size_t, std::uint64_t *, std::uint64_t *, Stream);

} // namespace hepta::blocked
