//===- CustomOperators.cpp - Custom operators that extensions claim -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nnhal/Runtime/Interface.h says what an operation has that stands for a
// custom operator. The backend alone knows its rules: the importer lets it
// infer the shapes.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "ExtensionTypes.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/ExtensionBackend.h"

#include <algorithm>
#include <set>

namespace nnhal::rt::tflite {

Result<Claim> findClaim(std::span<const InstalledExtension> extensions,
                        std::string_view name) {
  Claim claim;
  std::set<std::string_view> names;
  for (const InstalledExtension &one : extensions) {
    const std::string &extension = one.backend->extension().name;
    // The devices, too, use the first one of a name.
    if (!names.insert(extension).second)
      continue;
    std::span<const CustomOperator> customs = one.backend->customOperators();
    auto found = std::ranges::find(customs, name, &CustomOperator::name);
    if (found == customs.end())
      continue;
    if (claim.extension)
      return badData("both the extension {} and the extension {} claim it",
                     claim.extension->backend->extension().name, extension);
    claim = {&one, found->operation};
  }
  return claim;
}

/// The row of every custom operator: its backend knows better.
static const OperatorRow &claimedRow() {
  static constexpr OperatorRow row = {.code = schema::BuiltinOperator::CUSTOM,
                                      .type = OperationType::ADD,
                                      .inputs = {0, 255},
                                      .outputs = {0, 255},
                                      .import = nullptr};
  return row;
}

Result<std::span<const uint8_t>> customOptionsOf(Operator &op) {
  uint64_t offset = op.source.large_custom_options_offset(),
           size = op.source.large_custom_options_size();
  // An offset of 1 is what a converter leaves that has written none.
  if (offset <= 1)
    return elementsOf(op.source.custom_options());
  std::span<const std::byte> file = op.graph.file().file;
  if (offset > file.size() || size > file.size() - offset)
    return badData("has {} bytes of custom options from byte {} on, in a file "
                   "of {}",
                   size, offset, file.size());
  return std::span(reinterpret_cast<const uint8_t *>(file.data()) + offset,
                   size_t(size));
}

/// The operands of the inputs of \p op, and one of its options.
static Result<std::vector<uint32_t>> claimedInputs(Operator &op) {
  Graph &graph = op.graph;
  std::vector<uint32_t> inputs;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    if (!op.hasInput(i)) {
      inputs.push_back(graph.addNoValue(OperandType::TENSOR_FLOAT32));
      continue;
    }
    if (!op.input(i).shape)
      return badData("input {}, {}, is a variable", i, describe(op.input(i)));
    op.inputs[i] = int32_t(graph.asNarrow(uint32_t(op.inputs[i])));
    NNHAL_ASSIGN_OR_RETURN(uint32_t operand, graph.use(op.input(i)));
    inputs.push_back(operand);
  }
  NNHAL_ASSIGN_OR_RETURN(std::span<const uint8_t> options, customOptionsOf(op));
  constexpr OperandType type = OperandType::TENSOR_QUANT8_ASYMM;
  inputs.push_back(options.empty()
                       ? graph.addNoValue(type)
                       : graph.addConstant(type, {uint32_t(options.size())},
                                           std::as_bytes(options), 1.0f));
  return inputs;
}

/// The results as the file states them: of the rank that the backend infers.
static Result<std::vector<OperandView>> statedResults(Operator &op) {
  std::vector<OperandView> views;
  for (size_t i = 0; i < op.outputCount(); ++i) {
    const Tensor &tensor = op.output(i);
    if (!tensor.type)
      return badData("{} {}", describe(tensor), tensor.typeProblem);
    TensorType type;
    type.type = *tensor.type;
    type.isRanked = false;
    type.scale = tensor.scale;
    type.zeroPoint = tensor.zeroPoint;
    views.push_back({std::move(type)});
  }
  return views;
}

/// The shape of output \p i, of type \p stated, of which the backend inferred
/// \p result: extents that it does not know are those of the file, and 0 where
/// that does not know them either.
static Result<Shape> claimedShape(Operator &op, size_t i, OperandType stated,
                                  const TensorType &result) {
  const Tensor &tensor = op.output(i);
  if (result.type != stated)
    return badData("output {} has type {}, expected {}", i, nameOf(stated),
                   nameOf(result.type));
  if (result.dimensions == std::vector<int64_t>{1} && tensor.declared.empty())
    return Shape();
  const std::vector<int32_t> &declared = tensor.declared;
  bool isStated =
      declared.size() == result.dimensions.size() && !op.graph.isReshaped();
  std::vector<int64_t> dimensions = result.dimensions;
  Shape shape;
  for (size_t axis = 0; axis < dimensions.size(); ++axis) {
    int64_t extent = dimensions[axis];
    if (extent == unknownExtent)
      extent = isStated ? std::max(declared[axis], 0) : 0;
    else if (extent < 1 || extent > UINT32_MAX)
      return badData("output {} has shape {}, of which an extent is not in "
                     "1..4294967295",
                     i, shapeText(result));
    shape.push_back(uint32_t(extent));
  }
  return shape;
}

