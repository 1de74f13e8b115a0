//===- ExtensionTest.cpp - Arguments of types of a vendor -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/HostCodeModel.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <future>

using namespace nnhal::rt;

namespace {

/// Types of the extension "com.example.geometry": a tensor of points, a scalar
/// that moves them, and the operation that does so.
using Point = std::array<float, 3>;
struct Offset {
  float all = 0;
  uint32_t reserved = 0;
};
constexpr uint16_t pointType = 3, offsetType = 4, moveOperation = 9;

constexpr uint32_t withPrefix(uint16_t prefix, uint16_t number) {
  return uint32_t(prefix) << 16 | number;
}

/// output = input moved by the second input.
class MoveModel final : public HostCodeModel {
public:
  explicit MoveModel(Interface face) : face(std::move(face)) {}
  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return 0; }
  Status call(NNHalExecutionContext &context) const override {
    const NNHalTensorArgument &input = context.inputs[0];
    NNHalTensorArgument &output = context.outputs[0];
    auto *offset = static_cast<const Offset *>(context.inputs[1].data);
    if (context.inputs[1].size != sizeof(Offset) || context.inputs[1].rank != 0)
      return failure("the offset has {} bytes", context.inputs[1].size);
    output.rank = input.rank;
    size_t count = 1;
    for (uint32_t d = 0; d < input.rank; ++d)
      count *= size_t(output.shape[d] = input.shape[d]);
    if (input.size != count * sizeof(Point))
      return failure("{} points have {} bytes", count, input.size);
    output.isSufficient = output.size >= input.size;
    auto *from = static_cast<const float *>(input.data);
    auto *to = static_cast<float *>(output.data);
    for (size_t i = 0; output.isSufficient && i < count * 3; ++i)
      to[i] = from[i] + offset->all;
    return Status::ok();
  }

private:
  const Interface face;
};

class GeometryBackend final : public Backend {
public:
  explicit GeometryBackend(bool describesOffsets) {
    description.name = "test-geometry";
    description.version = "1";
    description.extensions = {
        {"com.example.other", {{pointType, false, 1}}},
        {"com.example.geometry", {{pointType, true, sizeof(Point)}}}};
    if (describesOffsets)
      description.extensions[1].operandTypes.push_back(
          {offsetType, false, sizeof(Offset)});
  }
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    return std::vector<Status>(model.model.main.operations.size());
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &,
       const LoadObserver &) const override {
    return std::unique_ptr<LoadedModel>(std::make_unique<MoveModel>(
        interfaceOf(model, description.extensions)));
  }

private:
  DeviceInfo description;
};

/// The model for points of \p dimensions, in which the extension has \p prefix.
AnnotatedModel moveModel(const std::vector<uint32_t> &dimensions,
                         uint16_t prefix) {
  AnnotatedModel annotated;
  annotated.model.extensionNameToPrefix = {
      {"com.example.other", uint16_t(prefix + 1)},
      {"com.example.geometry", prefix}};
  Subgraph &main = annotated.model.main;
  main.operands.resize(3);
  main.operands[0].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  main.operands[1].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  main.operands[2].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  for (uint32_t i : {0, 2}) {
    main.operands[i].type = OperandType(withPrefix(prefix, pointType));
    main.operands[i].dimensions = dimensions;
  }
  main.operands[1].type = OperandType(withPrefix(prefix, offsetType));
  main.operations = {
      {OperationType(withPrefix(prefix, moveOperation)), {0, 1}, {2}}};
  main.inputIndexes = {0, 1};
  main.outputIndexes = {2};
  computeConsumers(main);
  return annotated;
}

class ExtensionTest : public ::testing::Test {
protected:
  ExtensionTest() {
    request.inputs = {{Memory::borrow(std::as_bytes(std::span(points))), {}},
                      {Memory::borrow(std::as_bytes(std::span(&by, 1))), {}}};
    request.outputs = {
        {OutputMemory::borrow(std::as_writable_bytes(std::span(moved))), {}}};
  }

  PreparedModelRef prepare(const std::vector<uint32_t> &dimensions,
                           uint16_t prefix = 7) {
    auto device = createDevice(
        std::make_unique<GeometryBackend>(/*describesOffsets=*/true));
    auto prepared = device->prepareModel(moveModel(dimensions, prefix));
    EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
    return *prepared;
  }
  void expectMoved() {
    for (size_t i = 0; i < points.size(); ++i)
      for (size_t d = 0; d < 3; ++d)
        EXPECT_EQ(moved[i][d], points[i][d] + 10);
    moved = {};
  }

  std::array<Point, 2> points = {{{1, 2, 3}, {4, 5, 6}}};
  Offset by = {10};
  std::array<Point, 2> moved = {};
  Request request;
  ExecutionResult result;
};

