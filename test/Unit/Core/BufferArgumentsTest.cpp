//===- BufferArgumentsTest.cpp - Buffers below code of any behavior -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/HostCodeModel.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

using Code = std::function<Status(NNHalExecutionContext &)>;

/// Executes a function.
class FunctionModel final : public HostCodeModel {
public:
  FunctionModel(Interface face, Code code)
      : face(std::move(face)), code(std::move(code)) {}
  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return 0; }
  Status call(NNHalExecutionContext &context) const override {
    return code(context);
  }

private:
  Interface face;
  Code code;
};

/// Every artifact is the same model.
class FunctionBackend final : public Backend {
public:
  FunctionBackend(Interface face, Code code)
      : face(std::move(face)), code(std::move(code)) {
    description.name = "test-function";
    description.version = "1";
  }
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &) const override {
    return std::vector<Status>();
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &, const PrepareOptions &,
       const LoadObserver &) const override {
    return failure("loads artifacts only");
  }
  Result<std::unique_ptr<LoadedModel>>
  loadArtifact(std::span<const std::byte>, const Memory &) const override {
    return std::unique_ptr<LoadedModel>(
        std::make_unique<FunctionModel>(face, code));
  }

private:
  DeviceInfo description;
  Interface face;
  Code code;
};

class BufferArgumentsTest : public testing::Test {
protected:
  /// A device with a model whose arguments are \p face, executed by \p code.
  void prepare(Interface face, Code code) {
    DeviceServices services;
    services.memory = budget;
    device = createDevice(
        std::make_unique<FunctionBackend>(std::move(face), std::move(code)),
        std::move(services));
    auto prepared = device->prepareModelFromArtifact({}, Memory());
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    model = *prepared;
  }
  Result<std::shared_ptr<Buffer>> allocate(std::vector<BufferRole> inputs,
                                           std::vector<BufferRole> outputs,
                                           const BufferDesc &desc = {}) {
    return device->allocate(desc, std::span(&model, 1), inputs, outputs);
  }
  /// A buffer for output 0, and input 0 where there is one.
  std::shared_ptr<Buffer> bufferFor(const std::vector<uint32_t> &shape) {
    std::vector<BufferRole> inputs(model->interface().inputs.size());
    auto buffer = allocate(inputs, {{0, 0, 1}}, {shape});
    EXPECT_EQ(buffer.status().message(), "");
    return buffer.isOk() ? *buffer : nullptr;
  }
  /// Executes with \p buffer as output 0.
  Status write(const Buffer &buffer) {
    Request request;
    request.inputs.resize(model->interface().inputs.size());
    request.outputs = {{OutputMemory::device(buffer.token()), {}}};
    return model->execute(request, result);
  }
  /// Whether \p buffer has contents of \p size bytes.
  static Status read(const Buffer &buffer, uint64_t size) {
    return buffer.copyTo(**SharedMemory::createAshmem(size));
  }

  std::shared_ptr<MemoryBudget> budget =
      std::make_shared<MemoryBudget>(uint64_t(1) << 20);
  std::unique_ptr<Device> device;
  PreparedModelRef model;
  ExecutionResult result;
};

InterfaceTensor tensor(std::string name, std::vector<uint32_t> dimensions,
                       OperandType type = OperandType::TENSOR_FLOAT32) {
  return {std::move(name), type, std::move(dimensions)};
}

/// Code that reports \p shape and fills what memory it finds.
Code reporting(const std::vector<int64_t> &shape, bool isSufficient) {
  return [=](NNHalExecutionContext &context) {
    NNHalTensorArgument &output = context.outputs[0];
    std::copy(shape.begin(), shape.end(), output.shape);
    output.isSufficient = isSufficient;
    if (output.size > 0)
      std::memset(output.data, 1, output.size);
    return Status::ok();
  };
}

// F-036: the shape of the code has to be one of the buffer, also a smaller one.
TEST_F(BufferArgumentsTest, haveTheShapeOfTheirBuffer) {
  prepare({{}, {tensor("sum", {0})}, {}}, reporting({2}, true));
  auto buffer = bufferFor({4});
  Status written = write(*buffer);
  EXPECT_EQ(written.code(), StatusCode::generalFailure);
  EXPECT_EQ(written.message(),
            "output 0 ('sum') has the shape [2], its buffer [4]");
  EXPECT_TRUE(result.outputShapes.empty());
  EXPECT_EQ(read(*buffer, 16).message(), "the buffer is uninitialized");
  EXPECT_EQ(write(*bufferFor({2})).message(), "");
}

// F-036, B-088.
TEST_F(BufferArgumentsTest, have32BitSizes) {
  prepare({{}, {tensor("sum", {0, 0})}, {}}, reporting({65536, 65536}, false));
  Status written = write(*bufferFor({}));
  EXPECT_EQ(written.code(), StatusCode::generalFailure);
  EXPECT_EQ(written.message(), "output 0 ('sum') of shape [65536,65536] "
                               "exceeds 4294967295 bytes");
}

