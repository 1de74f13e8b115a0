//===- BufferExecutionTest.cpp - Executions over buffers ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include <fmt/format.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

class BufferExecutionTest : public ModeTest {
protected:
  /// Executes \p request; it must be invalid, for \p message.
  void expectRejected(const PreparedModel &model, const Request &request,
                      std::string_view message) {
    Executed executed = executeIn(GetParam(), model, request);
    EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
    EXPECT_EQ(executed.status.message(), message);
    EXPECT_TRUE(executed.result.outputShapes.empty());
  }
  /// Executes \p request, which must succeed.
  void expectExecuted(const PreparedModel &model, const Request &request) {
    EXPECT_EQ(executeIn(GetParam(), model, request).status.message(), "");
  }
};
NNHAL_ALL_MODES(BufferExecutionTest);

// F-029, F-033, B-082, L-034.
TEST_P(BufferExecutionTest, readsAndWrites) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(input, *device, prepared, {0}, {});
  NNHAL_ALLOCATE(output, *device, prepared, {}, {0});
  ASSERT_EQ(copyFloatsTo(*input, {10, 20, 30, 40}).message(), "");
  FloatArguments arguments(*prepared);
  arguments.request.inputs[0] = inputFrom(*input);
  arguments.request.outputs[0] = outputTo(*output, {2, 2});
  Executed executed = executeIn(GetParam(), *prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  // Borrowed arguments are copied on their way to another process.
  if (!device->traits().isRemote)
    EXPECT_EQ(executed.result.copiedBytes, 0u);
  if (GetParam() != Mode::fenced)
    EXPECT_EQ(executed.result.outputShapes,
              (std::vector<OutputShape>{{{2, 2}, true}}));
  EXPECT_EQ(floatsOf(*output, 4), flow({10, 20, 30, 40}, {1, 2, 3, 4}));
  EXPECT_EQ(floatsOf(*input, 4), (std::vector<float>{10, 20, 30, 40}));
}

// F-030, F-041.
TEST_P(BufferExecutionTest, hasRoles) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_PREPARE_OR_SKIP(other, *device, addModel());
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {});
  ASSERT_EQ(copyFloatsTo(*buffer, {1, 2, 3, 4}).message(), "");
  FloatArguments arguments(*prepared);
  const Request valid = arguments.request;
  Request request = valid;
  request.inputs[1] = inputFrom(*buffer); // Another index.
  expectRejected(*prepared, request,
                 fmt::format("input 1: the buffer with token {} was not "
                             "allocated for it",
                             buffer->token()));
  request = valid;
  request.outputs[0] = outputTo(*buffer); // Another direction.
  request.outputs[0].dimensions = {2, 2};
  expectRejected(*prepared, request,
                 fmt::format("output 0: the buffer with token {} was not "
                             "allocated for it",
                             buffer->token()));
  request = valid;
  request.inputs[0] = inputFrom(*buffer);
  expectRejected(*other, request, // Another model.
                 fmt::format("input 0: the buffer with token {} was not "
                             "allocated for it",
                             buffer->token()));
  expectExecuted(*prepared, request);
}

// F-031, F-047, C-074.
TEST_P(BufferExecutionTest, needsALivingToken) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  const Request valid = arguments.request;
  for (uint32_t token : {0u, 100u, UINT32_MAX}) {
    Request request = valid;
    request.inputs[0] = {Memory::device(token), {}};
    expectRejected(*prepared, request,
                   fmt::format("input 0: no buffer has the token {}", token));
    request = valid;
    request.outputs[0] = {OutputMemory::device(token), {2, 2}};
    expectRejected(*prepared, request,
                   fmt::format("output 0: no buffer has the token {}", token));
  }
  Request stale = valid;
  uint32_t token = 0;
  {
    NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {});
    ASSERT_EQ(copyFloatsTo(*buffer, {1, 2, 3, 4}).message(), "");
    token = buffer->token();
    stale.inputs[0] = inputFrom(*buffer);
    expectExecuted(*prepared, stale);
  }
  expectRejected(*prepared, stale,
                 fmt::format("input 0: no buffer has the token {}", token));
}

