//===- Cache.cpp - Cold and warm starts of models -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: nnhal-benchmark-cache MODEL...
//
// Starts the nnhal-run beside this program for each model: three times with an
// empty cache, then fifteen times with a full one, each in a process of its
// own. Prints a table with the medians of the prepare call and of the whole
// process, and whether the warm call stays within 3 ms and 1 ms for each 4 MB
// of constants.
//
//===----------------------------------------------------------------------===//

#include "Words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// Milliseconds of one run.
struct Start {
  double load = 0;
  double prepare = 0;
  double process = 0;
  std::string cache;
};

struct Medians {
  double load = 0;
  double prepare = 0;
  double fastestPrepare = 0;
  double process = 0;
};

/// A folder that goes with the object.
class Folder {
public:
  Folder() {
    std::string pattern =
        (fs::temp_directory_path() / "nnhal-benchmark-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("cannot create a temporary folder");
    path = pattern;
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

std::string quoted(const std::string &text) {
  std::string result = "'";
  for (char letter : text)
    result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return result + "'";
}

Start run(const std::string &tool, const std::string &model,
          const fs::path &cache, const fs::path &state) {
  std::string command = fmt::format(
      "{} {} --cache-dir={} --state-dir={} --time=json", quoted(tool),
      quoted(model), quoted(cache.string()), quoted(state.string()));
  auto begin = std::chrono::steady_clock::now();
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    throw std::runtime_error("cannot start nnhal-run");
  std::string text;
  for (int letter; (letter = std::fgetc(pipe)) != EOF;)
    text += char(letter);
  int status = pclose(pipe);
  std::chrono::duration<double, std::milli> process =
      std::chrono::steady_clock::now() - begin;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("nnhal-run fails with {}", model));
  nlohmann::json times = nlohmann::json::parse(text);
  return {times.at("load_us").get<double>() / 1000,
          times.at("compile_us").get<double>() / 1000, process.count(),
          times.at("cache").get<std::string>()};
}

double median(const std::vector<Start> &starts, double Start::*field) {
  std::vector<double> values;
  for (const Start &start : starts)
    values.push_back(start.*field);
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Medians measure(const std::vector<Start> &starts, const char *outcome) {
  Medians medians;
  medians.fastestPrepare = starts.front().prepare;
  for (const Start &start : starts) {
    if (start.cache != outcome)
      throw std::runtime_error(fmt::format("a start was a {} instead of a {}",
                                           start.cache, outcome));
    medians.fastestPrepare = std::min(medians.fastestPrepare, start.prepare);
  }
  medians.load = median(starts, &Start::load);
  medians.prepare = median(starts, &Start::prepare);
  medians.process = median(starts, &Start::process);
  return medians;
}

/// Bytes of the data-cache file in \p cache.
uintmax_t constantBytes(const fs::path &cache) {
  for (const auto &file : fs::directory_iterator(cache))
    if (std::string name = file.path().filename().string();
        name.size() == 66 && name.ends_with("20"))
      return file.file_size();
  return 0;
}

/// Whether the warm prepare call is within its bound.
bool printModel(const std::string &tool, const std::string &model) {
  Folder folder;
  std::vector<Start> cold, warm;
  constexpr int coldStarts = 3, warmStarts = 15;
  for (int i = 0; i < coldStarts; ++i)
    cold.push_back(run(tool, model, folder.path / fmt::format("cache{}", i),
                       folder.path / "state"));
  fs::path last = folder.path / fmt::format("cache{}", coldStarts - 1);
  for (int i = 0; i < warmStarts; ++i)
    warm.push_back(run(tool, model, last, folder.path / "state"));
  Medians before = measure(cold, "miss");
  Medians after = measure(warm, "hit");
  double megabytes = double(constantBytes(last)) / 1e6;
  double bound = 3 + megabytes / 4;
  bool isWithin = after.prepare <= bound;
  fmt::print("{:<44} {:>6.2f} {:>9.1f} {:>9.1f} {:>7.2f} {:>7.2f} {:>7.2f} "
             "{:>6.2f} {:>8.1f}  {}\n",
             fs::path(model).stem().string().substr(0, 44), megabytes,
             before.prepare, before.process, after.prepare,
             after.fastestPrepare, bound, after.load, after.process,
             isWithin ? "yes" : "NO");
  std::fflush(stdout);
  return isWithin;
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> models = nnhal::readWords(
      {.program = "nnhal-benchmark-cache",
       .words = "MODEL...",
       .purpose = "Measures cold and warm starts of nnhal-run with a cache of "
                  "compiled models.",
       .least = 1,
       .most = SIZE_MAX},
      argc, argv);
  try {
    fs::path self = fs::read_symlink("/proc/self/exe");
    std::string tool = (self.parent_path() / "nnhal-run").string();
    fmt::print(
        "milliseconds; medians of 3 cold and 15 warm processes, MB of "
        "constants\n"
        "{:<44} {:>6} {:>9} {:>9} {:>7} {:>7} {:>7} {:>6} {:>8}  within\n",
        "model", "MB", "cold", "process", "warm", "fastest", "bound", "load",
        "process");
    int beyond = 0;
    for (const std::string &model : models)
      beyond += !printModel(tool, model);
    fmt::print("{} models, {} beyond the bound\n", models.size(), beyond);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
