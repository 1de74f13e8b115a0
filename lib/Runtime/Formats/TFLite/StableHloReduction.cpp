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
#include "ExtensionTypes.h"

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
  schema::ReduceWindowFunction function;
  /// The first value that changes nothing: of reals, integers and Booleans.
  float real;
  int32_t integer;
  uint8_t truth;
};
} // namespace

static constexpr float infinity = std::numeric_limits<float>::infinity();
using Function = schema::ReduceWindowFunction;
static constexpr Reducer reducers[] = {
    {Code::STABLEHLO_ADD, Code::SUM, Code::ADD, Function::ADD, 0, 0, 0},
    {Code::STABLEHLO_MULTIPLY, Code::REDUCE_PROD, Code::MUL, Function::MUL, 1,
     1, 1},
    {Code::STABLEHLO_MAXIMUM, Code::REDUCE_MAX, Code::MAXIMUM,
     Function::MAXIMUM, -infinity, INT32_MIN, 0},
    {Code::STABLEHLO_MINIMUM, Code::REDUCE_MIN, Code::MINIMUM,
     Function::MINIMUM, infinity, INT32_MAX, 1},
    {Code::STABLEHLO_AND, Code::REDUCE_ALL, Code::LOGICAL_AND, Function::ALL, 1,
     1, 1},
    {Code::STABLEHLO_OR, Code::REDUCE_ANY, Code::LOGICAL_OR, Function::ANY, 0,
     0, 0},
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

/// Whether \p source, an operator that combines two values, has a fused
/// activation, which those of StableHLO have not.
static bool isActivated(const schema::Operator &source) {
  const auto *add = source.builtin_options_as_AddOptions();
  const auto *mul = source.builtin_options_as_MulOptions();
  return (add && add->activation() != schema::Activation::NONE) ||
         (mul && mul->activation() != schema::Activation::NONE);
}

/// The reducer that subgraph \p index computes.
static Result<Reducer> reducerOf(Operator &op, int32_t index) {
  NNHAL_ASSIGN_OR_RETURN(const schema::SubGraph *body,
                         bodyOf(op, "reduces", index));
  std::optional<Code> combiner = combinerOf(op, *body);
  if (combiner && isActivated(*body->operators()->Get(0)))
    combiner.reset();
  for (const Reducer &reducer : reducers)
    if (combiner == reducer.body || combiner == reducer.combine)
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
/// The attributes of windows, one of each per dimension.
struct Window {
  std::vector<int32_t> extents, strides, dilations;
  HloPadding padding;
};
} // namespace

/// Returns \p list, an attribute of windows that may be absent.
static Result<std::vector<int32_t>>
windowAttribute(const flatbuffers::Vector<int64_t> *list, std::string_view name,
                size_t count, int32_t absent, int64_t least) {
  constexpr int64_t most = 1 << 30;
  if (!list || list->size() == 0)
    return std::vector<int32_t>(count, absent);
  return attribute(list, name, count, least, most);
}

static Result<Window>
windowOf(Operator &op, const schema::StablehloReduceWindowOptions &options) {
  constexpr int64_t most = 1 << 30;
  size_t rank = op.shape(0).size();
  Window window;
  NNHAL_ASSIGN_OR_RETURN(window.extents,
                         attribute(options.window_dimensions(),
                                   "window_dimensions", rank, 1, most));
  NNHAL_ASSIGN_OR_RETURN(
      window.strides,
      windowAttribute(options.window_strides(), "window_strides", rank, 1, 1));
  NNHAL_ASSIGN_OR_RETURN(window.dilations,
                         windowAttribute(options.window_dilations(),
                                         "window_dilations", rank, 1, 1));
  NNHAL_ASSIGN_OR_RETURN(
      window.padding.interior,
      windowAttribute(options.base_dilations(), "base_dilations", rank, 1, 1));
  for (int32_t &dilation : window.padding.interior)
    --dilation;
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<int32_t> pairs,
      windowAttribute(options.padding(), "padding", 2 * rank, 0, -most));
  for (size_t i = 0; i < pairs.size(); i += 2) {
    window.padding.low.push_back(pairs[i]);
    window.padding.high.push_back(pairs[i + 1]);
  }
  return window;
}

