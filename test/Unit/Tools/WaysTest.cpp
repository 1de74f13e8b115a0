//===- WaysTest.cpp - Test cases in several ways --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Check/Check.h"

#include "Tools/Check/TemporaryFolder.h"
#include "nnhal/Backend/Backend.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

using Outcome = CaseResult::Outcome;

std::vector<rt::TestCase> ownCases() {
  std::ifstream stream(NNHAL_TEST_DATA "/Cases/basic.json");
  std::stringstream text;
  text << stream.rdbuf();
  std::vector<rt::TestCase> cases;
  rt::Status status =
      rt::readTestCases(text.str(), [&](rt::TestCase test) -> rt::Status {
        cases.push_back(std::move(test));
        return {};
      });
  EXPECT_EQ(status.message(), "");
  return cases;
}

rt::TestCase ownCase(std::string_view name) {
  for (rt::TestCase &test : ownCases())
    if (test.name == name)
      return test;
  ADD_FAILURE() << name;
  return {};
}

/// A prepared model whose executions go wrong in one respect.
class Wrong : public rt::PreparedModel {
public:
  enum class Fault {
    asyncValue,
    fencedFails,
    acceptsSmall,
    otherShape,
    noShapes,
    saysSufficient,
    otherCode
  };
  Wrong(rt::PreparedModelRef right, Fault fault)
      : right(std::move(right)), fault(fault) {}

  const rt::Interface &interface() const override { return right->interface(); }

  rt::Status execute(const rt::Request &request,
                     rt::ExecutionResult &result) const override {
    rt::Status status = right->execute(request, result);
    if (status.code() != rt::StatusCode::outputInsufficientSize)
      return status;
    switch (fault) {
    case Fault::acceptsSmall:
      return rt::Status::ok();
    case Fault::otherShape:
      result.outputShapes[0].dimensions = {5};
      break;
    case Fault::noShapes:
      result.outputShapes.clear();
      break;
    case Fault::saysSufficient:
      result.outputShapes[0].isSufficient = true;
      break;
    case Fault::otherCode:
      return {rt::StatusCode::generalFailure, "no room"};
    default:
      break;
    }
    return status;
  }

  rt::Status executeAsync(rt::Request request,
                          rt::ExecutionCallback callback) const override {
    auto *bytes = std::get_if<rt::OutputMemory::Borrowed>(
        &request.outputs[0].memory.kind());
    std::byte *first = bytes ? bytes->data : nullptr;
    bool spoils = fault == Fault::asyncValue;
    return right->executeAsync(
        std::move(request),
        [=](rt::Status status, const rt::ExecutionResult &result) {
          if (spoils)
            *first ^= std::byte(0x40);
          callback(std::move(status), result);
        });
  }

  rt::Result<std::unique_ptr<rt::BurstContext>>
  configureBurst(std::shared_ptr<rt::BurstCallback> callback,
                 rt::BurstChannels channels) const override {
    return right->configureBurst(std::move(callback), std::move(channels));
  }

  rt::Result<std::shared_ptr<rt::FencedExecution>>
  executeFenced(rt::Request request, std::vector<rt::FenceRef> waitFor,
                std::optional<uint64_t> duration) const override {
    if (fault == Fault::fencedFails)
      return rt::Status(rt::StatusCode::generalFailure, "no fences today");
    return right->executeFenced(std::move(request), std::move(waitFor),
                                duration);
  }

private:
  rt::PreparedModelRef right;
  Fault fault;
};

class WaysTest : public testing::Test {
protected:
  WaysTest() : device(rt::createReferenceDevice()) {
    subject.device = device.get();
    subject.prepare = [this](const rt::TestCase &test) {
      ++preparations;
      rt::AnnotatedModel model;
      model.model = test.model;
      return device->prepareModel(model);
    };
    subject.prepareCached = subject.prepare;
    subject.ways = *parseWays("all");
  }

  /// The lines about add_quantized on a device with \p fault.
  std::string linesOf(Wrong::Fault fault) {
    CaseSubject wrong = subject;
    wrong.prepare =
        [&](const rt::TestCase &test) -> rt::Result<rt::PreparedModelRef> {
      NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef right, subject.prepare(test));
      return rt::PreparedModelRef(
          std::make_shared<Wrong>(std::move(right), fault));
    };
    // The buffers are those of the device that made the model itself.
    std::erase(wrong.ways.list, Way::buffers);
    CaseResult result = checkCase(ownCase("add_quantized"), wrong, {});
    EXPECT_EQ(result.outcome, Outcome::failed);
    CheckRequest request;
    request.ways = wrong.ways;
    return describeFailure(request, result);
  }

  std::unique_ptr<rt::Device> device;
  CaseSubject subject;
  int preparations = 0;
};

// L-013, L-029: bursts are those of NdkVectors.
TEST_F(WaysTest, EveryCaseInEveryWay) {
  for (rt::TestCase &test : ownCases()) {
    CaseResult result = checkCase(test, subject, {});
    EXPECT_EQ(result.outcome, Outcome::passed) << test.name;
    for (const WayFailure &failure : result.failures)
      ADD_FAILURE() << test.name << " " << nameOf(failure.way) << " "
                    << failure.message;
    EXPECT_LT(result.undefined.size(), 4u) << test.name;
  }
}

TEST_F(WaysTest, WaysShareAPreparationAndCachedHasItsOwn) {
  CaseResult result = checkCase(ownCase("add_quantized"), subject, {});
  EXPECT_EQ(result.outcome, Outcome::passed);
  EXPECT_TRUE(result.undefined.empty());
  EXPECT_EQ(preparations, 2);
}

