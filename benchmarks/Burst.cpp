//===- Burst.cpp - What a burst costs beside what it is made of -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One addition over a burst and by a call, in this process and in that of a
// service, beside the bare round trips that the hardware and the system offer:
// a cache line that two processes poll, a futex, and a Unix-domain socket. All
// of them take turns within one run, and each figure has its 50th, 99th and
// 99.9th percentile. The two ends of a trip have a core each: where one core
// has both, a trip is what the scheduler takes to hand the core over.
//
//===----------------------------------------------------------------------===//

#include "OneOperationModel.h"
#include "ServiceProcess.h"
#include "Words.h"

#include "nnhal/Runtime/Burst.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <linux/futex.h>
#include <memory>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace nnhal::rt;

namespace {

void check(bool isRight, const char *what) {
  if (isRight)
    return;
  fmt::print(stderr, "error: {} failed\n", what);
  std::exit(1);
}

/// Runs \p body in a process of its own, which dies with this one.
void startProcess(const std::function<void()> &body) {
  pid_t child = ::fork();
  check(child >= 0, "fork");
  if (child != 0)
    return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  body();
  ::_exit(0);
}

/// Keeps this thread, and those that it starts from now on, on a core: the
/// \p index th of those that this process may use.
class Cores {
public:
  Cores() { check(::sched_getaffinity(0, sizeof all, &all) == 0, "affinity"); }
  void stayOn(int index) const {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &all) && index-- == 0)
        CPU_SET(core, &one);
    check(::sched_setaffinity(0, sizeof one, &one) == 0, "a second core");
  }

private:
  cpu_set_t all{};
};

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Two words on cache lines of their own, which two processes share.
struct Words {
  alignas(64) std::atomic<uint32_t> there = 0;
  alignas(64) std::atomic<uint32_t> back = 0;
};

Words &shareWords() {
  void *memory = ::mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check(memory != MAP_FAILED, "mmap");
  return *new (memory) Words;
}

using Trip = std::function<void()>;

void awaitChange(std::atomic<uint32_t> &word, uint32_t old) {
  while (word.load(std::memory_order_acquire) == old)
    ::syscall(SYS_futex, &word, FUTEX_WAIT, old, nullptr, nullptr, 0);
}

