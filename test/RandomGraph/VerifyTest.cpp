//===- VerifyTest.cpp - Which operation of a device is wrong --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Verify/Verify.h"
#include "Tools/Verify/Judge.h"

#include "Generator.h"
#include "PlantedDevice.h"
#include "Runtime/Support/Errors.h"
#include "Tools/Check/Check.h"
#include "Tools/Check/TemporaryFolder.h"

#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperationType;

namespace {

class VerifyTest : public ::testing::Test {
protected:
  VerifyTest() {
    auto made = tools::TemporaryFolder::create();
    EXPECT_TRUE(made.isOk());
    folder = *std::move(made);
    path = folder.path() + "/wrong.json";
  }

  rt::Result<std::string> verify(const rt::Device &device,
                                 const rt::TestCase &test) {
    return verify::verifyCase({{}, path}, device, *reference, test);
  }

  /// The case that was written.
  rt::TestCase written() {
    std::ifstream stream(path);
    std::stringstream text;
    text << stream.rdbuf();
    rt::TestCase found;
    rt::Status status = rt::readTestCases(text.str(), [&](rt::TestCase test) {
      found = std::move(test);
      return rt::Status::ok();
    });
    EXPECT_EQ(status.message(), "");
    return found;
  }

  /// The first graph that \p fits, from seed 0 on.
  rt::TestCase
  findGraph(const std::function<bool(const rt::TestCase &)> &fits) {
    for (uint64_t seed = 0; seed < 4000; ++seed) {
      auto test = generateGraph(*reference, seed);
      if (test.isOk() && !test->expectFailure && fits(*test))
        return *std::move(test);
    }
    ADD_FAILURE() << "no graph fits";
    return {};
  }

