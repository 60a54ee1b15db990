#include "report.h"

#include <algorithm>

#include "table.h"

/* The least time of ours or of the rivals, 0 when there is none */
static double Best(const ReportTable &t, const ReportRow &r, bool ours)
{
  double best = 0;

  for (const auto &[name, time] : r.times) {
    const bool is_ours = name.compare(0, t.ours.size(), t.ours) == 0;
    if (is_ours == ours && (best == 0 || time < best)) best = time;
  }
  return best;
}

/* Contestants of any row, in order of appearance */
static std::vector<std::string> Contestants(const ReportTable &t)
{
  std::vector<std::string> columns;

  for (const ReportRow &r : t.rows) {
    for (const auto &time : r.times) {
      if (std::find(columns.begin(), columns.end(), time.first) == columns.end()) columns.push_back(time.first);
    }
  }
  return columns;
}

static BenchTable Shown(const ReportTable &t)
{
  const std::vector<std::string> contestants = Contestants(t);
  BenchTable                     shown{t.title + ", " + t.unit, "", {"what", "rows", "Nc", "nnz"}, {}};

  shown.columns.insert(shown.columns.end(), contestants.begin(), contestants.end());
  shown.columns.insert(shown.columns.end(), {"best rival / ours", "ours / floor"});
  for (const ReportRow &r : t.rows) {
    const double           ours = Best(t, r, true);
    std::vector<BenchCell> row{BenchText(r.what), BenchWhole(r.rows), BenchWhole(r.nc), BenchNumber("%.0f", r.nnz)};
    for (const std::string &c : contestants) {
      const auto time = std::find_if(r.times.begin(), r.times.end(), [&](const auto &p) { return p.first == c; });
      row.push_back(time == r.times.end() ? BenchNone() : BenchNumber("%.4f", time->second));
    }
    row.push_back(BenchRatio(Best(t, r, false), ours));
    row.push_back(BenchRatio(ours, r.floor));
    shown.rows.push_back(row);
  }
  return shown;
}

static BenchJSON JSON(const ReportTable &t)
{
  BenchJSON rows = BenchJSON::array();

  for (const ReportRow &r : t.rows) {
    BenchJSON times = BenchJSON::object();
    for (const auto &[name, time] : r.times) times[name] = BenchNumber("%g", time).value;
    rows.push_back({{"what", r.what},
                    {"rows", r.rows},
                    {"nc", r.nc},
                    {"nnz", r.nnz},
                    {"floor", BenchNumber("%g", r.floor).value},
                    {"times", times}});
  }
  return {{"title", t.title}, {"unit", t.unit}, {"ours", t.ours}, {"rows", rows}};
}

PetscErrorCode ReportFromOptions(const std::vector<ReportTable> &tables)
{
  std::vector<BenchTable> shown;
  BenchJSON               json = BenchJSON::array();

  PetscFunctionBegin;
  for (const ReportTable &t : tables) {
    shown.push_back(Shown(t));
    json.push_back(JSON(t));
  }
  PetscCall(BenchWrite(shown, json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
