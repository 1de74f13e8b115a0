//===- StableHloScatter.cpp - Operators of StableHLO ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SCATTER, whose attributes say which dimension means what. The extension has
// the form in which they stand in order: a list of places that count in the
// first dimensions, and a box of updates for each of them.
//
//===----------------------------------------------------------------------===//

#include "ExtensionTypes.h"
#include "StableHlo.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <utility>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

namespace {
struct Scatter {
  /// Dimensions of the input: those in which places count, then the rest.
  std::vector<int32_t> order;
  /// Dimensions of the updates: those of the list of places, then those of a
  /// box in the order of the input's.
  std::vector<int32_t> updates;
  /// Dimensions of the indices, with that of a place's numbers last.
  std::vector<int32_t> indices;
  /// The shape of the list of places as the indices state it.
  Shape list;
  /// The shape of the updates in the extension's form: the number of boxes and
  /// the extents of one.
  Shape box;
};
} // namespace

/// Returns the function that combines an element with its update, by its number
/// in REDUCE_WINDOW; 0 where the update takes the place of the element.
static Result<int32_t> functionOf(Operator &op, int32_t index) {
  NNHAL_ASSIGN_OR_RETURN(const schema::SubGraph *body,
                         bodyOf(op, "updates", index));
  auto inputs = elementsOf(body->inputs()),
       outputs = elementsOf(body->outputs());
  if (tablesOf(body->operators()).empty() && inputs.size() == 2 &&
      outputs.size() == 1 && outputs[0] == inputs[1] && inputs[0] != inputs[1])
    return 0;
  using Function = schema::ReduceWindowFunction;
  static constexpr std::pair<Code, Function> functions[] = {
      {Code::STABLEHLO_ADD, Function::ADD},
      {Code::STABLEHLO_MULTIPLY, Function::MUL},
      {Code::STABLEHLO_MINIMUM, Function::MINIMUM},
      {Code::STABLEHLO_MAXIMUM, Function::MAXIMUM},
      {Code::STABLEHLO_AND, Function::ALL},
      {Code::STABLEHLO_OR, Function::ANY}};
  std::optional<Code> combiner = combinerOf(op, *body);
  for (const auto &[code, function] : functions)
    if (combiner == code)
      return int32_t(function);
  return badData("updates by subgraph {}, which is neither its second input "
                 "nor a sum, product, maximum, minimum, conjunction or "
                 "disjunction of both",
                 index);
}

/// The list of dimensions \p name, which ascends.
static Result<std::vector<int32_t>>
ascendingList(const flatbuffers::Vector<int64_t> *list, std::string_view name,
              size_t rank) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> dimensions,
                         dimensionList(list, name, rank));
  if (!std::ranges::is_sorted(dimensions))
    return badData("{} does not ascend", name);
  return dimensions;
}

/// The dimensions of \p rank that are not among \p dimensions, in order.
static std::vector<int32_t> others(const std::vector<int32_t> &dimensions,
                                   size_t rank) {
  std::vector<int32_t> result;
  for (int32_t i = 0; i < int32_t(rank); ++i)
    if (std::ranges::count(dimensions, i) == 0)
      result.push_back(i);
  return result;
}

/// Finds what the dimensions of the indices mean, of which places have
/// \p depth numbers.
static Status readIndices(Operator &op, int64_t vectorDimension, size_t depth,
                          Scatter &scatter) {
  const Shape &shape = op.shape(1);
  auto rank = int64_t(shape.size());
  if (vectorDimension < 0 || vectorDimension > rank)
    return badData("index_vector_dim has the value {}, which is not in 0..{}",
                   vectorDimension, rank);
  scatter.indices = others({int32_t(vectorDimension)}, shape.size());
  for (int32_t dimension : scatter.indices)
    scatter.list.push_back(shape[size_t(dimension)]);
  uint32_t numbers = 1;
  if (vectorDimension < rank) {
    scatter.indices.push_back(int32_t(vectorDimension));
    numbers = shape[size_t(vectorDimension)];
  }
  if (numbers != depth)
    return badData("places have {} numbers, but scatter_dims_to_operand_dims "
                   "names {} dimensions",
                   numbers, depth);
  return Status();
}

/// Finds what the dimensions of the updates mean, of which \p box are those of
/// a box, which lacks the dimensions \p inserted of the input.
static Status readUpdates(Operator &op, const std::vector<int32_t> &box,
                          const std::vector<int32_t> &inserted,
                          Scatter &scatter) {
  const Shape &updates = op.shape(2);
  scatter.updates = others(box, updates.size());
  Shape list;
  for (int32_t dimension : scatter.updates)
    list.push_back(updates[size_t(dimension)]);
  if (list != scatter.list)
    return badData("the updates are for places of shape {}, but the indices "
                   "have {}",
                   toString(list), toString(scatter.list));
  std::vector<int32_t> present = others(inserted, op.shape(0).size());
  if (present.size() != box.size())
    return badData("update_window_dims names {} dimensions, expected {}",
                   box.size(), present.size());
  scatter.box = {elementCount(list).value_or(0)};
  for (int32_t dimension : scatter.order) {
    auto found = std::ranges::find(present, dimension);
    if (found == present.end()) {
      scatter.box.push_back(1);
      continue;
    }
    int32_t place = box[size_t(found - present.begin())];
    scatter.updates.push_back(place);
    scatter.box.push_back(updates[size_t(place)]);
  }
  return Status();
}