  std::unique_ptr<rt::Device> reference = rt::createReferenceDevice();
  tools::TemporaryFolder folder;
  std::string path;
};

bool contains(const rt::TestCase &test, OperationType type) {
  return std::ranges::count(test.model.main.operations, type,
                            &rt::Operation::type) != 0;
}

/// Every \p from becomes \p to, in all graphs of a model.
Plant replacing(OperationType from, OperationType to) {
  Plant plant;
  plant.changeModel = [from, to](rt::Model &model) {
    auto change = [&](rt::Subgraph &graph) {
      for (rt::Operation &operation : graph.operations)
        if (operation.type == from)
          operation.type = to;
    };
    change(model.main);
    for (rt::Subgraph &graph : model.referenced)
      change(graph);
    return rt::Status::ok();
  };
  return plant;
}

TEST_F(VerifyTest, RightDevicesAgree) {
  rt::TestCase test = findGraph([](const rt::TestCase &graph) {
    return graph.model.main.operations.size() > 4;
  });
  size_t operations = test.model.main.operations.size();
  // An example that is there twice says nothing else.
  test.examples.resize(1);
  test.examples.push_back(test.examples[0]);
  auto sentence = verify(*reference, test);
  ASSERT_EQ(sentence.status().message(), "");
  EXPECT_EQ(*sentence, "each of " + std::to_string(operations) +
                           " operations agrees with nnhal-reference in 1 "
                           "executions");
  EXPECT_FALSE(std::ifstream(path).good());
}

TEST_F(VerifyTest, NamesTheFirstWrongOperation) {
  auto device = createPlantedDevice(
      *reference, replacing(OperationType::SIN, OperationType::ABS));
  rt::TestCase test = findGraph([&](const rt::TestCase &graph) {
    return contains(graph, OperationType::SIN) &&
           graph.model.main.operations.size() > 4 &&
           !verify(*device, graph).isOk();
  });
  auto failure = verify(*device, test);
  std::string message = failure.status().message();
  EXPECT_NE(message.find("differs from nnhal-reference: operation "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find(" (SIN): output 0: element "), std::string::npos)
      << message;
  EXPECT_TRUE(message.ends_with("; '" + path + "' has the case")) << message;
  rt::TestCase culprit = written();
  ASSERT_EQ(culprit.model.main.operations.size(), 1u);
  EXPECT_EQ(culprit.model.main.operations[0].type, OperationType::SIN);
  using enum tools::CaseResult::Outcome;
  EXPECT_EQ(tools::checkCase(culprit, *reference, {}).outcome, passed);
  EXPECT_EQ(tools::checkCase(culprit, *device, {}).outcome, failed);
}

// An operation may be wrong where the outputs of the model do not show it.
TEST_F(VerifyTest, HiddenDifferencesAreFound) {
  auto device = createPlantedDevice(
      *reference, replacing(OperationType::MAXIMUM, OperationType::MINIMUM));
  rt::TestCase test = findGraph([&](const rt::TestCase &graph) {
    return contains(graph, OperationType::MAXIMUM) &&
           judge(*device, *reference, graph).outcome ==
               Verdict::Outcome::agrees &&
           !verify(*device, graph).isOk();
  });
  EXPECT_FALSE(verify(*device, test).isOk());
  ASSERT_EQ(written().model.main.operations.size(), 1u);
  EXPECT_EQ(written().model.main.operations[0].type, OperationType::MAXIMUM);
}

TEST_F(VerifyTest, ControlFlowIsOneOperation) {
  auto device = createPlantedDevice(
      *reference, replacing(OperationType::MUL, OperationType::ADD));
  rt::TestCase test = findGraph([&](const rt::TestCase &graph) {
    if (contains(graph, OperationType::MUL) ||
        !(contains(graph, OperationType::IF) ||
          contains(graph, OperationType::WHILE)) ||
        std::ranges::none_of(
            graph.model.referenced, [](const rt::Subgraph &referenced) {
              return std::ranges::count(referenced.operations,
                                        OperationType::MUL,
                                        &rt::Operation::type) != 0;
            }))
      return false;
    return verify(*device, graph).status().message().ends_with("has the case");
  });
  EXPECT_FALSE(verify(*device, test).isOk());
  rt::TestCase culprit = written();
  ASSERT_EQ(culprit.model.main.operations.size(), 1u);
  OperationType type = culprit.model.main.operations[0].type;
  EXPECT_TRUE(type == OperationType::IF || type == OperationType::WHILE);
  EXPECT_FALSE(culprit.model.referenced.empty());
  using enum tools::CaseResult::Outcome;
  EXPECT_EQ(tools::checkCase(culprit, *reference, {}).outcome, passed);
  EXPECT_EQ(tools::checkCase(culprit, *device, {}).outcome, failed);
}

TEST_F(VerifyTest, WrongPairsAreFound) {
  // A model of several operations is wrong where only its result leaves it.
  Plant plant;
  plant.changeOutputs = [](const rt::Model &model, Tensors &outputs) {
    if (model.main.operations.size() > 1 && outputs.size() == 1)
      for (uint8_t &byte : outputs[0].bytes)
        byte ^= 0x40;
    return rt::Status::ok();
  };
  auto device = createPlantedDevice(*reference, plant);
  std::string message;
  (void)findGraph([&](const rt::TestCase &graph) {
    if (graph.model.main.operations.size() < 2 ||
        graph.model.main.outputIndexes.size() != 1)
      return false;
    message = verify(*device, graph).status().message();
    return message.ends_with("has the case");
  });
  EXPECT_NE(message.find("though every operation is right by itself"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find(") is wrong with those before it; '"),
            std::string::npos)
      << message;
  rt::TestCase culprit = written();
  EXPECT_GE(culprit.model.main.operations.size(), 2u);
  using enum tools::CaseResult::Outcome;
  EXPECT_EQ(tools::checkCase(culprit, *reference, {}).outcome, passed);
  EXPECT_EQ(tools::checkCase(culprit, *device, {}).outcome, failed);
}

TEST_F(VerifyTest, DevicesThatFailWithMoreOutputs) {
  Plant plant;
  plant.changeOutputs = [](const rt::Model &, Tensors &outputs) {
    if (outputs.size() > 1)
      return rt::failure("too many outputs");
    for (uint8_t &byte : outputs[0].bytes)
      byte ^= 0x40;
    return rt::Status::ok();
  };
  auto device = createPlantedDevice(*reference, plant);
  std::string message;
  (void)findGraph([&](const rt::TestCase &graph) {
    if (graph.model.main.operations.size() < 2 ||
        graph.model.main.outputIndexes.size() != 1)
      return false;
    message = verify(*device, graph).status().message();
    return !message.empty();
  });
  EXPECT_TRUE(message.ends_with("the graph fails with all intermediate values "
                                "as outputs: too many outputs"))
      << message;
}

TEST_F(VerifyTest, RoundingIsNoDifference) {
  Plant plant;
  plant.noise = NoiseLevel::lastPlaces;
  auto device = createPlantedDevice(*reference, plant);
  std::string sentence;
  (void)findGraph([&](const rt::TestCase &graph) {
    auto verified = verify(*device, graph);
    EXPECT_EQ(verified.status().message(), "");
    sentence = verified.isOk() ? *verified : "";
    return sentence.find(", 1 of them by what rounding does to their inputs") !=
           std::string::npos;
  });
  EXPECT_FALSE(sentence.empty());
}

TEST_F(VerifyTest, FailuresAreDifferences) {
  Plant plant;
  plant.changeOutputs = [](const rt::Model &, Tensors &) {
    return rt::failure("nothing came of it");
  };
  auto device = createPlantedDevice(*reference, plant);
  rt::TestCase test = findGraph([](const rt::TestCase &) { return true; });
  EXPECT_NE(verify(*device, test)
                .status()
                .message()
                .find("differs from nnhal-reference: execution: nothing came "
                      "of it, but the reference device reports no error"),
            std::string::npos);
}

} // namespace
