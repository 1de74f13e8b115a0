//===- MergedDimensions.cpp - Bytes of more than four dimensions ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The HAL computes with at most four dimensions, and the extension not with
// bytes. Where an operator treats elements alike, dimensions of its tensors are
// merged before and split after it, by the extension's RESHAPE.
//
//===----------------------------------------------------------------------===//

#include "Rewriter.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

namespace {
/// The dimensions that an operator must not merge.
enum class Pattern { none, elements, pairs, lastDimension };
} // namespace

static Pattern patternOf(Code code) {
  switch (code) {
  case Code::ABS:
  case Code::ELU:
  case Code::EXP:
  case Code::GELU:
  case Code::HARD_SWISH:
  case Code::LEAKY_RELU:
  case Code::LOG:
  case Code::LOGISTIC:
  case Code::RELU:
  case Code::RELU6:
  case Code::RELU_0_TO_1:
  case Code::RELU_N1_TO_1:
  case Code::RSQRT:
  case Code::SQUARE:
  case Code::TANH:
    return Pattern::elements;
  case Code::ADD:
  case Code::DIV:
  case Code::EQUAL:
  case Code::GREATER:
  case Code::GREATER_EQUAL:
  case Code::LESS:
  case Code::LESS_EQUAL:
  case Code::MUL:
  case Code::NOT_EQUAL:
  case Code::PRELU:
  case Code::SQUARED_DIFFERENCE:
  case Code::SUB:
    return Pattern::pairs;
  case Code::LOG_SOFTMAX:
  case Code::SOFTMAX:
    return Pattern::lastDimension;
  default:
    return Pattern::none;
  }
}

bool mergesDimensions(Operator &op) {
  constexpr size_t halRank = 4;
  Pattern pattern = patternOf(op.row.code);
  if (pattern == Pattern::none || !op.graph.file().useExtensions ||
      op.outputCount() != 1 ||
      !(typeSetOf(op.output(0).type.value_or(OperandType::OEM)) &
        (Quant8 | B8)))
    return false;
  bool isDeep = false;
  for (size_t i = 0; i < (pattern == Pattern::pairs ? 2 : 1); ++i) {
    if (!op.hasInput(i) || !op.input(i).shape ||
        !(typeSetOf(op.input(i).type.value_or(OperandType::OEM)) & Quant8))
      return false;
    isDeep |= op.shape(i).size() > halRank;
  }
  return isDeep;
}

/// Merges neighbouring dimensions of \p a and \p b, of the same rank, where
/// both have the elements of the result or the same one has one element.
static void mergePairs(Shape &a, Shape &b) {
  Shape mergedA, mergedB;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 1 && b[i] == 1)
      continue;
    bool isSame = !mergedA.empty() && (mergedA.back() == 1) == (a[i] == 1) &&
                  (mergedB.back() == 1) == (b[i] == 1);
    if (isSame) {
      mergedA.back() *= a[i];
      mergedB.back() *= b[i];
    } else {
      mergedA.push_back(a[i]);
      mergedB.push_back(b[i]);
    }
  }
  a = mergedA.empty() ? Shape{1} : mergedA;
  b = mergedB.empty() ? Shape{1} : mergedB;
}

/// The shapes of the inputs with merged dimensions.
static Result<std::vector<Shape>> mergedShapes(Operator &op,
                                               const Shape &result) {
  uint32_t all = *elementCount(op.shape(0));
  switch (patternOf(op.row.code)) {
  case Pattern::lastDimension:
    return std::vector<Shape>{{all / op.shape(0).back(), op.shape(0).back()}};
  case Pattern::pairs: {
    Shape a = op.shape(0), b = op.shape(1);
    a.insert(a.begin(), result.size() - a.size(), 1);
    b.insert(b.begin(), result.size() - b.size(), 1);
    mergePairs(a, b);
    return std::vector<Shape>{a, b};
  }
  default:
    return std::vector<Shape>{{all}};
  }
}

Status importMerged(Operator &op, Status (*importOperands)(Operator &op)) {
  Shape result = op.shape(0);
  if (patternOf(op.row.code) == Pattern::pairs) {
    NNHAL_ASSIGN_OR_RETURN(result, broadcast(op.shape(0), op.shape(1)));
  }
  NNHAL_ASSIGN_OR_RETURN(std::vector<Shape> shapes, mergedShapes(op, result));
  Rewriter r(op);
  Operator merged(op.graph, op.source, op.row);
  for (size_t i = 0; i < shapes.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(int32_t input, r.reshape(op.inputs[i], shapes[i]));
    merged.inputs.push_back(input);
  }
  merged.outputs = {r.temporary(op.outputs[0])};
  NNHAL_RETURN_IF_ERROR(importOperands(merged));
  NNHAL_ASSIGN_OR_RETURN(int32_t split, r.reshape(merged.outputs[0], result));
  return r.give(split);
}

} // namespace nnhal::rt::tflite
