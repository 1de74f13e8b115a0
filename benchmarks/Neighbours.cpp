//===- Neighbours.cpp - A client of a service beside others ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How fast a client of nnhal-service is alone, beside a client that floods the
// same device with executions, preparations and connections, and beside as many
// processes as are needed to burn as much of the processors without asking for
// anything. Rounds take turns.
//
//===----------------------------------------------------------------------===//

#include "ServiceProcess.h"
#include "Words.h"

#include "nnhal/Runtime/Burst.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <sys/prctl.h>

using namespace nnhal::rt;
using Clock = std::chrono::steady_clock;

namespace {

/// An addition of a device, with arguments in a pool.
struct Addition {
  explicit Addition(const Device &device)
      : model(unwrap(device.prepareModel(oneOperationModel()))) {
    auto pool = unwrap(SharedMemory::createAshmem(4096));
    for (uint64_t input = 0; input < 2; ++input)
      request.inputs.push_back({Memory::region(pool, input * 64, 16), {}});
    request.outputs.push_back({OutputMemory::region(pool, 128, 16), {}});
  }
  PreparedModelRef model;
  Request request;
};

void floodWithExecutions(const std::string &socket) {
  auto devices = unwrap(connectDevices(socket));
  Addition addition(*devices.front());
  std::atomic<int> inFlight = 0;
  while (true) {
    ++inFlight;
    Status launched = addition.model->executeAsync(
        addition.request, [&](Status, const ExecutionResult &) { --inFlight; });
    if (!launched.isOk() || inFlight > 4096)
      std::this_thread::yield();
  }
}

void floodWithPreparations(const std::string &socket) {
  auto devices = unwrap(connectDevices(socket));
  std::vector<PreparedModelRef> kept;
  while (true) {
    auto made = devices.front()->prepareModel(oneOperationModel());
    if (made.isOk())
      kept.push_back(*std::move(made));
    if (kept.size() > 100)
      kept.clear();
  }
}

void floodWithConnections(const std::string &socket) {
  while (true)
    (void)connectDevices(socket);
}

void burn() {
  for (volatile uint64_t turns = 0;; turns = turns + 1) {
  }
}

/// A child that does \p work until it is killed.
class Neighbour {
public:
  explicit Neighbour(const std::vector<std::string> &words) {
    std::string program =
        std::filesystem::read_symlink("/proc/self/exe").string();
    std::vector<std::string> all = words;
    all.insert(all.begin(), program);
    std::vector<char *> argv;
    for (std::string &word : all)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    if (::posix_spawn(&process, program.c_str(), nullptr, nullptr, argv.data(),
                      environ) != 0)
      std::exit(1);
  }
  ~Neighbour() {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
  Neighbour(const Neighbour &) = delete;
  Neighbour &operator=(const Neighbour &) = delete;

private:
  pid_t process = 0;
};

/// Seconds of the processors that were busy since the machine started.
double busySeconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0;
  file >> name >> user >> nice >> system;
  return (user + nice + system) / double(::sysconf(_SC_CLK_TCK));
}

struct Situation {
  std::string name;
  std::vector<std::vector<std::string>> neighbours;
  std::vector<double> call, burst;
  double busy = 0;
};

void measure(Situation &situation, const Addition &addition, Burst &burst) {
  std::vector<std::unique_ptr<Neighbour>> neighbours;
  for (const auto &words : situation.neighbours)
    neighbours.push_back(std::make_unique<Neighbour>(words));
  // A client floods from the moment that it is connected.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const double before = busySeconds();
  const auto begin = Clock::now();
  ExecutionResult result;
  auto run = [&](std::vector<double> &microseconds, auto execute) {
    const auto end = Clock::now() + std::chrono::milliseconds(700);
    while (Clock::now() < end) {
      auto start = Clock::now();
      Status status = execute();
      if (!status.isOk()) {
        fmt::print(stderr, "error: {}\n", status.message());
        std::exit(1);
      }
      microseconds.push_back(
          std::chrono::duration<double, std::micro>(Clock::now() - start)
              .count());
    }
  };
  run(situation.call,
      [&] { return addition.model->execute(addition.request, result); });
  run(situation.burst, [&] { return burst.execute(addition.request, result); });
  const std::chrono::duration<double> took = Clock::now() - begin;
  situation.busy += (busySeconds() - before) / took.count();
}

double mean(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += value;
  return sum / double(values.size());
}

double percentile(std::vector<double> &values, double share) {
  size_t index = size_t(share * double(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + long(index));
  return values[index];
}

constexpr int rounds = 5;

void print(std::vector<Situation> &situations) {
  fmt::print("| beside | busy cores | call mean us | p50 | p99 | burst mean us "
             "| p50 | p99 |\n|---|---|---|---|---|---|---|---|\n");
  for (Situation &one : situations)
    fmt::print("| {} | {:.2f} | {:.1f} | {:.1f} | {:.0f} | {:.1f} | {:.1f} | "
               "{:.0f} |\n",
               one.name, one.busy / rounds, mean(one.call),
               percentile(one.call, 0.5), percentile(one.call, 0.99),
               mean(one.burst), percentile(one.burst, 0.5),
               percentile(one.burst, 0.99));
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words = nnhal::readWords(
      {.program = "nnhal-benchmark-neighbours",
       .words = "[DEVICE]",
       .purpose = "Measures a client of nnhal-service, of the device DEVICE "
                  "(nnhal-reference), alone\nand beside others.",
       .most = 2},
      argc, argv);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (words.size() == 1 && words[0] == "burn")
    burn();
  if (words.size() == 2 && words[0] == "executions")
    floodWithExecutions(words[1]);
  if (words.size() == 2 && words[0] == "preparations")
    floodWithPreparations(words[1]);
  if (words.size() == 2 && words[0] == "connections")
    floodWithConnections(words[1]);
  ::prctl(PR_SET_PDEATHSIG, 0);
  if (words.size() > 1)
    nnhal::misuse("unexpected '" + words[1] + "'");

  const std::string device = words.empty() ? "nnhal-reference" : words[0];
  ServiceProcess service(device);
  auto honest = service.connect();
  Addition addition(*honest);
  auto burst = unwrap(Burst::create(addition.model));
  const std::string socket = service.socket();
  std::vector<Situation> situations = {
      {"nobody", {}, {}, {}},
      {"one process that burns", {{"burn"}}, {}, {}},
      {"two processes that burn", {{"burn"}, {"burn"}}, {}, {}},
      {"executions", {{"executions", socket}}, {}, {}},
      {"preparations", {{"preparations", socket}}, {}, {}},
      {"connections", {{"connections", socket}}, {}, {}}};
  for (int round = 0; round < rounds; ++round)
    for (Situation &situation : situations)
      measure(situation, addition, *burst);
  print(situations);
  return 0;
}
