//===- QuotaTest.cpp - What a client may have -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTesting.h"

#include "Service/Host/Account.h"
#include "nnhal/Runtime/Fence.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;
using rt::Status;
using rt::StatusCode;

namespace {
class QuotaTest : public HostTest {
protected:
  void SetUp() override {
    options.quotas = {.memory = 1 << 20,
                      .models = 2,
                      .buffers = 2,
                      .bursts = 1,
                      .executions = 3,
                      .preparations = 2,
                      .descriptors = 8,
                      .connections = 16};
    HostTest::SetUp();
  }
  static void
  expectRefusal(const Status &status, std::string_view message,
                StatusCode code = StatusCode::resourceExhaustedTransient) {
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_EQ(status.message(), message);
  }
};
} // namespace

TEST_F(QuotaTest, PreparedModels) {
  auto client = connect();
  std::vector<wire::PreparedModel::Client> models;
  models.push_back(prepareSum(*client));
  models.push_back(prepareSum(*client));
  expectRefusal(ask(prepareRequest(*client, rt::test::sumModel())),
                "the client has 2 prepared models where 2 are allowed");
  EXPECT_EQ(report()[0].refusals, 1u);
  models.pop_back();
  models.push_back(prepareSum(*client));
  prepareSum(*connect()); // Others have their own.
}

TEST_F(QuotaTest, Preparations) {
  control->hold();
  auto client = connect();
  auto first = prepareRequest(*client, rt::test::sumModel()).send();
  auto second = prepareRequest(*client, rt::test::sumModel()).send();
  expectRefusal(ask(prepareRequest(*client, rt::test::sumModel())),
                "the client has 2 preparations under way where 2 are allowed");
  control->release();
  EXPECT_TRUE(read(wait(kj::mv(first)).getStatus()).isOk());
  EXPECT_TRUE(read(wait(kj::mv(second)).getStatus()).isOk());
}

TEST_F(QuotaTest, Executions) {
  auto client = connect();
  auto model = prepareSum(*client);
  rt::test::SumPool sum;
  Imported pool = import(*client, *sum.pool);
  std::vector<rt::Slot> slots;
  while (auto slot = options.services.executions->tryTake())
    slots.push_back(std::move(*slot));
  auto first = executeRequest(model, sum, pool.id).send();
  auto second = executeRequest(model, sum, pool.id).send();
  auto third = executeRequest(model, sum, pool.id).send();
  expectRefusal(ask(executeRequest(model, sum, pool.id)),
                "the client has 3 executions under way where 3 are allowed");
  EXPECT_EQ(report()[0].queued, 3u);
  slots.clear();
  EXPECT_TRUE(read(wait(kj::mv(first)).getStatus()).isOk());
  EXPECT_TRUE(read(wait(kj::mv(second)).getStatus()).isOk());
  EXPECT_TRUE(read(wait(kj::mv(third)).getStatus()).isOk());
  EXPECT_EQ(report()[0].queued, 0u);
}

TEST_F(QuotaTest, FencedExecutionsAndTheirDescriptors) {
  auto client = connect();
  auto model = prepareSum(*client);
  rt::test::SumPool sum;
  Imported pool = import(*client, *sum.pool);
  auto gate = *rt::Fence::create();
  auto fenced = [&](unsigned fences) {
    auto request = model.executeFencedRequest();
    writeSum(sum, pool.id, request.initRequest());
    auto list = request.initWaitFor(fences);
    for (unsigned i = 0; i < fences; ++i)
      list.set(i, makeDescriptor(*gate->share()));
    return request;
  };
  EXPECT_EQ(ask(fenced(3)).message(), "");
  EXPECT_EQ(ask(fenced(3)).message(), "");
  expectRefusal(ask(fenced(2)), "the client has 7 file descriptors where 8 "
                                "are allowed");
  expectRefusal(ask(fenced(9)),
                "the client asks for 9 file descriptors where 8 are allowed",
                StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(ask(fenced(1)).message(), "");
  expectRefusal(ask(fenced(0)),
                "the client has 3 executions under way where 3 are allowed");
  gate->complete(Status::ok());
  EXPECT_TRUE(waitFor([&] { return report()[0].queued == 0; }));
  EXPECT_TRUE(waitFor([&] { return report()[0].descriptors == 1; }));
}

TEST_F(QuotaTest, ImportedMemories) {
  auto client = connect();
  auto pool = makePool(4096);
  std::vector<Imported> imported;
  for (int i = 0; i < 8; ++i)
    imported.push_back(import(*client, *pool));
  EXPECT_EQ(report()[0].memory, 8 * 4096u);
  expectRefusal(ask(importRequest(*client, *pool)),
                "the client has 8 file descriptors where 8 are allowed");
  imported.clear();
  auto request = importRequest(*client, *pool);
  request.getPool().setSize(uint64_t(1) << 40);
  expectRefusal(ask(request),
                "the memory of the client: 1099511627776 bytes exceed the "
                "limit of 1048576",
                StatusCode::resourceExhaustedPersistent);
  imported.push_back(import(*client, *makePool(1 << 20)));
  expectRefusal(ask(importRequest(*client, *pool)),
                "the memory of the client: 4096 bytes do not fit: 1048576 of "
                "1048576 are in use");
  imported.clear();
  EXPECT_TRUE(waitFor([&] { return report()[0].memory == 0; }));
}

TEST_F(QuotaTest, Buffers) {
  auto client = connect();
  auto model = prepareSum(*client);
  auto allocate = [&] {
    auto request = client->driver.allocateRequest();
    request.initModels(1).set(0, model);
    request.initInputRoles(1)[0].setFrequency(1);
    return request;
  };
  auto first = wait(allocate().send());
  auto second = wait(allocate().send());
  EXPECT_TRUE(read(second.getStatus()).isOk());
  expectRefusal(ask(allocate()),
                "the client has 2 buffers where 2 are allowed");
}

TEST_F(QuotaTest, OperandValuesAndPools) {
  auto client = connect();
  auto request = prepareRequest(*client, rt::test::sumModel());
  request.getModel().getOperandValues().setSize(uint64_t(1) << 30);
  EXPECT_EQ(ask(request).code(), StatusCode::resourceExhaustedPersistent);
  request = prepareRequest(*client, rt::test::sumModel());
  request.getModel().getOperandValues().setSize(uint64_t(1) << 60);
  EXPECT_EQ(ask(request).message(),
            "operand values have 1152921504606846976 bytes where "
            "140737488355328 are allowed");
  request = prepareRequest(*client, rt::test::sumModel());
  auto pools = request.getModel().initPools(1);
  ASSERT_TRUE(write(*makePool(2 << 20), pools[0]).isOk());
  expectRefusal(ask(request),
                "the memory of the client: 2097152 bytes exceed the limit of "
                "1048576",
                StatusCode::resourceExhaustedPersistent);
  EXPECT_TRUE(waitFor([&] { return report()[0].memory == 0; }));
  EXPECT_TRUE(waitFor([&] { return report()[0].descriptors == 0; }));
}

TEST_F(QuotaTest, TicketsCanBeSplit) {
  Quota quota("things", 5);
  auto ticket = quota.take(3);
  ASSERT_TRUE(ticket.isOk());
  Ticket part = ticket->split(2);
  ticket->release();
  EXPECT_EQ(quota.inUse(), 2u);
  part = Ticket();
  EXPECT_EQ(quota.inUse(), 0u);
}
