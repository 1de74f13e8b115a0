//===- ArgumentsTest.cpp - Requests held against a model ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serving/Core/Arguments.h"

#include <gtest/gtest.h>

using namespace nnhal;
using namespace nnhal::serving;

namespace {

class ArgumentsTest : public testing::Test {
protected:
  ArgumentsTest() {
    signature.inputs = {{.name = "a", .type = DataType::fp32, .shape = {-1, 2}},
                        {.name = "s",
                         .type = DataType::int32,
                         .shape = {1},
                         .hasUnknownRank = false,
                         .isScalar = true}};
    signature.outputs = {{.name = "y", .type = DataType::fp32, .shape = {-1}},
                         {.name = "z", .type = DataType::fp32, .shape = {-1}}};
    request.inputs = {tensor("a", DataType::fp32, {3, 2}),
                      tensor("s", DataType::int32, {1})};
  }

  RequestTensor tensor(std::string name, DataType type,
                       std::vector<int64_t> shape) const {
    size_t size = sizeOf(type);
    for (int64_t extent : shape)
      size *= size_t(std::max<int64_t>(extent, 0));
    return {std::move(name), type, std::move(shape),
            std::span(bytes).first(size)};
  }
  std::string problem() {
    Arguments arguments;
    Outcome outcome =
        bindArguments({"net", signature, maxBatchSize}, request, arguments);
    EXPECT_TRUE(outcome.isOk() ||
                outcome.code() == OutcomeCode::invalidArgument);
    return outcome.message();
  }

  std::vector<std::byte> bytes = std::vector<std::byte>(4096);
  Signature signature;
  InferenceRequest request;
  uint64_t maxBatchSize = 0;
};

TEST_F(ArgumentsTest, TheModelsOrder) {
  std::swap(request.inputs[0], request.inputs[1]);
  request.outputs = {"z"};
  Arguments arguments;
  ASSERT_TRUE(bindArguments({"net", signature, 0}, request, arguments).isOk());
  EXPECT_EQ(arguments.inputs[0].dimensions, (std::vector<uint32_t>{3, 2}));
  EXPECT_TRUE(arguments.inputs[1].dimensions.empty());
  EXPECT_EQ(arguments.outputs, std::vector<size_t>{1});
  request.outputs.clear();
  Arguments all;
  ASSERT_TRUE(bindArguments({"net", signature, 0}, request, all).isOk());
  EXPECT_EQ(all.outputs, (std::vector<size_t>{0, 1}));
  request.inputs[0].shape.clear();
  EXPECT_EQ(problem(), "");
}

TEST_F(ArgumentsTest, Names) {
  request.inputs[1].name = "b";
  EXPECT_EQ(problem(), "model 'net' has no input 'b'; its inputs are a, s");
  request.inputs[1].name = "a";
  request.inputs[1] = request.inputs[0];
  EXPECT_EQ(problem(), "input 'a' is given twice");
  request.inputs.pop_back();
  EXPECT_EQ(problem(), "input 's' of model 'net' is missing");
}

TEST_F(ArgumentsTest, Outputs) {
  request.outputs = {"w"};
  EXPECT_EQ(problem(), "model 'net' has no output 'w'; its outputs are y, z");
  request.outputs = {"y", "y"};
  EXPECT_EQ(problem(), "output 'y' is asked for twice");
}

TEST_F(ArgumentsTest, TypesAndShapes) {
  request.inputs[0] = tensor("a", DataType::fp64, {3, 2});
  EXPECT_EQ(problem(), "input 'a': datatype FP64 is not the model's FP32");
  request.inputs[0] = tensor("a", DataType::fp32, {3, 2, 1});
  EXPECT_EQ(problem(), "input 'a': shape [3,2,1] has 3 dimensions, and the "
                       "model's [-1,2] has 2");
  request.inputs[0] = tensor("a", DataType::fp32, {3, 3});
  EXPECT_EQ(problem(),
            "input 'a': extent 3 of dimension 1 is not the model's 2");
  for (int64_t extent : {int64_t(0), int64_t(-1), int64_t(1) << 40}) {
    request.inputs[0].shape = {extent, 2};
    EXPECT_EQ(problem(),
              fmt::format("input 'a': extent {} of dimension 0 is not from 1 "
                          "to 4294967295",
                          extent));
  }
}

TEST_F(ArgumentsTest, Sizes) {
  request.inputs[0].data = std::span(bytes).first(23);
  EXPECT_EQ(problem(), "input 'a': 23 bytes of data are not the 24 of shape "
                       "[3,2] and datatype FP32");
  signature.inputs[0].hasUnknownRank = true;
  request.inputs[0].shape = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  EXPECT_EQ(
      problem(),
      "input 'a': shape [4294967295,4294967295,4294967295] has more bytes "
      "than a machine");
}

TEST_F(ArgumentsTest, Batches) {
  maxBatchSize = 4;
  signature.inputs[1] = {.name = "b", .type = DataType::fp32, .shape = {-1}};
  request.inputs[1] = tensor("b", DataType::fp32, {2});
  EXPECT_EQ(problem(), "input 'b' has 2 samples, and input 'a' has 3");
  request.inputs[1] = tensor("b", DataType::fp32, {5});
  EXPECT_EQ(problem(), "input 'b': 5 samples are more than the 4 of a batch");
  // Fewer than the model has: the others are zero.
  signature.inputs[0].shape = {4, 2};
  signature.inputs[1].shape = {4};
  request.inputs[1] = tensor("b", DataType::fp32, {3});
  Arguments arguments;
  ASSERT_TRUE(
      bindArguments({"net", signature, maxBatchSize}, request, arguments)
          .isOk());
  EXPECT_EQ(arguments.samples, 3u);
}

} // namespace
