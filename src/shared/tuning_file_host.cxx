#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <set>
#include <sstream>

#include "tuning_file.hxx"

namespace hepta
{

static const char title[] = "hepta tuning 1", last_line[] = "end";

const std::vector<TuningNumber> &tuning_numbers()
{
  static const std::vector<TuningNumber> numbers = {
    {"bandwidth", "bytes a microsecond of a pass over vectors", &Tuning::bandwidth},
    {"pass", "microseconds of the shortest iteration of a Krylov method that is recorded", &Tuning::pass},
    {"recording", "microseconds to launch a recording of iterations", &Tuning::recording},
    {"busy_threads", "threads that keep the memory of a multiprocessor busy", &Tuning::busy_threads},
    {"product_threads", "bdia: threads of a thread block of a product whose rows are not shared", &Tuning::product_threads},
    {"cache_share", "part of the second-level cache that keeps a matrix from product to product", &Tuning::cache_share},
    {"gridmg_tiles", "gridmg: tiles that a multiprocessor works on at once below three dimensions", &Tuning::gridmg_tiles},
    {"level_kernel", "bbs: microseconds of a level that is a kernel of its own", &Tuning::level_kernel},
    {"level_bandwidth", "bbs: bytes a microsecond that such kernels read", &Tuning::level_bandwidth},
    {"level_alone", "bbs: microseconds of a level in one thread block", &Tuning::level_alone},
    {"level_shared", "bbs: microseconds of a level of one of several chunks", &Tuning::level_shared},
    {"chunk_bandwidth", "bbs: bytes a microsecond that one multiprocessor reads", &Tuning::chunk_bandwidth},
    {"chunk_step", "bbs: microseconds of a step of the threads of a chunk", &Tuning::chunk_step},
    {"chunk_share", "bbs: microseconds to halve the number of partial sums of a row", &Tuning::chunk_share},
    {"chunk_barrier", "bbs: microseconds of a barrier of a thread block", &Tuning::chunk_barrier},
    {"chunk_fetches", "bbs: values a microsecond that are fetched from other chunks", &Tuning::chunk_fetches},
    {"chunk_fetch", "bbs: microseconds of a value of another chunk, many right-hand sides", &Tuning::chunk_fetch},
    {"chunk_wait", "bbs: microseconds of a level of one of several chunks, beside its steps", &Tuning::chunk_wait},
    {"chunk_handover", "bbs: microseconds from a value of a chunk to the level of another that waits for it",
     &Tuning::chunk_handover},
    {"syncfree_level", "bbs: microseconds of a level, and of 128 entries of a row, that waits for warps",
     &Tuning::syncfree_level},
    {"syncfree_bandwidth", "bbs: bytes a microsecond that warps read while they wait", &Tuning::syncfree_bandwidth},
    {"together_level", "bbs: microseconds of a level for many right-hand sides together", &Tuning::together_level},
    {"together_long_entry", "bbs: microseconds of an entry of the longest row, for them together", &Tuning::together_long_entry},
    {"together_value", "bbs: microseconds of a value of a right-hand side and of the solution", &Tuning::together_value},
    {"together_entry", "bbs: microseconds of an entry, for each right-hand side", &Tuning::together_entry},
    {"ipc_latency", "microseconds of the shortest exchange by the transport ipc", &Tuning::ipc_latency},
    {"ipc_bandwidth", "bytes a microsecond of long ones", &Tuning::ipc_bandwidth},
    {"nccl_latency", "microseconds of the shortest exchange by the transport nccl", &Tuning::nccl_latency},
    {"nccl_bandwidth", "bytes a microsecond of long ones", &Tuning::nccl_bandwidth},
    {"mpi_latency", "microseconds of the shortest exchange by the transport mpi", &Tuning::mpi_latency},
    {"mpi_bandwidth", "bytes a microsecond of long ones", &Tuning::mpi_bandwidth},
  };

  return numbers;
}

std::string write_tuning(const TuningFile &file)
{
  std::ostringstream out;

  out.imbue(std::locale::classic());
  out.precision(9);
  out << title << "\ngpu " << file.key.gpu << "\nmultiprocessors " << file.key.multiprocessors << "\ndriver " << file.key.driver
      << "\ncuda " << file.key.cuda << "\nlibrary " << file.key.library << "\n";
  for (const TuningNumber &n : tuning_numbers()) out << n.name << " " << file.numbers.*n.value << " # " << n.text << "\n";
  for (const ModelNumber &n : file.model) out << "model " << n.name << " " << n.value << " # " << n.text << "\n";
  out << last_line << "\n";
  return out.str();
}

/* *number <- the number in the text, which a comment may follow; may the number be used? */
static bool take_number(const std::string &text, double *number)
{
  std::istringstream in(text.substr(0, text.find('#')));
  std::string        rest;

  in.imbue(std::locale::classic());
  return in >> *number && !(in >> rest) && *number >= least_number && *number <= largest_number;
}

/* *number <- the number in the text; is the text a whole number of at most nine digits? */
static bool take_version(const std::string &text, int *number)
{
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return false;
  *number = std::stoi(text);
  return true;
}

/* "name value # text" of a model's number */
static std::string take_model(const std::string &rest, TuningFile *file)
{
  const std::size_t space = rest.find(' '), comment = rest.find(" # ");
  ModelNumber       n = {rest.substr(0, space), comment == std::string::npos ? "" : rest.substr(comment + 3), 0};

  if (space == std::string::npos || !take_number(rest.substr(space + 1), &n.value))
    return "model \"" + rest + "\" is not a name and a number from 1e-9 to 1e9";
  file->model.push_back(n);
  return "";
}

static std::string take_line(const std::string &name, const std::string &value, TuningFile *file)
{
  const struct {
    const char *name;
    int        *number;
  } versions[] = {
    {"multiprocessors", &file->key.multiprocessors},
    {"driver", &file->key.driver},
    {"cuda", &file->key.cuda},
  };
  double number;

  if (name == "gpu" || name == "library") {
    (name == "gpu" ? file->key.gpu : file->key.library) = value;
    return value.empty() ? name + " has no value" : "";
  }
  if (name == "model") return take_model(value, file);
  for (const auto &v : versions) {
    if (name == v.name) return take_version(value, v.number) ? "" : name + " is \"" + value + "\", not a whole number";
  }
  if (!take_number(value, &number)) return name + " is \"" + value + "\", not a number from 1e-9 to 1e9";
  for (const TuningNumber &n : tuning_numbers()) {
    if (name == n.name) {
      file->numbers.*n.value = number;
      return "";
    }
  }
  return "there is no number " + name;
}

std::string read_tuning(const std::string &text, TuningFile *file)
{
  std::istringstream    in(text);
  std::string           line;
  std::set<std::string> seen;
  int                   at = 1;

  *file = TuningFile();
  while (std::getline(in, line) && line[0] == '#') at++;
  if (line != title) return "its first line is not \"" + std::string(title) + "\"";
  while (std::getline(in, line) && line != last_line) {
    const std::size_t space = line.find(' ');
    const std::string name  = line.substr(0, space);
    at++;
    if (line.empty() || line[0] == '#') continue;
    std::string bad = take_line(name, space == std::string::npos ? "" : line.substr(space + 1), file);
    if (bad.empty() && name != "model" && !seen.insert(name).second) bad = name + " stands there twice";
    if (!bad.empty()) return "line " + std::to_string(at) + ": " + bad;
  }
  if (line != last_line) return "it has no line \"" + std::string(last_line) + "\": a part of it is lost";
  std::vector<const char *> needed = {"gpu", "multiprocessors", "driver", "cuda", "library"};
  for (const TuningNumber &n : tuning_numbers()) needed.push_back(n.name);
  for (const char *name : needed) {
    if (!seen.count(name)) return "it has no line \"" + std::string(name) + "\"";
  }
  return "";
}

std::string tuning_folder()
{
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");

  if (cache && *cache == '/') return std::string(cache) + "/hepta"; /* the XDG specification ignores relative paths */
  return home && *home ? std::string(home) + "/.cache/hepta" : "";
}

std::vector<std::string> tuning_paths()
{
  std::vector<std::string> paths;
  std::error_code          bad;

  for (std::filesystem::directory_iterator f(tuning_folder(), bad), end; !bad && f != end; f.increment(bad)) {
    const std::filesystem::path &path = f->path();
    if (path.filename().string().rfind("tuning-", 0) == 0 && path.extension() == ".txt") paths.push_back(path.string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool read_text(const std::string &path, std::string *text)
{
  constexpr std::uintmax_t most = 1 << 20;
  std::error_code          bad;
  std::ostringstream       all;

  if (!std::filesystem::is_regular_file(path, bad) || std::filesystem::file_size(path, bad) > most || bad) return false;
  std::ifstream in(path);
  all << in.rdbuf();
  *text = all.str();
  return in.good() || in.eof();
}

int choose_tuning(const std::vector<TuningFile> &files, const TuningKey &here, bool given, int *old)
{
  *old = -1;
  for (std::size_t k = 0; k < files.size(); k++) {
    const TuningKey &key = files[k].key;
    if (difference(key, here).empty()) return int(k);
    if (given || (key.gpu == here.gpu && key.multiprocessors == here.multiprocessors)) *old = int(k);
  }
  return -1;
}

/* 13.0 of 13000 */
static std::string version(int number)
{
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string describe(const TuningKey &k)
{
  return k.gpu + " with " + std::to_string(k.multiprocessors) + " multiprocessors, driver for CUDA " + version(k.driver) +
         ", CUDA " + version(k.cuda) + ", Hepta " + k.library;
}

std::string difference(const TuningKey &measured, const TuningKey &here)
{
  const bool same = measured.gpu == here.gpu && measured.multiprocessors == here.multiprocessors &&
                    measured.driver == here.driver && measured.cuda == here.cuda && measured.library == here.library;

  return same ? "" : "it is of " + describe(measured) + ", and this is " + describe(here);
}

} // namespace hepta
