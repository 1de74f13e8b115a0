//===- OpenShapeModelTest.cpp - Code for the shapes that are used ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

#include "Runtime/OpenShapes/OpenShapeModel.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/HostCodeModel.h"

#include <gtest/gtest.h>

#include <future>
#include <new>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

/// A stand-in for the compiler, with what it was asked for.
struct Script {
  /// The shapes of the input that code was made for.
  std::vector<std::vector<uint32_t>> compiled;
  /// Called before code is made.
  std::function<Status(const CompileObserver &)> before;
};

/// Writes how many inputs it is passed to its output, as that has any rank.
class CountingModel final : public HostCodeModel {
public:
  explicit CountingModel(Interface face) : face(std::move(face)) {}
  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return 64; }
  MemoryUse memoryUse() const override { return {64, 32, 1000}; }
  Status call(NNHalExecutionContext &context) const override {
    NNHalTensorArgument &output = context.outputs[0];
    if (output.rank != face.outputs[0].dimensions.size())
      return failure("the output has rank {}", output.rank);
    std::fill_n(output.shape, output.rank, 1);
    *static_cast<float *>(output.data) = float(context.inputCount);
    output.isSufficient = 1;
    return Status::ok();
  }

private:
  const Interface face;
};

/// Executions, one after the other, of one model.
struct Execution {
  /// Executes \p model with an input of \p shape; none when that is empty. An
  /// input without elements has no memory.
  Status run(const LoadedModel &model, std::vector<int64_t> shape,
             uint32_t statedRank = 0, int64_t statedExtent = 0) {
    std::vector<int64_t> outputShape(maxOpenRank, statedExtent);
    InvocationArgument input, output;
    input.data = output.data = reinterpret_cast<std::byte *>(&element);
    input.size = output.size = sizeof(element);
    if (std::ranges::find(shape, 0) != shape.end()) {
      input.data = nullptr;
      input.size = 0;
    }
    input.extents = shape.data();
    input.rank = uint32_t(shape.size());
    input.isPresent = output.isPresent = !shape.empty();
    output.extents = outputShape.data();
    output.rank = statedRank;
    Invocation invocation;
    invocation.inputs = std::span(&input, 1);
    invocation.outputs = std::span(&output, 1);
    invocation.services = &services;
    invocation.cancelFlag = &cancelled;
    if (!workspace)
      workspace = *model.createWorkspace(nullptr);
    invocation.workspace = workspace.get();
    Status status = model.run(invocation);
    rank = output.rank;
    return status;
  }

  const DeviceServices services = completeServices({});
  std::atomic<uint32_t> cancelled = 0;
  std::unique_ptr<Workspace> workspace;
  float element = 0;
  uint32_t rank = 0;
};

/// output = RELU(input), both of unknown rank.
AnnotatedModel openModel() {
  AnnotatedModel annotated = reluModel(1, 1);
  for (Operand &operand : annotated.model.main.operands)
    operand.dimensions.clear();
  return annotated;
}

class OpenShapeModelTest : public ::testing::Test {
protected:
  OpenShapeModel::CodeMaker maker(ShapeNeed need = ShapeNeed::ranks) {
    return {"test-device", need,
            [this](const AnnotatedModel &known, const CompileObserver &observer)
                -> Result<std::unique_ptr<LoadedModel>> {
              if (script.before)
                NNHAL_RETURN_IF_ERROR(script.before(observer));
              const Subgraph &main = known.model.main;
              script.compiled.push_back(
                  main.inputIndexes.empty()
                      ? std::vector<uint32_t>()
                      : main.operands[main.inputIndexes[0]].dimensions);
              return std::unique_ptr<LoadedModel>(
                  std::make_unique<CountingModel>(interfaceOf(known)));
            }};
  }
  std::unique_ptr<LoadedModel>
  load(const AnnotatedModel &model,
       const std::vector<InputShapes> &specializations = {},
       ShapeNeed need = ShapeNeed::ranks) {
    auto loaded =
        OpenShapeModel::create(model, specializations, maker(need), {});
    EXPECT_TRUE(loaded.isOk()) << loaded.status().message();
    return *std::move(loaded);
  }

  Status run(const LoadedModel &model, std::vector<int64_t> shape,
             uint32_t statedRank = 0, int64_t statedExtent = 0) {
    return execution.run(model, std::move(shape), statedRank, statedExtent);
  }

  Script script;
  Execution execution;
};

using Shapes = std::vector<std::vector<uint32_t>>;

