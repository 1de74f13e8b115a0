//===- HostBurstTest.cpp - Bursts between a client and a host -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTesting.h"

#include "Faults/SystemCalls.h"
#include "Runtime/Burst/Packets.h"
#include "Runtime/Fifo/Fifo.h"
#include "Service/Host/LoopQueue.h"
#include "nnhal/Runtime/Burst.h"
#include "nnhal/Runtime/Log.h"

#include <fcntl.h>
#include <unistd.h>

#include <mutex>
#include <thread>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;
using rt::Result;
using rt::Status;
using rt::StatusCode;
using namespace std::chrono_literals;

namespace {
/// The memories that a host asks for, which a test can spoil.
struct Slots {
  std::shared_ptr<rt::BurstCallback> callback;
  bool isSilent = false;
  bool forgetsDescriptors = false;
  uint32_t extra = 0;
  int asked = 0;
};

/// Answers a host with the memories of a rt::Burst.
class SlotServer final : public wire::BurstCallback::Server {
public:
  explicit SlotServer(std::shared_ptr<Slots> slots) : slots(std::move(slots)) {}

  kj::Promise<void> getMemories(GetMemoriesContext context) override {
    ++slots->asked;
    if (slots->isSilent)
      return kj::NEVER_DONE;
    std::vector<int32_t> numbers;
    for (int32_t slot : context.getParams().getSlots())
      numbers.push_back(slot);
    auto memories = slots->callback->getMemories(numbers);
    auto results = context.getResults();
    write(memories.status(), results.initStatus());
    if (!memories.isOk())
      return kj::READY_NOW;
    auto list = results.initMemories(unsigned(memories->size()) + slots->extra);
    for (unsigned i = 0; i < memories->size(); ++i) {
      EXPECT_TRUE(write(*(*memories)[i], list[i]).isOk());
      if (slots->forgetsDescriptors)
        list[i].disownDescriptor();
    }
    return kj::READY_NOW;
  }

private:
  const std::shared_ptr<Slots> slots;
};

class HostBurstTest : public HostTest {
protected:
  ~HostBurstTest() noexcept override = default;
  void SetUp() override {
    options.quotas.bursts = 2;
    options.services.log = std::make_shared<rt::Log>(
        rt::maskOf(rt::LogTag::execution), [this](std::string_view line) {
          std::lock_guard lock(mutex);
          logged += line;
        });
    HostTest::SetUp();
    client = connect();
    remote = prepareSum(*client);
  }
  void TearDown() override {
    burst.reset();
    context = nullptr;
    remote = nullptr;
    client.reset();
    HostTest::TearDown();
  }

  /// Whether a burst of the host reports \p message within a while.
  bool reports(const std::string &message) {
    return waitFor([&] {
      std::lock_guard lock(mutex);
      return logged.find("burst: " + message) != std::string::npos;
    });
  }

  /// The client's end of a burst, whose server is the host.
  Status open() {
    auto made = rt::Burst::create(std::make_shared<Proxy>(*this));
    if (!made.isOk())
      return made.status();
    burst = std::move(*made);
    return Status::ok();
  }

  /// Executes \p request on another thread: this one has the event loop.
  Status execute(const rt::Request &request) {
    auto pair = kj::newPromiseAndCrossThreadFulfiller<void>();
    Status status;
    std::thread thread([&] {
      rt::ExecutionResult result;
      status = burst->execute(request, result);
      pair.fulfiller->fulfill();
    });
    wait(kj::mv(pair.promise));
    thread.join();
    return status;
  }

