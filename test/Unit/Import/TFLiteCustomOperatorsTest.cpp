//===- TFLiteCustomOperatorsTest.cpp - Operators that extensions claim ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "nnhal/Backend/ExtensionBackend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace nnhal::rt {
namespace {

constexpr uint16_t scaleNumber = 7;

/// An extension with one operation, which multiplies its first input with the
/// first byte of the options; with 1 where there are none. A first byte of 255
/// keeps the shape to the execution, 254 infers another result, and 251 has
/// more states than results.
class ScaleExtension final : public ExtensionBackend {
public:
  explicit ScaleExtension(std::string name = "com.example.scale",
                          std::vector<CustomOperator> customs = {{"Scale",
                                                                  scaleNumber}})
      : description{std::move(name), {{0, true, 8}}},
        customs(std::move(customs)) {}

  const Extension &extension() const override { return description; }
  std::span<const CustomOperator> customOperators() const override {
    return customs;
  }

  Result<OperationFacts> check(const OperationView &view) const override {
    if (view.type != ownOperation(scaleNumber))
      return refuse("no such operation");
    if (view.inputs.size() < 2)
      return refuse("Scale has no input");
    if (view.inputs[0].type.type != OperandType::TENSOR_FLOAT32)
      return refuse("Scale takes TENSOR_FLOAT32");
    const OperandView &options = optionsOf(view);
    EXPECT_EQ(options.type.type, OperandType::TENSOR_QUANT8_ASYMM);
    EXPECT_EQ(options.type.scale, 1.0f);
    TensorType result = view.outputs[0].type;
    result.isRanked = true;
    result.dimensions = view.inputs[0].type.dimensions;
    uint8_t first = factorOf(view);
    if (first == 255)
      std::ranges::fill(result.dimensions, unknownExtent);
    if (first == 254)
      result.type = OperandType::TENSOR_INT32;
    if (first == 253)
      result.dimensions = {0};
    std::vector<TensorType> results(first == 252 ? 2 : 1, result);
    return OperationFacts{HalVersion::V1_2, std::move(results)};
  }

  Result<std::vector<TensorType>>
  states(const OperationView &view) const override {
    TensorType state;
    state.type = OperandType::TENSOR_FLOAT32;
    state.dimensions = {1};
    return std::vector<TensorType>(factorOf(view) == 251 ? 2 : 0, state);
  }

  Status execute(const OperationView &view,
                 ExtensionOutputs &outputs) const override {
    std::span<const std::byte> from = *view.inputs[0].value;
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to,
                           outputs.allocate(0, view.inputs[0].type.dimensions));
    for (size_t i = 0; i < from.size(); i += sizeof(float)) {
      float value;
      std::memcpy(&value, from.data() + i, sizeof value);
      value *= factorOf(view);
      std::memcpy(to.data() + i, &value, sizeof value);
    }
    return Status::ok();
  }

private:
  static Status refuse(std::string reason) {
    return {StatusCode::invalidArgument, std::move(reason)};
  }
  /// The last input that is no state.
  static const OperandView &optionsOf(const OperationView &view) {
    size_t states = view.outputs.size() - 1;
    return view.inputs[view.inputs.size() - 1 - states];
  }
  static uint8_t factorOf(const OperationView &view) {
    const OperandView &options = optionsOf(view);
    return options.isOmitted ? 1 : uint8_t((*options.value)[0]);
  }

  const Extension description;
  const std::vector<CustomOperator> customs;
};

std::vector<InstalledExtension>
installed(std::vector<std::shared_ptr<const ExtensionBackend>> backends) {
  std::vector<InstalledExtension> extensions;
  for (std::shared_ptr<const ExtensionBackend> &backend : backends)
    extensions.push_back({std::move(backend), "test"});
  return extensions;
}

std::vector<InstalledExtension> scaleExtension() {
  return installed({std::make_shared<ScaleExtension>()});
}

std::vector<std::byte> scaleFile(std::vector<uint8_t> customOptions,
                                 const TensorSpec &input = {{2, 3}},
                                 const TensorSpec &output = {}) {
  return operatorFile(
      Code::CUSTOM, {{input, {}}}, {output}, {},
      {.custom = "Scale", .customOptions = std::move(customOptions)});
}

