//===- BurstServerTest.cpp - A server and clients of every kind -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Burst/BurstServer.h"

#include "SampleModel.h"

#include "Runtime/Fifo/Fifo.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using namespace std::chrono_literals;

namespace {

/// Gives the memories that a test has put in, and counts the questions.
class Memories final : public BurstCallback {
public:
  Result<std::vector<std::shared_ptr<SharedMemory>>>
  getMemories(std::span<const int32_t> slots) override {
    std::vector<std::shared_ptr<SharedMemory>> found;
    for (int32_t slot : slots) {
      ++asked[slot];
      if (!memories.contains(slot))
        return Status(StatusCode::invalidArgument, "no such slot");
      found.push_back(memories[slot]);
    }
    found.resize(found.size() + extra);
    return found;
  }
  std::map<int32_t, std::shared_ptr<SharedMemory>> memories;
  std::map<int32_t, int> asked;
  size_t extra = 0;
};

/// A client that writes packets by hand.
class BurstServerTest : public testing::Test {
protected:
  void start(uint32_t resultCapacity = 1024,
             BurstCache cache = BurstCache::memories) {
    auto requestMemory = FifoMemory::create(1024, sizeof(RequestDatum));
    auto resultMemory = FifoMemory::create(resultCapacity, sizeof(ResultDatum));
    ASSERT_TRUE(requestMemory.isOk() && resultMemory.isOk());
    BurstChannels channels = {*duplicate(requestMemory->fd()),
                              *duplicate(resultMemory->fd())};
    requests.emplace(*std::move(requestMemory));
    results.emplace(*std::move(resultMemory));
    memories->memories[0] = pool.pool;
    auto served = serveBurst(createBurstExecutor(prepareSum(), cache), memories,
                             std::move(channels), {.log = log});
    ASSERT_TRUE(served.isOk()) << served.status().message();
    context = *std::move(served);
  }

  /// The request that `pool` is for.
  static BurstRequest sum() {
    BurstRequest request;
    request.inputs = {{.offset = 0, .length = sumBytes, .dimensions = {2, 3}},
                      {.offset = 64, .length = sumBytes, .dimensions = {2, 3}}};
    request.outputs = {
        {.offset = 128, .length = sumBytes, .dimensions = {2, 3}}};
    request.slots = {0};
    return request;
  }

  BurstResult exchange(std::span<const RequestDatum> packet) {
    EXPECT_TRUE(requests->tryWrite(packet).isOk());
    return receive();
  }
  BurstResult exchange(const BurstRequest &request) {
    std::vector<RequestDatum> packet;
    writePacket(request, packet);
    return exchange(packet);
  }
  BurstResult receive() {
    std::vector<ResultDatum> answer;
    BurstResult result;
    EXPECT_TRUE(results->readBlocking(answer, 50us).isOk());
    EXPECT_EQ(readPacket(answer, result).message(), "");
    return result;
  }
  void expectRefusal(const BurstResult &result, StatusCode code) {
    EXPECT_EQ(result.status, code);
    EXPECT_TRUE(result.outputShapes.empty());
    EXPECT_EQ(result.timing, Timing());
  }
  void expectSum() {
    pool.fill(1);
    BurstResult result = exchange(sum());
    ASSERT_EQ(result.status, StatusCode::none);
    ASSERT_EQ(result.outputShapes.size(), 1u);
    EXPECT_EQ(result.outputShapes[0].dimensions, (std::vector<uint32_t>{2, 3}));
    EXPECT_TRUE(pool.hasSum());
  }

  /// Returns the lines that the server has logged since the last call.
  std::string takeLog() {
    std::lock_guard lock(mutex);
    return std::exchange(logged, {});
  }