// D-027: code is made for a rank, once, whatever the extents.
TEST_F(OpenShapeModelTest, compilesOncePerRank) {
  auto model = load(openModel());
  EXPECT_EQ(script.compiled, Shapes());
  EXPECT_EQ(model->memoryUse(), MemoryUse());
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{4}, {7}, {2, 2}, {1}, {3, 5}}) {
    EXPECT_EQ(run(*model, shape).message(), "");
    EXPECT_EQ(execution.rank, shape.size());
    EXPECT_EQ(execution.element, 1);
  }
  EXPECT_EQ(script.compiled, (Shapes{{0}, {0, 0}}));
  EXPECT_EQ(model->memoryUse(), (MemoryUse{64, 32, 2000}));
}

TEST_F(OpenShapeModelTest, compilesForShapesThatAreStated) {
  auto model = load(openModel(), {{{2, 3}}});
  EXPECT_EQ(script.compiled, (Shapes{{2, 3}}));
  EXPECT_EQ(run(*model, {2, 3}).message(), "");
  EXPECT_EQ(script.compiled.size(), 1u);
  EXPECT_EQ(run(*model, {3, 2}).message(), "");
  EXPECT_EQ(run(*model, {2, 3}).message(), "");
  EXPECT_EQ(script.compiled, (Shapes{{2, 3}, {0, 0}}));
  auto refused = OpenShapeModel::create(openModel(), {{{2, 0}}}, maker(), {});
  EXPECT_EQ(refused.status().message(),
            "the specialization leaves dimension 1 of input 0 open");
}

// Code that has to know extents is made for each shape, once.
TEST_F(OpenShapeModelTest, compilesOncePerShape) {
  AnnotatedModel open = openModel();
  open.model.main.operands[0].dimensions = {0, 3};
  auto model = load(open, {}, ShapeNeed::extents);
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{4, 3}, {2, 3}, {4, 3}, {2, 3}})
    EXPECT_EQ(run(*model, shape).message(), "");
  EXPECT_EQ(script.compiled, (Shapes{{4, 3}, {2, 3}}));
  EXPECT_EQ(run(*model, {}).message(),
            "input 0 is omitted, and the model needs it");
}

// Whether an input is there is asked of code that knows its extents.
TEST_F(OpenShapeModelTest, leavesInputsOfStatedExtentsToTheCode) {
  AnnotatedModel open = openModel();
  open.model.main.operands[0].dimensions = {2, 3};
  auto model = load(open, {}, ShapeNeed::extents);
  EXPECT_EQ(run(*model, {}).message(), "");
  EXPECT_EQ(script.compiled, (Shapes{{2, 3}}));
}

// The code that was used least recently goes; what was asked for stays.
TEST_F(OpenShapeModelTest, keepsSomeCode) {
  AnnotatedModel absolute = openModel(); // RELU has four dimensions at most.
  absolute.model.main.operations[0].type = OperationType::ABS;
  auto model = load(absolute, {{{2}}});
  EXPECT_EQ(run(*model, {2}).message(), "");
  for (size_t depth = 2; depth <= 18; ++depth) {
    EXPECT_EQ(run(*model, std::vector<int64_t>(depth, 1)).message(), "");
    // The first of them is used again and again.
    EXPECT_EQ(run(*model, {1, 1}).message(), "");
  }
  EXPECT_EQ(script.compiled.size(), 18u);
  EXPECT_EQ(model->memoryUse().artifact, 17'000u);
  EXPECT_EQ(run(*model, {2}).message(), "");
  EXPECT_EQ(run(*model, {1, 1}).message(), "");
  EXPECT_EQ(script.compiled.size(), 18u);
  EXPECT_EQ(run(*model, {1, 1, 1}).message(), "");
  EXPECT_EQ(script.compiled.size(), 19u);
}

TEST_F(OpenShapeModelTest, takesInputsWithoutElements) {
  auto model = load(openModel());
  EXPECT_EQ(run(*model, {0, 3}).message(), "");
  EXPECT_EQ(execution.element, 1) << "the input is there all the same";
}

TEST_F(OpenShapeModelTest, omitsInputs) {
  auto model = load(openModel());
  Status status = run(*model, {});
  // RELU needs its input; LSTM, for example, does without some.
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(), "input 0 is omitted, and the model needs it");
  EXPECT_TRUE(script.compiled.empty());
}

TEST_F(OpenShapeModelTest, refusesAnotherRankThanIsStated) {
  auto model = load(openModel());
  Status status = run(*model, {1, 1}, 3);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "output 0 has rank 2, the request states 3");
  EXPECT_EQ(run(*model, {1, 1}, 2).message(), "");
}