static Result<Scatter>
scatterOf(Operator &op, const schema::StablehloScatterOptions &options) {
  // One dimension more is that of the list of boxes.
  constexpr size_t mostDimensions = 7;
  size_t rank = op.shape(0).size();
  if (rank < 1 || rank > mostDimensions)
    return badData("input 0 has shape {}, expected rank 1 to {}",
                   toString(op.shape(0)), mostDimensions);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> counted,
                         dimensionList(options.scatter_dims_to_operand_dims(),
                                       "scatter_dims_to_operand_dims", rank));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> inserted,
                         ascendingList(options.inserted_window_dims(),
                                       "inserted_window_dims", rank));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> box,
                         ascendingList(options.update_window_dims(),
                                       "update_window_dims",
                                       op.shape(2).size()));
  Scatter scatter;
  scatter.order = counted;
  for (int32_t dimension : others(counted, rank))
    scatter.order.push_back(dimension);
  NNHAL_RETURN_IF_ERROR(
      readIndices(op, options.index_vector_dim(), counted.size(), scatter));
  NNHAL_RETURN_IF_ERROR(readUpdates(op, box, inserted, scatter));
  return scatter;
}

static Status checkScatterTypes(Operator &op) {
  constexpr uint16_t taken = (Numeric & ~F16) | B8 | (BeyondHal & ~A16);
  const Tensor &data = op.input(0), &indices = op.input(1),
               &updates = op.input(2);
  if (!data.type || !(typeSetOf(*data.type) & taken))
    return badData("{}'s {} does not take input {} of type {}", extensionName,
                   schema::EnumNameBuiltinOperator(op.row.code), 0,
                   nameOf(data.sourceType));
  if (indices.sourceType != schema::TensorType::INT32 &&
      indices.sourceType != schema::TensorType::INT64)
    return badData("the indices have type {}, expected INT32 or INT64",
                   nameOf(indices.sourceType));
  if (updates.sourceType != data.sourceType)
    return badData("the updates have type {}, but input 0 has type {}",
                   nameOf(updates.sourceType), nameOf(data.sourceType));
  return Status();
}

/// The result of the extension's operation for tensors in its form.
static Result<int32_t> scattered(Operator &op, Rewriter &r, int32_t function,
                                 std::initializer_list<int32_t> tensors) {
  Graph &graph = op.graph;
  std::vector<uint32_t> operands;
  for (int32_t tensor : tensors) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t operand,
                           graph.useAsStated(graph.tensor(uint32_t(tensor))));
    operands.push_back(operand);
  }
  operands.push_back(graph.addConstant(OperandType::INT32, {},
                                       std::as_bytes(std::span(&function, 1))));
  int32_t input = *tensors.begin(), result = r.temporary(input);
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t output,
      graph.define(graph.tensor(uint32_t(result)), r.shapeOf(input)));
  graph.addOperation(extensionOperation(op.row.code), std::move(operands),
                     {output});
  return result;
}

Status importStableHloScatter(Operator &op) {
  if (!op.graph.file().useExtensions)
    return badData("the HAL has no such operation, and no composition is "
                   "known; the extension {} takes it",
                   extensionName);
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_RETURN_IF_ERROR(checkScatterTypes(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloScatterOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      int32_t function,
      functionOf(op, options->update_computation_subgraph_index()));
  NNHAL_ASSIGN_OR_RETURN(Scatter scatter, scatterOf(op, *options));
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t input,
                         r.transpose(op.inputs[0], scatter.order));
  NNHAL_ASSIGN_OR_RETURN(int32_t indices,
                         r.transpose(op.inputs[1], scatter.indices));
  Shape list = {scatter.box[0], *elementCount(op.shape(1)) / scatter.box[0]};
  NNHAL_ASSIGN_OR_RETURN(indices, r.reshape(indices, list));
  NNHAL_ASSIGN_OR_RETURN(int32_t updates,
                         r.transpose(op.inputs[2], scatter.updates));
  NNHAL_ASSIGN_OR_RETURN(updates, r.reshape(updates, scatter.box));
  NNHAL_ASSIGN_OR_RETURN(int32_t result,
                         scattered(op, r, function, {input, indices, updates}));
  std::vector<int32_t> inverse(scatter.order.size());
  for (size_t i = 0; i < inverse.size(); ++i)
    inverse[size_t(scatter.order[i])] = int32_t(i);
  NNHAL_ASSIGN_OR_RETURN(result, r.transpose(result, inverse));
  return r.give(result);
}

} // namespace nnhal::rt::tflite
