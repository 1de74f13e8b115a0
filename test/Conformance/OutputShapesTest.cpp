//===- OutputShapesTest.cpp - What an execution says of its outputs -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

class OutputShapesTest : public ModeTest {
protected:
  Executed execute(const PreparedModel &model, const Request &request) {
    return executeIn(GetParam(), model, request);
  }
};
NNHAL_ALL_MODES(OutputShapesTest);

std::span<std::byte> bytesOf(std::vector<float> &values) {
  return std::as_writable_bytes(std::span(values));
}

// D-026, D-028, D-034.
TEST_P(OutputShapesTest, reportsKnownShapes) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({2, 3}));
  FloatArguments arguments(*prepared);
  Executed executed = execute(*prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  if (GetParam() == Mode::fenced)
    return; // It tells no shapes.
  ASSERT_EQ(executed.result.outputShapes.size(), 1u);
  EXPECT_EQ(executed.result.outputShapes[0], (OutputShape{{2, 3}, true}));
}

// B-083, B-085, D-027, D-028, D-033, D-035, D-050.
TEST_P(OutputShapesTest, computesUnknownShapes) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModelWithUnknownOutput({2, 2}));
  FloatArguments arguments({{2, 2}, {2, 2}}, {{2, 2}});
  arguments.request.outputs[0].dimensions.clear();
  Executed executed = execute(*prepared, arguments.request);
  if (GetParam() == Mode::fenced) {
    EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
    EXPECT_EQ(executed.status.message(),
              "output 0 has the shape [0,0]: a fenced execution needs to know "
              "every extent, and none may be 0");
    return;
  }
  EXPECT_EQ(executed.status.message(), "");
  ASSERT_EQ(executed.result.outputShapes.size(), 1u);
  EXPECT_EQ(executed.result.outputShapes[0], (OutputShape{{2, 2}, true}));
  EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
}

// D-050, K-048: the request may say what the model leaves open.
TEST_P(OutputShapesTest, takesShapesFromTheRequest) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModelWithUnknownOutput({2, 2}));
  FloatArguments arguments({{2, 2}, {2, 2}}, {{2, 2}});
  Executed executed = execute(*prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
}

/// Executes with an output one byte and then much too small, in memory with
/// bytes after it that nobody may touch.
void expectInsufficient(const PreparedModel &model, Mode mode,
                        const Dimensions &inputShape) {
  for (size_t size : {size_t(15), size_t(4), size_t(0)}) {
    FloatArguments arguments({inputShape, inputShape}, {{8}});
    std::vector<float> &output = arguments.outputs[0];
    arguments.request.outputs[0] = {
        OutputMemory::borrow(bytesOf(output).first(size)), {}};
    arguments.request.measureTiming = true;
    Executed executed = executeIn(mode, model, arguments.request);
    for (size_t i = (size + 3) / 4; i < output.size(); ++i)
      EXPECT_TRUE(std::isnan(output[i])) << i;
    EXPECT_EQ(executed.result.timing, Timing());
    if (mode == Mode::fenced) { // D-035
      EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
      continue;
    }
    EXPECT_EQ(executed.status.code(), StatusCode::outputInsufficientSize);
    ASSERT_EQ(executed.result.outputShapes.size(), 1u);
    EXPECT_EQ(executed.result.outputShapes[0], (OutputShape{{2, 2}, false}));
  }
}

// D-019, D-029, D-030, D-032, D-035, D-044.
TEST_P(OutputShapesTest, tellsWhatATooSmallOutputNeeds) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({2, 2}));
  expectInsufficient(*prepared, GetParam(), {2, 2});
}

// D-019, D-029, D-030, D-032, D-035, D-044.
TEST_P(OutputShapesTest, tellsWhatATooSmallOutputOfUnknownShapeNeeds) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModelWithUnknownOutput({2, 2}));
  expectInsufficient(*prepared, GetParam(), {2, 2});
}

// C-052, D-029: the next execution takes what was said.
TEST_F(ConformanceTest, retriesWithTheReportedSize) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModelWithUnknownOutput({2, 2}));
  FloatArguments arguments({{2, 2}, {2, 2}}, {{1}});
  arguments.request.outputs[0].dimensions.clear();
  Executed executed = executeIn(Mode::sync, *prepared, arguments.request);
  ASSERT_EQ(executed.status.code(), StatusCode::outputInsufficientSize);
  const Dimensions &needed = executed.result.outputShapes.at(0).dimensions;
  size_t count = size_t(needed.at(0)) * needed.at(1);
  std::vector<float> output(count);
  arguments.request.outputs[0] = {OutputMemory::borrow(bytesOf(output)), {}};
  executed = executeIn(Mode::sync, *prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(output, flowOfCounts(4));
}

