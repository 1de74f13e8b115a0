//===- Draft.cpp - A graph that grows by one operation --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draft.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandLifeTime;
using rt::OperandType;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

uint32_t Draft::add(rt::Operand operand, TestTensor value,
                    std::optional<Values> refill) {
  if (!value.isAbsent)
    operand.dimensions = value.dimensions;
  scope.subgraph.operands.push_back(std::move(operand));
  scope.values.push_back(std::move(value));
  scope.refills.push_back(refill);
  return uint32_t(scope.subgraph.operands.size() - 1);
}

static rt::Operand operandOf(OperandType type, Quantization stated) {
  rt::Operand operand;
  operand.type = type;
  operand.scale = stated.scale;
  operand.zeroPoint = stated.zeroPoint;
  return operand;
}

uint32_t Draft::addConstant(OperandType of, TestTensor value,
                            Quantization stated) {
  rt::Operand operand = operandOf(of, stated);
  operand.lifetime = OperandLifeTime::CONSTANT_COPY;
  std::vector<uint8_t> &bytes = model.operandValues;
  bytes.resize((bytes.size() + 3) / 4 * 4);
  operand.location.offset = uint32_t(bytes.size());
  operand.location.length = uint32_t(value.bytes.size());
  bytes.insert(bytes.end(), value.bytes.begin(), value.bytes.end());
  return add(std::move(operand), std::move(value));
}

uint32_t Draft::addInput(OperandType of, TestTensor value, Quantization stated,
                         std::optional<Values> refill) {
  rt::Operand operand = operandOf(of, stated);
  operand.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  uint32_t index = add(std::move(operand), std::move(value), refill);
  scope.subgraph.inputIndexes.push_back(index);
  return index;
}

uint32_t Draft::addParameterInput(OperandType of, TestTensor value,
                                  Quantization stated) {
  return scope.isMain ? addInput(of, std::move(value), stated, std::nullopt)
                      : addConstant(of, std::move(value), stated);
}

uint32_t Draft::fresh(OperandType of, const Shape &shape, Quantization stated,
                      const Values &values, unsigned inputChance) {
  TestTensor tensor = fillTensor(random, of, shape, values);
  // A request gives those without elements; ZeroSizedTest has constants.
  bool isEmpty = elementCount(shape) == 0;
  hasFailed = hasFailed || (isEmpty && !scope.isMain);
  if (scope.isMain && (isEmpty || random.chance(inputChance)))
    return addInput(of, std::move(tensor), stated, values);
  return addConstant(of, std::move(tensor), stated);
}

template <typename Predicate>
std::optional<uint32_t> Draft::existing(Predicate fits) {
  if (!random.chance(profile.reuse))
    return std::nullopt;
  std::vector<uint32_t> candidates;
  constexpr uint64_t elementLimit = 600;
  for (uint32_t i = 0; i < scope.subgraph.operands.size(); ++i) {
    const rt::Operand &operand = scope.subgraph.operands[i];
    const TestTensor &value = scope.values[i];
    bool isScalar = !rt::isTensor(operand.type);
    if (value.isAbsent || isScalar || value.dimensions.empty() ||
        elementCount(value.dimensions) > elementLimit || !fits(operand, value))
      continue;
    candidates.push_back(i);
    // What was computed is taken rather than what was given.
    if (operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE)
      candidates.insert(candidates.end(), 3, i);
  }
  if (candidates.empty())
    return std::nullopt;
  return random.pick<uint32_t>(candidates);
}

Shape Draft::drawShape(unsigned lowRank, unsigned highRank) {
  auto rank = unsigned(random.between(lowRank, highRank));
  Shape shape;
  for (unsigned i = 0; i < rank; ++i) {
    uint32_t high = rank == 4 ? (i == 0 ? 2 : 6) : rank == 3 ? 6 : 9;
    shape.push_back(uint32_t(random.between(1, high)));
  }
  return shape;
}

uint32_t Draft::data(OperandType of, unsigned lowRank, unsigned highRank,
                     const Values &values) {
  auto fits = [&](const rt::Operand &operand, const TestTensor &value) {
    size_t rank = value.dimensions.size();
    bool isEmpty = elementCount(value.dimensions) == 0;
    return operand.type == of && rank >= lowRank && rank <= highRank &&
           (!isEmpty || makesEmpty());
  };
  if (auto found = existing(fits))
    return *found;
  // One after the other: the order of arguments is the compiler's choice.
  Shape shape = drawShape(lowRank, highRank);
  Quantization stated = drawQuantization(of);
  return fresh(of, shape, stated, values, /*inputChance=*/80);
}

uint32_t Draft::tensor(OperandType of, const Shape &shape,
                       const Values &values) {
  auto fits = [&](const rt::Operand &operand, const TestTensor &value) {
    return operand.type == of && value.dimensions == shape;
  };
  if (auto found = existing(fits))
    return *found;
  return fresh(of, shape, drawQuantization(of), values, /*inputChance=*/50);
}

