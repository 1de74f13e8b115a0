//===- OneOperation.cpp - A model of one operation ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneOperation.h"

#include <algorithm>
#include <utility>

using namespace nnhal::test;
using client::OperandType;
using client::Type;

float OneOperation::scaleOf(Type type) {
  switch (type) {
  case Type::TENSOR_QUANT8_ASYMM:
  case Type::TENSOR_QUANT8_ASYMM_SIGNED:
  case Type::TENSOR_QUANT8_SYMM:
    return scale;
  default:
    return 0;
  }
}

static uint32_t elementSizeOf(Type type) {
  switch (type) {
  case Type::TENSOR_FLOAT32:
  case Type::TENSOR_INT32:
    return 4;
  case Type::TENSOR_FLOAT16:
  case Type::TENSOR_QUANT16_SYMM:
    return 2;
  default:
    return 1;
  }
}

static size_t byteSizeOf(Type type, const std::vector<uint32_t> &extents) {
  size_t size = elementSizeOf(type);
  for (uint32_t extent : extents)
    size *= extent;
  return size;
}

OneOperation &OneOperation::add(std::vector<uint32_t> &list, uint32_t operand) {
  list.push_back(operand);
  return *this;
}

OneOperation &OneOperation::input(Type other, Extents extents, float scale,
                                  int32_t zero) {
  sizesOfInputs.push_back(byteSizeOf(other, extents));
  uint32_t operand =
      made.addOperand(OperandType(other, std::move(extents), scale, zero));
  modelInputs.push_back(operand);
  return add(inputs, operand);
}

OneOperation &OneOperation::zeros(Type other, Extents extents, float scale,
                                  int32_t zero) {
  size_t size = byteSizeOf(other, extents);
  std::vector<char> &values = bytes.emplace_back(size);
  uint32_t operand =
      made.addOperand(OperandType(other, std::move(extents), scale, zero));
  made.setOperandValue(operand, values.data(), size);
  return add(inputs, operand);
}

OneOperation &OneOperation::bias(uint32_t count) {
  float ofOperand = scaleOf(type);
  return ofOperand == 0
             ? constant({count})
             : zeros(Type::TENSOR_INT32, {count}, ofOperand * ofOperand, 0);
}

OneOperation &OneOperation::channels(Extents extents, uint32_t dimension) {
  uint32_t count = extents[dimension];
  zeros(Type::TENSOR_QUANT8_SYMM_PER_CHANNEL, std::move(extents), 0, 0);
  made.setSymmPerChannelQuantParams(
      inputs.back(), client::SymmPerChannelQuantParams(
                         std::vector<float>(count, scale), dimension));
  return *this;
}

OneOperation &OneOperation::channelBias(uint32_t count) {
  // The scales are those of input and weights.
  return zeros(Type::TENSOR_INT32, {count}, 0, 0);
}

OneOperation &OneOperation::ints(std::vector<int32_t> values, bool isConstant) {
  Extents extents = {uint32_t(values.size())};
  return isConstant ? add(inputs,
                          made.addConstant(
                              OperandType(Type::TENSOR_INT32, extents), values))
                    : in(Type::TENSOR_INT32, extents);
}

OneOperation &OneOperation::table(std::vector<int32_t> values) {
  Extents extents = {uint32_t(values.size() / 2), 2};
  return add(inputs, made.addConstant(OperandType(Type::TENSOR_INT32, extents),
                                      values));
}

OneOperation &OneOperation::scalar(int32_t value) {
  return add(inputs, made.addScalar(Type::INT32, value));
}

OneOperation &OneOperation::number(float value) {
  return add(inputs, made.addScalar(Type::FLOAT32, value));
}

OneOperation &OneOperation::flag(bool value) {
  return add(inputs, made.addScalar(Type::BOOL, value));
}

OneOperation &OneOperation::element(int32_t value) {
  return is(Type::TENSOR_FLOAT32) ? number(float(value)) : scalar(value);
}

OneOperation &OneOperation::none() {
  uint32_t operand = made.addOperand(OperandType(type, {0}));
  made.setOperandValue(operand, nullptr, 0);
  return add(inputs, operand);
}

OneOperation &OneOperation::typed(Type other, Extents extents, float scale,
                                  int32_t zero) {
  sizesOfOutputs.push_back(byteSizeOf(other, extents));
  return add(outputs, made.addOperand(
                          OperandType(other, std::move(extents), scale, zero)));
}

bool OneOperation::finish(ANeuralNetworksOperationType operation) {
  made.addOperation(operation, inputs, outputs);
  made.identifyInputsAndOutputs(modelInputs, outputs);
  return made.isValid() && made.finish() == client::Result::NO_ERROR;
}