/// Whether the HAL has pools of the windows: sums and maxima of reals over the
/// height and the width of pictures.
static bool isPool(Operator &op, const Window &window, const Reducer &reducer) {
  constexpr int32_t most = 65535;
  if (op.input(0).type != OperandType::TENSOR_FLOAT32 ||
      op.shape(0).size() != 4 ||
      (reducer.combine != Code::ADD && reducer.combine != Code::MAXIMUM))
    return false;
  auto all = [](const std::vector<int32_t> &values, int32_t low, int32_t high) {
    return std::ranges::all_of(
        values, [&](int32_t value) { return value >= low && value <= high; });
  };
  for (size_t i : {0, 3})
    if (window.extents[i] != 1 || window.strides[i] != 1)
      return false;
  return all(window.extents, 1, most) && all(window.strides, 1, most) &&
         all(window.dilations, 1, 1) && all(window.padding.interior, 0, 0) &&
         all(window.padding.low, 0, most) && all(window.padding.high, 0, most);
}

/// A pool pads with the neutral value; the first value is combined once, at the
/// end. StableHLO pads with the first value, which for maxima is the same.
static bool isPaddedAlike(Operator &op, const Window &window,
                          const Reducer &reducer) {
  auto isNone = [](const std::vector<int32_t> &values) {
    return std::ranges::all_of(values,
                               [](int32_t value) { return value == 0; });
  };
  return reducer.combine != Code::ADD ||
         (isNone(window.padding.low) && isNone(window.padding.high)) ||
         startsNeutral(op, reducer);
}

static Status importPool(Operator &op, const Window &window,
                         const Reducer &reducer) {
  bool isSum = reducer.combine == Code::ADD;
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(
      int32_t from,
      padded(r, op.inputs[0], r.real(reducer.real), window.padding));
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

/// The extension's windows lie inside of their tensor, which is padded with the
/// first value before.
static Status importWindows(Operator &op, const Window &window,
                            const Reducer &reducer) {
  if (!op.graph.file().useExtensions)
    return badData("windows [{}] of {} of {} [{}] need the extension {}: the "
                   "HAL has only pools, of sums and maxima of FLOAT32 over "
                   "dimensions 1 and 2 of four",
                   fmt::join(window.extents, ","),
                   schema::EnumNameReduceWindowFunction(reducer.function),
                   nameOf(op.input(0).sourceType), fmt::join(op.shape(0), ","),
                   extensionName);
  bool isLogical =
      reducer.function == Function::ALL || reducer.function == Function::ANY;
  if (isLogical && op.input(0).sourceType != schema::TensorType::BOOL)
    return badData("reduces bits of {}, which no operator does but for BOOL",
                   nameOf(op.input(0).sourceType));
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t from,
                         padded(r, op.inputs[0], op.inputs[1], window.padding));
  return r.extend(Code::REDUCE_WINDOW,
                  {from, op.inputs[1], r.integers(window.extents),
                   r.integers(window.strides), r.integers(window.dilations)},
                  op.outputs, [&](Builder &builder) {
                    return schema::CreateReduceWindowOptions(builder,
                                                             reducer.function);
                  });
}

Status importStableHloReduceWindow(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkFirstValue(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloReduceWindowOptions>());
  NNHAL_ASSIGN_OR_RETURN(Window window, windowOf(op, *options));
  NNHAL_ASSIGN_OR_RETURN(Reducer reducer,
                         reducerOf(op, options->body_subgraph_index()));
  return isPool(op, window, reducer) && isPaddedAlike(op, window, reducer)
             ? importPool(op, window, reducer)
             : importWindows(op, window, reducer);
}

} // namespace nnhal::rt::tflite