// F-038: room is made whatever the code believes to have had.
TEST_F(BufferArgumentsTest, growAndRunAgain) {
  for (bool isSufficient : {false, true}) {
    int calls = 0;
    Code report = reporting({100}, isSufficient);
    prepare({{}, {tensor("sum", {0})}, {}},
            [&](NNHalExecutionContext &context) {
              Status status = report(context);
              if (++calls == 2) {
                EXPECT_EQ(context.outputs[0].size, 400u);
                context.outputs[0].isSufficient = 1;
              }
              return status;
            });
    auto buffer = bufferFor({});
    EXPECT_EQ(write(*buffer).message(), "");
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(result.outputShapes, (std::vector<OutputShape>{{{100}, true}}));
    EXPECT_EQ(read(*buffer, 400).message(), "");
    EXPECT_EQ(budget->inUse(), 400u);
    buffer.reset();
    EXPECT_EQ(budget->inUse(), 0u);
  }
}

// F-034, F-038: no memory for what an output turned out to need.
TEST_F(BufferArgumentsTest, stayInTheBudget) {
  prepare({{}, {tensor("sum", {0})}, {}}, reporting({1 << 20}, false));
  auto buffer = bufferFor({});
  Status written = write(*buffer);
  EXPECT_EQ(written.code(), StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(written.message().find("output 0 ('sum'): "), 0u)
      << written.message();
  EXPECT_EQ(read(*buffer, 4).message(), "the buffer is uninitialized");
  EXPECT_EQ(budget->inUse(), 0u);
}

// F-033: contents without elements are contents.
TEST_F(BufferArgumentsTest, mayBeEmpty) {
  prepare({{tensor("in", {0})}, {tensor("sum", {0})}, {}},
          [](NNHalExecutionContext &context) {
            if (context.inputs[0].isPresent) {
              EXPECT_EQ(context.inputs[0].shape[0], 0);
              EXPECT_EQ(context.inputs[0].size, 0u);
            }
            context.outputs[0].shape[0] = 0;
            return Status::ok();
          });
  auto buffer = bufferFor({});
  EXPECT_EQ(write(*buffer).message(), "");
  Request request;
  request.inputs = {{Memory::device(buffer->token()), {}}};
  float unused = 0;
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(&unused, 1))),
       {}}};
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(result.outputShapes, (std::vector<OutputShape>{{{0}, true}}));
}

// C-075: the size of an extension's elements is not known.
TEST_F(BufferArgumentsTest, areOfKnownTypes) {
  constexpr auto extension = OperandType(0x10001);
  prepare({{tensor("in", {2}, extension)}, {tensor("out", {2}, extension)}, {}},
          [](NNHalExecutionContext &) { return Status::ok(); });
  auto buffer = allocate({{0, 0, 1}}, {});
  ASSERT_FALSE(buffer.isOk());
  EXPECT_EQ(buffer.status().code(), StatusCode::generalFailure);
  EXPECT_EQ(buffer.status().message(),
            "role 0 (input 0 of model 0): buffers of extension types are not "
            "supported");
  std::vector<std::byte> bytes(8);
  Request request;
  request.inputs = {{Memory::borrow(bytes), {}}};
  request.outputs = {{OutputMemory::borrow(bytes), {}}};
  Status executed = model->execute(request, result);
  EXPECT_EQ(executed.code(), StatusCode::generalFailure);
  EXPECT_EQ(executed.message(),
            "input 0 ('in') is of the extension type code 65537, which no "
            "extension of the device describes");
  request.inputs[0].memory = Memory();
  EXPECT_EQ(model->execute(request, result).message(),
            "output 0 ('out') is of the extension type code 65537, which no "
            "extension of the device describes");
}

// B-099: scales that are not known, as those of an artifact from before they
// were kept, cannot be compared.
TEST_F(BufferArgumentsTest, haveOneRoleWithoutChannelScales) {
  constexpr auto perChannel = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
  auto run = [](NNHalExecutionContext &) { return Status::ok(); };
  Interface interface = {
      {tensor("a", {2}, perChannel), tensor("b", {2}, perChannel)}, {}, {}};
  prepare(interface, run);
  EXPECT_EQ(allocate({{0, 0, 1}}, {}).status().message(), "");
  auto buffer = allocate({{0, 0, 1}, {0, 1, 1}}, {});
  EXPECT_EQ(buffer.status().code(), StatusCode::generalFailure);
  EXPECT_EQ(buffer.status().message(),
            "role 1 (input 1 of model 0): the scales of a "
            "TENSOR_QUANT8_SYMM_PER_CHANNEL are not known, and so not whether "
            "they are those of the other roles");
  for (InterfaceTensor &input : interface.inputs)
    input.channelQuant = {{0.5f, 2.0f}, 0};
  prepare(interface, run);
  EXPECT_EQ(allocate({{0, 0, 1}, {0, 1, 1}}, {}).status().message(), "");
}

} // namespace
