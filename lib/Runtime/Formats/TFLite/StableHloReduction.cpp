//===- StableHloReduction.cpp - Operators of StableHLO --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that combine elements by a subgraph of one operator, for which the
// file format has reductions.
//
//===----------------------------------------------------------------------===//

#include "StableHlo.h"

#include "Constants.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <limits>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;
using Builder = Rewriter::Builder;

namespace {
/// A binary operator that is the body of a reduction, and the operator that
/// reduces by it.
struct Reducer {
  Code body;
  Code reduce;
  Code combine;
  /// The first value that changes nothing: of reals, integers and Booleans.
  float real;
  int32_t integer;
  uint8_t truth;
};
} // namespace

static constexpr float infinity = std::numeric_limits<float>::infinity();
static constexpr Reducer reducers[] = {
    {Code::STABLEHLO_ADD, Code::SUM, Code::ADD, 0, 0, 0},
    {Code::STABLEHLO_MULTIPLY, Code::REDUCE_PROD, Code::MUL, 1, 1, 1},
    {Code::STABLEHLO_MAXIMUM, Code::REDUCE_MAX, Code::MAXIMUM, -infinity,
     INT32_MIN, 0},
    {Code::STABLEHLO_MINIMUM, Code::REDUCE_MIN, Code::MINIMUM, infinity,
     INT32_MAX, 1},
    {Code::STABLEHLO_AND, Code::REDUCE_ALL, Code::LOGICAL_AND, 1, 1, 1},
    {Code::STABLEHLO_OR, Code::REDUCE_ANY, Code::LOGICAL_OR, 0, 0, 0},
};

Result<const schema::SubGraph *> bodyOf(Operator &op, std::string_view does,
                                        int32_t index) {
  const auto &subgraphs = *op.graph.file().model.subgraphs();
  if (index < 0 || uint32_t(index) >= subgraphs.size())
    return badData("{} by subgraph {} of {}", does, index, subgraphs.size());
  return subgraphs.Get(uint32_t(index));
}

std::optional<Code> combinerOf(Operator &op, const schema::SubGraph &body) {
  auto operators = tablesOf(body.operators());
  auto inputs = elementsOf(body.inputs()), outputs = elementsOf(body.outputs());
  if (operators.size() != 1 || inputs.size() != 2 || inputs[0] == inputs[1] ||
      !std::ranges::is_permutation(elementsOf(operators[0]->inputs()),
                                   inputs) ||
      outputs.size() != 1 ||
      !std::ranges::equal(elementsOf(operators[0]->outputs()), outputs))
    return std::nullopt;
  const auto *code = op.graph.operatorCode(operators[0]->opcode_index());
  return code ? std::optional(builtinCode(*code)) : std::nullopt;
}

/// The reducer that subgraph \p index computes.
static Result<Reducer> reducerOf(Operator &op, int32_t index) {
  NNHAL_ASSIGN_OR_RETURN(const schema::SubGraph *body,
                         bodyOf(op, "reduces", index));
  std::optional<Code> combiner = combinerOf(op, *body);
  for (const Reducer &reducer : reducers)
    if (combiner == reducer.body)
      return reducer;
  return badData("reduces by subgraph {}, which is not a sum, product, "
                 "maximum, minimum, conjunction or disjunction of its inputs",
                 index);
}

/// Whether input 1, the first value, changes no result.
static bool startsNeutral(Operator &op, const Reducer &reducer) {
  std::vector<std::byte> bytes;
  if (!op.isConstant(1) ||
      !expandConstant(op.input(1), sizeof(int64_t), bytes).isOk())
    return false;
  auto is = [&](auto neutral) {
    return std::ranges::equal(bytes, std::as_bytes(std::span(&neutral, 1)));
  };
  switch (op.input(1).type.value_or(OperandType::OEM)) {
  case OperandType::TENSOR_FLOAT32:
    return is(reducer.real);
  case OperandType::TENSOR_INT32:
    return is(reducer.integer);
  case OperandType::TENSOR_BOOL8:
    return is(reducer.truth);
  default:
    return false;
  }
}

/// Gives \p reduced, combined with the first value where that matters.
static Status giveCombined(Operator &op, Rewriter &r, const Reducer &reducer,
                           int32_t reduced) {
  if (startsNeutral(op, reducer))
    return r.give(reduced);
  return r.finish(reducer.combine, {reduced, op.inputs[1]});
}

