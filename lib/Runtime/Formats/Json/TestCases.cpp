//===- TestCases.cpp - Conformance cases ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/TestCase.h"

#include "JsonNode.h"
#include "JsonValues.h"
#include "RecordingText.h"

#include <algorithm>

using namespace nnhal::rt;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Result<TestTensor> readTensor(const JsonNode &node, OperandType type,
                                     std::string_view absence) {
  NNHAL_RETURN_IF_ERROR(
      node.checkObject({"dimensions", "value", "base64", absence}));
  TestTensor tensor;
  if (std::optional<JsonNode> absent = node.find(absence)) {
    NNHAL_ASSIGN_OR_RETURN(tensor.isAbsent, absent->toBool());
    if (tensor.isAbsent)
      return tensor;
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode dimensions, node.require("dimensions"));
  NNHAL_RETURN_IF_ERROR(dimensions.checkArray());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t extent, dimensions[i].toUInt32());
    tensor.dimensions.push_back(extent);
  }
  if (std::optional<JsonNode> base64 = node.find("base64")) {
    if (node.find("value"))
      return node.error("\"value\" and \"base64\" are given");
    NNHAL_ASSIGN_OR_RETURN(tensor.bytes, decodeBase64(*base64));
    if (tensor.bytes.size() % valueElementSize(type) != 0)
      return base64->error(fmt::format("{} bytes are not elements of {} bytes",
                                       tensor.bytes.size(),
                                       valueElementSize(type)));
    return tensor;
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode value, node.require("value"));
  NNHAL_RETURN_IF_ERROR(readValues(value, type, tensor.bytes));
  return tensor;
}

static Status readTensors(const JsonNode &node, const Model &model,
                          const std::vector<uint32_t> &indexes,
                          std::string_view absence,
                          std::vector<TestTensor> &tensors) {
  NNHAL_RETURN_IF_ERROR(node.checkArray());
  if (node.size() != indexes.size())
    return node.error(fmt::format("found {} tensors, the model has {}",
                                  node.size(), indexes.size()));
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (indexes[i] >= model.main.operands.size())
      return node.error(fmt::format("the model refers to operand {} of {}",
                                    indexes[i], model.main.operands.size()));
    NNHAL_ASSIGN_OR_RETURN(
        TestTensor tensor,
        readTensor(node[i], model.main.operands[indexes[i]].type, absence));
    tensors.push_back(std::move(tensor));
  }
  return Status::ok();
}

static Result<TestExample> readExample(const JsonNode &node,
                                       const Model &model) {
  NNHAL_RETURN_IF_ERROR(
      node.checkObject({"inputs", "outputs", "multinomialTolerance"}));
  TestExample example;
  NNHAL_ASSIGN_OR_RETURN(JsonNode inputs, node.require("inputs"));
  NNHAL_RETURN_IF_ERROR(readTensors(inputs, model, model.main.inputIndexes,
                                    "noValue", example.inputs));
  NNHAL_ASSIGN_OR_RETURN(JsonNode outputs, node.require("outputs"));
  NNHAL_RETURN_IF_ERROR(readTensors(outputs, model, model.main.outputIndexes,
                                    "ignored", example.outputs));
  if (std::optional<JsonNode> tolerance = node.find("multinomialTolerance")) {
    NNHAL_ASSIGN_OR_RETURN(example.multinomialTolerance, tolerance->toDouble());
  }
  return example;
}

static Result<std::string> readText(const JsonNode &node,
                                    std::string_view name) {
  NNHAL_ASSIGN_OR_RETURN(JsonNode member, node.require(name));
  return member.toString();
}