  std::mutex mutex;
  std::string logged;
  std::shared_ptr<const Log> log = std::make_shared<Log>(
      maskOf(LogTag::execution), [this](std::string_view line) {
        std::lock_guard lock(mutex);
        logged += std::string(line) + "\n";
      });
  SumPool pool;
  std::shared_ptr<Memories> memories = std::make_shared<Memories>();
  std::optional<FifoWriter<RequestDatum>> requests;
  std::optional<FifoReader<ResultDatum>> results;
  std::unique_ptr<BurstContext> context;
};

TEST_F(BurstServerTest, ExecutesAndMeasures) {
  start();
  expectSum();
  BurstRequest measured = sum();
  measured.measureTiming = true;
  BurstResult result = exchange(measured);
  EXPECT_EQ(result.status, StatusCode::none);
  EXPECT_NE(result.timing.timeInDriver, noTiming);
}

TEST_F(BurstServerTest, ChannelsAreChecked) { // G-001, G-064
  auto executor = [] {
    return createBurstExecutor(prepareSum(), BurstCache::memories);
  };
  EXPECT_EQ(serveBurst(executor(), nullptr, {}).status().message(),
            "a burst has no callback");
  Status none = serveBurst(executor(), memories, {}).status();
  EXPECT_EQ(none.code(), StatusCode::generalFailure);
  EXPECT_EQ(none.message(), "the queue of requests of a burst: a queue is not "
                            "in sealed memory: Bad file descriptor");
  auto right = FifoMemory::create(8, sizeof(RequestDatum));
  auto wrong = FifoMemory::create(8, 8);
  EXPECT_EQ(serveBurst(executor(), memories,
                       {*duplicate(right->fd()), *duplicate(wrong->fd())})
                .status()
                .message(),
            "the queue of results of a burst: the elements of a queue have 8 "
            "bytes, expected 24");
}

TEST_F(BurstServerTest, SlotsAreAskedForOnce) { // G-040, G-047
  start();
  BurstRequest twice = sum();
  twice.slots = {0, 0};
  twice.inputs[1].poolIndex = 1;
  EXPECT_EQ(exchange(twice).status, StatusCode::none);
  for (int i = 0; i < 10; ++i)
    expectSum();
  EXPECT_EQ(memories->asked[0], 1);
}

TEST_F(BurstServerTest, SimpleServerKeepsNothing) { // G-010
  start(1024, BurstCache::none);
  for (int i = 0; i < 3; ++i)
    expectSum();
  EXPECT_EQ(memories->asked[0], 3);
}

// B-090, G-002, G-043, G-046
TEST_F(BurstServerTest, FreedSlotsAreAskedForAgain) {
  start();
  expectSum();
  SumPool other(100);
  memories->memories[0] = other.pool;
  expectSum();            // The server still has the first memory.
  context->freeMemory(7); // It was never used.
  context->freeMemory(0);
  context->freeMemory(0);
  EXPECT_EQ(exchange(sum()).status, StatusCode::none);
  EXPECT_TRUE(other.hasSum(100));
  EXPECT_EQ(memories->asked[0], 2);
}

TEST_F(BurstServerTest, SlotsThatTheClientDoesNotKnow) { // G-034, G-042, G-063
  start();
  for (int32_t slot : {INT32_MAX, -1, 1}) {
    BurstRequest unknown = sum();
    unknown.slots = {slot};
    expectRefusal(exchange(unknown), StatusCode::invalidArgument);
    EXPECT_EQ(takeLog(), "execution: burst: no such slot\n"
                         "execution: burst: slot " +
                             std::to_string(slot) +
                             " of a burst has no memory\n");
  }
  memories->extra = 1;
  expectRefusal(exchange(sum()), StatusCode::invalidArgument);
  EXPECT_EQ(takeLog(), "execution: burst: the client gave 2 memories for 1 "
                       "slots\nexecution: burst: slot 0 of a burst has no "
                       "memory\n");
  memories->extra = 0;
  memories->memories[0] = nullptr;
  expectRefusal(exchange(sum()), StatusCode::invalidArgument);
  EXPECT_EQ(takeLog(), "execution: burst: the client gave no memory for a "
                       "slot\nexecution: burst: slot 0 of a burst has no "
                       "memory\n");
  memories->memories[0] = pool.pool;
  EXPECT_EQ(memories->asked[0], 2);
  expectSum();
  EXPECT_EQ(memories->asked[0], 3);
}

TEST_F(BurstServerTest, RequestsThatDoNotFitTheModel) { // G-032, G-036
  start();
  std::vector<BurstRequest> wrong(9, sum());
  wrong[0].inputs.pop_back();
  wrong[1].outputs.push_back(sum().outputs[0]);
  wrong[2].inputs[0].poolIndex = 1;
  wrong[3].inputs[0].offset = 4096;
  wrong[4].outputs[0].poolIndex = UINT32_MAX;
  wrong[5].outputs[0].hasNoValue = true;
  wrong[6].inputs[0].dimensions = {3, 2};
  wrong[7].inputs[0].length = sumBytes - 1;
  wrong[8].outputs[0].offset = UINT32_MAX;
  std::string messages;
  for (const BurstRequest &request : wrong) {
    expectRefusal(exchange(request), StatusCode::invalidArgument);
    messages += takeLog();
    expectSum();
  }
  for (const char *message :
       {"input 0 is in pool 1 of a packet, which has 1",
        "output 0 is in pool 4294967295 of a packet, which has 1",
        "output 0 of a packet has no value"})
    EXPECT_NE(messages.find("execution: burst: " + std::string(message) + "\n"),
              messages.npos)
        << messages;
}

TEST_F(BurstServerTest, OutputsThatAreTooSmall) {
  start();
  BurstRequest small = sum();
  small.outputs[0].length = sumBytes - 4;
  BurstResult result = exchange(small);
  EXPECT_EQ(result.status, StatusCode::outputInsufficientSize);
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_FALSE(result.outputShapes[0].isSufficient);
  EXPECT_EQ(result.timing, Timing());
}

TEST_F(BurstServerTest, SmallQueueOfResults) { // G-014, G-016
  start(8);
  expectSum();
  start(4); // packetInformation, one output with two extents, timing: 5
  expectRefusal(exchange(sum()), StatusCode::generalFailure);
}

TEST_F(BurstServerTest, ClientThatReadsNoResults) {
  start(5);
  std::vector<RequestDatum> packet;
  writePacket(sum(), packet);
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(requests->writeBlocking(packet, 0us).isOk());
  // The server drops what nobody reads, and still ends.
  context.reset();
}

TEST_F(BurstServerTest, SeveralPacketsAtOnce) { // G-052
  start();
  std::vector<RequestDatum> packet, both;
  writePacket(sum(), packet);
  both = packet;
  both.insert(both.end(), packet.begin(), packet.end());
  ASSERT_TRUE(requests->tryWrite(both).isOk());
  size_t answered = 0;
  while (answered < 10) {
    std::vector<ResultDatum> answer;
    ASSERT_TRUE(results->readBlocking(answer, 50us).isOk());
    answered += answer.size();
  }
  EXPECT_EQ(answered, 10u);
}

/// Holds executions until a test lets them go.
class HeldExecutor final : public BurstExecutor {
public:
  void addCacheEntry(int32_t, std::shared_ptr<SharedMemory>) override {}
  void removeCacheEntry(int32_t) override { ++removed; }
  bool isCacheEntryPresent(int32_t) const override { return true; }
  Status bind(const BurstRequest &) override { return Status::ok(); }
  bool isBound() const override { return false; }
  Status execute(ExecutionResult &) override {
    isExecuting = true;
    isExecuting.notify_all();
    isHeld.wait(true);
    int none = -1;
    removedBefore.compare_exchange_strong(none, removed);
    return Status::ok();
  }
  std::atomic<bool> isExecuting = false;
  std::atomic<bool> isHeld = true;
  std::atomic<int> removed = 0;
  /// How many slots had been freed when the first execution ended.
  std::atomic<int> removedBefore = -1;
};

TEST_F(BurstServerTest, EndsWithAFullQueueOfRequests) { // G-060, G-061, G-066
  start();
  auto held = std::make_unique<HeldExecutor>();
  HeldExecutor &executor = *held;
  auto requestMemory = FifoMemory::create(16, sizeof(RequestDatum));
  auto resultMemory = FifoMemory::create(16, sizeof(ResultDatum));
  auto served = serveBurst(
      std::move(held), memories,
      {*duplicate(requestMemory->fd()), *duplicate(resultMemory->fd())});
  ASSERT_TRUE(served.isOk());
  FifoWriter<RequestDatum> writer(*std::move(requestMemory));
  FifoReader<ResultDatum> reader(*std::move(resultMemory));
  std::vector<RequestDatum> packet;
  writePacket(sum(), packet);
  ASSERT_TRUE(writer.tryWrite(packet).isOk());
  executor.isExecuting.wait(false);
  while (writer.tryWrite(packet).isOk()) {
  }
  // A slot is freed after the execution that runs.
  std::thread freeing([&] { (*served)->freeMemory(0); });
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(executor.removed, 0);
  executor.isHeld = false;
  executor.isHeld.notify_all();
  freeing.join();
  EXPECT_EQ(executor.removedBefore, 0);
  served->reset();
  // Requests that were read are answered; the end of the server is not a
  // request.
  std::vector<ResultDatum> answers;
  ASSERT_TRUE(reader.tryRead(answers).isOk());
  EXPECT_EQ(answers.size() % 2, 0u);
  EXPECT_LE(answers.size(), 2u * 3);
}

/// Twenty requests that differ in what a packet can state.
std::vector<BurstRequest> variants(const BurstRequest &sum) {
  std::vector<BurstRequest> requests;
  for (int variant = 0; variant < 20; ++variant) {
    BurstRequest request = sum;
    request.measureTiming = (variant & 1) != 0;
    if ((variant & 2) != 0)
      request.inputs[0].dimensions.clear();
    if ((variant & 4) != 0)
      request.outputs[0].dimensions.clear();
    if ((variant & 8) != 0) {
      request.slots = {0, 0};
      request.inputs[1].poolIndex = 1;
    }
    if ((variant & 16) != 0)
      request.inputs[1].dimensions.clear();
    requests.push_back(request);
  }
  return requests;
}

/// The value of \p datum that cannot stand there in place of the right one:
/// the tag of every other element, and of none, and numbers that break a rule.
std::vector<RequestDatum> wrongValues(const RequestDatum &datum) {
  std::vector<RequestDatum> wrong;
  for (unsigned tag : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 128u, 255u})
    if (RequestTag(tag) != datum.tag) {
      wrong.push_back(datum);
      wrong.back().tag = RequestTag(tag);
    }
  auto change = [&](size_t word, std::initializer_list<uint32_t> values) {
    for (uint32_t value : values)
      if (datum.words[word] != value) {
        wrong.push_back(datum);
        wrong.back().words[word] = value;
      }
  };
  switch (datum.tag) {
  case RequestTag::packetInformation:
    for (size_t word : {0u, 1u, 2u, 3u})
      change(word, {datum.words[word] + 1, datum.words[word] - 1, 1000,
                    1u << 31, UINT32_MAX});
    break;
  case RequestTag::inputOperandInformation:
  case RequestTag::outputOperandInformation:
    change(0, {1, 2, 255});
    change(1, {2, 3, UINT32_MAX});
    change(2, {4096, 1u << 31, UINT32_MAX});
    change(3, {1, 4097, UINT32_MAX});
    change(4, {3, 1000, UINT32_MAX});
    break;
  case RequestTag::inputOperandDimensionValue:
  case RequestTag::outputOperandDimensionValue:
    change(0, {1, 5, 1u << 31, UINT32_MAX});
    break;
  case RequestTag::poolIdentifier:
    change(0, {1, 2, 1u << 31, INT32_MAX, UINT32_MAX});
    break;
  case RequestTag::measureTiming:
    change(0, {2, 3, 1u << 31, UINT32_MAX});
    break;
  }
  return wrong;
}

