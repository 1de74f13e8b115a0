//===- Extension.cpp - Operators beyond the HAL ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "ExtensionTypes.h"
#include "Folding.h"
#include "Recurrent.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

OperatorRow operatorRowOf(const ExtensionRow &extension) {
  OperatorRow row{.code = extension.code,
                  .type = extensionOperation(extension.code),
                  .import = nullptr};
  row.inputs = extension.inputs;
  row.outputs = extension.outputs;
  row.optionalInputs = extension.optionalInputs;
  row.dataInput = extension.dataInput;
  row.sameTypeInputs = extension.sameTypeInputs;
  row.inferShapes = extension.inferShapes;
  return row;
}

std::optional<size_t> openInput(Operator &op) {
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i) && op.input(i).shape &&
        std::ranges::count(op.shape(i), 0u) > 0)
      return i;
  return std::nullopt;
}

bool hasUnknownExtents(Operator &op) { return openInput(op).has_value(); }

//===----------------------------------------------------------------------===//
// Whether the HAL is enough
//===----------------------------------------------------------------------===//

/// The types of the data input that the HAL's form of the operator takes.
static uint16_t halTypesOf(const OperatorRow &hal,
                           const ExtensionRow &extension) {
  if (extension.halTypes)
    return extension.halTypes;
  if (hal.types != AnyType)
    return hal.types;
  const Signature *signature = signatureOf(hal.type);
  if (!signature || signature->inputs.size() <= extension.halInput)
    return AnyType;
  uint16_t types = 0;
  for (const TypeSince &row : signature->inputs[extension.halInput].types)
    types |= typeSetOf(row.type);
  return types ? types : uint16_t(AnyType);
}

/// The type of \p tensor as a set, be the extension in use or not.
static uint16_t typeSetOf(const Tensor &tensor) {
  std::optional<OperandType> type =
      tensor.type ? tensor.type : extensionTypeOf(tensor.sourceType);
  return type ? typeSetOf(*type) : 0;
}

static bool hasTypeBeyondHal(Operator &op, const ExtensionRow &extension) {
  for (size_t i = extension.dataInput;
       i < size_t(extension.dataInput) + extension.sameTypeInputs; ++i)
    if (op.hasInput(i) && typeSetOf(op.input(i)) & BeyondHal)
      return true;
  for (size_t i = 0; i < op.outputCount() && !extension.givesIndices; ++i)
    if (typeSetOf(op.output(i)) & BeyondHal)
      return true;
  return false;
}

static bool hasRankBeyondHal(Operator &op, const ExtensionRow &extension) {
  if (extension.halRank == 0)
    return false;
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i) && op.input(i).shape &&
        op.shape(i).size() > extension.halRank)
      return true;
  Result<std::vector<Shape>> shapes = extension.inferShapes(op);
  return shapes.isOk() && std::ranges::any_of(*shapes, [&](const Shape &shape) {
           return shape.size() > extension.halRank;
         });
}

bool needsExtension(Graph &graph, const schema::Operator &source,
                    const OperatorRow &hal, const ExtensionRow &extension) {
  const OperatorRow row = operatorRowOf(extension);
  Operator op(graph, source, row);
  if (!readOperands(op).isOk() || isFoldable(op) || hasEmptyList(op))
    return false;
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i) && (op.input(i).imaginary ||
                           (!op.input(i).shape && !isState(extension, i))))
      return false;
  uint16_t type = typeSetOf(op.input(extension.dataInput));
  if (!(extension.types & type))
    return false;
  if (extension.isBeyondHal && extension.isBeyondHal(op))
    return true;
  if (!(halTypesOf(hal, extension) & type))
    return true;
  // The extension has other results of SOFTMAX of bytes.
  if (mergesDimensions(op))
    return false;
  return hasUnknownExtents(op) || hasTypeBeyondHal(op, extension) ||
         hasRankBeyondHal(op, extension);
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