void change(std::atomic<uint32_t> &word, uint32_t value) {
  word.store(value, std::memory_order_release);
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// How often the end of another process polls before it sleeps: beyond a round
/// trip, and far below the time in which other contenders need the core.
constexpr uint32_t pollsBeforeSleep = 20'000;

Trip pollingTrip() {
  Words &words = shareWords();
  startProcess([&] {
    for (uint32_t trip = 1;; ++trip) {
      for (uint32_t polls = 0;
           words.there.load(std::memory_order_acquire) != trip; relax())
        if (++polls == pollsBeforeSleep)
          awaitChange(words.there, trip - 1);
      words.back.store(trip, std::memory_order_release);
    }
  });
  return [&words, trip = 0u]() mutable {
    words.there.store(++trip, std::memory_order_release);
    for (uint32_t polls = 0; words.back.load(std::memory_order_acquire) != trip;
         relax())
      if (++polls == pollsBeforeSleep)
        change(words.there, trip); // The other end sleeps.
  };
}

Trip futexTrip() {
  Words &words = shareWords();
  startProcess([&] {
    for (uint32_t trip = 1;; ++trip) {
      awaitChange(words.there, trip - 1);
      change(words.back, trip);
    }
  });
  return [&words, trip = 0u]() mutable {
    change(words.there, ++trip);
    awaitChange(words.back, trip - 1);
  };
}

Trip socketTrip() {
  int ends[2];
  check(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
  startProcess([&] {
    char byte = 0;
    while (::read(ends[1], &byte, 1) == 1)
      check(::write(ends[1], &byte, 1) == 1, "write");
  });
  return [end = ends[0]] {
    char byte = 0;
    check(::write(end, &byte, 1) == 1 && ::read(end, &byte, 1) == 1, "socket");
  };
}

/// An addition whose arguments are in a pool, on one device.
class Addition {
public:
  Addition(const Device &device, uint32_t elements)
      : model(unwrap(device.prepareModel(oneOperationModel(elements)))),
        burst(unwrap(Burst::create(model))) {
    const uint64_t size = uint64_t(elements) * sizeof(float);
    const uint64_t stride = (size + 63) / 64 * 64;
    auto pool = unwrap(SharedMemory::createAshmem(3 * stride));
    for (uint64_t input = 0; input < 2; ++input)
      request.inputs.push_back(
          {Memory::region(pool, input * stride, size), {}});
    request.outputs.push_back(
        {OutputMemory::region(pool, 2 * stride, size), {}});
  }
  void execute() { finish(model->execute(request, result), "execute"); }
  void executeInBurst() { finish(burst->execute(request, result), "burst"); }
  bool isWholly() const { return burst->ordinaryExecutions() == 0; }
  uint64_t copiedBytes() const { return copied; }

private:
  void finish(const Status &status, const char *what) {
    if (!status.isOk())
      fmt::print(stderr, "{}\n", status.message());
    check(status.isOk(), what);
    copied += result.copiedBytes;
  }

  PreparedModelRef model;
  std::unique_ptr<Burst> burst;
  Request request;
  ExecutionResult result;
  uint64_t copied = 0;
};

struct Contender {
  std::string name;
  Trip trip;
  /// How long both ends are left alone before each trip, so that they sleep.
  std::chrono::microseconds idle{0};
  /// The core of the end that asks: 1 is that of the end that answers.
  int core = 0;
  std::vector<double> microseconds;

  void run(const Cores &cores, int trips) {
    cores.stayOn(core);
    // Other contenders have let both ends fall asleep.
    for (int i = 0; i < 20; ++i)
      trip();
    for (int i = 0; i < trips; ++i) {
      if (idle.count() != 0)
        std::this_thread::sleep_for(idle);
      auto begin = std::chrono::steady_clock::now();
      trip();
      microseconds.push_back(std::chrono::duration<double, std::micro>(
                                 std::chrono::steady_clock::now() - begin)
                                 .count());
    }
  }
  double percentile(double share) {
    size_t index = size_t(share * double(microseconds.size() - 1));
    std::ranges::nth_element(microseconds, microseconds.begin() + long(index));
    return microseconds[index];
  }
};

constexpr std::chrono::microseconds idleTime{300};

/// The contenders of one length of model; names begin with \p what.
void addExecutions(std::vector<Contender> &contenders, const std::string &what,
                   Addition &here, Addition &there) {
  auto add = [&](const char *name, Trip trip,
                 std::chrono::microseconds idle = {}, int core = 0) {
    contenders.push_back({what + name, std::move(trip), idle, core, {}});
  };
  add("execute", [&] { here.execute(); });
  add("execute after a pause", [&] { here.execute(); }, idleTime);
  add("burst in this process", [&] { here.executeInBurst(); });
  add("burst of a service", [&] { there.executeInBurst(); });
  add(
      "burst of a service after a pause", [&] { there.executeInBurst(); },
      idleTime);
  add(
      "burst of a service after a pause, one core",
      [&] { there.executeInBurst(); }, idleTime, /*core=*/1);
  add("call of a service", [&] { there.execute(); });
}

double median(std::vector<Contender> &contenders, const std::string &name) {
  auto found = std::ranges::find(contenders, name, &Contender::name);
  check(found != contenders.end(), name.c_str());
  return found->percentile(0.5);
}

void printBounds(std::vector<Contender> &contenders) {
  auto of = [&](const std::string &name) { return median(contenders, name); };
  const double execute = of("execute");
  const double rested = of("execute after a pause");
  fmt::print("\nburst of a service less execute: {:.2f} us, bound 1.5 x the "
             "cache line + 0.5: {:.2f} us\n",
             of("burst of a service") - execute, 1.5 * of("cache line") + 0.5);
  fmt::print("burst after a pause less execute after one: {:.2f} us, bound "
             "1.3 x the futex after a pause + 2: {:.2f} us\n",
             of("burst of a service after a pause") - rested,
             1.3 * of("futex after a pause") + 2);
  fmt::print("the same on one core: {:.2f} us, bound {:.2f} us\n",
             of("burst of a service after a pause, one core") - rested,
             1.3 * of("futex after a pause, one core") + 2);
  fmt::print("call of a service less execute: {:.2f} us, bound 1.5 x the "
             "socket + 30: {:.2f} us\n",
             of("call of a service") - execute, 1.5 * of("socket") + 30);
}

} // namespace

int main(int argc, char **argv) {
  nnhal::readWords({.program = "nnhal-benchmark-burst",
                    .purpose =
                        "Measures executions in a burst and by calls, here and "
                        "in a service, beside the\nround trips that they are "
                        "made of."},
                   argc, argv);
  const Cores cores;
  // All processes and threads that answer are on the second core, those that
  // ask on the first. The processes of the round trips start before the threads
  // of a device.
  cores.stayOn(1);
  Trip polling = pollingTrip(), futex = futexTrip(), socket = socketTrip();
  ServiceProcess service("nnhal-cpu");
  const char *compiler = std::getenv("NNHAL_COMPILER");
  CpuDeviceOptions options;
  options.compiler = std::make_shared<LazyCompiler>(compiler ? compiler : "");
  constexpr uint32_t longElements = 1 << 18;
  auto here = createCpuDevice(std::move(options));
  Addition shortHere(*here, 4), longHere(*here, longElements);
  cores.stayOn(0);
  auto there = service.connect();
  Addition shortThere(*there, 4), longThere(*there, longElements);

  std::vector<Contender> contenders = {
      {"cache line", std::move(polling), {}, 0, {}},
      {"futex", [&] { futex(); }, {}, 0, {}},
      {"futex after a pause", [&] { futex(); }, idleTime, 0, {}},
      {"futex after a pause, one core", [&] { futex(); }, idleTime, 1, {}},
      {"socket", std::move(socket), {}, 0, {}}};
  addExecutions(contenders, "", shortHere, shortThere);
  addExecutions(contenders, "1 MiB: ", longHere, longThere);
  for (Contender &contender : contenders)
    contender.run(cores, 100);
  for (Contender &contender : contenders)
    contender.microseconds.clear();
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round)
    for (Contender &contender : contenders)
      contender.run(cores, contender.idle.count() != 0 ? 20 : 400);
  fmt::print(
      "| round trip | p50 us | p99 us | p99.9 us |\n|---|---|---|---|\n");
  for (Contender &contender : contenders)
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} |\n", contender.name,
               contender.percentile(0.5), contender.percentile(0.99),
               contender.percentile(0.999));
  printBounds(contenders);
  for (const Addition *addition :
       {&shortHere, &shortThere, &longHere, &longThere}) {
    check(addition->isWholly(), "an execution over the queues");
    check(addition->copiedBytes() == 0, "an execution without a copy");
  }
  return 0;
}
