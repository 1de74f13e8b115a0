//===- Burst.cpp - What a burst costs beside what it is made of -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One addition of four floats over a burst and by a call, beside the bare round
// trips that the hardware and the system offer: a cache line that two processes
// poll, a futex, and a Unix-domain socket. All of them take turns within one
// run, and each figure has its 50th, 99th and 99.9th percentile.
//
//===----------------------------------------------------------------------===//

#include "OneOperationModel.h"

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

/// The addition, its arguments in a pool.
class Addition {
public:
  Addition() {
    const char *path = std::getenv("NNHAL_COMPILER");
    CpuDeviceOptions options;
    options.compiler = std::make_shared<LazyCompiler>(path ? path : "");
    model = unwrap(
        createCpuDevice(std::move(options))->prepareModel(oneOperationModel()));
    burst = unwrap(Burst::create(model));
    auto pool = unwrap(SharedMemory::createAshmem(4096));
    for (uint64_t input = 0; input < 2; ++input)
      request.inputs.push_back({Memory::region(pool, input * 64, 16), {}});
    request.outputs.push_back({OutputMemory::region(pool, 128, 16), {}});
  }
  void execute() { check(model->execute(request, result).isOk(), "execute"); }
  void executeInBurst() {
    check(burst->execute(request, result).isOk(), "burst");
  }
  bool isWholly() const { return burst->ordinaryExecutions() == 0; }

private:
  PreparedModelRef model;
  std::unique_ptr<Burst> burst;
  Request request;
  ExecutionResult result;
};

struct Contender {
  const char *name;
  Trip trip;
  /// How long both ends are left alone before each trip, so that they sleep.
  std::chrono::microseconds idle{0};
  std::vector<double> microseconds;

  void run(int trips) {
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

} // namespace

int main() {
  // The processes of the round trips start before the threads of a device.
  Trip polling = pollingTrip(), futex = futexTrip(), socket = socketTrip();
  Addition addition;
  std::vector<Contender> contenders = {
      {"cache line, two processes", std::move(polling), {}, {}},
      {"futex, two processes", [&] { futex(); }, {}, {}},
      {"socket, two processes", std::move(socket), {}, {}},
      {"execute", [&] { addition.execute(); }, {}, {}},
      {"burst, both ends poll", [&] { addition.executeInBurst(); }, {}, {}},
      {"burst, both ends sleep",
       [&] { addition.executeInBurst(); },
       std::chrono::microseconds(300),
       {}},
      {"futex after as long a pause",
       [&] { futex(); },
       std::chrono::microseconds(300),
       {}}};
  constexpr int rounds = 50;
  for (Contender &contender : contenders)
    contender.run(100);
  for (Contender &contender : contenders)
    contender.microseconds.clear();
  for (int round = 0; round < rounds; ++round)
    for (Contender &contender : contenders)
      contender.run(contender.idle.count() != 0 ? 20 : 1000);
  check(addition.isWholly(), "an execution over the queues");
  fmt::print(
      "| round trip | p50 us | p99 us | p99.9 us |\n|---|---|---|---|\n");
  for (Contender &contender : contenders)
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} |\n", contender.name,
               contender.percentile(0.5), contender.percentile(0.99),
               contender.percentile(0.999));
  double execute = contenders[3].percentile(0.5);
  fmt::print(
      "\nburst less execute: {:.2f} us, bound 1.5 x the cache line + 0.5: "
      "{:.2f} us\n",
      contenders[4].percentile(0.5) - execute,
      1.5 * contenders[0].percentile(0.5) + 0.5);
  fmt::print("asleep less execute: {:.2f} us, bound 1.3 x the futex after a "
             "pause + 2: {:.2f} us\n",
             contenders[5].percentile(0.5) - execute,
             1.3 * contenders[6].percentile(0.5) + 2);
  return 0;
}