TEST_F(BurstServerTest, EveryDamageOfARequest) { // G-018, G-031, G-062
  start();
  size_t tried = 0;
  auto expectDamage = [&](const std::vector<RequestDatum> &damaged) {
    BurstResult result = exchange(damaged);
    EXPECT_NE(result.status, StatusCode::none);
    // Outputs that are too small are no damage that a server can tell.
    if (result.status != StatusCode::outputInsufficientSize)
      EXPECT_TRUE(result.outputShapes.empty());
    EXPECT_EQ(result.timing, Timing());
    if (++tried % 64 == 0)
      expectSum();
  };
  for (const BurstRequest &request : variants(sum())) {
    std::vector<RequestDatum> whole;
    writePacket(request, whole);
    ASSERT_EQ(exchange(whole).status, StatusCode::none);
    for (size_t i = 0; i < whole.size(); ++i) {
      std::vector<RequestDatum> damaged = whole;
      damaged.erase(damaged.begin() + ptrdiff_t(i));
      expectDamage(damaged);
      damaged = whole;
      damaged.insert(damaged.begin() + ptrdiff_t(i), whole[i]);
      expectDamage(damaged);
      for (unsigned tag = 0; tag < 7; ++tag) {
        damaged = whole;
        damaged.insert(damaged.begin() + ptrdiff_t(i) + 1,
                       {.tag = RequestTag(tag)});
        expectDamage(damaged);
      }
      std::vector<RequestDatum> wrong = wrongValues(whole[i]);
      EXPECT_GE(wrong.size(), 12u);
      for (const RequestDatum &value : wrong) {
        damaged = whole;
        damaged[i] = value;
        expectDamage(damaged);
      }
    }
  }
  EXPECT_GT(tried, 4000u);
  expectSum();
}

TEST_F(BurstServerTest, RandomElements) {
  start(64);
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::vector<RequestDatum> elements(1 + random() % 20);
    for (RequestDatum &datum : elements) {
      datum.tag = RequestTag(random() % 8);
      for (uint32_t &word : datum.words)
        word = random() % 3 == 0 ? uint32_t(random()) : random() % 8;
    }
    elements[0] = {};
    elements[0].words = {uint32_t(elements.size()), uint32_t(random() % 4),
                         uint32_t(random() % 4), uint32_t(random() % 4)};
    EXPECT_NE(exchange(elements).status, StatusCode::none);
  }
  expectSum();
}

} // namespace
