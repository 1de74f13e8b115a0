//===- ExtensionCallsTest.cpp - Extension backends and nnhal-reference ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/RoutineSignature.h"
#include "Runtime/Devices/Cpu/Support/CpuSupport.h"
#include "Runtime/Routines/RoutineTable.h"
#include "nnhal/Backend/ExtensionBackend.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <functional>

using namespace nnhal::rt;

namespace {

/// The extension "com.example.wide", whose operation 0 yields a tensor of 12
/// bytes per element or what a test wants it to.
class WideExtension final : public ExtensionBackend {
public:
  using Execute = std::function<Status(const OperationView &view,
                                       ExtensionOutputs &outputs)>;

  const Extension &extension() const override { return description; }

  Result<OperationFacts> check(const OperationView &view) const override {
    seen = view.inputs.front().type.type;
    return OperationFacts{HalVersion::V1_2,
                          {resultCount, view.outputs.front().type}};
  }
  Status execute(const OperationView &view,
                 ExtensionOutputs &outputs) const override {
    return compute(view, outputs);
  }

  size_t resultCount = 1;
  Execute compute;
  /// The type of the input that check() was last asked about.
  mutable OperandType seen = OperandType::FLOAT32;

  Extension description = {"com.example.wide", {{0, /*isTensor=*/true, 12}}};
};

/// The extension "com.example.other", which has types and no operations.
class OtherExtension final : public ExtensionBackend {
public:
  explicit OtherExtension(Extension::OperandTypeInfo type)
      : description{"com.example.other", {type}} {}
  const Extension &extension() const override { return description; }
  Result<OperationFacts> check(const OperationView &) const override {
    return Status(StatusCode::invalidArgument, "there is no operation");
  }
  Status execute(const OperationView &, ExtensionOutputs &) const override {
    return Status(StatusCode::generalFailure, "there is no operation");
  }

private:
  const Extension description;
};

class ExtensionCallsTest : public ::testing::Test {
protected:
  ExtensionCallsTest() {
    services.extensions = {{backend, "wide:1;"}};
    Model &model = annotated.model;
    model.extensionNameToPrefix = {{"com.example.wide", 9},
                                   {"com.example.other", 10}};
    Operand operand;
    operand.type = OperandType(9u << 16);
    operand.dimensions = {2};
    operand.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
    model.main.operands = {operand, operand};
    model.main.operands[1].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
    model.main.operations = {{OperationType(9u << 16), {0}, {1}}};
    model.main.inputIndexes = {0};
    model.main.outputIndexes = {1};
    computeConsumers(model.main);
    backend->compute = [](const OperationView &view,
                          ExtensionOutputs &outputs) -> Status {
      int64_t extent = 2;
      NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> bytes,
                             outputs.allocate(0, {&extent, 1}));
      std::copy_n(view.inputs.front().value->begin(), bytes.size(),
                  bytes.begin());
      return Status::ok();
    };
  }

  Status run() {
    auto prepared =
        createReferenceDevice({.services = services})->prepareModel(annotated);
    if (!prepared.isOk())
      return std::move(prepared).takeStatus();
    Request request;
    request.inputs.emplace_back().memory = Memory::copy(input);
    request.outputs.emplace_back().memory = OutputMemory::borrow(output);
    ExecutionResult result;
    return (*prepared)->execute(request, result);
  }

  /// The failure of a backend that asks for \p extents of output \p index.
  std::string allocating(size_t index, std::vector<int64_t> extents) {
    backend->compute = [=](const OperationView &, ExtensionOutputs &outputs) {
      return outputs.allocate(index, extents).status();
    };
    return std::string(run().message());
  }

  std::shared_ptr<WideExtension> backend = std::make_shared<WideExtension>();
  DeviceServices services;
  AnnotatedModel annotated;
  std::vector<std::byte> input = std::vector<std::byte>(24, std::byte(7));
  std::vector<std::byte> output = std::vector<std::byte>(24);
};

TEST_F(ExtensionCallsTest, ElementsMayHaveAnySize) { // H-016
  EXPECT_EQ(run().message(), "");
  EXPECT_EQ(output, input);
  // Whatever prefix the model gives the extension.
  EXPECT_EQ(backend->seen, ownOperandType(0));
}

TEST_F(ExtensionCallsTest, OutputsAreChecked) {
  const std::string place = "operation 0 (com.example.wide:0): ";
  EXPECT_EQ(allocating(1, {2}), place + "there is no output 1, only 1");
  EXPECT_EQ(allocating(0, {2, 1}), place + "output 0 has rank 2, expected 1");
  EXPECT_EQ(allocating(0, {3}), place + "output 0 has extents [3], expected 2");
  backend->compute = [](const OperationView &, ExtensionOutputs &) {
    return Status::ok();
  };
  EXPECT_EQ(run().message(), place + "output 0 was not computed");
}