// F-040: a token of another device, as of another process, is refused each
// time. Where the other device has given out the same number, it means the
// buffer of that device.
TEST_P(BufferExecutionTest, belongsToItsDevice) {
  std::unique_ptr<Device> otherDevice = createDeviceUnderTest();
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_PREPARE_OR_SKIP(foreign, *otherDevice, addModel());
  NNHAL_ALLOCATE(first, *device, prepared, {0}, {});
  NNHAL_ALLOCATE(second, *device, prepared, {0}, {});
  NNHAL_ALLOCATE(others, *otherDevice, foreign, {0}, {});
  ASSERT_EQ(copyFloatsTo(*first, {5, 6, 7, 8}).message(), "");
  ASSERT_EQ(copyFloatsTo(*second, {1, 2, 3, 4}).message(), "");
  ASSERT_EQ(copyFloatsTo(*others, {10, 20, 30, 40}).message(), "");
  FloatArguments arguments(*foreign);
  auto executeWith = [&](const PreparedModel &model, uint32_t token) {
    arguments.request.inputs[0] = {Memory::device(token), {}};
    return executeIn(GetParam(), model, arguments.request).status.message();
  };
  for (int i = 0; i < 3; ++i) {
    for (const auto &buffer : {first, second}) {
      EXPECT_EQ(executeWith(*prepared, buffer->token()), "");
      std::string message = executeWith(*foreign, buffer->token());
      if (buffer->token() == others->token()) {
        EXPECT_EQ(message, "");
        EXPECT_EQ(arguments.outputs[0], flow({10, 20, 30, 40}, {1, 2, 3, 4}));
      } else {
        EXPECT_EQ(message, fmt::format("input 0: no buffer has the token {}",
                                       buffer->token()));
      }
    }
  }
}

// F-032, F-034, F-074, F-075.
TEST_P(BufferExecutionTest, needsInitializedInputs) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(input, *device, prepared, {0}, {});
  NNHAL_ALLOCATE(output, *device, prepared, {1}, {0});
  ASSERT_EQ(copyFloatsTo(*output, {1, 2, 3, 4}).message(), "");
  FloatArguments arguments(*prepared);
  Request request = arguments.request;
  request.inputs[0] = inputFrom(*input);
  request.outputs[0] = outputTo(*output);
  request.outputs[0].dimensions = {2, 2};
  Executed executed = executeIn(GetParam(), *prepared, request);
  EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
  EXPECT_EQ(executed.status.message(), "input 0: the buffer is uninitialized");
  // The contents that the failed execution was to write are lost.
  EXPECT_EQ(readabilityOf(*output, 4).message(), "the buffer is uninitialized");
  ASSERT_EQ(copyFloatsTo(*input, {1, 1, 1, 1}).message(), "");
  expectExecuted(*prepared, request);
  EXPECT_EQ(floatsOf(*output, 4), flow({1, 1, 1, 1}, {1, 2, 3, 4}));
}

// F-034: an execution that fails on its way.
TEST_P(BufferExecutionTest, losesOutputsOfFailures) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(output, *device, prepared, {}, {0});
  FloatArguments arguments(*prepared);
  arguments.request.outputs[0] = outputTo(*output);
  arguments.request.outputs[0].dimensions = {2, 2};
  expectExecuted(*prepared, arguments.request);
  EXPECT_EQ(floatsOf(*output, 4), flowOfCounts(4));
  NNHAL_ALLOCATE(empty, *device, prepared, {1}, {});
  Request failing = arguments.request;
  failing.inputs[1] = inputFrom(*empty);
  EXPECT_EQ(executeIn(GetParam(), *prepared, failing).status.code(),
            StatusCode::generalFailure);
  EXPECT_EQ(readabilityOf(*output, 4).message(), "the buffer is uninitialized");
  // A request that is not valid is no execution: it changes nothing.
  expectExecuted(*prepared, arguments.request);
  failing.inputs.pop_back();
  expectRejected(*prepared, failing, "request has 1 inputs, the model 2");
  EXPECT_EQ(floatsOf(*output, 4), flowOfCounts(4));
}

