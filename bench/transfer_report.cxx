#include "table.h"
#include "transfer.h"
#include "transfer_fit.h"

/* 8, 512, 2 K, 64 M */
static std::string Bytes(size_t bytes)
{
  const char *units[] = {"", " K", " M", " G"};
  int         u       = 0;

  while (u < 3 && bytes % 1024 == 0) {
    bytes /= 1024;
    u++;
  }
  return std::to_string(bytes) + units[u];
}

/* What a series is called, in the first columns of its tables */
static std::vector<BenchCell> Names(const Series &s)
{
  return {BenchText(s.way), BenchText(s.mode), BenchText(s.direction), BenchText(s.where)};
}

static double Specified(const TransferOptions &o, const Series &s)
{
  return s.link == Link::Host ? (double)o.host_link : s.link == Link::Peer ? (double)o.peer_link : 0;
}

/* GB/s with the most bytes */
static double Rate(const TransferOptions &o, const Series &s)
{
  return 1e-9 * (double)o.sizes.back() / s.seconds.back();
}

static TransferFit Fit(const TransferOptions &o, const Series &s)
{
  return TransferFitModel({o.sizes.begin(), o.sizes.end()}, s.seconds);
}

static BenchTable Models(const TransferOptions &o, const std::string &machine, const TransferResults &results)
{
  BenchTable t{"Transfers: the model latency + bytes / bandwidth",
               machine,
               {"way", "mode", "direction", "who", "latency, us", "bandwidth, GB/s", "largest error, %", "mean error, %",
                "GB/s with " + Bytes(o.sizes.back()), "of the specified link"},
               {}};

  for (const Series &s : results.series) {
    const TransferFit      f   = Fit(o, s);
    std::vector<BenchCell> row = Names(s);

    row.insert(row.end(),
               {BenchNumber("%.2f", 1e6 * f.latency), f.per_byte > 0 ? BenchNumber("%.3f", 1e-9 / f.per_byte) : BenchNone(),
                BenchNumber("%.1f", 100 * f.largest), BenchNumber("%.1f", 100 * f.mean), BenchNumber("%.3f", Rate(o, s)),
                BenchRatio(Rate(o, s), Specified(o, s))});
    t.rows.push_back(row);
  }
  return t;
}

static BenchTable Times(const TransferOptions &o, const TransferResults &results)
{
  BenchTable t{"Transfers: microseconds by bytes", "", {"way", "mode", "direction", "who"}, {}};

  for (size_t bytes : o.sizes) t.columns.push_back(Bytes(bytes));
  for (const Series &s : results.series) {
    std::vector<BenchCell> row = Names(s);
    for (double seconds : s.seconds) row.push_back(BenchNumber("%.2f", 1e6 * seconds));
    t.rows.push_back(row);
  }
  return t;
}

static BenchTable Refusals(const TransferResults &results)
{
  BenchTable t{"Transfers: not possible here", "", {"way", "why"}, {}};

  for (const Refusal &r : results.refusals) t.rows.push_back({BenchText(r.way), BenchText(r.why)});
  return t;
}

static BenchJSON JSON(const TransferOptions &o, const Series &s)
{
  const TransferFit f = Fit(o, s);
  BenchJSON         json, times = BenchJSON::array();

  for (double seconds : s.seconds) times.push_back(BenchNumber("%g", 1e6 * seconds).value);
  json["way"]           = s.way;
  json["mode"]          = s.mode;
  json["direction"]     = s.direction;
  json["who"]           = s.where;
  json["us"]            = times;
  json["latency_us"]    = BenchNumber("%g", 1e6 * f.latency).value;
  json["us_per_byte"]   = BenchNumber("%g", 1e6 * f.per_byte).value;
  json["largest_error"] = BenchNumber("%g", f.largest).value;
  json["mean_error"]    = BenchNumber("%g", f.mean).value;
  json["of_link"]       = BenchRatio(Rate(o, s), Specified(o, s)).value;
  return json;
}

PetscErrorCode TransferReport(const TransferOptions &o, const std::string &machine, const TransferResults &results)
{
  BenchJSON series = BenchJSON::array(), refusals = BenchJSON::array();

  PetscFunctionBegin;
  for (const Series &s : results.series) series.push_back(JSON(o, s));
  for (const Refusal &r : results.refusals) {
    refusals.push_back({{"way", r.way}, {"why", r.why}});
  }
  const BenchJSON json{{"machine", machine}, {"host_link", o.host_link}, {"peer_link", o.peer_link},
                       {"bytes", o.sizes},   {"series", series},         {"not_possible", refusals}};
  PetscCall(BenchWrite({Models(o, machine, results), Times(o, results), Refusals(results)}, json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
