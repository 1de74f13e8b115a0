//===- Contraction.cpp - Models of one convolution ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace nnhal;
using namespace nnhal::rt;

uint32_t Contraction::padding() const {
  uint32_t covered = (outputSize() - 1) * stride + window;
  return covered > size ? covered - size : 0;
}

uint32_t Contraction::fanIn() const {
  return window * window * (kind == Kind::depthwise ? 1 : inputChannels);
}

double Contraction::multiplyAdds() const {
  return double(outputElements()) * fanIn();
}

size_t Contraction::inputElements() const {
  return size_t(size) * size * inputChannels;
}

size_t Contraction::outputElements() const {
  return size_t(outputSize()) * outputSize() * outputChannels;
}

size_t Contraction::weightElements() const {
  return size_t(fanIn()) * outputChannels;
}

std::string Contraction::shapeText() const {
  std::string text =
      fmt::format("{0}x{0}x{1}_{2}x{2}", size, inputChannels, window);
  if (stride != 1)
    text += fmt::format("s{}", stride);
  if (kind == Kind::convolution)
    text += fmt::format("_{}", outputChannels);
  return text;
}

std::string_view nnhal::toString(Contraction::Kind kind) {
  return kind == Contraction::Kind::depthwise ? "depthwise" : "convolution";
}

std::string_view nnhal::toString(Contraction::Type type) {
  switch (type) {
  case Contraction::Type::float32:
    return "float32";
  case Contraction::Type::uint8:
    return "uint8";
  case Contraction::Type::int8:
    return "int8";
  }
  return "";
}

ContractionData::ContractionData(const Contraction &contraction) {
  std::mt19937 engine(1);
  double fanIn = contraction.fanIn();
  if (contraction.type == Contraction::Type::float32) {
    std::uniform_real_distribution<float> inputs(0, 6);
    std::normal_distribution<float> values(0, float(0.5 / std::sqrt(fanIn)));
    auto fill = [&](std::vector<float> &to, size_t count, auto &numbers) {
      to.resize(count);
      for (float &value : to)
        value = numbers(engine);
    };
    fill(floatInput, contraction.inputElements(), inputs);
    fill(floatWeights, contraction.weightElements(), values);
    fill(floatBias, contraction.outputChannels, values);
    return;
  }
  bool isSigned = contraction.type == Contraction::Type::int8;
  std::uniform_int_distribution<int> bytes(isSigned ? 1 : 0, 255);
  auto fill = [&](std::vector<uint8_t> &to, size_t count) {
    to.resize(count);
    for (uint8_t &value : to)
      value = uint8_t(bytes(engine) - (isSigned ? 128 : 0));
  };
  fill(input, contraction.inputElements());
  fill(weights, contraction.weightElements());
  std::uniform_int_distribution<int32_t> biases(-1000, 1000);
  bias.resize(contraction.outputChannels);
  for (int32_t &value : bias)
    value = biases(engine);
  // Uniform bytes spread by 74 about their middle: a quarter of the output's
  // range is the spread of a sum.
  outputScale = inputScale = 6.0f / 255;
  float scale =
      float(64 / (74.0 * 74.0 * std::sqrt(fanIn))) * outputScale / inputScale;
  inputZeroPoint = isSigned ? 0 : 128;
  weightZeroPoint = isSigned ? 0 : 120;
  outputZeroPoint = isSigned ? -128 : 0;
  lowest = outputZeroPoint;
  highest = outputZeroPoint + 255;
  weightScales.assign(isSigned ? contraction.outputChannels : 1, scale);
  // Scales that differ, as those of channels do.
  for (size_t i = 0; i < weightScales.size(); ++i)
    weightScales[i] *= 1 + float(i % 7) / 8;
}

namespace {
/// Puts a model together.
class Builder {
public:
  uint32_t tensor(OperandType type, std::vector<uint32_t> dimensions,
                  OperandLifeTime lifetime, float scale = 0,
                  int32_t zeroPoint = 0) {
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = lifetime;
    operand.scale = scale;
    operand.zeroPoint = zeroPoint;
    model.main.operands.push_back(std::move(operand));
    return uint32_t(model.main.operands.size() - 1);
  }