  /// The prepared model as a client's library would show it.
  class Proxy final : public rt::PreparedModel {
  public:
    explicit Proxy(HostBurstTest &test)
        : test(test), local(rt::test::prepareSum()) {}
    const rt::Interface &interface() const override {
      return local->interface();
    }
    Status execute(const rt::Request &, rt::ExecutionResult &) const override {
      return Status(StatusCode::generalFailure, "not by burst");
    }
    Status executeAsync(rt::Request, rt::ExecutionCallback) const override {
      return Status(StatusCode::generalFailure, "not by burst");
    }
    Result<std::shared_ptr<rt::FencedExecution>>
    executeFenced(rt::Request, std::vector<rt::FenceRef>,
                  std::optional<uint64_t>) const override {
      return Status(StatusCode::generalFailure, "not by burst");
    }
    Result<std::unique_ptr<rt::BurstContext>>
    configureBurst(std::shared_ptr<rt::BurstCallback> callback,
                   rt::BurstChannels channels) const override {
      test.slots->callback = std::move(callback);
      auto request = test.remote.configureBurstRequest();
      request.setCallback(kj::heap<SlotServer>(test.slots));
      request.setRequests(makeDescriptor(std::move(channels.requests)));
      request.setResults(makeDescriptor(std::move(channels.results)));
      auto answer = test.wait(request.send());
      Status status = read(answer.getStatus());
      if (!status.isOk())
        return status;
      test.context = answer.getContext();
      return std::unique_ptr<rt::BurstContext>(std::make_unique<Context>());
    }

  private:
    struct Context final : rt::BurstContext {
      void freeMemory(int32_t) override {}
    };
    HostBurstTest &test;
    const rt::PreparedModelRef local;
  };

  std::unique_ptr<TestClient> client;
  wire::PreparedModel::Client remote = nullptr;
  wire::BurstContext::Client context = nullptr;
  const std::shared_ptr<Slots> slots = std::make_shared<Slots>();
  std::unique_ptr<rt::Burst> burst;

private:
  std::mutex mutex;
  std::string logged;
};
} // namespace

TEST_F(HostBurstTest, ExecutesAndAsksForAMemoryOnce) {
  ASSERT_EQ(open().message(), "");
  rt::test::SumPool sum;
  for (int i = 0; i < 5; ++i) {
    sum.fill(float(i));
    EXPECT_EQ(execute(sum.request()).message(), "");
    EXPECT_TRUE(sum.hasSum(float(i)));
  }
  EXPECT_EQ(slots->asked, 1);
  EXPECT_EQ(burst->ordinaryExecutions(), 0u);
  EXPECT_EQ(report()[0].bursts, 1u);
  EXPECT_EQ(report()[0].descriptors, 3u); // Two queues, one memory.
}

TEST_F(HostBurstTest, AFreedMemoryIsGivenBack) {
  ASSERT_EQ(open().message(), "");
  rt::test::SumPool sum;
  EXPECT_EQ(execute(sum.request()).message(), "");
  auto free = context.freeMemoryRequest();
  free.setSlot(0);
  wait(free.send().ignoreResult());
  EXPECT_TRUE(waitFor([&] { return report()[0].descriptors == 2; }));
}

TEST_F(HostBurstTest, TheEndOfABurstReleasesEverything) {
  ASSERT_EQ(open().message(), "");
  rt::test::SumPool sum;
  EXPECT_EQ(execute(sum.request()).message(), "");
  const uint64_t before = report()[0].memory;
  EXPECT_GT(before, 4096u);
  context = nullptr;
  EXPECT_TRUE(waitFor(
      [&] { return report()[0].bursts == 0 && report()[0].descriptors == 0; }));
  EXPECT_TRUE(waitFor([&] { return report()[0].memory < 4096; }));
}

TEST_F(HostBurstTest, MemoriesThatAClientGivesWronglyFailTheExecution) {
  ASSERT_EQ(open().message(), "");
  rt::test::SumPool sum;
  slots->extra = 1;
  EXPECT_EQ(execute(sum.request()).code(), StatusCode::invalidArgument);
  slots->extra = 0;
  slots->forgetsDescriptors = true;
  EXPECT_EQ(execute(sum.request()).code(), StatusCode::invalidArgument);
  slots->forgetsDescriptors = false;
  EXPECT_EQ(execute(sum.request()).message(), "");
  EXPECT_TRUE(sum.hasSum());
}

TEST_F(HostBurstTest, AClientThatDoesNotAnswerHoldsNothing) {
  ASSERT_EQ(open().message(), "");
  slots->isSilent = true;
  rt::test::SumPool sum;
  auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(execute(sum.request()).isOk());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 4s);
  EXPECT_TRUE(reports("the client did not answer within 2000 ms"));
  // It is not asked again.
  slots->isSilent = false;
  EXPECT_FALSE(execute(sum.request()).isOk());
  EXPECT_EQ(slots->asked, 1);
}