/// The operation of \p claim as its backend sees it.
static Result<OperationView> viewOf(Operator &op, const Claim &claim,
                                    std::span<const uint32_t> inputs) {
  OperationView view;
  view.type = ownOperation(claim.operation);
  for (uint32_t input : inputs)
    view.inputs.push_back(op.graph.view(input));
  NNHAL_ASSIGN_OR_RETURN(view.outputs, statedResults(op));
  // Files have no types of extensions but those of nnhal.tflite, whose prefix
  // here is its own.
  const Extension &extension = claim.extension->backend->extension();
  auto adopt = [&](std::string_view role, size_t i, const Tensor &tensor,
                   OperandView &operand) -> Status {
    OperandType &type = operand.type.type;
    if (!isExtension(type) || extension.name == extensionName)
      return Status();
    const Extension::OperandTypeInfo *own =
        tensorOfKind(extension, elementKindOf(type));
    if (!own)
      return badData("the extension {} does not take {} {} of type {}",
                     extension.name, role, i, nameOf(tensor.sourceType));
    type = ownOperandType(own->type);
    return Status();
  };
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i))
      NNHAL_RETURN_IF_ERROR(adopt("input", i, op.input(i), view.inputs[i]));
  for (size_t i = 0; i < op.outputCount(); ++i)
    NNHAL_RETURN_IF_ERROR(adopt("output", i, op.output(i), view.outputs[i]));
  return view;
}

static_assert(extensionPrefix == ownExtensionPrefix);

/// Appends a state of type \p stated to the operands of an operation and to its
/// \p view. \p prefix is that of the extension in the model.
static Status addState(Operator &op, size_t number, const TensorType &stated,
                       uint32_t prefix, std::vector<uint32_t> &inputs,
                       std::vector<uint32_t> &outputs, OperationView &view) {
  std::string name = fmt::format("state {}", number);
  Result<Shape> shape = makeShape(stated.dimensions);
  if (!shape.isOk())
    return std::move(shape).takeStatus().withContext(name);
  Operand operand;
  operand.type = isExtension(stated.type)
                     ? OperandType(prefix << 16 | uint16_t(stated.type))
                     : stated.type;
  operand.dimensions = *std::move(shape);
  operand.scale = stated.scale;
  operand.zeroPoint = stated.zeroPoint;
  std::string owner =
      op.outputCount() > 0 ? op.output(0).name : std::string("operator");
  NNHAL_ASSIGN_OR_RETURN(
      StateOperands state,
      op.graph.addState(fmt::format("{}/state{}", owner, number),
                        std::move(operand)));
  inputs.push_back(state.input);
  outputs.push_back(state.output);
  view.inputs.push_back({stated});
  view.outputs.push_back({stated});
  return Status();
}

Status importAsClaimed(Graph &graph, const schema::Operator &source,
                       const Claim &claim) {
  Operator op(graph, source, claimedRow());
  NNHAL_RETURN_IF_ERROR(readOperands(op));
  NNHAL_ASSIGN_OR_RETURN(std::vector<uint32_t> inputs, claimedInputs(op));
  NNHAL_ASSIGN_OR_RETURN(OperationView view, viewOf(op, claim, inputs));
  const ExtensionBackend &backend = *claim.extension->backend;
  uint32_t prefix = graph.file().prefixOf(backend.extension().name);
  NNHAL_ASSIGN_OR_RETURN(std::vector<TensorType> states, backend.states(view));
  std::vector<uint32_t> outputs, stateOutputs;
  for (size_t i = 0; i < states.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        addState(op, i, states[i], prefix, inputs, stateOutputs, view));
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, backend.check(view));
  if (facts.results.size() < states.size())
    return badData("the extension {} infers {} results, fewer than its {} "
                   "states",
                   backend.extension().name, facts.results.size(),
                   states.size());
  size_t expected = facts.results.size() - states.size();
  if (op.outputCount() != expected)
    return badData("has {} outputs, expected {}", op.outputCount(), expected);
  for (size_t i = 0; i < op.outputCount(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(
        Shape shape,
        claimedShape(op, i, view.outputs[i].type.type, facts.results[i]));
    NNHAL_ASSIGN_OR_RETURN(uint32_t output,
                           graph.define(op.output(i), std::move(shape)));
    outputs.push_back(output);
  }
  outputs.insert(outputs.end(), stateOutputs.begin(), stateOutputs.end());
  graph.addOperation(OperationType(prefix << 16 | claim.operation),
                     std::move(inputs), std::move(outputs));
  return Status();
}

} // namespace nnhal::rt::tflite