TEST_F(ExtensionCallsTest, UsesAreChecked) { // H-024
  backend->resultCount = 2;
  EXPECT_EQ(run().message(), "com.example.wide:0: has 1 outputs, expected 2");
  backend->resultCount = 1;
  annotated.model.main.operands[0].type = OperandType(10u << 16);
  auto answers = createReferenceDevice({.services = services})
                     ->supportedOperations(annotated);
  ASSERT_TRUE(answers.isOk()) << answers.status().message();
  EXPECT_EQ((*answers)[0].message(),
            "operand 0: the device does not have extension "
            "'com.example.other'");
  // The second description of an extension disables it (H-013); one of another
  // name brings its types, but not to this operation.
  services.extensions.push_back(
      {std::make_shared<OtherExtension>(
           Extension::OperandTypeInfo{0, /*isTensor=*/true, 12}),
       "o:1;"});
  EXPECT_EQ(run().message(),
            "input 0: is of type com.example.other:0, and extension "
            "'com.example.wide' has no tensor type with elements of that kind");
}

TEST_F(ExtensionCallsTest, TypesOfOneKindAreTheExtensionsOwn) {
  backend->description.operandTypes = {
      {0, /*isTensor=*/true, 8}, {3, /*isTensor=*/true, 8, ElementKind::int64}};
  auto other = [&](Extension::OperandTypeInfo type) {
    services.extensions.resize(1);
    services.extensions.push_back(
        {std::make_shared<OtherExtension>(type), "o:1;"});
    return std::string(run().message());
  };
  std::vector<Operand> &operands = annotated.model.main.operands;
  operands[0].type = operands[1].type = OperandType(10u << 16);
  input.resize(16);
  output.resize(16);
  const std::string refusal =
      "input 0: is of type com.example.other:0, and extension "
      "'com.example.wide' has no tensor type with elements of that kind";
  EXPECT_EQ(other({0, /*isTensor=*/true, 8, ElementKind::int64}), "");
  EXPECT_EQ(backend->seen, ownOperandType(3));
  EXPECT_EQ(output, input);
  EXPECT_EQ(other({0, /*isTensor=*/true, 8, ElementKind::uint64}), refusal);
  EXPECT_EQ(other({0, /*isTensor=*/true, 8}), refusal);
  // An extension can interpret extension data of its own operands only.
  operands[0].extraParams = ExtensionParams{{1, 2}};
  EXPECT_EQ(other({0, /*isTensor=*/true, 8, ElementKind::int64}),
            "input 0: is of type com.example.other:0 with 2 bytes of extension "
            "data, and extension 'com.example.wide' takes none of other "
            "extensions");
  operands[0].extraParams = {};
  operands[0].dimensions.clear();
  operands[1].type = OperandType(9u << 16 | 3);
  EXPECT_EQ(other({0, /*isTensor=*/false, 8, ElementKind::int64}),
            "input 0: is of type com.example.other:0, a scalar, and extension "
            "'com.example.wide' takes only tensors of other extensions");
}

TEST_F(ExtensionCallsTest, CompiledElementsHaveAFewSizes) {
  const Model &model = annotated.model;
  CalledGraphs graphs(model);
  EXPECT_EQ(checkCpuSupport(model, graphs, model.main, model.main.operations[0],
                            services.extensions)
                .message(),
            "com.example.wide:0 has elements of 12 bytes, which are not "
            "compiled for CPUs");
}

/// The message with which compiled code fails that calls operation 0 of the
/// first of \p names for \p view, among \p extensions.
std::string codeFailure(OperationView view,
                        const std::vector<std::string> &names,
                        const std::vector<InstalledExtension> *extensions) {
  view.type = ownOperation(0);
  std::vector<uint8_t> signature = writeRoutineSignature(view, names);
  NNHalExecutionContext context = {};
  context.extensions = extensions;
  std::string message;
  context.report = [](void *self, const char *text) {
    *static_cast<std::string *>(self) = text;
  };
  context.reportContext = &message;
  EXPECT_EQ(
      routineTable().routines[extensionRoutineSlot](
          &context, signature.data(), signature.size(), nullptr, 0, nullptr, 0),
      int32_t(StatusCode::generalFailure));
  return message;
}

TEST_F(ExtensionCallsTest, CodeFindsNoExtension) {
  EXPECT_EQ(codeFailure({}, {"com.example.wide"}, nullptr),
            "there is no extension 'com.example.wide'");
}

// Code may run beside other extensions than it was compiled for.
TEST_F(ExtensionCallsTest, CodeFindsNoType) {
  const std::vector<std::string> names = {"com.example.wide",
                                          "com.example.other"};
  OperationView view;
  view.inputs.emplace_back().type.type = ownOperandType(0);
  view.inputs.emplace_back().type.type = OperandType(2u << 16 | 5);
  auto failure = [&] { return codeFailure(view, names, &services.extensions); };
  EXPECT_EQ(failure(), "input 1: is of type com.example.other:5, but extension "
                       "'com.example.other' is not installed");
  services.extensions.push_back(
      {std::make_shared<OtherExtension>(
           Extension::OperandTypeInfo{6, /*isTensor=*/true, 12}),
       "o:1;"});
  EXPECT_EQ(failure(),
            "input 1: is of type com.example.other:5, which extension "
            "'com.example.other' does not describe");
  view.inputs.pop_back();
  view.outputs.emplace_back().type.type = OperandType(2u << 16 | 6);
  EXPECT_EQ(failure(),
            "output 0: is of type com.example.other:6, and extension "
            "'com.example.wide' has no tensor type with elements of that kind");
  // Damaged code refers to an extension that it does not name.
  view.outputs[0].type.type = OperandType(3u << 16);
  EXPECT_EQ(failure(), "output 0: has a type with extension prefix 3, which is "
                       "not in 1..2");
}

} // namespace
