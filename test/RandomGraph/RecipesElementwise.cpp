//===- RecipesElementwise.cpp - Elementwise and Activation ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recipes.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandType;
using rt::OperationType;

static constexpr Values positive = {.low = 0.25, .high = 3.0, .lowInteger = 1};
static constexpr Values small = {.low = -1.5, .high = 1.5};

uint32_t randomgraph::drawActivation(Draft &draft) {
  bool isInteger = draft.type == OperandType::TENSOR_INT32;
  bool isFused = !isInteger && draft.random.chance(60);
  return draft.scalar(isFused ? draft.random.between(1, 3) : 0);
}

int64_t randomgraph::drawAxis(Draft &draft, uint32_t operand) {
  auto rank = int64_t(draft.shape(operand).size());
  return draft.random.between(-rank, rank - 1);
}

Shape randomgraph::drawBroadcast(Draft &draft, const Shape &shape) {
  Shape result = shape;
  if (draft.random.chance(50))
    return result;
  for (uint32_t &extent : result)
    if (draft.random.chance(40))
      extent = 1;
  auto dropped = draft.random.below(result.size());
  result.erase(result.begin(), result.begin() + dropped);
  return result;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// Two operands that broadcast, in either order.
static void drawOperands(Draft &draft, unsigned highRank,
                         const Values &second = {}) {
  uint32_t lhs = draft.data(1, highRank);
  uint32_t rhs =
      draft.tensor(draft.type, drawBroadcast(draft, draft.shape(lhs)), second);
  draft.inputs({lhs, rhs});
}

static void drawAdd(Draft &draft) {
  drawOperands(draft, 4);
  draft.input(drawActivation(draft));
  draft.output();
}

static void drawMul(Draft &draft) {
  drawOperands(draft, 4);
  const auto &inputs = draft.drawnInputs();
  float product = draft.scale(inputs[0]) * draft.scale(inputs[1]);
  draft.input(drawActivation(draft));
  if (!isAsymmetric(draft.type))
    return draft.output();
  float factor = float(draft.random.pick({1.5, 8.0, 30.0, 100.0}));
  draft.output(draft.type, draft.withScale(draft.type, product * factor));
}

static void drawDiv(Draft &draft) {
  drawOperands(draft, 4, positive);
  draft.input(drawActivation(draft));
  draft.output();
}

static void drawPow(Draft &draft) {
  uint32_t base = draft.data(1, 4, positive);
  uint32_t exponent =
      draft.tensor(draft.type, drawBroadcast(draft, draft.shape(base)), small);
  draft.inputs({base, exponent});
  draft.output();
}

static void drawExtremum(Draft &draft) {
  drawOperands(draft, 4);
  draft.output();
}

static void drawComparison(Draft &draft) {
  drawOperands(draft, 4);
  draft.output(OperandType::TENSOR_BOOL8);
}

static void drawLogical(Draft &draft) {
  drawOperands(draft, 4);
  draft.output();
}

static void drawSelect(Draft &draft) {
  uint32_t lhs = draft.data(1, 4);
  Shape shape = draft.shape(lhs);
  uint32_t rhs = draft.tensor(draft.type, shape);
  draft.inputs({draft.tensor(OperandType::TENSOR_BOOL8, shape), lhs, rhs});
  draft.output();
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static void drawUnary(Draft &draft) {
  draft.input(draft.data(1, 4));
  draft.outputLike(draft.drawnInputs()[0]);
}

static void drawPositiveUnary(Draft &draft) {
  draft.input(draft.data(1, 4, positive));
  draft.output();
}

static void drawCast(Draft &draft) {
  using enum OperandType;
  // Values that truncation does not take beyond what all types can say.
  uint32_t input = draft.data(
      1, 4, {.low = 0.0, .high = 100.0, .lowInteger = 0, .highInteger = 200});
  draft.input(input);
  bool isConvertible = isFloat(draft.type) || draft.type == TENSOR_INT32 ||
                       draft.type == TENSOR_QUANT8_ASYMM;
  if (isConvertible)
    return draft.output(draft.random.pick(
        {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM}));
  draft.outputLike(input);
}

static constexpr OperandType castTypes[] = {
    OperandType::TENSOR_FLOAT32,      OperandType::TENSOR_FLOAT16,
    OperandType::TENSOR_INT32,        OperandType::TENSOR_QUANT8_ASYMM,
    OperandType::TENSOR_BOOL8,        OperandType::TENSOR_QUANT16_ASYMM,
    OperandType::TENSOR_QUANT16_SYMM, OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType::TENSOR_QUANT8_SYMM};

std::span<const Recipe> randomgraph::elementwiseRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {ADD, types::numbers, drawAdd},
      {SUB, types::numbers, drawAdd},
      {MUL, types::numbers, drawMul},
      {DIV, types::floatsAndInts, drawDiv},
      {POW, types::floats, drawPow},
      {MAXIMUM, types::numbers, drawExtremum},
      {MINIMUM, types::numbers, drawExtremum},
      {EQUAL, types::numbersAndBools, drawComparison},
      {NOT_EQUAL, types::numbersAndBools, drawComparison},
      {GREATER, types::numbersAndBools, drawComparison},
      {GREATER_EQUAL, types::numbersAndBools, drawComparison},
      {LESS, types::numbersAndBools, drawComparison},
      {LESS_EQUAL, types::numbersAndBools, drawComparison},
      {LOGICAL_AND, types::bools, drawLogical},
      {LOGICAL_OR, types::bools, drawLogical},
      {LOGICAL_NOT, types::bools, drawUnary},
      {SELECT, types::numbers, drawSelect},
      {ABS, types::floatsAndInts, drawUnary},
      {NEG, types::floatsAndInts, drawUnary},
      {EXP, types::floats, drawUnary},
      {LOG, types::floats, drawPositiveUnary},
      {SIN, types::floats, drawUnary},
      {SQRT, types::floats, drawPositiveUnary},
      {RSQRT, types::floats, drawPositiveUnary},
      {FLOOR, types::floats, drawUnary},
      {CAST, castTypes, drawCast},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Activation
//===----------------------------------------------------------------------===//

/// One operand; the quantization of the result is free.
static void drawFree(Draft &draft) {
  draft.input(draft.data(1, 4));
  draft.output();
}

static void drawElu(Draft &draft) {
  draft.input(draft.data(1, 4));
  draft.input(draft.real(draft.random.pick({1.0, 0.5, 2.0})));
  draft.output();
}

static void drawPrelu(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  Shape shape = drawBroadcast(draft, draft.shape(input));
  draft.inputs({input, draft.weights(draft.type, shape,
                                     draft.drawQuantization(draft.type),
                                     {.low = 0.0, .high = 1.0})});
  draft.output();
}

static void drawSoftmax(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  draft.inputs({input, draft.real(draft.random.pick({1.0, 0.5, 2.0}))});
  if (draft.random.chance(50))
    draft.input(draft.scalar(drawAxis(draft, input)));
  draft.output();
}

static void drawLogSoftmax(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  draft.inputs({input, draft.real(draft.random.pick({1.0, 0.5, 2.0})),
                draft.scalar(drawAxis(draft, input))});
  draft.output();
}

std::span<const Recipe> randomgraph::activationRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {RELU, types::floatsAndQuantized, drawUnary},
      {RELU1, types::floatsAndQuantized, drawUnary},
      {RELU6, types::floatsAndQuantized, drawUnary},
      {LOGISTIC, types::floatsAndQuantized, drawUnary},
      {TANH, types::floatsAndQuantized, drawUnary},
      {ELU, types::floats, drawElu},
      {HARD_SWISH, types::floatsAndQuantized, drawFree},
      {PRELU, types::floatsAndQuantized, drawPrelu},
      {SOFTMAX, types::floatsAndQuantized, drawSoftmax},
      {LOG_SOFTMAX, types::floats, drawLogSoftmax},
  };
  return rows;
}
