//===- CalibrationModels.cpp - Models to measure devices with -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalibrationModels.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>

using namespace nnhal;
using namespace nnhal::tools;
using rt::OperandLifeTime;
using rt::OperandType;
using rt::OperationType;
using Dimensions = std::vector<uint32_t>;

namespace {
/// Builds one graph, operand by operand.
class GraphBuilder {
public:
  GraphBuilder(rt::Model &model, rt::Subgraph &graph)
      : model(model), graph(graph) {}

  uint32_t add(OperandType type, Dimensions dimensions,
               OperandLifeTime lifetime) {
    rt::Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = lifetime;
    if (rt::isQuantized(type) &&
        type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
      operand.scale = 0.05f;
    if (type == OperandType::TENSOR_QUANT8_ASYMM)
      operand.zeroPoint = 128;
    graph.operands.push_back(std::move(operand));
    return uint32_t(graph.operands.size() - 1);
  }

  uint32_t input(OperandType type, Dimensions dimensions) {
    uint32_t index =
        add(type, std::move(dimensions), OperandLifeTime::SUBGRAPH_INPUT);
    graph.inputIndexes.push_back(index);
    return index;
  }

  /// Writes the only output.
  void finish(OperationType type, std::vector<uint32_t> inputs,
              OperandType outputType, Dimensions dimensions) {
    uint32_t index = add(outputType, std::move(dimensions),
                         OperandLifeTime::SUBGRAPH_OUTPUT);
    graph.outputIndexes.push_back(index);
    graph.operations.push_back({type, std::move(inputs), {index}});
    rt::computeConsumers(graph);
  }

  /// Elements 0, 1, 2 ... as bytes: what they are does not matter, that they
  /// differ keeps a compiler from folding them.
  uint32_t weights(OperandType type, Dimensions dimensions) {
    uint32_t index = add(type, std::move(dimensions), //
                         OperandLifeTime::CONSTANT_COPY);
    rt::Operand &operand = graph.operands[index];
    if (type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
      operand.extraParams = rt::SymmPerChannelQuantParams{
          std::vector<float>(operand.dimensions[0], 0.02f), 0};
    uint32_t size = rt::byteSizeOf(operand).value_or(0);
    place(operand, size);
    // Half floats and floats of these bytes are finite and small.
    for (uint32_t i = 0; i < size; ++i)
      model.operandValues[operand.location.offset + i] = uint8_t(i % 0x30);
    return index;
  }

  uint32_t scalar(int32_t value) {
    uint32_t index = add(OperandType::INT32, {}, //
                         OperandLifeTime::CONSTANT_COPY);
    setInteger(index, value);
    return index;
  }

  uint32_t integers(uint32_t count, int32_t value) {
    uint32_t index =
        add(OperandType::TENSOR_INT32, {count}, OperandLifeTime::CONSTANT_COPY);
    setInteger(index, value);
    return index;
  }

  uint32_t subgraph(uint32_t number) {
    uint32_t index = add(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH);
    graph.operands[index].location.offset = number;
    return index;
  }

  /// Adds the bias of a convolution or matrix product on \p type.
  uint32_t bias(OperandType type, uint32_t count, bool isPerChannel = false) {
    if (!rt::isQuantized(type))
      return weights(type, {count});
    uint32_t index = integers(count, 3);
    graph.operands[index].scale = isPerChannel ? 0.0f : 0.05f * 0.05f;
    return index;
  }

private:
  void place(rt::Operand &operand, uint32_t size) {
    size_t offset = (model.operandValues.size() + 15) / 16 * 16;
    operand.location = {0, uint32_t(offset), size};
    model.operandValues.resize(offset + size);
  }

  void setInteger(uint32_t index, int32_t value) {
    rt::Operand &operand = graph.operands[index];
    uint32_t size = rt::byteSizeOf(operand).value_or(0);
    place(operand, size);
    for (uint32_t at = 0; at < size; at += sizeof(value))
      std::memcpy(&model.operandValues[operand.location.offset + at], &value,
                  sizeof(value));
  }

  rt::Model &model;
  rt::Subgraph &graph;
};
} // namespace

/// A model of one graph, which \p build fills.
template <typename Build> static rt::AnnotatedModel modelOf(Build build) {
  rt::AnnotatedModel result;
  GraphBuilder builder(result.model, result.model.main);
  build(builder);
  result.inputNames.resize(result.model.main.inputIndexes.size());
  result.outputNames.resize(result.model.main.outputIndexes.size());
  return result;
}

static rt::AnnotatedModel convolution(OperandType type,
                                      OperandType filterType) {
  return modelOf([&](GraphBuilder &graph) {
    bool isPerChannel =
        filterType == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
    uint32_t input = graph.input(type, {1, 16, 16, 16});
    uint32_t filter = graph.weights(filterType, {16, 3, 3, 16});
    uint32_t bias = graph.bias(type, 16, isPerChannel);
    graph.finish(OperationType::CONV_2D,
                 {input, filter, bias, graph.scalar(1), graph.scalar(1),
                  graph.scalar(1), graph.scalar(1)},
                 type, {1, 16, 16, 16});
  });
}

static rt::AnnotatedModel matrixProduct(OperandType type) {
  return modelOf([&](GraphBuilder &graph) {
    uint32_t input = graph.input(type, {4, 256});
    uint32_t weights = graph.weights(type, {128, 256});
    uint32_t bias = graph.bias(type, 128);
    graph.finish(OperationType::FULLY_CONNECTED,
                 {input, weights, bias, graph.scalar(0)}, type, {4, 128});
  });
}

static rt::AnnotatedModel pooling(OperandType type) {
  return modelOf([&](GraphBuilder &graph) {
    std::vector<uint32_t> inputs = {graph.input(type, {1, 32, 32, 16})};
    for (int32_t value : {2, 2, 2, 2, 2, 0}) // VALID, strides, window, NONE
      inputs.push_back(graph.scalar(value));
    graph.finish(OperationType::AVERAGE_POOL_2D, inputs, type, {1, 16, 16, 16});
  });
}

/// ADD or MUL of two inputs.
static rt::AnnotatedModel arithmetic(OperationType operation,
                                     OperandType type) {
  return modelOf([&](GraphBuilder &graph) {
    uint32_t lhs = graph.input(type, {1, 32, 32, 16});
    uint32_t rhs = graph.input(type, {1, 32, 32, 16});
    graph.finish(operation, {lhs, rhs, graph.scalar(0)}, type, {1, 32, 32, 16});
  });
}

/// One input, one output of the same shape: CAST, DEQUANTIZE.
static rt::AnnotatedModel conversion(OperationType operation, OperandType from,
                                     OperandType to) {
  rt::AnnotatedModel result = modelOf([&](GraphBuilder &graph) {
    uint32_t input = graph.input(from, {16, 1024});
    graph.finish(operation, {input}, to, {16, 1024});
  });
  if (from == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
    result.model.main.operands[0].extraParams =
        rt::SymmPerChannelQuantParams{std::vector<float>(16, 0.02f), 0};
  return result;
}

static rt::AnnotatedModel logicalAnd() {
  return modelOf([](GraphBuilder &graph) {
    OperandType type = OperandType::TENSOR_BOOL8;
    uint32_t lhs = graph.input(type, {16, 1024});
    uint32_t rhs = graph.input(type, {16, 1024});
    graph.finish(OperationType::LOGICAL_AND, {lhs, rhs}, type, {16, 1024});
  });
}

static rt::AnnotatedModel select() {
  return modelOf([](GraphBuilder &graph) {
    OperandType type = OperandType::TENSOR_FLOAT32;
    uint32_t condition = graph.input(OperandType::TENSOR_BOOL8, {16, 1024});
    uint32_t lhs = graph.input(type, {16, 1024});
    uint32_t rhs = graph.input(type, {16, 1024});
    graph.finish(OperationType::SELECT, {condition, lhs, rhs}, type,
                 {16, 1024});
  });
}

/// \p operation on \p count integers and a constant, as a subgraph.
static void addIntegerGraph(rt::Model &model, OperationType operation,
                            int32_t constant, OperandType result,
                            uint32_t count) {
  GraphBuilder graph(model, model.referenced.emplace_back());
  std::vector<uint32_t> inputs = {
      graph.input(OperandType::TENSOR_INT32, {count}),
      graph.integers(count, constant)};
  if (result == OperandType::TENSOR_INT32)
    inputs.push_back(graph.scalar(0));
  graph.finish(operation, inputs, result, {count});
}

static rt::AnnotatedModel branch() {
  rt::AnnotatedModel result = modelOf([](GraphBuilder &graph) {
    OperandType type = OperandType::TENSOR_INT32;
    uint32_t condition = graph.input(OperandType::TENSOR_BOOL8, {1});
    uint32_t value = graph.input(type, {16});
    graph.finish(OperationType::IF,
                 {condition, graph.subgraph(0), graph.subgraph(1), value}, type,
                 {16});
  });
  for (OperationType operation : {OperationType::ADD, OperationType::MUL})
    addIntegerGraph(result.model, operation, 3, OperandType::TENSOR_INT32, 16);
  return result;
}

/// Counts from an input to 16.
static rt::AnnotatedModel loop() {
  rt::AnnotatedModel result = modelOf([](GraphBuilder &graph) {
    OperandType type = OperandType::TENSOR_INT32;
    uint32_t counter = graph.input(type, {1});
    graph.finish(OperationType::WHILE,
                 {graph.subgraph(0), graph.subgraph(1), counter}, type, {1});
  });
  addIntegerGraph(result.model, OperationType::LESS, 16,
                  OperandType::TENSOR_BOOL8, 1);
  addIntegerGraph(result.model, OperationType::ADD, 1,
                  OperandType::TENSOR_INT32, 1);
  return result;
}

static std::vector<rt::AnnotatedModel> arithmeticModels(OperandType type) {
  return {convolution(type, type), matrixProduct(type), pooling(type),
          arithmetic(OperationType::ADD, type)};
}

std::vector<CalibrationGroup> tools::calibrationGroups() {
  using enum OperandType;
  using Subject = CalibrationGroup::Subject;
  std::vector<CalibrationGroup> groups;
  auto add = [&](std::vector<OperandType> types,
                 std::vector<rt::AnnotatedModel> models) {
    groups.push_back(
        {Subject::operandTypes, std::move(types), std::move(models)});
  };
  add({TENSOR_FLOAT32, FLOAT32}, arithmeticModels(TENSOR_FLOAT32));
  add({TENSOR_FLOAT16, FLOAT16}, arithmeticModels(TENSOR_FLOAT16));
  add({TENSOR_QUANT8_ASYMM}, arithmeticModels(TENSOR_QUANT8_ASYMM));
  add({TENSOR_QUANT8_ASYMM_SIGNED},
      arithmeticModels(TENSOR_QUANT8_ASYMM_SIGNED));
  add({TENSOR_INT32, INT32, UINT32},
      {arithmetic(OperationType::ADD, TENSOR_INT32),
       arithmetic(OperationType::MUL, TENSOR_INT32),
       conversion(OperationType::CAST, TENSOR_INT32, TENSOR_FLOAT32)});
  add({TENSOR_QUANT8_SYMM_PER_CHANNEL},
      {convolution(TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL),
       conversion(OperationType::DEQUANTIZE, TENSOR_QUANT8_SYMM_PER_CHANNEL,
                  TENSOR_FLOAT32)});
  add({TENSOR_QUANT8_SYMM}, {conversion(OperationType::DEQUANTIZE,
                                        TENSOR_QUANT8_SYMM, TENSOR_FLOAT32)});
  for (OperandType type : {TENSOR_QUANT16_SYMM, TENSOR_QUANT16_ASYMM})
    add({type}, {conversion(OperationType::CAST, type, type)});
  add({TENSOR_BOOL8, BOOL}, {logicalAnd(), select()});

  CalibrationGroup relaxed = {
      Subject::relaxed, {}, arithmeticModels(TENSOR_FLOAT32)};
  for (rt::AnnotatedModel &model : relaxed.models)
    model.model.relaxComputationFloat32toFloat16 = true;
  groups.push_back(std::move(relaxed));
  groups.push_back({Subject::ifOperation, {}, {branch()}});
  groups.push_back({Subject::whileOperation, {}, {loop()}});
  return groups;
}
