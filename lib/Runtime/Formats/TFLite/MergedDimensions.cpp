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

#include "Extension.h"
#include "Rewriter.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

namespace {
/// The dimensions that an operator must not merge.
enum class Pattern {
  none,
  elements,
  pairs,
  lastDimension,
  /// Those that constant input 1 lists, and the others, stay apart.
  axes,
  /// FULLY_CONNECTED has the rows of its input along one dimension.
  rows,
  /// BATCH_MATMUL has its matrices along one dimension.
  matrices
};
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
  case Code::MEAN:
  case Code::REDUCE_MAX:
  case Code::REDUCE_MIN:
  case Code::REDUCE_PROD:
  case Code::SUM:
    return Pattern::axes;
  case Code::FULLY_CONNECTED:
    return Pattern::rows;
  case Code::BATCH_MATMUL:
    return Pattern::matrices;
  default:
    return Pattern::none;
  }
}

namespace {
constexpr size_t halRank = 4;

/// A reduction whose neighbouring dimensions are one where both are reduced or
/// both are not.
struct MergedReduction {
  Shape shape;
  std::vector<int32_t> axes;
};
} // namespace

/// Which dimensions a reduction takes; nothing where they are not known or not
/// right, which the import of the operator reports.
static std::optional<std::vector<bool>> reducedDimensions(Operator &op) {
  size_t rank = op.shape(0).size();
  Result<std::vector<int32_t>> stated = op.integers(1);
  if (!stated.isOk())
    return std::nullopt;
  std::vector<bool> isReduced(rank);
  for (int32_t axis : *stated) {
    Result<uint32_t> known = Operator::normalizeAxis(axis, rank);
    if (!known.isOk())
      return std::nullopt;
    isReduced[*known] = true;
  }
  return isReduced;
}

static Result<Shape> reducedShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ReducerOptions>());
  const Shape &shape = op.shape(0);
  std::vector<bool> isReduced = *reducedDimensions(op);
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!isReduced[i] || options->keep_dims())
      result.push_back(isReduced[i] ? 1 : shape[i]);
  return result;
}

static MergedReduction mergedReduction(Operator &op) {
  const Shape &shape = op.shape(0);
  std::vector<bool> isReduced = *reducedDimensions(op);
  MergedReduction merged;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0 && isReduced[i] == isReduced[i - 1]) {
      merged.shape.back() *= shape[i];
      continue;
    }
    if (isReduced[i])
      merged.axes.push_back(int32_t(merged.shape.size()));
    merged.shape.push_back(shape[i]);
  }
  return merged;
}

/// The shapes of the factors of the product \p op, whose batches can be merged:
/// both have the matrices of the result where both have several, but not the
/// same ones.
static std::vector<Shape> repeatedFactors(Operator &op) {
  std::vector<Shape> shapes = {op.shape(0), op.shape(1)}, batches;
  bool isList = true;
  for (const Shape &shape : shapes) {
    batches.emplace_back(shape.begin(), shape.end() - 2);
    isList &= elementCount(batches.back()) != 1u;
  }
  Result<Shape> batch = broadcast(batches[0], batches[1]);
  if (!isList || batches[0] == batches[1] || !batch.isOk())
    return shapes;
  for (Shape &shape : shapes) {
    Shape repeated = *batch;
    repeated.insert(repeated.end(), shape.end() - 2, shape.end());
    shape = std::move(repeated);
  }
  return shapes;
}

/// The factors of a product with their matrices along one dimension; nothing
/// where they have too many elements.
static std::optional<std::vector<Shape>> mergedFactors(Operator &op) {
  std::vector<Shape> merged;
  for (const Shape &shape : repeatedFactors(op)) {
    if (shape.size() > maxRank || !elementCount(shape))
      return std::nullopt;
    uint32_t count = *elementCount({shape.begin(), shape.end() - 2});
    merged.push_back(count == 1 ? Shape{} : Shape{count});
    merged.back().insert(merged.back().end(), shape.end() - 2, shape.end());
  }
  return merged;
}