// H-004, H-007, H-016, H-022: the extension's description decides the sizes,
// whatever prefix it has in a model.
TEST_F(ExtensionTest, argumentsAreExecuted) {
  for (uint16_t prefix : {7, 1, 0xFFFE}) {
    PreparedModelRef model = prepare({2}, prefix);
    EXPECT_EQ(model->execute(request, result).message(), "");
    ASSERT_EQ(result.outputShapes.size(), 1u);
    EXPECT_EQ(result.outputShapes[0], (OutputShape{{2}, true}));
    expectMoved();
    std::promise<Status> ended;
    ASSERT_TRUE(model
                    ->executeAsync(request,
                                   [&](Status status, const auto &) {
                                     ended.set_value(std::move(status));
                                   })
                    .isOk());
    EXPECT_EQ(ended.get_future().get().message(), "");
    expectMoved();
    auto fenced = model->executeFenced(request);
    ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
    if (FenceRef fence = (*fenced)->fence())
      EXPECT_EQ(fence->wait(noDeadline).message(), "");
    expectMoved();
  }
}

// H-016, H-017: an extension's tensor may have unknown extents, or rank.
TEST_F(ExtensionTest, shapesAreStated) {
  for (const std::vector<uint32_t> &open : {std::vector<uint32_t>{0}, {}}) {
    PreparedModelRef model = prepare(open);
    EXPECT_EQ(model->execute(request, result).code(),
              StatusCode::invalidArgument);
    request.inputs[0].dimensions = {2};
    EXPECT_EQ(model->execute(request, result).message(), "");
    EXPECT_EQ(result.outputShapes[0], (OutputShape{{2}, true}));
    expectMoved();
    request.inputs[0].dimensions.clear();
  }
  PreparedModelRef model = prepare({2});
  request.inputs[1].dimensions = {1};
  EXPECT_EQ(model->execute(request, result).message(),
            "input 1 has rank 1 in the request and 0 in the model");
}

// H-016.
TEST_F(ExtensionTest, sizesAreChecked) {
  PreparedModelRef model = prepare({2});
  std::span<std::byte> bytes = std::as_writable_bytes(std::span(moved));
  request.outputs[0].memory = OutputMemory::borrow(bytes.first(23));
  EXPECT_EQ(model->execute(request, result).code(),
            StatusCode::outputInsufficientSize);
  EXPECT_EQ(result.outputShapes[0], (OutputShape{{2}, false}));
  request.outputs[0].memory = OutputMemory::borrow(bytes);
  request.inputs[0].memory =
      Memory::borrow(std::as_bytes(std::span(points)).first(12));
  EXPECT_EQ(model->execute(request, result).message(),
            "input 0 has 12 bytes, its shape and type need 24");
  // Points are aligned as their numbers are.
  std::array<std::byte, 40> room = {};
  request.inputs[0].memory = Memory::borrow(std::span(room).subspan(2, 24));
  EXPECT_EQ(model->execute(request, result).message(),
            "input 0 is not aligned to its element of 12 bytes");
  request.inputs[0].memory = Memory::borrow(std::span(room).subspan(4, 24));
  EXPECT_EQ(model->execute(request, result).message(), "");
}

// F-025, H-016: in pools, too, and where they are.
TEST_F(ExtensionTest, liesInPools) {
  PreparedModelRef model = prepare({2});
  auto pool = SharedMemory::createAshmem(100);
  ASSERT_TRUE(pool.isOk());
  ASSERT_TRUE((*pool)->write(4, std::as_bytes(std::span(points))).isOk());
  request.inputs[0].memory = Memory::region(*pool, 4, 24);
  request.outputs[0].memory = OutputMemory::region(*pool, 32, 24);
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(result.copiedBytes, 0u);
  ASSERT_TRUE(
      (*pool)->read(32, std::as_writable_bytes(std::span(moved))).isOk());
  expectMoved();
  request.outputs[0].memory = OutputMemory::region(*pool, 61, 24);
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(result.copiedBytes, 24u);
  ASSERT_TRUE(
      (*pool)->read(61, std::as_writable_bytes(std::span(moved))).isOk());
  expectMoved();
}

// H-016, H-022: what no description covers is refused.
TEST_F(ExtensionTest, isDescribed) {
  auto device = createDevice(
      std::make_unique<GeometryBackend>(/*describesOffsets=*/false));
  AnnotatedModel model = moveModel({2}, 7);
  Status status = device->prepareModel(model).status();
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(), "main: operand 1: extension "
                              "'com.example.geometry' has no type 4");
  auto supported = device->supportedOperations(model);
  ASSERT_TRUE(supported.isOk()) << supported.status().message();
  EXPECT_EQ((*supported)[0].message(),
            "operand 1: extension 'com.example.geometry' has no type 4");
}

// C-075: buffers of extension types are refused.
TEST_F(ExtensionTest, hasNoBuffers) {
  auto device = createDevice(std::make_unique<GeometryBackend>(true));
  auto prepared = device->prepareModel(moveModel({2}, 7));
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  BufferRole role = {0, 0, 1};
  auto allocated =
      device->allocate({}, std::span(&*prepared, 1), std::span(&role, 1), {});
  EXPECT_EQ(allocated.status().message(),
            "role 0 (input 0 of model 0): buffers of extension types are not "
            "supported");
}

} // namespace