uint32_t Draft::tensor(OperandType of, const Shape &shape, Quantization stated,
                       const Values &values) {
  auto fits = [&](const rt::Operand &operand, const TestTensor &value) {
    return operand.type == of && value.dimensions == shape &&
           operand.scale == stated.scale &&
           operand.zeroPoint == stated.zeroPoint;
  };
  if (auto found = existing(fits))
    return *found;
  return fresh(of, shape, stated, values, /*inputChance=*/50);
}

uint32_t Draft::weights(OperandType of, const Shape &shape, Quantization stated,
                        const Values &values) {
  // One constant may serve several operations.
  auto fits = [&](const rt::Operand &operand, const TestTensor &value) {
    return rt::isConstant(operand.lifetime) && operand.type == of &&
           value.dimensions == shape && operand.scale == stated.scale &&
           operand.zeroPoint == stated.zeroPoint;
  };
  if (auto found = existing(fits))
    return *found;
  return fresh(of, shape, stated, values, profile.parameterInputs);
}

uint32_t Draft::channelWeights(const Shape &shape, uint32_t channelDim,
                               float scale) {
  constexpr OperandType of = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
  uint32_t index = fresh(of, shape, {}, {}, profile.parameterInputs);
  rt::SymmPerChannelQuantParams params;
  params.channelDim = channelDim;
  for (uint32_t i = 0; i < shape[channelDim]; ++i)
    params.scales.push_back(scale * float(random.pick({1.0, 0.5, 2.0, 1.25})));
  scope.subgraph.operands[index].extraParams = std::move(params);
  return index;
}

uint32_t Draft::parameter(OperandType of, TestTensor value) {
  auto fits = [&](const rt::Operand &operand) {
    return rt::isConstant(operand.lifetime) && operand.type == of &&
           operand.dimensions == value.dimensions;
  };
  // One constant for equal parameters of several operations.
  if (random.chance(30))
    for (uint32_t i = 0; i < scope.subgraph.operands.size(); ++i)
      if (fits(scope.subgraph.operands[i]) &&
          scope.values[i].bytes == value.bytes)
        return i;
  if (scope.isMain && random.chance(profile.parameterInputs))
    return addInput(of, std::move(value), {}, std::nullopt);
  return addConstant(of, std::move(value), {});
}

uint32_t Draft::list(OperandType of, const Shape &shape,
                     const std::vector<double> &elements) {
  return parameter(of, makeTensor(of, shape, elements));
}

uint32_t Draft::ints(const std::vector<int64_t> &elements) {
  return list(OperandType::TENSOR_INT32, {uint32_t(elements.size())},
              std::vector<double>(elements.begin(), elements.end()));
}

uint32_t Draft::scalar(int64_t value) {
  return list(OperandType::INT32, {}, {double(value)});
}

uint32_t Draft::boolean(bool value) {
  return list(OperandType::BOOL, {}, {double(value)});
}

uint32_t Draft::real(double value, OperandType like) {
  bool isHalf = like == OperandType::TENSOR_FLOAT16;
  return list(isHalf ? OperandType::FLOAT16 : OperandType::FLOAT32, {},
              {value});
}

uint32_t Draft::omitted(OperandType of, const Shape &shape,
                        Quantization stated) {
  rt::Operand operand = operandOf(of, stated);
  operand.dimensions = shape;
  TestTensor absent;
  absent.isAbsent = true;
  bool isInput = scope.isMain && random.chance(25);
  operand.lifetime =
      isInput ? OperandLifeTime::SUBGRAPH_INPUT : OperandLifeTime::NO_VALUE;
  uint32_t index = add(std::move(operand), std::move(absent));
  if (isInput)
    scope.subgraph.inputIndexes.push_back(index);
  return index;
}

uint32_t Draft::subgraph(uint32_t index) {
  rt::Operand operand;
  operand.type = OperandType::SUBGRAPH;
  operand.lifetime = OperandLifeTime::SUBGRAPH;
  operand.location.offset = index;
  TestTensor absent;
  absent.isAbsent = true;
  return add(std::move(operand), std::move(absent));
}

void Draft::output(OperandType of, Quantization stated) {
  TestTensor absent;
  absent.isAbsent = true;
  results.push_back(add(operandOf(of, stated), std::move(absent)));
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

Quantization Draft::drawQuantization(OperandType of) {
  using enum OperandType;
  if (of == TENSOR_QUANT8_SYMM_PER_CHANNEL || !rt::isQuantized(of))
    return {};
  bool isWide = of == TENSOR_QUANT16_ASYMM || of == TENSOR_QUANT16_SYMM;
  return withScale(of, float(isWide ? random.pick({0x1p-11, 0.125, 0.001})
                                    : random.pick({0x1p-7, 0x1p-5, 0.05, 0.1,
                                                   0.03, 0x1p-4})));
}

Quantization Draft::withScale(OperandType of, float scale) {
  using enum OperandType;
  if (of == TENSOR_QUANT8_SYMM || of == TENSOR_QUANT16_SYMM)
    return {scale, 0};
  ElementRange range = elementRange(of);
  int64_t middle = (range.low + range.high + 1) / 2;
  int64_t zeroPoint = random.chance(40) ? middle
                      : random.chance(15)
                          ? random.pick({range.low, range.high})
                          : random.between(range.low, range.high);
  return {scale, int32_t(zeroPoint)};
}