/// Whether the dimensions of \p op, of more than the HAL takes, can be merged
/// by \p pattern.
static bool canMerge(Operator &op, Pattern pattern) {
  switch (pattern) {
  case Pattern::axes:
    return reducedDimensions(op) && mergedReduction(op).shape.size() <= halRank;
  case Pattern::rows:
    return fullyConnectedShape(op).isOk();
  case Pattern::matrices:
    return batchMatMulShape(op).isOk() && mergedFactors(op);
  default:
    return true;
  }
}

bool mergesDimensions(Operator &op) {
  Pattern pattern = patternOf(op.row.code);
  if (pattern == Pattern::none || !op.graph.file().useExtensions ||
      op.outputCount() != 1 ||
      !(typeSetOf(op.output(0).type.value_or(OperandType::OEM)) &
        (Quant8 | B8)))
    return false;
  bool isDeep = false;
  bool hasPair = pattern == Pattern::pairs || pattern == Pattern::matrices;
  for (size_t i = 0; i < (hasPair ? 2 : 1); ++i) {
    if (!op.hasInput(i) || !op.input(i).shape ||
        !(typeSetOf(op.input(i).type.value_or(OperandType::OEM)) & Quant8))
      return false;
    isDeep |= op.shape(i).size() > halRank;
  }
  // Extents are divided by; the import of the operator reports one of 0.
  if (openInput(op))
    return false;
  return isDeep && canMerge(op, pattern);
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
  case Pattern::axes:
    return std::vector<Shape>{mergedReduction(op).shape};
  case Pattern::rows:
    return std::vector<Shape>{{all / op.shape(1)[1], op.shape(1)[1]}};
  case Pattern::matrices:
    return *mergedFactors(op);
  default:
    return std::vector<Shape>{{all}};
  }
}

/// The shape of the result with all its dimensions.
static Result<Shape> wholeResult(Operator &op) {
  ShapeFunction function = nullptr;
  switch (patternOf(op.row.code)) {
  case Pattern::pairs:
    return broadcast(op.shape(0), op.shape(1));
  case Pattern::axes:
    return reducedShape(op);
  case Pattern::rows:
    function = fullyConnectedShape;
    break;
  case Pattern::matrices:
    function = batchMatMulShape;
    break;
  default:
    return op.shape(0);
  }
  NNHAL_ASSIGN_OR_RETURN(std::vector<Shape> shapes, function(op));
  return std::move(shapes[0]);
}

/// Input \p i, with its matrices repeated where it is a factor of a product
/// that needs that.
static Result<int32_t> repeatedInput(Operator &op, Rewriter &r, size_t i) {
  int32_t input = op.inputs[i];
  if (patternOf(op.row.code) != Pattern::matrices)
    return input;
  const Shape shape = repeatedFactors(op)[i];
  if (shape == r.shapeOf(input))
    return input;
  return r.value(Code::BROADCAST_TO,
                 {input, r.integers({shape.begin(), shape.end()})}, input);
}

Status importMerged(Operator &op, Status (*importOperands)(Operator &op)) {
  NNHAL_ASSIGN_OR_RETURN(Shape result, wholeResult(op));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Shape> shapes, mergedShapes(op, result));
  Rewriter r(op);
  Operator merged(op.graph, op.source, op.row);
  for (size_t i = 0; i < shapes.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(int32_t input, repeatedInput(op, r, i));
    NNHAL_ASSIGN_OR_RETURN(input, r.reshape(input, shapes[i]));
    merged.inputs.push_back(input);
  }
  if (patternOf(op.row.code) == Pattern::axes)
    merged.inputs.push_back(r.integers(mergedReduction(op).axes));
  else
    merged.inputs.insert(merged.inputs.end(),
                         op.inputs.begin() + ptrdiff_t(shapes.size()),
                         op.inputs.end());
  merged.outputs = {r.temporary(op.outputs[0])};
  NNHAL_RETURN_IF_ERROR(importOperands(merged));
  NNHAL_ASSIGN_OR_RETURN(int32_t split, r.reshape(merged.outputs[0], result));
  return r.give(split);
}

} // namespace nnhal::rt::tflite
