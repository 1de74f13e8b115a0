//===- Soak.cpp - Many seeds, resumably -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Soak.h"

#include "CaseFile.h"
#include "Cut.h"
#include "Generator.h"
#include "Worker.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::randomgraph;
using nlohmann::json;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

std::vector<std::string> randomgraph::argumentsFor(const SeedOptions &options) {
  std::vector<std::string> arguments;
  if (options.criteria == Criteria::hal)
    arguments.emplace_back("--criteria=hal");
  if (!options.operation.empty())
    arguments.push_back("--operation=" + options.operation);
  return arguments;
}

Status randomgraph::writeState(const std::string &path,
                               const SoakState &state) {
  std::string text = json(state).dump(1) + "\n";
  return rt::writeFileAtomically(path, std::as_bytes(std::span(text)));
}

Result<SoakState> randomgraph::readState(const std::string &path,
                                         const SoakOptions &options,
                                         const rt::Device &device) {
  SoakState state;
  state.device = device.name();
  state.version = device.version();
  state.graphs =
      fmt::format("{}", fmt::join(argumentsFor(options.graphs), " "));
  state.begin = state.next = options.begin;
  state.end = options.end;
  if (path.empty() || !std::filesystem::exists(path))
    return state;
  NNHAL_ASSIGN_OR_RETURN(rt::Memory memory, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(auto bytes, memory.bytes());
  SoakState kept;
  try {
    json::parse(reinterpret_cast<const char *>(bytes.data()),
                reinterpret_cast<const char *>(bytes.data()) + bytes.size())
        .get_to(kept);
  } catch (const json::exception &error) {
    return rt::badData("'{}' is no state of a soak: {}", path, error.what());
  }
  if (kept.device != state.device || kept.begin != state.begin)
    return rt::badData("'{}' is of seeds from {} on {}, not from {} on {}",
                       path, kept.begin, kept.device, state.begin,
                       state.device);
  if (kept.graphs != state.graphs)
    return rt::badData("'{}' is of graphs of '{}', not of '{}'", path,
                       kept.graphs, state.graphs);
  kept.version = state.version;
  kept.end = state.end;
  return kept;
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// The case in the file \p path judged again.
static json judgeFile(const rt::Device &tested, const rt::Device &reference,
                      const std::string &path) {
  bool isWrong = false;
  auto memory = rt::Memory::readFile(path);
  if (memory.isOk())
    if (auto bytes = memory->bytes(); bytes.isOk()) {
      std::string_view text(reinterpret_cast<const char *>(bytes->data()),
                            bytes->size());
      Status status = rt::readTestCases(text, [&](const rt::TestCase &test) {
        isWrong = isMismatch(tested, reference, test);
        return Status::ok();
      });
      isWrong = isWrong && status.isOk();
    }
  return {{"mismatch", isWrong}};
}

void randomgraph::work(const rt::Device &tested, const rt::Device &reference,
                       const SeedOptions &options) {
  for (std::string line; std::getline(std::cin, line);) {
    json answer;
    if (line.starts_with("case ")) {
      answer = judgeFile(tested, reference, line.substr(5));
    } else {
      SeedReport report =
          runSeed(tested, reference, std::stoull(line), options);
      answer = {{"totals", report.totals}};
      if (report.failure)
        answer["failure"] = *report.failure;
    }
    std::cout << answer.dump() << std::endl;
  }
}

namespace {

/// The threads of soak(), each with a process.
class Soak {
public:
  Soak(const SoakOptions &options, const rt::Device &tested,
       const rt::Device &reference, SoakState state)
      : options(options), tested(tested), reference(reference),
        state(std::move(state)), next(this->state.next) {}

  Result<SoakState> run();

private:
  void runThread(unsigned number);
  SeedReport runOne(Worker &worker, uint64_t seed, unsigned number);
  SeedReport reportCrash(uint64_t seed, const Status &status, unsigned number);
  void take(uint64_t seed, SeedReport report);
  std::vector<std::string> workerArguments() const {
    std::vector<std::string> arguments = argumentsFor(options.graphs);
    arguments.insert(arguments.end(),
                     {"--worker", "--device=" + options.device,
                      "--failures=" + options.graphs.failures});
    if (!options.service.empty())
      arguments.push_back("--service=" + options.service);
    return arguments;
  }

  const SoakOptions &options;
  const rt::Device &tested;
  const rt::Device &reference;
  SoakState state;
  std::atomic<uint64_t> next;
  std::mutex mutex;
  /// Done, but not yet in the state: a seed before them is not.
  std::map<uint64_t, SeedReport> waiting;
  std::chrono::steady_clock::time_point written;
  Status firstError;
};

} // namespace

/// The process of \p seed is gone. Its graph is shrunk in others.
SeedReport Soak::reportCrash(uint64_t seed, const Status &status,
                             unsigned number) {
  SeedReport report;
  report.totals.graphs = 1;
  Failure failure;
  auto test = generateFor(reference, seed, options.graphs);
  auto cut = test.isOk() ? cutToSupported(tested, reference, *std::move(test))
                         : Result<Cut>(std::move(test).takeStatus());
  if (cut.isOk() && cut->test) {
    Worker worker(workerArguments());
    std::string path = fmt::format("{}/.candidate_{}_{}.json",
                                   options.graphs.failures, getpid(), number);
    auto crashes = [&](const rt::TestCase &candidate) {
      auto text = writeTestCase(candidate);
      constexpr std::chrono::seconds patience{30};
      return text.isOk() &&
             rt::writeFileAtomically(path, std::as_bytes(std::span(*text)))
                 .isOk() &&
             !worker.ask("case " + path, patience).isOk();
    };
    failure = keepFailure(reference, *std::move(cut->test), crashes,
                          options.graphs.failures);
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  failure.seed = seed;
  failure.stage = "process";
  failure.message = status.message();
  report.failure = std::move(failure);
  return report;
}

SeedReport Soak::runOne(Worker &worker, uint64_t seed, unsigned number) {
  auto answer = worker.ask(std::to_string(seed), options.timeout);
  if (!answer.isOk())
    return reportCrash(seed, answer.status(), number);
  SeedReport report;
  try {
    json object = json::parse(*answer);
    object.at("totals").get_to(report.totals);
    if (object.contains("failure"))
      report.failure = object.at("failure").get<Failure>();
  } catch (const json::exception &error) {
    return reportCrash(
        seed, rt::failure("the process answered nonsense: {}", error.what()),
        number);
  }
  return report;
}

void Soak::take(uint64_t seed, SeedReport report) {
  std::lock_guard lock(mutex);
  if (report.failure)
    fmt::print("seed {}: {}: {}\n  {}\n  {}\n", seed, report.failure->stage,
               report.failure->message, report.failure->operations,
               report.failure->file.empty() ? "no case file"
                                            : report.failure->file);
  std::fflush(stdout);
  waiting.emplace(seed, std::move(report));
  for (auto first = waiting.begin();
       first != waiting.end() && first->first == state.next;
       first = waiting.erase(first)) {
    state.totals.add(first->second.totals);
    if (first->second.failure)
      state.failures.push_back(*std::move(first->second.failure));
    ++state.next;
  }
  auto now = std::chrono::steady_clock::now();
  if (options.state.empty() || now - written < std::chrono::seconds(5))
    return;
  written = now;
  if (Status status = writeState(options.state, state);
      !status.isOk() && firstError.isOk())
    firstError = std::move(status);
}

void Soak::runThread(unsigned number) {
  Worker worker(workerArguments());
  for (uint64_t seed; (seed = next++) < options.end;)
    take(seed, runOne(worker, seed, number));
}

Result<SoakState> Soak::run() {
  std::error_code error;
  std::filesystem::create_directories(options.graphs.failures, error);
  if (error)
    return rt::failure("cannot create '{}': {}", options.graphs.failures,
                       error.message());
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.jobs; ++i)
    threads.emplace_back([this, i] { runThread(i); });
  runThread(0);
  for (std::thread &thread : threads)
    thread.join();
  NNHAL_RETURN_IF_ERROR(firstError);
  if (!options.state.empty())
    NNHAL_RETURN_IF_ERROR(writeState(options.state, state));
  return std::move(state);
}

Result<SoakState> randomgraph::soak(const SoakOptions &options,
                                    const rt::Device &tested,
                                    const rt::Device &reference) {
  NNHAL_ASSIGN_OR_RETURN(SoakState state,
                         readState(options.state, options, tested));
  return Soak(options, tested, reference, std::move(state)).run();
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

static uint64_t sum(const Counts &counts) {
  uint64_t total = 0;
  for (const auto &[name, count] : counts)
    total += count;
  return total;
}

static std::string listed(std::string_view title, const Counts &counts) {
  if (counts.empty())
    return {};
  std::vector<std::string> words;
  words.reserve(counts.size());
  for (const auto &[name, count] : counts)
    words.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}: {}\n", title, fmt::join(words, ", "));
}

std::string randomgraph::summary(const SoakState &state) {
  const Totals &totals = state.totals;
  std::string text;
  text += listed("operations executed", totals.executed);
  text += listed("operations dropped", totals.dropped);
  text += listed("right by conditioning", totals.conditioned);
  text += fmt::format(
      "{} {}, seeds {} to {}: {} graphs, {} without an operation that the "
      "device takes, {} beyond the table by accumulation, {} that have to "
      "fail\n"
      "{} operations executed, {} dropped, {} graphs made static, {} "
      "parameters made constant\n"
      "{} passed, {} failed\n",
      state.device, state.version, state.begin, state.next, totals.graphs,
      totals.emptied, totals.accumulated, totals.failing, sum(totals.executed),
      sum(totals.dropped), totals.madeStatic, totals.fixedParameters,
      totals.graphs - state.failures.size(), state.failures.size());
  return text;
}