// F-035.
TEST_P(BufferExecutionTest, isOneOutputOrSeveralInputs) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(buffer, *device, prepared, {0, 1}, {0});
  ASSERT_EQ(copyFloatsTo(*buffer, {1, 2, 3, 4}).message(), "");
  FloatArguments arguments(*prepared);
  Request request = arguments.request;
  request.inputs[0] = request.inputs[1] = inputFrom(*buffer);
  expectExecuted(*prepared, request);
  EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
  request.outputs[0] = outputTo(*buffer);
  request.outputs[0].dimensions = {2, 2};
  request.inputs[0] = arguments.request.inputs[0];
  expectRejected(*prepared, request,
                 "the buffer of output 0 is also that of input 1");
  EXPECT_EQ(floatsOf(*buffer, 4), (std::vector<float>{1, 2, 3, 4}));
}

/// Two outputs of one type: a + b and a * b.
AnnotatedModel twoOutputModel() {
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  uint32_t lhs = main.input(OperandType::TENSOR_FLOAT32, {2});
  uint32_t rhs = main.input(OperandType::TENSOR_FLOAT32, {2});
  uint32_t none = main.scalar(0);
  uint32_t sum = main.output(OperandType::TENSOR_FLOAT32, {2});
  uint32_t product = main.output(OperandType::TENSOR_FLOAT32, {2});
  main.operation(OperationType::ADD, {lhs, rhs, none}, {sum});
  main.operation(OperationType::MUL, {lhs, rhs, none}, {product});
  annotated.model.main = main.finish();
  return annotated;
}

// F-035.
TEST_P(BufferExecutionTest, isNotTwoOutputs) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, twoOutputModel());
  NNHAL_ALLOCATE(buffer, *device, prepared, {}, {0, 1});
  FloatArguments arguments(*prepared);
  arguments.request.outputs[0] = outputTo(*buffer, {2});
  arguments.request.outputs[1] = outputTo(*buffer, {2});
  expectRejected(*prepared, arguments.request,
                 "the buffer of output 0 is also that of output 1");
}

// F-033: results go from execution to execution without leaving the device.
TEST_P(BufferExecutionTest, carriesChains) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(first, *device, prepared, {0}, {0});
  NNHAL_ALLOCATE(second, *device, prepared, {0}, {0});
  ASSERT_EQ(copyFloatsTo(*first, {1, 2, 3, 4}).message(), "");
  FloatArguments arguments(*prepared);
  std::shared_ptr<Buffer> from = first, to = second;
  for (int i = 0; i < 10; ++i) {
    arguments.request.inputs[0] = inputFrom(*from);
    arguments.request.outputs[0] = outputTo(*to, {2, 2});
    expectExecuted(*prepared, arguments.request);
    std::swap(from, to);
  }
  EXPECT_EQ(floatsOf(*from, 4), flowOfCounts(4, 10));
}