static Result<TestCase> readCase(const JsonNode &node,
                                 const std::string &directory) {
  NNHAL_RETURN_IF_ERROR(
      node.checkObject({"name", "spec", "minHalVersion", "expectFailure",
                        "model", "examples", "atol", "rtol", "recording"}));
  TestCase test;
  NNHAL_ASSIGN_OR_RETURN(test.name, readText(node, "name"));
  NNHAL_ASSIGN_OR_RETURN(test.spec, readText(node, "spec"));
  NNHAL_ASSIGN_OR_RETURN(std::string version, readText(node, "minHalVersion"));
  std::optional<HalVersion> parsed = parseHalVersion(version);
  if (!parsed)
    return node.error(fmt::format("'{}' is no HAL version", version));
  test.minHalVersion = *parsed;
  if (std::optional<JsonNode> expected = node.find("expectFailure")) {
    NNHAL_ASSIGN_OR_RETURN(test.expectFailure, expected->toBool());
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode model, node.require("model"));
  NNHAL_ASSIGN_OR_RETURN(test.model, readJsonModel(model, directory));
  NNHAL_ASSIGN_OR_RETURN(JsonNode examples, node.require("examples"));
  NNHAL_RETURN_IF_ERROR(examples.checkArray());
  for (size_t i = 0; i < examples.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(TestExample example,
                           readExample(examples[i], test.model));
    test.examples.push_back(std::move(example));
  }
  if (std::optional<JsonNode> atol = node.find("atol")) {
    NNHAL_ASSIGN_OR_RETURN(test.atol, atol->toDouble());
  }
  if (std::optional<JsonNode> rtol = node.find("rtol")) {
    NNHAL_ASSIGN_OR_RETURN(test.rtol, rtol->toDouble());
  }
  if (std::optional<JsonNode> recording = node.find("recording")) {
    NNHAL_ASSIGN_OR_RETURN(test.recording, readRecording(*recording));
    if (test.recording->calls.size() != test.examples.size())
      return recording->error(fmt::format("found {} calls, the case has {} "
                                          "examples",
                                          test.recording->calls.size(),
                                          test.examples.size()));
  }
  return test;
}

static Status readAll(const JsonNode &root, const std::string &directory,
                      const std::function<Status(TestCase)> &visit) {
  NNHAL_RETURN_IF_ERROR(root.checkObject({"cases"}));
  NNHAL_ASSIGN_OR_RETURN(JsonNode cases, root.require("cases"));
  NNHAL_RETURN_IF_ERROR(cases.checkArray());
  for (size_t i = 0; i < cases.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(TestCase test, readCase(cases[i], directory));
    NNHAL_RETURN_IF_ERROR(visit(std::move(test)));
  }
  return Status::ok();
}

Status nnhal::rt::readTestCases(std::string_view text,
                                const std::function<Status(TestCase)> &visit,
                                const std::string &directory) {
  try {
    NNHAL_ASSIGN_OR_RETURN(nlohmann::json document, parseJson(text, "cases"));
    return readAll(JsonNode(document, "cases"), directory, visit);
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for {} bytes of test cases", text.size());
  }
}

//===----------------------------------------------------------------------===//
// Derived forms
//===----------------------------------------------------------------------===//

static bool hasAnyOperation(const Model &model,
                            std::initializer_list<OperationType> types) {
  return std::ranges::any_of(model.main.operations, [&](const auto &operation) {
    return std::ranges::find(types, operation.type) != types.end();
  });
}

static bool allowsUnknownExtents(const TestCase &test) {
  return !hasAnyOperation(test.model, {OperationType::RANK, OperationType::IF,
                                       OperationType::WHILE});
}

/// The shape of a condition has to be stated (B-062). How many dimensions
/// SQUEEZE leaves follows from its axes, which are values.
static bool allowsUnknownRanks(const Model &model) {
  return !hasAnyOperation(model, {OperationType::IF}) &&
         std::ranges::none_of(
             model.main.operations, [&](const Operation &operation) {
               return operation.type == OperationType::SQUEEZE &&
                      operation.inputs.size() > 1 &&
                      !isConstant(
                          model.main.operands[operation.inputs[1]].lifetime);
             });
}

/// All but the channel dimension, which has to be known. Scalars have
/// no extents; what of an extension's types has some is a tensor.
static void forgetExtents(Model &model, const std::vector<uint32_t> &indexes) {
  for (uint32_t index : indexes) {
    Operand &operand = model.main.operands[index];
    const auto *channels =
        std::get_if<SymmPerChannelQuantParams>(&operand.extraParams);
    for (size_t i = 0; i < operand.dimensions.size(); ++i)
      if (!channels || i != channels->channelDim)
        operand.dimensions[i] = 0;
  }
}