/// out0 = a + b, out1 = a * b.
AnnotatedModel twoOutputModel(const Dimensions &dimensions) {
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  uint32_t lhs = main.input(OperandType::TENSOR_FLOAT32, dimensions);
  uint32_t rhs = main.input(OperandType::TENSOR_FLOAT32, dimensions);
  uint32_t none = main.scalar(0);
  for (OperationType type : {OperationType::ADD, OperationType::MUL}) {
    uint32_t result = main.output(OperandType::TENSOR_FLOAT32, dimensions);
    main.operation(type, {lhs, rhs, none}, {result});
  }
  annotated.model.main = main.finish();
  return annotated;
}

// D-021, D-026, D-032: only the output that is too small is insufficient.
TEST_P(OutputShapesTest, tellsWhichOutputIsTooSmall) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, twoOutputModel({3}));
  for (size_t small : {0, 1}) {
    FloatArguments arguments(*prepared);
    arguments.request.outputs[small].memory =
        OutputMemory::borrow(bytesOf(arguments.outputs[small]).first(11));
    Executed executed = execute(*prepared, arguments.request);
    if (GetParam() == Mode::fenced) {
      EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
      continue;
    }
    EXPECT_EQ(executed.status.code(), StatusCode::outputInsufficientSize);
    ASSERT_EQ(executed.result.outputShapes.size(), 2u);
    EXPECT_EQ(executed.result.outputShapes[small], (OutputShape{{3}, false}));
    EXPECT_EQ(executed.result.outputShapes[1 - small],
              (OutputShape{{3}, true}));
  }
}

// D-031.
TEST_P(OutputShapesTest, writesOnlyWhatTheOutputNeeds) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({2, 2}));
  FloatArguments arguments({{2, 2}, {2, 2}}, {{8}});
  arguments.request.outputs[0].dimensions.clear();
  Executed executed = execute(*prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(arguments.outputs[0][i], flow(float(i + 1), float(i + 1)));
  for (size_t i = 4; i < 8; ++i)
    EXPECT_TRUE(std::isnan(arguments.outputs[0][i])) << i;
}

// D-035, D-036: an extent of 0 is not one that is unknown.
TEST_P(OutputShapesTest, acceptsOutputsWithoutElements) {
  AnnotatedModel model = addModel({0, 2});
  NNHAL_PREPARE_OR_SKIP(prepared, *device, model);
  float unused = 0;
  auto none = std::as_writable_bytes(std::span(&unused, 1)).first(0);
  Request request;
  for (int i = 0; i < 2; ++i)
    request.inputs.push_back({Memory::borrow(none), {0, 2}});
  request.outputs.push_back({OutputMemory::borrow(none), {}});
  Executed executed = execute(*prepared, request);
  if (GetParam() == Mode::fenced) {
    EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
    return;
  }
  EXPECT_EQ(executed.status.message(), "");
  ASSERT_EQ(executed.result.outputShapes.size(), 1u);
  EXPECT_EQ(executed.result.outputShapes[0], (OutputShape{{0, 2}, true}));
}

// D-039, K-048.
TEST_P(OutputShapesTest, rejectsShapesThatContradictTheModel) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({2, 2}));
  FloatArguments arguments(*prepared);
  arguments.request.inputs[0].dimensions = {1, 4};
  Executed executed = execute(*prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(),
            "input 0 has extent 1 in dimension 0 of the request and 2 in the "
            "model");
  arguments.request.inputs[0].dimensions = {4};
  executed = execute(*prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(),
            "input 0 has rank 1 in the request and 2 in the model");
}

// D-038, D-099: what the code computes and what was asked for do not agree.
TEST_P(OutputShapesTest, failsWhenAnOutputHasAnotherShape) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({0, 2}));
  FloatArguments arguments({{3, 2}, {3, 2}}, {{4, 2}});
  Executed executed = execute(*prepared, arguments.request);
  EXPECT_EQ(executed.status.code(), StatusCode::generalFailure)
      << executed.status.message();
  EXPECT_TRUE(executed.result.outputShapes.empty());
}

// D-040.
TEST_P(OutputShapesTest, failsWhenAnOutputIsTooLargeForItsSize) {
  if (GetParam() == Mode::fenced)
    GTEST_SKIP() << "needs outputs of unknown shape";
  AnnotatedModel model = addModel({0, 0});
  NNHAL_PREPARE_OR_SKIP(prepared, *device, model);
  // 2^32 elements, in 32 bits none.
  FloatArguments arguments({{65536, 1}, {1, 65536}}, {{4}});
  arguments.request.outputs[0].dimensions.clear();
  Executed executed = execute(*prepared, arguments.request);
  EXPECT_TRUE(executed.status.code() == StatusCode::generalFailure ||
              executed.status.code() ==
                  StatusCode::resourceExhaustedTransient ||
              executed.status.code() == StatusCode::resourceExhaustedPersistent)
      << toString(executed.status.code()) << ": " << executed.status.message();
  EXPECT_TRUE(executed.result.outputShapes.empty());
}

} // namespace
