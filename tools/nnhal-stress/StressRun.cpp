//===- StressRun.cpp - All tests on all devices ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StressRun.h"

#include "ClientProcess.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Verify/Random.h"
#include "nnhal/Runtime/Version.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <regex>
#include <thread>

using namespace nnhal;
using namespace nnhal::stress;
using rt::Status;
using Clock = std::chrono::steady_clock;

static constexpr std::string_view tests[] = {"parallel-inference",
                                             "inference-of-processes",
                                             "early-death",
                                             "compilation",
                                             "compilation-of-processes",
                                             "mapped-models",
                                             "slowdown",
                                             "random-graphs"};

std::span<const std::string_view> stress::testNames() { return tests; }

/// Asks a client how it is.
static constexpr std::chrono::milliseconds noDelay(1);

namespace {
/// Runs a model on the driver again and again, each time from a new process, so
/// that a driver that crashes or hangs is told from a client that does.
class Liveness {
public:
  Liveness(const Options &options, const std::string &device)
      : options(options), device(device),
        thread([this](const std::stop_token &stop) { watch(stop); }) {}

  /// Ends the watch and says what was seen last: "alive", or the failure.
  std::string end() {
    thread.request_stop();
    thread.join();
    return seen;
  }

private:
  void watch(const std::stop_token &stop) {
    do {
      probe();
      std::unique_lock lock(mutex);
      stopped.wait_for(lock, stop, std::chrono::milliseconds(500),
                       [] { return false; });
    } while (!stop.stop_requested());
    // After the test, too: what it has broken may show now.
    probe();
  }
  void probe() {
    ClientProcess client;
    Status status = client.start(clientArguments(options, "probe", device));
    if (!status.isOk()) {
      seen = status.message();
      return;
    }
    ClientEnd ended =
        client.wait(Clock::now() + std::chrono::seconds(options.patience));
    // The first failure counts.
    if (seen.empty() || seen == "alive")
      seen = ended.outcome == Outcome::success
                 ? "alive"
                 : fmt::format("{}: {}", nameOf(ended.outcome), ended.message);
  }

  const Options &options;
  const std::string &device;
  std::string seen;
  std::mutex mutex;
  std::condition_variable_any stopped;
  // The last member: it uses the others.
  std::jthread thread;
};

/// One test on one device.
class StressTest {
public:
  StressTest(const Options &options, std::string device, std::string_view test)
      : options(options), device(std::move(device)), test(test),
        random(options.seed),
        end(Clock::now() + std::chrono::seconds(options.seconds)) {}

  rt::Result<TestResult> run();

private:
  rt::Result<ClientEnd> runOne();
  rt::Result<ClientEnd> runProcesses();
  rt::Result<ClientEnd> runDeaths();
  Clock::time_point limit() const {
    return end + std::chrono::seconds(options.patience);
  }

  const Options &options;
  const std::string device;
  const std::string_view test;
  verify::Random random;
  const Clock::time_point end;
};
} // namespace

rt::Result<ClientEnd> StressTest::runOne() {
  ClientProcess client;
  NNHAL_RETURN_IF_ERROR(client.start(clientArguments(options, test, device)));
  return client.wait(limit());
}

/// Several processes, some of which end in the midst of their work.
rt::Result<ClientEnd> StressTest::runProcesses() {
  std::vector<std::unique_ptr<ClientProcess>> lasting;
  std::vector<std::unique_ptr<ClientProcess>> dying;
  for (uint64_t i = 0; i < options.processes; ++i) {
    // At least one lives, whose results say whether the others hurt it.
    bool dies = i > 0 && random.chance(unsigned(options.deaths));
    auto &group = dies ? dying : lasting;
    group.push_back(std::make_unique<ClientProcess>());
    NNHAL_RETURN_IF_ERROR(
        group.back()->start(clientArguments(options, test, device)));
  }
  uint64_t deaths = 0;
  while (!dying.empty() && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random.between(
        20, std::max<int64_t>(20, int64_t(options.seconds * 1000) / 4))));
    for (auto &client : dying) {
      // What it did until then must have been right, too.
      std::optional<ClientEnd> before = client->killWithin(noDelay);
      if (before && before->outcome != Outcome::success)
        return *before;
      ++deaths;
      NNHAL_RETURN_IF_ERROR(
          client->start(clientArguments(options, test, device)));
    }
  }
  for (auto &client : dying)
    client->kill();
  ClientEnd worst;
  for (auto &client : lasting) {
    ClientEnd ended = client->wait(limit());
    if (worst.outcome == Outcome::success)
      worst = std::move(ended);
  }
  worst.message += fmt::format("; {} processes were killed", deaths);
  return worst;
}

/// Clients that are killed while they compile.
rt::Result<ClientEnd> StressTest::runDeaths() {
  uint64_t deaths = 0;
  do {
    ClientProcess client;
    NNHAL_RETURN_IF_ERROR(client.start(clientArguments(options, test, device)));
    std::optional<ClientEnd> before =
        client.killWithin(std::chrono::milliseconds(random.between(1, 300)));
    if (before && before->outcome != Outcome::success)
      return *before;
    ++deaths;
  } while (Clock::now() < end);
  return ClientEnd{Outcome::success,
                   fmt::format("{} clients were killed", deaths)};
}

rt::Result<TestResult> StressTest::run() {
  auto begin = Clock::now();
  std::optional<Liveness> liveness;
  if (!options.service.empty())
    liveness.emplace(options, device);
  rt::Result<ClientEnd> ended = test == "early-death" ? runDeaths()
                                : test.ends_with("-of-processes")
                                    ? runProcesses()
                                    : runOne();
  std::string driver = liveness ? liveness->end() : "in the client";
  if (!ended.isOk())
    return ended.status();
  TestResult result;
  result.device = device;
  result.test = test;
  result.outcome = nameOf(ended->outcome);
  result.message = ended->message;
  result.driver = driver;
  // A driver that does not answer fails the test, whatever its clients say.
  if (liveness && driver != "alive" && ended->outcome == Outcome::success)
    result.outcome = driver.substr(0, driver.find(':'));
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

/// The arguments that decide what tests do, apart from their name and device.
static std::string decidingArguments(const Options &options) {
  std::string words =
      fmt::format("--processes={} --deaths={} --patience={}", options.processes,
                  options.deaths, options.patience);
  for (const std::string &word : clientArguments(options, "", ""))
    words += " " + word;
  return words;
}

rt::Result<StressState> stress::runTests(const Options &options) {
  std::string words = decidingArguments(options);
  NNHAL_ASSIGN_OR_RETURN(
      StressState state,
      readState(options.state, {NNHAL_VERSION, std::move(words), {}}));
  std::regex filter(options.filter);
  uint64_t chosen = 0;
  for (const std::string &device : options.devices)
    for (std::string_view test : tests) {
      if (!std::regex_search(fmt::format("{}/{}", device, test), filter))
        continue;
      ++chosen;
      const TestResult *known = state.find(device, test);
      if (!known) {
        NNHAL_ASSIGN_OR_RETURN(TestResult result,
                               StressTest(options, device, test).run());
        known = &state.results.emplace_back(std::move(result));
        if (!options.state.empty())
          NNHAL_RETURN_IF_ERROR(writeState(options.state, state));
      }
      fmt::print("{} {}/{} ({:.1f} s, driver {}): {}\n", known->outcome, device,
                 test, known->seconds, known->driver, known->message);
      (void)std::fflush(stdout);
    }
  if (chosen == 0)
    return rt::failure("no test matches --filter='{}'", options.filter);
  return state;
}