std::string claimedError(
    const std::vector<std::byte> &file,
    const std::vector<InstalledExtension> &extensions = scaleExtension()) {
  TFLiteImportOptions options;
  options.extensions = extensions;
  return importError(file, options);
}

TEST(TFLiteCustomOperatorsTest, extensionComputes) {
  Numbers values = {1, 2, 3, 4, 5, -6};
  EXPECT_EQ(runFile(scaleFile({3}), {values}, scaleExtension()),
            (std::vector<Numbers>{{3, 6, 9, 12, 15, -18}}));
  // Without options the operand is left out.
  EXPECT_EQ(runFile(scaleFile({}), {values}, scaleExtension()),
            std::vector<Numbers>{values});
}

// Options that a FlatBuffer has no room for lie behind it.
TEST(TFLiteCustomOperatorsTest, largeOptions) {
  auto write = [](uint64_t offset, uint64_t size = 2) {
    return operatorFile(Code::CUSTOM, {{{{2}}, {}}}, {{}}, {},
                        {.custom = "Scale",
                         .customOptions = {5},
                         .largeOptionsOffset = offset,
                         .largeOptionsSize = size});
  };
  std::vector<std::byte> file = write(1);
  EXPECT_EQ(runFile(file, {{1, 2}}, scaleExtension()),
            (std::vector<Numbers>{{5, 10}}));
  uint64_t size = file.size();
  file = write(size);
  ASSERT_EQ(file.size(), size);
  EXPECT_EQ(claimedError(file),
            fmt::format("operator 0 (CUSTOM 'Scale'): has 2 bytes of custom "
                        "options from byte {0} on, in a file of {0}",
                        size));
  // The sum of offset and size does not fit 64 bits.
  EXPECT_EQ(claimedError(write(8, UINT64_MAX)),
            fmt::format("operator 0 (CUSTOM 'Scale'): has 18446744073709551615 "
                        "bytes of custom options from byte 8 on, in a file of "
                        "{}",
                        size));
  file.insert(file.end(), {std::byte(3), std::byte(9)});
  EXPECT_EQ(runFile(file, {{1, 2}}, scaleExtension()),
            (std::vector<Numbers>{{3, 6}}));
}

TEST(TFLiteCustomOperatorsTest, operation) {
  TFLiteImportOptions options;
  options.extensions = scaleExtension();
  AnnotatedModel model = importBytes(scaleFile({3, 9}), options);
  // The prefix of nnhal.tflite stays free.
  ASSERT_EQ(model.model.extensionNameToPrefix.size(), 1u);
  EXPECT_EQ(model.model.extensionNameToPrefix[0].name, "com.example.scale");
  EXPECT_EQ(model.model.extensionNameToPrefix[0].prefix, 2);
  const Subgraph &main = model.model.main;
  ASSERT_EQ(main.operations.size(), 1u);
  EXPECT_EQ(uint32_t(main.operations[0].type), 2u << 16 | scaleNumber);
  ASSERT_EQ(main.operations[0].inputs.size(), 2u);
  EXPECT_EQ(valuesOf<uint8_t>(model, main.operations[0].inputs[1]),
            (std::vector<uint8_t>{3, 9}));
  EXPECT_EQ(main.operands[main.outputIndexes[0]].dimensions,
            (std::vector<uint32_t>{2, 3}));
}