static Status checkFirstValue(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  if (!op.shape(1).empty())
    return badData("the first value has shape {}, expected a scalar",
                   toString(op.shape(1)));
  return Status();
}

Status importStableHloReduce(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkFirstValue(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloReduceOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<int32_t> axes,
      dimensionList(options->dimensions(), "dimensions", op.shape(0).size()));
  NNHAL_ASSIGN_OR_RETURN(Reducer reducer,
                         reducerOf(op, options->body_subgraph_index()));
  Rewriter r(op);
  int32_t reduced = op.inputs[0];
  if (!axes.empty()) {
    NNHAL_ASSIGN_OR_RETURN(
        reduced, r.value(reducer.reduce, {reduced, r.integers(axes)}, reduced,
                         [](Builder &builder) {
                           return schema::CreateReducerOptions(builder, false);
                         }));
  }
  return giveCombined(op, r, reducer, reduced);
}

//===----------------------------------------------------------------------===//
// REDUCE_WINDOW
//===----------------------------------------------------------------------===//

namespace {
/// A window over pictures: [1, height, width, 1].
struct Window {
  std::vector<int32_t> extents, strides, padding;
  bool isPadded() const {
    return std::ranges::any_of(padding, [](int32_t n) { return n != 0; });
  }
};
} // namespace

static Result<Window>
windowOf(Operator &op, const schema::StablehloReduceWindowOptions &options) {
  constexpr int64_t most = 65535;
  if (op.shape(0).size() != 4)
    return badData("only windows over tensors of rank 4 are imported, found {}",
                   toString(op.shape(0)));
  Window window;
  NNHAL_ASSIGN_OR_RETURN(
      window.extents,
      attribute(options.window_dimensions(), "window_dimensions", 4, 1, most));
  NNHAL_ASSIGN_OR_RETURN(
      window.strides,
      attribute(options.window_strides(), "window_strides", 4, 1, most));
  NNHAL_ASSIGN_OR_RETURN(window.padding,
                         attribute(options.padding(), "padding", 8, 0, most));
  for (const auto *dilations :
       {options.base_dilations(), options.window_dilations()})
    NNHAL_RETURN_IF_ERROR(
        attribute(dilations, "dilations", 4, 1, 1).takeStatus());
  for (size_t i : {0, 3})
    if (window.extents[i] != 1 || window.strides[i] != 1)
      return badData("only windows over dimensions 1 and 2 are imported, found "
                     "{} elements with stride {} of dimension {}",
                     window.extents[i], window.strides[i], i);
  return window;
}

Status importStableHloReduceWindow(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkFirstValue(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloReduceWindowOptions>());
  NNHAL_ASSIGN_OR_RETURN(Window window, windowOf(op, *options));
  NNHAL_ASSIGN_OR_RETURN(Reducer reducer,
                         reducerOf(op, options->body_subgraph_index()));
  bool isSum = reducer.combine == Code::ADD;
  if (op.input(0).type != OperandType::TENSOR_FLOAT32 ||
      (!isSum && reducer.combine != Code::MAXIMUM))
    return badData("only windows of sums and maxima of FLOAT32 are imported");
  Rewriter r(op);
  int32_t from = op.inputs[0];
  if (window.isPadded()) {
    NNHAL_ASSIGN_OR_RETURN(
        from, r.value(Code::PADV2,
                      {from, r.integers(window.padding, Shape{4, 2}),
                       r.real(reducer.real)},
                      from));
  }
  NNHAL_ASSIGN_OR_RETURN(
      int32_t pooled, r.value(isSum ? Code::AVERAGE_POOL_2D : Code::MAX_POOL_2D,
                              {from}, from, [&](Builder &builder) {
                                return schema::CreatePool2DOptions(
                                    builder, schema::Padding::VALID,
                                    window.strides[2], window.strides[1],
                                    window.extents[2], window.extents[1]);
                              }));
  if (isSum) {
    auto count = float(int64_t(window.extents[1]) * window.extents[2]);
    NNHAL_ASSIGN_OR_RETURN(pooled,
                           r.value(Code::MUL, {pooled, r.real(count)}, pooled));
  }
  return giveCombined(op, r, reducer, pooled);
}

} // namespace nnhal::rt::tflite