  template <typename T>
  void setValue(uint32_t index, std::span<const T> values) {
    Operand &operand = model.main.operands[index];
    operand.lifetime = OperandLifeTime::CONSTANT_COPY;
    // Constants begin at multiples of four.
    model.operandValues.resize((model.operandValues.size() + 3) / 4 * 4);
    operand.location = {0, uint32_t(model.operandValues.size()),
                        uint32_t(values.size_bytes())};
    auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
    model.operandValues.insert(model.operandValues.end(), bytes,
                               bytes + values.size_bytes());
  }

  uint32_t scalar(int32_t value) {
    uint32_t index =
        tensor(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY);
    setValue(index, std::span<const int32_t>(&value, 1));
    return index;
  }

  Model model;
};
} // namespace

/// The operands of data, weights and bias, with their values.
static std::vector<uint32_t> addTensors(Builder &builder,
                                        const Contraction &contraction,
                                        const ContractionData &data) {
  bool depthwise = contraction.kind == Contraction::Kind::depthwise;
  uint32_t channels = contraction.outputChannels, window = contraction.window;
  std::vector<uint32_t> image = {1, contraction.size, contraction.size,
                                 contraction.inputChannels};
  std::vector<uint32_t> weights = {depthwise ? 1 : channels, window, window,
                                   depthwise ? channels
                                             : contraction.inputChannels};
  constexpr OperandLifeTime given = OperandLifeTime::SUBGRAPH_INPUT;
  constexpr OperandLifeTime constant = OperandLifeTime::CONSTANT_COPY;
  if (contraction.type == Contraction::Type::float32) {
    constexpr OperandType type = OperandType::TENSOR_FLOAT32;
    std::vector<uint32_t> indices = {
        builder.tensor(type, image, given),
        builder.tensor(type, weights, constant),
        builder.tensor(type, {channels}, constant)};
    builder.setValue<float>(indices[1], data.floatWeights);
    builder.setValue<float>(indices[2], data.floatBias);
    return indices;
  }
  bool perChannel = contraction.type == Contraction::Type::int8;
  OperandType type = perChannel ? OperandType::TENSOR_QUANT8_ASYMM_SIGNED
                                : OperandType::TENSOR_QUANT8_ASYMM;
  OperandType weightType =
      perChannel ? OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL : type;
  float weightScale = perChannel ? 0 : data.weightScales[0];
  std::vector<uint32_t> indices = {
      builder.tensor(type, image, given, data.inputScale, data.inputZeroPoint),
      builder.tensor(weightType, weights, constant, weightScale,
                     data.weightZeroPoint),
      builder.tensor(OperandType::TENSOR_INT32, {channels}, constant,
                     data.inputScale * weightScale)};
  if (perChannel)
    builder.model.main.operands[indices[1]].extraParams =
        SymmPerChannelQuantParams{data.weightScales, depthwise ? 3u : 0u};
  builder.setValue<uint8_t>(indices[1], data.weights);
  builder.setValue<int32_t>(indices[2], data.bias);
  return indices;
}

AnnotatedModel nnhal::contractionModel(const Contraction &contraction,
                                       const ContractionData &data) {
  Builder builder;
  bool depthwise = contraction.kind == Contraction::Kind::depthwise;
  Operation operation;
  operation.type =
      depthwise ? OperationType::DEPTHWISE_CONV_2D : OperationType::CONV_2D;
  operation.inputs = addTensors(builder, contraction, data);
  constexpr int32_t same = 1, relu6 = 3;
  operation.inputs.push_back(builder.scalar(same));
  operation.inputs.push_back(builder.scalar(int32_t(contraction.stride)));
  operation.inputs.push_back(builder.scalar(int32_t(contraction.stride)));
  if (depthwise)
    operation.inputs.push_back(builder.scalar(1));
  operation.inputs.push_back(builder.scalar(relu6));
  uint32_t size = contraction.outputSize();
  uint32_t output = builder.tensor(
      builder.model.main.operands[operation.inputs[0]].type,
      {1, size, size, contraction.outputChannels},
      OperandLifeTime::SUBGRAPH_OUTPUT, data.outputScale, data.outputZeroPoint);
  operation.outputs = {output};
  builder.model.main.inputIndexes = {operation.inputs[0]};
  builder.model.main.outputIndexes = {output};
  builder.model.main.operations.push_back(std::move(operation));
  computeConsumers(builder.model.main);
  AnnotatedModel annotated;
  annotated.model = std::move(builder.model);
  return annotated;
}