TEST_F(WaysTest, WaysThatAreNotDefined) {
  subject.prepareCached = {};
  EXPECT_EQ(checkCase(ownCase("add_quantized"), subject, {}).undefined,
            std::vector<Way>{Way::cached});
  subject.device = nullptr;
  subject.ways = *parseWays("buffers,cached");
  EXPECT_EQ(checkCase(ownCase("add_quantized"), subject, {}).outcome,
            Outcome::notApplicable);
  subject.ways = *parseWays("insufficient");
  EXPECT_EQ(
      checkCase(ownCase("embedding_lookup_out_of_range"), subject, {}).outcome,
      Outcome::notApplicable);
}

TEST_F(WaysTest, FailuresNameTheWay) {
  using enum Wrong::Fault;
  std::string name = "add_quantized: ";
  std::string code = "OUTPUT_INSUFFICIENT_SIZE";
  EXPECT_TRUE(linesOf(asyncValue)
                  .starts_with(name + "async: comparison: GENERAL_FAILURE: "
                                      "output 0: element 0 [0] is "))
      << linesOf(asyncValue);
  EXPECT_EQ(linesOf(fencedFails),
            name + "fenced: execution: GENERAL_FAILURE: no fences today\n");
  std::string start = name + "insufficient: execution: ";
  EXPECT_EQ(linesOf(acceptsSmall),
            start + "GENERAL_FAILURE: outputs that are one element too small "
                    "are accepted\n");
  EXPECT_EQ(linesOf(otherShape),
            start + "GENERAL_FAILURE: " + code +
                " reports shape [5] for output 0, expected [4]\n");
  EXPECT_EQ(linesOf(noShapes), start + "GENERAL_FAILURE: " + code +
                                   " reports 0 shapes for 1 outputs\n");
  EXPECT_EQ(linesOf(saysSufficient), start + "GENERAL_FAILURE: " + code +
                                         " reports that output 0 is large "
                                         "enough\n");
  EXPECT_EQ(linesOf(otherCode),
            start + "GENERAL_FAILURE: with outputs that are one element too "
                    "small: no room\n");
}

TEST_F(WaysTest, EveryFailingWayHasALine) {
  rt::TestCase test = ownCase("add_quantized");
  test.examples[0].outputs[0].bytes[2] += 7;
  CaseResult result = checkCase(test, subject, {});
  EXPECT_EQ(result.failures.size(), 7u);
  CheckRequest request;
  EXPECT_EQ(describeFailure(request, result),
            "add_quantized: comparison: GENERAL_FAILURE: output 0: element 2 "
            "[2] is 123, expected 130 within 1; 1 of 4 differ\n");
  request.ways = subject.ways;
  std::string text = describeFailure(request, result);
  EXPECT_EQ(std::ranges::count(text, '\n'), 7);
  auto report = nlohmann::json::parse(reportJson(request, *device, {result}));
  EXPECT_EQ(report["ways"].size(), 7u);
  EXPECT_EQ(report["cases"][0]["failures"][2]["way"], "fenced");
  EXPECT_EQ(report["cases"][0]["failures"][2]["stage"], "comparison");
  EXPECT_EQ(report["cases"][0]["undefinedWays"].size(), 0u);
}

TEST_F(WaysTest, DeadlineBoundsEveryWay) {
  subject.timeLimit = 0;
  CaseResult result = checkCase(ownCase("add_quantized"), subject, {});
  EXPECT_EQ(result.failures.size(), 6u);
  for (const WayFailure &failure : result.failures)
    EXPECT_TRUE(failure.message.find("MISSED_DEADLINE_PERSISTENT") !=
                std::string::npos)
        << nameOf(failure.way) << ": " << failure.message;
}

/// A device whose caches forget: it saves entries and cannot load them.
class ForgetfulBackend final : public rt::Backend {
public:
  ForgetfulBackend()
      : inner(rt::createReferenceBackend()), description(inner->info()) {
    description.name = "test-forgetful";
    description.cacheFiles = {1, 1};
  }
  const rt::DeviceInfo &info() const override { return description; }
  rt::Result<std::vector<rt::Status>>
  supportedOperations(const rt::AnnotatedModel &model) const override {
    return inner->supportedOperations(model);
  }
  rt::Result<std::unique_ptr<rt::LoadedModel>>
  load(const rt::AnnotatedModel &model, const rt::PrepareOptions &options,
       const rt::LoadObserver &observer) const override {
    observer.keepEntry({{rt::Memory::copy({})}, {rt::Memory::copy({})}});
    return inner->load(model, options, observer);
  }
  rt::Result<std::unique_ptr<rt::LoadedModel>>
  loadFromCache(const rt::CacheContents &) const override {
    return rt::Status(rt::StatusCode::generalFailure, "it is forgotten");
  }

private:
  std::unique_ptr<rt::Backend> inner;
  rt::DeviceInfo description;
};

TEST(CachedPreparationTest, CachesHaveWhatWasLeftInThem) {
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder.isOk()) << folder.status().message();
  rt::DeviceServices services;
  services.stateDirectory = folder->path() + "/state";
  auto device =
      rt::createDevice(std::make_unique<ForgetfulBackend>(), services);
  CheckRequest request;
  request.cacheFolder = folder->path();
  PrepareCase prepare = cachedPreparationOf(request, *device);
  ASSERT_TRUE(prepare);
  rt::Status status = prepare(ownCase("add_broadcast")).status();
  EXPECT_EQ(status.code(), rt::StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            "the cache does not have what was left in it: unreadable: it is "
            "forgotten");
}

} // namespace
