//===- FifoTest.cpp - Queues with honest and with hostile ends ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Fifo/Fifo.h"

#include "nnhal/Runtime/SharedMemory.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace std::chrono_literals;

namespace {

/// An element of the size that bursts use.
struct Element {
  uint64_t number = 0;
  uint64_t padding[2] = {};
};

/// Both ends of a queue, over mappings of their own.
struct Queue {
  explicit Queue(uint32_t capacity)
      : Queue(*FifoMemory::create(capacity, sizeof(Element))) {}
  explicit Queue(FifoMemory memory)
      : reader(*FifoMemory::open(*duplicate(memory.fd()), sizeof(Element))),
        peer(*FifoMemory::open(*duplicate(memory.fd()), sizeof(Element))),
        writer(std::move(memory)) {}

  FifoHeader &header() { return peer.header(); }

  FifoReader<Element> reader;
  FifoMemory peer; // The mapping of a hostile process.
  FifoWriter<Element> writer;
};

std::vector<Element> numbers(uint64_t begin, uint64_t count) {
  std::vector<Element> elements(count);
  for (uint64_t i = 0; i < count; ++i)
    elements[i].number = begin + i;
  return elements;
}

TEST(FifoTest, PacketsArriveWhole) { // G-015
  Queue queue(7);
  std::vector<Element> arrived;
  EXPECT_TRUE(queue.reader.tryRead(arrived).isOk());
  EXPECT_TRUE(arrived.empty());
  uint64_t next = 0;
  for (uint32_t count : {3u, 7u, 1u, 5u, 6u, 2u, 7u}) {
    ASSERT_TRUE(queue.writer.tryWrite(numbers(next, count)).isOk());
    ASSERT_TRUE(queue.reader.tryRead(arrived).isOk());
    ASSERT_EQ(arrived.size(), count);
    for (const Element &element : arrived)
      EXPECT_EQ(element.number, next++);
  }
}

TEST(FifoTest, RoomIsChecked) { // G-016, G-017
  Queue queue(8);
  Status tooLong = queue.writer.tryWrite(numbers(0, 9));
  EXPECT_EQ(tooLong.code(), StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(tooLong.message(),
            "a packet of 9 elements exceeds the capacity of the queue, 8");
  EXPECT_EQ(queue.writer.writeBlocking(numbers(0, 9), 0us).message(),
            "a packet of 9 elements exceeds the capacity of the queue, 8");
  ASSERT_TRUE(queue.writer.tryWrite(numbers(0, 6)).isOk());
  Status tooMany = queue.writer.tryWrite(numbers(6, 3));
  EXPECT_EQ(tooMany.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(tooMany.message(),
            "a packet of 3 elements exceeds the 2 free ones of the queue");
  std::vector<Element> arrived;
  ASSERT_TRUE(queue.reader.tryRead(arrived).isOk());
  EXPECT_EQ(arrived.size(), 6u);
  EXPECT_TRUE(queue.writer.tryWrite(numbers(6, 8)).isOk());
}

/// Sends packets of random lengths from one thread to another.
void stream(std::chrono::nanoseconds window) {
  Queue queue(13);
  constexpr uint64_t total = 20'000;
  std::thread writer([&] {
    std::mt19937 random(1);
    for (uint64_t sent = 0; sent < total;) {
      uint64_t count = std::min<uint64_t>(1 + random() % 13, total - sent);
      ASSERT_TRUE(
          queue.writer.writeBlocking(numbers(sent, count), window).isOk());
      sent += count;
    }
  });
  std::vector<Element> arrived;
  for (uint64_t expected = 0; expected < total;) {
    ASSERT_TRUE(queue.reader.readBlocking(arrived, window).isOk());
    ASSERT_FALSE(arrived.empty());
    for (const Element &element : arrived)
      ASSERT_EQ(element.number, expected++);
  }
  writer.join();
}

TEST(FifoTest, EndsThatPollMeet) { stream(20us); }
TEST(FifoTest, EndsThatSleepWakeEachOther) { stream(0us); } // G-053

TEST(FifoTest, TwoProcesses) { // G-013
  Queue there(8), back(8);
  constexpr uint64_t trips = 2'000;
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::vector<Element> arrived;
    for (uint64_t i = 0; i < trips; ++i)
      if (!there.reader.readBlocking(arrived, 5us).isOk() ||
          !back.writer.tryWrite(arrived).isOk())
        ::_exit(1);
    ::_exit(0);
  }
  std::vector<Element> arrived;
  for (uint64_t i = 0; i < trips; ++i) {
    ASSERT_TRUE(there.writer.tryWrite(numbers(i, 1 + i % 8)).isOk());
    ASSERT_TRUE(back.reader.readBlocking(arrived, 5us).isOk());
    ASSERT_EQ(arrived.size(), 1 + i % 8);
    ASSERT_EQ(arrived.back().number, i + i % 8);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

int64_t cpuMicroseconds() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000 +
         usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

TEST(FifoTest, CloseEndsASleeper) { // G-048, G-053
  Queue queue(8);
  int64_t used = 0;
  Status status;
  std::thread reader([&] {
    std::vector<Element> arrived;
    int64_t before = cpuMicroseconds();
    status = queue.reader.readBlocking(arrived, 50us);
    used = cpuMicroseconds() - before;
  });
  std::this_thread::sleep_for(300ms);
  queue.reader.close();
  reader.join();
  EXPECT_EQ(status.code(), StatusCode::deadObject);
  EXPECT_EQ(status.message(), "the queue was closed");
  EXPECT_LT(used, 50'000) << "a reader that waits uses the processor";
  std::vector<Element> arrived;
  EXPECT_EQ(queue.reader.readBlocking(arrived, 50us).message(),
            "the queue was closed");
}

TEST(FifoTest, CloseEndsAWriterThatWaitsForRoom) {
  Queue queue(2);
  ASSERT_TRUE(queue.writer.tryWrite(numbers(0, 2)).isOk());
  Status status;
  std::thread writer(
      [&] { status = queue.writer.writeBlocking(numbers(2, 1), 0us); });
  std::this_thread::sleep_for(20ms);
  queue.writer.close();
  writer.join();
  EXPECT_EQ(status.message(), "the queue was closed");
}

TEST(FifoTest, NobodyKeepsAnEndAsleep) {
  Queue queue(8);
  std::atomic<bool> isOver = false;
  // Says all the time that this end is awake, and never wakes it.
  std::thread hostile([&] {
    while (!isOver)
      std::atomic_ref(queue.header().events).store(fifoNotEmpty);
  });
  Status status;
  std::thread reader([&] {
    std::vector<Element> arrived;
    status = queue.reader.readBlocking(arrived, 0us);
  });
  std::this_thread::sleep_for(50ms);
  queue.reader.close();
  reader.join();
  isOver = true;
  hostile.join();
  EXPECT_EQ(status.message(), "the queue was closed");
}

TEST(FifoTest, CountersOfAHostileWriter) {
  Queue queue(8);
  ASSERT_TRUE(queue.writer.tryWrite(numbers(0, 3)).isOk());
  std::vector<Element> arrived;
  ASSERT_TRUE(queue.reader.tryRead(arrived).isOk());
  queue.header().written = 12;
  Status status = queue.reader.tryRead(arrived);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            "the other end of a queue says that it has written 12 elements, "
            "expected 3 to 11");
  // An end that was lied to once believes nothing any more.
  queue.header().written = 5;
  EXPECT_FALSE(queue.reader.tryRead(arrived).isOk());
  Queue backwards(8);
  ASSERT_TRUE(backwards.writer.tryWrite(numbers(0, 3)).isOk());
  ASSERT_TRUE(backwards.reader.tryRead(arrived).isOk());
  backwards.header().written = 2;
  EXPECT_EQ(backwards.reader.readBlocking(arrived, 0us).message(),
            "the other end of a queue says that it has written 2 elements, "
            "expected 3 to 11");
}

TEST(FifoTest, CountersOfAHostileReader) {
  Queue queue(8);
  ASSERT_TRUE(queue.writer.tryWrite(numbers(0, 3)).isOk());
  queue.header().read = 4;
  // The counter is not looked at while there is room without it.
  ASSERT_EQ(queue.writer.tryWrite(numbers(3, 5)).message(), "");
  queue.header().read = 9;
  for (uint32_t count : {1, 1})
    EXPECT_EQ(queue.writer.tryWrite(numbers(8, count)).message(),
              "the other end of a queue says that it has read 9 elements, "
              "expected 0 to 8");
}

/// Keeps the calling thread on \p core, as long as it lives.
void stayOn(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ASSERT_EQ(::sched_setaffinity(0, sizeof set, &set), 0);
}

/// The first two cores that this thread may use, or one twice.
std::pair<int, int> twoCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set))
      cores.push_back(core);
  return {cores.front(), cores.size() > 1 ? cores[1] : cores.front()};
}

TEST(FifoTest, AReaderKnowsTheCoreOfItsWriter) {
  Queue queue(8);
  auto [mine, other] = twoCores();
  auto exchange = [&](int writerCore) {
    std::thread([&] {
      stayOn(writerCore);
      ASSERT_TRUE(queue.writer.tryWrite(numbers(0, 1)).isOk());
    }).join();
    std::vector<Element> arrived;
    ASSERT_TRUE(queue.reader.tryRead(arrived).isOk());
    ASSERT_EQ(arrived.size(), 1u);
  };
  std::thread([&, mine = mine, other = other] {
    stayOn(mine);
    EXPECT_FALSE(queue.reader.isPeerOnThisCore()); // Nothing was read.
    exchange(mine);
    EXPECT_TRUE(queue.reader.isPeerOnThisCore());
    exchange(other);
    EXPECT_EQ(queue.reader.isPeerOnThisCore(), mine == other);
    // A peer that does not say where it is, or a core that is none.
    for (uint32_t said : {0u, ~0u}) {
      ASSERT_TRUE(queue.writer.tryWrite(numbers(0, 1)).isOk());
      queue.header().writerCore = said;
      std::vector<Element> arrived;
      ASSERT_TRUE(queue.reader.tryRead(arrived).isOk());
      EXPECT_FALSE(queue.reader.isPeerOnThisCore()) << said;
    }
  }).join();
}

/// A peer that writes any bytes at any time anywhere into the shared memory.
TEST(FifoTest, HostilePeerForAWhile) {
  std::mt19937_64 random(7);
  std::vector<Element> arrived;
  for (int round = 0; round < 500; ++round) {
    Queue queue(1 + uint32_t(random() % 16));
    std::atomic<bool> isOver = false;
    std::thread hostile([&, seed = random()] {
      std::mt19937_64 each(seed);
      auto *bytes = reinterpret_cast<unsigned char *>(&queue.header());
      size_t size =
          sizeof(FifoHeader) + queue.peer.capacity() * sizeof(Element);
      while (!isOver) {
        size_t word = each() % (size / 8) * 8;
        uint64_t value = each() % 4 == 0 ? each() : each() % 32;
        std::atomic_ref(*reinterpret_cast<uint64_t *>(bytes + word))
            .store(value, std::memory_order_relaxed);
      }
    });
    for (int use = 0; use < 20; ++use) {
      // Either answer is right; memory outside of the ring is not touched.
      if (queue.writer.tryWrite(numbers(0, 1)).isOk() &&
          queue.reader.tryRead(arrived).isOk())
        EXPECT_LE(arrived.size(), queue.peer.capacity());
    }
    isOver = true;
    hostile.join();
  }
}

} // namespace