static Status checkTypes(Operator &op, const ExtensionRow &extension) {
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i) && !op.input(i).shape && !isState(extension, i))
      return badData("input {}, {}, is a variable", i, describe(op.input(i)));
  if (extension.inputs.most == 0)
    return Status();
  const Tensor &data = op.input(extension.dataInput);
  if (!data.type)
    return badData("{} {}", describe(data), data.typeProblem);
  if (!(typeSetOf(*data.type) & extension.types))
    return badData("{}'s {} does not take input {} of type {}", extensionName,
                   schema::EnumNameBuiltinOperator(extension.code),
                   extension.dataInput, nameOf(data.sourceType));
  return Status();
}

Result<std::vector<Shape>> partialShapes(Operator &op) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < op.outputCount(); ++i) {
    const std::vector<int32_t> &declared = op.output(i).declared;
    if (declared.empty())
      return badData(
          "the shape of output {} depends on values that are not constant", i);
    Shape &shape = shapes.emplace_back();
    for (int32_t extent : declared)
      // An option that changed a shape makes the extents of the file outdated.
      shape.push_back(extent > 0 && !op.graph.isReshaped() ? uint32_t(extent)
                                                           : 0);
  }
  return shapes;
}

static Status inferShapes(Operator &op, const ExtensionRow &extension) {
  bool isUnknown = hasUnknownExtents(op) && !extension.takesUnknown;
  NNHAL_ASSIGN_OR_RETURN(op.outputShapes, isUnknown
                                              ? partialShapes(op)
                                              : extension.inferShapes(op));
  if (op.outputShapes.size() != op.outputCount())
    return badData("has {} outputs, expected {}", op.outputCount(),
                   op.outputShapes.size());
  return Status();
}

/// Input \p i as the file states it, but weights as reals beside data of reals,
/// as the HAL's operations have them.
static Result<uint32_t> inputOperand(Operator &op, size_t i) {
  constexpr size_t maxDequantizedRank = 4; // DEQUANTIZE takes no more (M-146).
  bool isWeight = i != op.row.dataInput && op.input(op.row.dataInput).type &&
                  hasDynamicRange(op, i) && op.input(i).shape;
  if (!isWeight)
    return op.graph.useAsStated(op.input(i));
  if (op.shape(i).size() <= maxDequantizedRank)
    return weightsOperand(op, i);
  NNHAL_ASSIGN_OR_RETURN(uint32_t weights, op.graph.use(op.input(i)));
  Operand real;
  real.type = OperandType::TENSOR_FLOAT32;
  real.dimensions = op.graph.operand(weights).dimensions;
  uint32_t result = op.graph.addOperand(std::move(real));
  op.graph.addOperation(extensionOperation(schema::BuiltinOperator::DEQUANTIZE),
                        {weights}, {result});
  return result;
}

Status importAsExtension(Graph &graph, const schema::Operator &source,
                         const ExtensionRow &extension) {
  const OperatorRow row = operatorRowOf(extension);
  Operator op(graph, source, row);
  NNHAL_RETURN_IF_ERROR(readOperands(op));
  NNHAL_RETURN_IF_ERROR(checkTypes(op, extension));
  NNHAL_RETURN_IF_ERROR(inferShapes(op, extension));
  if (extension.import)
    return extension.import(op);
  OperationBuilder builder(op, row.type);
  bool isVariadic = extension.inputs.most == 255;
  size_t count = isVariadic ? op.inputCount() : extension.inputs.most;
  for (size_t i = 0; i < count; ++i)
    if (op.hasInput(i))
      builder.operand(inputOperand(op, i));
    else
      builder.operand(graph.addNoValue(OperandType::TENSOR_INT32));
  if (extension.addOptions)
    NNHAL_RETURN_IF_ERROR(extension.addOptions(op, builder));
  return builder.finish();
}

} // namespace nnhal::rt::tflite