/// All but those of channel scales, which need a channel dimension.
static void forgetRanks(TestCase &test, const std::vector<uint32_t> &indexes) {
  for (uint32_t index : indexes) {
    Operand &operand = test.model.main.operands[index];
    if (!std::holds_alternative<SymmPerChannelQuantParams>(operand.extraParams))
      operand.dimensions.clear();
  }
  // Unknown ranks need HAL 1.2.
  test.minHalVersion = std::max(test.minHalVersion, HalVersion::V1_2);
}

static bool allowsCoupling(const TestCase &test) {
  const Model &model = test.model;
  return model.main.operations.size() == 1 && model.referenced.empty() &&
         !hasAnyOperation(model, {OperationType::HASHTABLE_LOOKUP,
                                  OperationType::LSH_PROJECTION,
                                  OperationType::PAD_V2, OperationType::CAST,
                                  OperationType::QUANTIZED_16BIT_LSTM}) &&
         std::ranges::any_of(model.main.operands, [](const Operand &operand) {
           return operand.type == OperandType::TENSOR_QUANT8_ASYMM;
         });
}

/// Subtracts 128 from each byte: in two's complement, a flip of the top bit.
static void recenter(std::span<uint8_t> bytes) {
  for (uint8_t &byte : bytes)
    byte ^= 0x80;
}

/// A constant's bytes behind CONSTANT_REFERENCE lie in a pool, which is shared:
/// the changed copies go to the inline values.
static Status recenterConstant(Model &model, Operand &operand) {
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                         constantBytes(model, operand));
  std::vector<uint8_t> copy(bytes.size());
  std::ranges::transform(bytes, copy.begin(),
                         [](std::byte byte) { return uint8_t(byte); });
  recenter(copy);
  operand.lifetime = OperandLifeTime::CONSTANT_COPY;
  operand.location = {0, uint32_t(model.operandValues.size()),
                      uint32_t(copy.size())};
  model.operandValues.insert(model.operandValues.end(), copy.begin(),
                             copy.end());
  return Status::ok();
}

static void recenterTensors(const Model &model,
                            const std::vector<uint32_t> &indexes,
                            std::vector<TestTensor> &tensors) {
  for (size_t i = 0; i < indexes.size(); ++i)
    if (model.main.operands[indexes[i]].type ==
        OperandType::TENSOR_QUANT8_ASYMM)
      recenter(tensors[i].bytes);
}

static Status couple(TestCase &test) {
  Model &model = test.model;
  for (TestExample &example : test.examples) {
    recenterTensors(model, model.main.inputIndexes, example.inputs);
    recenterTensors(model, model.main.outputIndexes, example.outputs);
  }
  for (Operand &operand : model.main.operands) {
    if (operand.type != OperandType::TENSOR_QUANT8_ASYMM)
      continue;
    if (isConstant(operand.lifetime))
      NNHAL_RETURN_IF_ERROR(recenterConstant(model, operand));
    operand.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    operand.zeroPoint -= 128;
  }
  test.minHalVersion = HalVersion::V1_3;
  return Status::ok();
}

Result<bool> nnhal::rt::deriveForm(TestCase &test, const DerivedForm &form) {
  bool isDynamic = form.dynamicInputShape || form.dynamicOutputShape;
  bool isDerived = isDynamic || form.unknownRank || form.quantizationCoupling;
  if ((isDerived && test.expectFailure) ||
      (isDynamic && !allowsUnknownExtents(test)) ||
      (form.unknownRank && !allowsUnknownRanks(test.model)) ||
      (form.quantizationCoupling && !allowsCoupling(test)))
    return false;
  if (form.quantizationCoupling)
    NNHAL_RETURN_IF_ERROR(couple(test));
  if (form.dynamicInputShape)
    forgetExtents(test.model, test.model.main.inputIndexes);
  if (form.dynamicOutputShape)
    forgetExtents(test.model, test.model.main.outputIndexes);
  if (form.unknownRank) {
    forgetRanks(test, test.model.main.inputIndexes);
    forgetRanks(test, test.model.main.outputIndexes);
  }
  return true;
}
