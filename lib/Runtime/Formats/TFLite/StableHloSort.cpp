//===- StableHloSort.cpp - Operators of StableHLO -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SORT by one comparison of the elements of one input, which is TOPK_V2 of all
// of them. The other inputs follow. They show in which order equal elements
// stand: the extension's TOPK_V2 keeps it, the HAL's turns it round (M-137).
//
//===----------------------------------------------------------------------===//

#include "ExtensionTypes.h"
#include "StableHlo.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <numeric>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;
using Builder = Rewriter::Builder;

namespace {
/// The order that a comparator states.
struct Order {
  /// The input whose elements it compares.
  size_t key;
  bool isDescending;
};
} // namespace

/// Whether \p comparison puts the greater of its inputs first; nothing where it
/// does not order.
static Result<std::optional<bool>>
putsGreaterFirst(Operator &op, const schema::Operator &comparison) {
  const auto *code = op.graph.operatorCode(comparison.opcode_index());
  if (!code)
    return std::optional<bool>();
  switch (builtinCode(*code)) {
  case Code::LESS:
    return std::optional(false);
  case Code::GREATER:
    return std::optional(true);
  case Code::STABLEHLO_COMPARE:
    break;
  default:
    return std::optional<bool>();
  }
  const auto *options =
      comparison.builtin_options_2_as_StablehloCompareOptions();
  if (!options)
    return std::optional<bool>();
  if (options->compare_type() == schema::ComparisonType::FLOAT_TOTAL_ORDER)
    return badData("no operator compares by the total order of reals");
  switch (options->comparison_direction()) {
  case schema::ComparisonDirection::LT:
    return std::optional(false);
  case schema::ComparisonDirection::GT:
    return std::optional(true);
  default:
    return std::optional<bool>();
  }
}

/// The order of the comparator, subgraph \p index: for each input of \p op it
/// has two inputs, an element that comes first and one that comes later.
static Result<Order> orderOf(Operator &op, int32_t index) {
  NNHAL_ASSIGN_OR_RETURN(const schema::SubGraph *body,
                         bodyOf(op, "orders", index));
  auto operators = tablesOf(body->operators());
  auto inputs = elementsOf(body->inputs()),
       outputs = elementsOf(body->outputs());
  if (inputs.size() != 2 * op.inputCount())
    return badData("orders {} inputs by subgraph {} with {} inputs, expected "
                   "{}",
                   op.inputCount(), index, inputs.size(), 2 * op.inputCount());
  if (operators.size() == 1 && outputs.size() == 1 &&
      std::ranges::equal(elementsOf(operators[0]->outputs()), outputs)) {
    auto compared = elementsOf(operators[0]->inputs());
    NNHAL_ASSIGN_OR_RETURN(std::optional<bool> isGreater,
                           putsGreaterFirst(op, *operators[0]));
    for (size_t i = 0; i < op.inputCount() && isGreater; ++i) {
      auto pair = inputs.subspan(2 * i, 2);
      if (std::ranges::equal(compared, pair))
        return Order{i, *isGreater};
      if (std::ranges::equal(compared, std::array{pair[1], pair[0]}))
        return Order{i, !*isGreater};
    }
  }
  return badData("orders by subgraph {}, which is not whether an element of "
                 "one input is less or greater than another",
                 index);
}

namespace {
/// The inputs of a SORT, with the dimension that is sorted last.
class Sorter {
public:
  Sorter(Operator &op, Order order, uint32_t axis)
      : op(op), r(op), order(order), permutation(op.shape(0).size()) {
    std::iota(permutation.begin(), permutation.end(), 0);
    std::swap(permutation[axis], permutation.back());
  }
  Status run();

private:
  /// \p tensor in its other direction where the order ascends: what sorts from
  /// the greatest to the least element takes all from back to front then.
  Result<int32_t> directed(int32_t tensor) {
    if (order.isDescending)
      return tensor;
    auto last = int32_t(permutation.size() - 1);
    return r.value(Code::REVERSE_V2, {tensor, r.integers({last})}, tensor);
  }
  Result<int32_t> prepared(size_t i) {
    NNHAL_ASSIGN_OR_RETURN(int32_t moved,
                           r.transpose(op.inputs[i], permutation));
    return directed(moved);
  }
  Result<int32_t> gathered(int32_t tensor, int32_t places) {
    auto last = int32_t(permutation.size() - 1);
    return r.value(Code::GATHER, {tensor, places}, tensor,
                   [&](Builder &builder) {
                     return schema::CreateGatherOptions(builder, last, last);
                   });
  }

  Operator &op;
  Rewriter r;
  const Order order;
  /// Swaps two dimensions, so that it is its own inverse.
  std::vector<int32_t> permutation;
};
} // namespace

Status Sorter::run() {
  NNHAL_ASSIGN_OR_RETURN(int32_t key, prepared(order.key));
  int32_t sorted = r.temporary(key), places = r.temporary(r.integers({0}));
  auto count = int32_t(r.shapeOf(key).back());
  int32_t k = r.integers({count}, Shape());
  NNHAL_RETURN_IF_ERROR(
      op.inputCount() == 1
          ? r.apply(Code::TOPK_V2, {key, k}, {sorted, places})
          : r.extend(Code::TOPK_V2, {key, k}, {sorted, places}));
  for (size_t i = 0; i < op.inputCount(); ++i) {
    int32_t result = sorted;
    if (i != order.key) {
      NNHAL_ASSIGN_OR_RETURN(int32_t tensor, prepared(i));
      NNHAL_ASSIGN_OR_RETURN(result, gathered(tensor, places));
    }
    NNHAL_ASSIGN_OR_RETURN(result, directed(result));
    NNHAL_ASSIGN_OR_RETURN(result, r.transpose(result, permutation));
    NNHAL_RETURN_IF_ERROR(r.give(result, i));
  }
  return Status();
}

Status importStableHloSort(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloSortOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->dimension(), op.shape(0).size()));
  if (op.outputCount() != op.inputCount())
    return badData("has {} outputs, expected {}", op.outputCount(),
                   op.inputCount());
  for (size_t i = 1; i < op.inputCount(); ++i)
    if (op.shape(i) != op.shape(0))
      return badData("input {} has shape {}, but input 0 has {}", i,
                     toString(op.shape(i)), toString(op.shape(0)));
  if (op.inputCount() > 1 && !op.graph.file().useExtensions)
    return badData("the HAL does not sort {} inputs by one of them; the "
                   "extension {} takes it",
                   op.inputCount(), extensionName);
  NNHAL_ASSIGN_OR_RETURN(Order order,
                         orderOf(op, options->comparator_subgraph_index()));
  return Sorter(op, order, axis).run();
}

} // namespace nnhal::rt::tflite
