//===- StableHlo.cpp - Operators of StableHLO -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that compute element by element, and calls of subgraphs.
//
//===----------------------------------------------------------------------===//

#include "StableHlo.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

//===----------------------------------------------------------------------===//
// What they share
//===----------------------------------------------------------------------===//

Status checkKnown(Operator &op) {
  for (size_t i = 0; i < op.inputCount(); ++i) {
    if (!op.input(i).shape)
      return badData("input {}, {}, is a variable", i, describe(op.input(i)));
    if (std::ranges::count(op.shape(i), 0u) > 0)
      return badData("the shape of input {} depends on values that are not "
                     "constant",
                     i);
  }
  return Status();
}

Result<Shape> statedShape(Operator &op) {
  // A scalar states no dimensions.
  if (op.output(0).declared.empty())
    return Shape();
  NNHAL_ASSIGN_OR_RETURN(std::vector<Shape> shapes, op.declaredShapes());
  return shapes[0];
}

Result<std::vector<int32_t>> attribute(const flatbuffers::Vector<int64_t> *list,
                                       std::string_view name, size_t count,
                                       int64_t least, int64_t most) {
  std::vector<int64_t> values = copyOf(list);
  if (values.size() != count)
    return badData("{} has {} values, expected {}", name, values.size(), count);
  for (int64_t value : values)
    if (value < least || value > most)
      return badData("{} has the value {}, which is not in {}..{}", name, value,
                     least, most);
  return std::vector<int32_t>(values.begin(), values.end());
}

Result<std::vector<int32_t>>
dimensionList(const flatbuffers::Vector<int64_t> *list, std::string_view name,
              size_t rank) {
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<int32_t> dimensions,
      attribute(list, name, list ? list->size() : 0, 0, int64_t(rank) - 1));
  for (int32_t dimension : dimensions)
    if (std::ranges::count(dimensions, dimension) > 1)
      return badData("{} names dimension {} twice", name, dimension);
  return dimensions;
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

Status importStableHloAlias(Operator &op) {
  static constexpr std::pair<Code, Code> aliases[] = {
      {Code::STABLEHLO_ABS, Code::ABS},
      {Code::STABLEHLO_ADD, Code::ADD},
      {Code::STABLEHLO_COSINE, Code::COS},
      {Code::STABLEHLO_EXPONENTIAL, Code::EXP},
      {Code::STABLEHLO_FLOOR, Code::FLOOR},
      {Code::STABLEHLO_LOG, Code::LOG},
      {Code::STABLEHLO_LOGISTIC, Code::LOGISTIC},
      {Code::STABLEHLO_MAXIMUM, Code::MAXIMUM},
      {Code::STABLEHLO_MINIMUM, Code::MINIMUM},
      {Code::STABLEHLO_MULTIPLY, Code::MUL},
      {Code::STABLEHLO_NEGATE, Code::NEG},
      {Code::STABLEHLO_POWER, Code::POW},
      {Code::STABLEHLO_RSQRT, Code::RSQRT},
      {Code::STABLEHLO_SELECT, Code::SELECT_V2},
      {Code::STABLEHLO_SUBTRACT, Code::SUB},
      {Code::STABLEHLO_TANH, Code::TANH},
  };
  const auto *alias =
      std::ranges::find(aliases, op.row.code, &std::pair<Code, Code>::first);
  return Rewriter(op).finish(alias->second, op.inputs);
}

/// Whether input \p i is of floating-point numbers.
static bool isReal(Operator &op, size_t i) {
  return op.input(i).sourceType == schema::TensorType::FLOAT32 ||
         op.input(i).sourceType == schema::TensorType::FLOAT16 ||
         op.input(i).sourceType == schema::TensorType::BFLOAT16;
}

Status importStableHloDivide(Operator &op) {
  if (!isReal(op, 0))
    return badData("divides {}, and no operator has StableHLO's division but "
                   "for reals",
                   nameOf(op.input(0).sourceType));
  return Rewriter(op).finish(Code::DIV, op.inputs);
}

Status importStableHloLogic(Operator &op) {
  if (op.input(0).sourceType != schema::TensorType::BOOL)
    return badData("combines bits of {}, which no operator does but for BOOL",
                   nameOf(op.input(0).sourceType));
  return Rewriter(op).finish(
      op.row.code == Code::STABLEHLO_AND ? Code::LOGICAL_AND : Code::LOGICAL_OR,
      op.inputs);
}

Status importStableHloClamp(Operator &op) {
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(
      int32_t above,
      r.value(Code::MAXIMUM, {op.inputs[1], op.inputs[0]}, op.inputs[1]));
  return r.finish(Code::MINIMUM, {above, op.inputs[2]});
}

Status importStableHloCompare(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloCompareOptions>());
  static constexpr Code codes[] = {Code::EQUAL,         Code::NOT_EQUAL,
                                   Code::GREATER_EQUAL, Code::GREATER,
                                   Code::LESS_EQUAL,    Code::LESS};
  auto direction = uint32_t(options->comparison_direction());
  if (direction >= std::size(codes))
    return badData("comparison direction {} is unknown", direction);
  if (options->compare_type() == schema::ComparisonType::FLOAT_TOTAL_ORDER)
    return badData("no operator compares by the total order of reals");
  return Rewriter(op).finish(codes[direction], op.inputs);
}

Status importStableHloConvert(Operator &op) {
  return Rewriter(op).finish(
      Code::CAST, op.inputs, [&](Rewriter::Builder &builder) {
        return schema::CreateCastOptions(builder, op.input(0).sourceType,
                                         op.output(0).sourceType);
      });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Status importStableHloComposite(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StableHLOCompositeOptions>());
  return importCallOf(op, options->decomposition_subgraph_index());
}

Status importStableHloWhile(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloWhileOptions>());
  return Rewriter(op).finish(
      Code::WHILE, op.inputs, [&](Rewriter::Builder &builder) {
        return schema::CreateWhileOptions(builder,
                                          options->cond_subgraph_index(),
                                          options->body_subgraph_index());
      });
}

} // namespace nnhal::rt::tflite
