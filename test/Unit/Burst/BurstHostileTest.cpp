//===- BurstHostileTest.cpp - A process that attacks a burst --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NNHAL_TEST_ALL makes the attack ten minutes long (scripts/soak-service).
//
//===----------------------------------------------------------------------===//

#include "Runtime/Burst/BurstServer.h"

#include "SampleModel.h"

#include "Runtime/Fifo/Fifo.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <gtest/gtest.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <linux/futex.h>
#include <random>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using namespace std::chrono_literals;

namespace {

/// Gives the one memory that there is, for slot 0.
class OneMemory final : public BurstCallback {
public:
  explicit OneMemory(std::shared_ptr<SharedMemory> memory)
      : memory(std::move(memory)) {}
  Result<std::vector<std::shared_ptr<SharedMemory>>>
  getMemories(std::span<const int32_t> slots) override {
    for (int32_t slot : slots)
      if (slot != 0)
        return Status(StatusCode::invalidArgument, "no such slot");
    return std::vector(slots.size(), memory);
  }

private:
  std::shared_ptr<SharedMemory> memory;
};

/// A process that has both queues of a burst and writes what it likes. It was
/// forked off a process with threads: nothing here allocates.
class Attacker {
public:
  Attacker(FifoMemory &requests, FifoMemory &results,
           std::span<const RequestDatum> packet, unsigned seed)
      : requests(requests), results(results), packet(packet), random(seed) {}

  [[noreturn]] void run() {
    while (true) {
      unsigned what = unsigned(random() % 64);
      if (what < 40)
        writePacket();
      else if (what < 52)
        writeWord(what % 2 == 0 ? requests : results);
      else if (what < 63)
        takeAnswers();
      else
        breakCounter();
      wake(requests.header());
      wake(results.header());
    }
  }

private:
  /// The packet as a good client would write it, but for up to two elements.
  void writePacket() {
    FifoHeader &header = requests.header();
    std::atomic_ref written(header.written);
    uint64_t position = written.load();
    for (size_t i = 0; i < packet.size(); ++i)
      elementsOf(requests)[(position + i) % requests.capacity()] = packet[i];
    for (unsigned changes = unsigned(random() % 3); changes > 0; --changes) {
      RequestDatum &datum =
          elementsOf(requests)[(position + random() % packet.size()) %
                               requests.capacity()];
      if (random() % 3 == 0)
        datum.tag = RequestTag(random() % 9);
      else
        datum.words[random() % datum.words.size()] = uint32_t(number());
    }
    written.store(position + packet.size() - random() % 8 / 7);
  }

  void writeWord(FifoMemory &memory) {
    auto *words = reinterpret_cast<uint64_t *>(memory.elements());
    size_t count = memory.capacity() * sizeof(RequestDatum) / sizeof(uint64_t);
    std::atomic_ref(words[random() % count]).store(number());
  }

  void takeAnswers() {
    FifoHeader &header = results.header();
    std::atomic_ref(header.read).store(std::atomic_ref(header.written).load());
  }

  void breakCounter() {
    FifoHeader &header = requests.header();
    std::atomic_ref(random() % 2 == 0 ? header.written : header.read)
        .store(number());
    std::atomic_ref(header.capacity).store(uint32_t(number()));
    std::atomic_ref(header.elementSize).store(uint32_t(number()));
  }

  uint64_t number() {
    uint64_t value = random();
    return value % 3 == 0 ? value << 33 | value : value % 40;
  }

  static RequestDatum *elementsOf(FifoMemory &memory) {
    return reinterpret_cast<RequestDatum *>(memory.elements());
  }

  static void wake(FifoHeader &header) {
    std::atomic_ref(header.events).store(fifoNotEmpty | fifoNotFull);
    ::syscall(SYS_futex, &header.events, FUTEX_WAKE, INT_MAX, nullptr, nullptr,
              0);
  }

  FifoMemory &requests;
  FifoMemory &results;
  std::span<const RequestDatum> packet;
  std::minstd_rand random;
};

std::vector<RequestDatum> sumPacket() {
  BurstRequest request;
  request.inputs = {{.offset = 0, .length = sumBytes, .dimensions = {2, 3}},
                    {.offset = 64, .length = sumBytes, .dimensions = {2, 3}}};
  request.outputs = {{.offset = 128, .length = sumBytes, .dimensions = {2, 3}}};
  request.slots = {0};
  std::vector<RequestDatum> packet;
  writePacket(request, packet);
  return packet;
}

size_t countEntries(const char *folder) {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    count += !entry.path().empty();
  return count;
}

// G-018, G-031, G-033: nothing that a peer writes makes a server crash, hang,
// or keep anything.
TEST(BurstHostileTest, AProcessThatWritesAnything) {
  const auto length = std::getenv("NNHAL_TEST_ALL") ? 600s : 1s;
  PreparedModelRef model = prepareSum();
  SumPool pool;
  ExecutionResult result;
  ASSERT_TRUE(model->execute(pool.request(), result).isOk());
  const std::vector<RequestDatum> packet = sumPacket();
  const size_t descriptors = countEntries("/proc/self/fd");
  uint64_t answers = 0;
  const auto end = std::chrono::steady_clock::now() + length;
  // A loaded machine may not let the server run beside the attacker at first.
  auto isOver = [&] {
    const auto now = std::chrono::steady_clock::now();
    return now >= end && (answers > 0 || now >= end + 60s);
  };
  for (unsigned seed = 0; !isOver(); ++seed) {
    auto requests =
        FifoMemory::create(1 + 13 * (seed % 9), sizeof(RequestDatum));
    auto results = FifoMemory::create(1 + seed % 20, sizeof(ResultDatum));
    ASSERT_TRUE(requests.isOk() && results.isOk());
    auto served = model->configureBurst(
        std::make_shared<OneMemory>(pool.pool),
        {*duplicate(requests->fd()), *duplicate(results->fd())});
    ASSERT_TRUE(served.isOk()) << served.status().message();
    pid_t attacker = ::fork();
    ASSERT_GE(attacker, 0);
    if (attacker == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      Attacker(*requests, *results, packet, seed + 1).run();
    }
    std::this_thread::sleep_for(20ms);
    ::kill(attacker, SIGKILL);
    ::waitpid(attacker, nullptr, 0);
    served->reset();
    answers += std::atomic_ref(results->header().written).load();
  }
  EXPECT_GT(answers, 0u) << "no packet of the attacker was read";
  EXPECT_EQ(countEntries("/proc/self/fd"), descriptors);
  pool.fill(1);
  ASSERT_EQ(model->execute(pool.request(), result).message(), "");
  EXPECT_TRUE(pool.hasSum());
}

} // namespace