TEST_F(OpenShapeModelTest, refusesOtherExtentsThanAreStated) {
  auto model = load(openModel(), {}, ShapeNeed::extents);
  EXPECT_EQ(run(*model, {2, 2}, 2, 2).message(), "");
  Status status = run(*model, {2, 2}, 2, 5);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            "output 0 has extent 2 in dimension 0, the request states 5");
}

// Code for other shapes makes room where resources are lacking.
TEST_F(OpenShapeModelTest, dropsCodeForLackOfResources) {
  auto model = load(openModel());
  EXPECT_EQ(run(*model, {2}).message(), "");
  EXPECT_EQ(run(*model, {2, 2}).message(), "");
  size_t calls = 0;
  script.before = [&](const CompileObserver &) {
    return ++calls == 1 ? outOfResources("no room") : Status::ok();
  };
  EXPECT_EQ(run(*model, {2, 2, 2}).message(), "");
  EXPECT_EQ(model->memoryUse().artifact, 1000u);
  script.before = nullptr;
  EXPECT_EQ(run(*model, {2}).message(), "");
  EXPECT_EQ(script.compiled, (Shapes{{0}, {0, 0}, {0, 0, 0}, {0}}));
}

TEST_F(OpenShapeModelTest, reportsWhatTheCompilerReports) {
  auto model = load(openModel());
  script.before = [](const CompileObserver &) {
    return badData("no such code");
  };
  Status status = run(*model, {2, 2});
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            "no code for inputs of the shapes [0,0]: no such code");
  script.before = [](const CompileObserver &) {
    return outOfResources("no room");
  };
  EXPECT_EQ(run(*model, {2, 2}).code(), StatusCode::resourceExhaustedTransient);
  script.before = [](const CompileObserver &) -> Status {
    throw std::bad_alloc();
  };
  status = run(*model, {2, 2});
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory to compile the model");
  // A failure is not remembered.
  script.before = nullptr;
  EXPECT_EQ(run(*model, {2, 2}).message(), "");
}

// D-074: a deadline ends the compilation, and the wait for one.
// Code for values of parameters, which are no inputs of it.
TEST_F(OpenShapeModelTest, compilesOncePerValue) {
  std::vector<std::vector<uint8_t>> values;
  OpenShapeModel::CodeMaker valued = maker(ShapeNeed::extents);
  valued.parametersOf = [](const Model &) { return std::vector{true}; };
  valued.read = [](const InvocationArgument &argument,
                   std::span<std::byte> bytes) {
    std::memcpy(bytes.data(), argument.data, bytes.size());
    return bytes.size() == 4 ? Status::ok() : failure("unreadable");
  };
  valued.compile = [&, make = valued.compile](const AnnotatedModel &known,
                                              const CompileObserver &observer) {
    values.push_back(known.model.operandValues);
    return make(known, observer);
  };
  auto model = OpenShapeModel::create(openModel(), {}, valued, {});
  ASSERT_TRUE(model.isOk()) << model.status().message();
  for (float value : {1.0f, 2.0f, 1.0f}) {
    execution.element = value;
    EXPECT_EQ(run(**model, {1}).message(), "");
    EXPECT_EQ(execution.element, 0.0f) << "the code has no inputs";
  }
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0], (std::vector<uint8_t>{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(values[1], (std::vector<uint8_t>{0, 0, 0, 0x40}));
  // An omitted parameter has no value, and so none that does not fit.
  EXPECT_EQ(run(**model, {}).message(),
            "input 0 is omitted, and the model needs it");
  EXPECT_EQ(run(**model, {2}).message(),
            "no code for inputs of the shapes [2] with 1 parameters: input 0 "
            "has 4 bytes, its type has 8");
}

TEST_F(OpenShapeModelTest, isCancelled) {
  auto model = load(openModel());
  script.before = [&](const CompileObserver &observer) {
    EXPECT_FALSE(observer.isCancelled());
    execution.cancelled = 1;
    EXPECT_TRUE(observer.isCancelled());
    return failure("stopped");
  };
  Status status = run(*model, {2});
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(), "the deadline passed while the model was "
                              "compiled for the shapes of the inputs");

  std::promise<void> begun, gate;
  script.before = [&](const CompileObserver &) {
    begun.set_value();
    gate.get_future().wait();
    return Status::ok();
  };
  Execution other;
  std::thread slow([&] { EXPECT_EQ(other.run(*model, {2}).message(), ""); });
  begun.get_future().wait();
  status = run(*model, {2, 2});
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(),
            "the deadline passed while the model was compiled for other "
            "shapes");
  gate.set_value();
  slow.join();
  EXPECT_EQ(script.compiled, (Shapes{{0}}));
}

} // namespace