TEST_F(HostBurstTest, ABurstEndsWhileItsClientDoesNotAnswer) {
  ASSERT_EQ(open().message(), "");
  slots->isSilent = true;
  rt::test::SumPool sum;
  std::thread thread([&] {
    rt::ExecutionResult result;
    (void)burst->execute(sum.request(), result);
  });
  EXPECT_TRUE(waitFor([&] { return slots->asked == 1; }));
  auto begin = std::chrono::steady_clock::now();
  context = nullptr;
  EXPECT_TRUE(waitFor([&] { return report()[0].bursts == 0; }));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  EXPECT_TRUE(reports("the burst has ended"));
  burst->invalidate();
  thread.join();
}

TEST_F(HostBurstTest, AsksForNoMoreMemoriesThanAMessageCarries) {
  auto requests = rt::FifoMemory::create(1024, sizeof(rt::RequestDatum));
  auto results = rt::FifoMemory::create(1024, sizeof(rt::ResultDatum));
  ASSERT_TRUE(requests.isOk() && results.isOk());
  auto request = remote.configureBurstRequest();
  request.setCallback(kj::heap<SlotServer>(slots));
  request.setRequests(makeDescriptor(*rt::duplicate(requests->fd())));
  request.setResults(makeDescriptor(*rt::duplicate(results->fd())));
  auto answer = wait(request.send());
  ASSERT_EQ(read(answer.getStatus()).message(), "");
  context = answer.getContext();
  rt::BurstRequest packed;
  for (int32_t slot = 0; slot < 254; ++slot)
    packed.slots.push_back(slot);
  std::vector<rt::RequestDatum> packet;
  writePacket(packed, packet);
  rt::FifoWriter<rt::RequestDatum> writer(*std::move(requests));
  ASSERT_EQ(writer.tryWrite(packet).message(), "");
  EXPECT_TRUE(reports("a request names 254 new slots where 253 are allowed"));
  EXPECT_EQ(slots->asked, 0);
}

TEST_F(HostBurstTest, ModelsWithoutBursts) { // G-003
  control->hasNoBursts = true;
  remote = prepareSum(*client);
  EXPECT_EQ(open().message(), "the prepared model has no bursts");
}

TEST_F(HostBurstTest, BurstsAreCounted) {
  ASSERT_EQ(open().message(), "");
  auto first = context;
  ASSERT_EQ(open().message(), "");
  auto second = context;
  Status status = open();
  EXPECT_EQ(status.message(), "the client has 2 bursts where 2 are allowed");
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
}

TEST_F(HostBurstTest, QueuesAreQueues) {
  auto request = remote.configureBurstRequest();
  EXPECT_EQ(ask(request).message(), "a burst has no callback");
  request = remote.configureBurstRequest();
  request.setCallback(kj::heap<SlotServer>(slots));
  EXPECT_EQ(ask(request).message(),
            "the queue of requests came without a descriptor");
  request = remote.configureBurstRequest();
  request.setCallback(kj::heap<SlotServer>(slots));
  auto directory = [] {
    return makeDescriptor(
        rt::UniqueFd(::open("/tmp", O_DIRECTORY | O_CLOEXEC)));
  };
  request.setRequests(directory());
  request.setResults(directory());
  Status status = ask(request);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message().substr(0, 32), "the queue of requests of a burst")
      << status.message();
  EXPECT_TRUE(waitFor([&] { return report()[0].bursts == 0; }));
}

TEST_F(HostBurstTest, QueuesHaveASize) {
  rt::SystemCallFailure failure(rt::SystemCall::fstat, EIO);
  EXPECT_EQ(open().message(), "the queue of a burst has no size");
}

TEST(LoopQueueTest, CallsInOrderOnTheLoop) {
  auto io = kj::setupAsyncIo();
  auto queue = std::make_shared<LoopQueue>();
  std::vector<int> called;
  auto running = queue->run().eagerlyEvaluate(nullptr);
  std::thread thread([&] {
    for (int i = 0; i < 100; ++i)
      queue->post([&, i] { called.push_back(i); });
  });
  thread.join();
  io.waitScope.poll();
  for (int i = 0; i < 100 && called.size() < 100; ++i)
    io.provider->getTimer().afterDelay(kj::MILLISECONDS).wait(io.waitScope);
  ASSERT_EQ(called.size(), 100u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(called[i], i);
}