// Absent inputs keep their places; indices of 64 bits have 32.
TEST(TFLiteCustomOperatorsTest, inputs) {
  TFLiteWriter file;
  int32_t x = file.tensor({{4}}), y = file.tensor({});
  int32_t wide = file.constant<int64_t>({{2}, Type::INT64}, {1, 2});
  file.add(Code::CUSTOM, {x, -1, wide}, {y}, schema::BuiltinOptions::NONE, 0,
           {.custom = "Scale", .customOptions = {2}});
  std::vector<std::byte> bytes = file.finish({x}, {y});
  TFLiteImportOptions options;
  options.extensions = scaleExtension();
  AnnotatedModel model = importBytes(bytes, options);
  ASSERT_EQ(model.model.main.operations.size(), 1u);
  const Operation &operation = model.model.main.operations[0];
  ASSERT_EQ(operation.inputs.size(), 4u);
  const auto &operands = model.model.main.operands;
  EXPECT_EQ(operands[operation.inputs[1]].lifetime, OperandLifeTime::NO_VALUE);
  EXPECT_EQ(operands[operation.inputs[2]].type, OperandType::TENSOR_INT32);
  EXPECT_EQ(valuesOf<int32_t>(model, operation.inputs[2]),
            (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(runFile(bytes, {{1, 2, 3, 4}}, scaleExtension()),
            (std::vector<Numbers>{{2, 4, 6, 8}}));
}

// Extents that the extension does not know are those of the file, or unknown.
TEST(TFLiteCustomOperatorsTest, unknownExtents) {
  auto extents = [](const TensorSpec &output) {
    TFLiteImportOptions options;
    options.extensions = scaleExtension();
    AnnotatedModel model =
        importBytes(scaleFile({255}, {{2, 3}}, output), options);
    const Subgraph &main = model.model.main;
    return main.operands[main.outputIndexes[0]].dimensions;
  };
  EXPECT_EQ(extents({{2, 3}}), (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(extents({}), (std::vector<uint32_t>{0, 0}));
}

TEST(TFLiteCustomOperatorsTest, errors) {
  constexpr const char *where = "operator 0 (CUSTOM 'Scale'): ";
  auto error = [&](const std::vector<std::byte> &file,
                   const std::vector<InstalledExtension> &extensions =
                       scaleExtension()) {
    std::string message = claimedError(file, extensions);
    return message.starts_with(where) ? message.substr(strlen(where)) : message;
  };
  EXPECT_EQ(error(scaleFile({3}), {}), "no extension claims this custom "
                                       "operator");
  EXPECT_EQ(error(scaleFile({3}, {{2}, Type::INT32})),
            "Scale takes TENSOR_FLOAT32");
  EXPECT_EQ(error(scaleFile({254})),
            "output 0 has type TENSOR_FLOAT32, expected TENSOR_INT32");
  EXPECT_EQ(error(scaleFile({253})),
            "output 0 has shape 0, of which an extent is not in "
            "1..4294967295");
  EXPECT_EQ(error(scaleFile({252})), "has 1 outputs, expected 2");
  EXPECT_EQ(error(scaleFile({251})),
            "the extension com.example.scale infers 1 results, fewer than its "
            "2 states");
  EXPECT_EQ(error(scaleFile({3}, {{2}}, {{2}, Type::INT64})),
            "the extension com.example.scale does not take output 0 of type "
            "INT64");
  EXPECT_EQ(error(scaleFile({3}, {{2}, Type::UINT32})),
            "the extension com.example.scale does not take input 0 of type "
            "UINT32");
  TensorSpec variable = {{2}};
  variable.isVariable = true;
  EXPECT_EQ(error(scaleFile({3}, variable)),
            "input 0, tensor 0 't0', is a variable");
  EXPECT_EQ(error(scaleFile({3}, {{2}}, {{2}, Type::STRING})),
            "tensor 1 't1' has type STRING, which the HAL does not have");
}

TEST(TFLiteCustomOperatorsTest, oneExtensionClaims) {
  auto other = std::make_shared<ScaleExtension>("com.example.other");
  auto first = std::make_shared<ScaleExtension>();
  EXPECT_EQ(claimedError(scaleFile({3}), installed({first, other})),
            "operator 0 (CUSTOM 'Scale'): both the extension com.example.scale "
            "and the extension com.example.other claim it");
  // The devices use the first of two with one name.
  auto second = std::make_shared<ScaleExtension>(
      "com.example.scale", std::vector<CustomOperator>{{"Scale", 8}});
  EXPECT_EQ(claimedError(scaleFile({3}), installed({first, second})),
            "imported");
  EXPECT_EQ(claimedError(scaleFile({3}), installed({second, first})),
            "operator 0 (CUSTOM 'Scale'): no such operation");
  auto unrelated = std::make_shared<ScaleExtension>(
      "com.example.other", std::vector<CustomOperator>{{"Sparkle", 8}});
  EXPECT_EQ(claimedError(scaleFile({3}), installed({unrelated, first})),
            "imported");
}

TEST(TFLiteCustomOperatorsTest, withoutExtensions) {
  TFLiteImportOptions options;
  options.extensions = scaleExtension();
  options.useExtensions = false;
  EXPECT_EQ(importError(scaleFile({3}), options),
            "operator 0 (CUSTOM 'Scale'): no extension claims this custom "
            "operator; the extension com.example.scale takes it");
}

} // namespace
} // namespace nnhal::rt