// F-036: what the request states.
TEST_P(BufferExecutionTest, hasAShape) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({0, 2}));
  NNHAL_ALLOCATE(input, *device, prepared, {0}, {}, {2, 2});
  NNHAL_ALLOCATE(output, *device, prepared, {}, {0}, {2, 2});
  ASSERT_EQ(copyFloatsTo(*input, {1, 2, 3, 4}).message(), "");
  FloatArguments arguments({{3, 2}, {3, 2}}, {{3, 2}});
  Request request = arguments.request;
  request.inputs[0] = inputFrom(*input, {3, 2});
  expectRejected(*prepared, request,
                 "input 0 has the shape [3,2] in the request, its buffer "
                 "[2,2]");
  request = arguments.request;
  request.outputs[0] = outputTo(*output, {3, 2});
  expectRejected(*prepared, request,
                 "output 0 has the shape [3,2] in the request, its buffer "
                 "[2,2]");
  FloatArguments fitting({{2, 2}, {2, 2}}, {{2, 2}});
  fitting.request.inputs[0] = inputFrom(*input, {2, 2});
  fitting.request.outputs[0] = outputTo(*output, {2, 2});
  expectExecuted(*prepared, fitting.request);
  EXPECT_EQ(floatsOf(*output, 4), flowOfCounts(4));
}

// F-036: what turns out to be the shape.
TEST_P(BufferExecutionTest, doesNotFitAnotherShape) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModelWithUnknownOutput({2, 2}));
  for (const Dimensions &shape : {Dimensions{1, 2}, {2, 4}, {3, 0}}) {
    NNHAL_ALLOCATE(output, *device, prepared, {}, {0}, shape);
    FloatArguments arguments({{2, 2}, {2, 2}}, {{2, 2}});
    arguments.request.outputs[0] = outputTo(*output);
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    // A fenced execution has to know it before (D-050).
    EXPECT_EQ(executed.status.code(), GetParam() == Mode::fenced
                                          ? StatusCode::invalidArgument
                                          : StatusCode::generalFailure)
        << executed.status.message();
    EXPECT_TRUE(executed.result.outputShapes.empty());
    // A known size is looked at first.
    size_t count = shape[1] == 0 ? 4 : size_t(shape[0]) * shape[1];
    EXPECT_EQ(readabilityOf(*output, count).message(),
              "the buffer is uninitialized");
  }
}

// F-037 to F-039: the shape of a flexible buffer is that of the last write.
TEST_P(BufferExecutionTest, changesItsShape) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({0}));
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {0});
  for (uint32_t count : {2u, 5u, 1u, 1000u, 3u}) {
    FloatArguments arguments({{count}, {count}}, {{count}});
    Request request = arguments.request;
    request.outputs[0] = outputTo(*buffer, {count});
    expectExecuted(*prepared, request);
    EXPECT_EQ(floatsOf(*buffer, count), flowOfCounts(count));
    request = arguments.request;
    request.inputs[0] = inputFrom(*buffer, {count});
    expectExecuted(*prepared, request);
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(count, 2));
    FloatArguments other({{count + 1}, {count + 1}}, {{count + 1}});
    other.request.inputs[0] = inputFrom(*buffer, {count + 1});
    Executed executed = executeIn(GetParam(), *prepared, other.request);
    EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
    EXPECT_EQ(executed.status.message(),
              fmt::format("input 0 has the shape [{}] in the request, its "
                          "buffer was written with [{}]",
                          count + 1, count));
  }
}

// F-038: an output whose size only the code knows finds room.
TEST_P(BufferExecutionTest, growsWithItsOutput) {
  if (GetParam() == Mode::fenced)
    GTEST_SKIP() << "a fenced execution knows every extent";
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({0, 0}));
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {0});
  for (const Dimensions &shape : {Dimensions{1, 3}, {40, 50}, {2, 2}}) {
    FloatArguments arguments({shape, shape}, {shape});
    arguments.request.outputs[0] = outputTo(*buffer);
    Executed executed = executeIn(GetParam(), *prepared, arguments.request);
    ASSERT_EQ(executed.status.message(), "");
    EXPECT_EQ(executed.result.outputShapes,
              (std::vector<OutputShape>{{shape, true}}));
    size_t count = size_t(shape[0]) * shape[1];
    EXPECT_EQ(floatsOf(*buffer, count), flowOfCounts(count));
  }
}

} // namespace
