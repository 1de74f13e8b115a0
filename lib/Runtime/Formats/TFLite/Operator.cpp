//===- Operator.cpp - One TFLite operator while it is imported ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operator.h"

#include "BasicLstm.h"
#include "Constants.h"
#include "Extension.h"
#include "ExtensionTypes.h"
#include "Folding.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/ExtensionBackend.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace nnhal::rt::tflite {

const void *Operator::defaultTable() {
  // A table whose vtable lists no field: every accessor gives its default. The
  // first four bytes are the vtable, the last the distance to it.
  struct alignas(4) Empty {
    uint16_t vtableSize = 4;
    uint16_t tableSize = 4;
    int32_t distance = 4;
  };
  static constexpr Empty empty;
  return &empty.distance;
}

std::vector<int64_t> Operator::dimensions(size_t i) {
  const Shape &known = shape(i);
  return {known.begin(), known.end()};
}

Result<std::vector<int32_t>> Operator::integers(size_t i) {
  if (!isConstant(i))
    return badData("input {} must be a constant", i);
  return constantIntegers(input(i));
}

Result<int32_t> Operator::integer(size_t i) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> values, integers(i));
  if (values.size() != 1)
    return badData("input {} has {} values, expected 1", i, values.size());
  return values[0];
}

Result<uint32_t> Operator::normalizeAxis(int64_t axis, size_t rank) {
  int64_t count = static_cast<int64_t>(rank);
  if (axis < -count || axis >= count)
    return badData("axis {} is not in {}..{}", axis, -count, count - 1);
  return static_cast<uint32_t>(axis < 0 ? axis + count : axis);
}

Result<std::vector<Shape>> Operator::declaredShapes() {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < outputCount(); ++i) {
    const Tensor &tensor = output(i);
    if (graph.isReshaped() || tensor.declared.empty())
      return badData(
          "the shape of output {} depends on values that are not constant", i);
    std::vector<int64_t> dimensions(tensor.declared.begin(),
                                    tensor.declared.end());
    for (int64_t &dimension : dimensions)
      dimension = dimension == -1 ? 1 : dimension;
    NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Result<Shape> Operator::outputShape(size_t i, const TensorType &result) {
  if (std::ranges::count(result.dimensions, unknownExtent) > 0 ||
      !result.isRanked) {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Shape> declared, declaredShapes());
    return declared[i];
  }
  if (std::ranges::count(result.dimensions, 0) > 0)
    return badData("output {} of shape {} has no elements", i,
                   shapeText(result));
  if (result.dimensions == std::vector<int64_t>{1} &&
      output(i).declared.empty())
    return Shape();
  return makeShape(result.dimensions);
}

schema::BuiltinOperator builtinCode(const schema::OperatorCode &source) {
  return std::max(source.builtin_code(),
                  schema::BuiltinOperator(source.deprecated_builtin_code()));
}

static std::string operatorName(const schema::OperatorCode &code) {
  schema::BuiltinOperator builtin = builtinCode(code);
  if (builtin == schema::BuiltinOperator::CUSTOM)
    return fmt::format("CUSTOM '{}'", code.custom_code()
                                          ? code.custom_code()->string_view()
                                          : "");
  const char *name = schema::EnumNameBuiltinOperator(builtin);
  return *name ? std::string(name) : fmt::format("code {}", int(builtin));
}

Status readOperands(Operator &op) {
  const OperatorRow &row = op.row;
  auto read = [&](const flatbuffers::Vector<int32_t> *list, const char *role,
                  uint32_t low, uint32_t high, int32_t first,
                  std::vector<int32_t> &indices) -> Status {
    for (int32_t index : elementsOf(list)) {
      if (index < first || index >= int64_t(op.graph.tensorCount()))
        return badData("{} {} refers to tensor {} of {}", role, indices.size(),
                       index, op.graph.tensorCount());
      indices.push_back(index);
    }
    if (indices.size() < low || indices.size() > high)
      return low == high
                 ? badData("has {} {}s, expected {}", indices.size(), role, low)
                 : badData("has {} {}s, expected {} to {}", indices.size(),
                           role, low, high);
    return Status();
  };
  NNHAL_RETURN_IF_ERROR(read(op.source.inputs(), "input", row.inputs.least,
                             row.inputs.most, -1, op.inputs));
  NNHAL_RETURN_IF_ERROR(read(op.source.outputs(), "output", row.outputs.least,
                             row.outputs.most, 0, op.outputs));
  // A list of tensors has no gaps; what a custom operator may leave out is its
  // author's choice.
  bool isList = row.inputs.most == std::numeric_limits<uint8_t>::max() &&
                row.code != schema::BuiltinOperator::CUSTOM;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    bool isOptional = (i >= row.inputs.least && !isList) ||
                      (i < 64 && (row.optionalInputs >> i & 1));
    if (!op.hasInput(i)) {
      if (!isOptional)
        return badData("input {} is missing", i);
      continue;
    }
    const Tensor &tensor = op.input(i);
    if (!tensor.shape && !tensor.isVariable)
      return badData("input {}, {}, is used before it is computed", i,
                     describe(tensor));
  }
  if (row.code == schema::BuiltinOperator::GATHER ||
      row.code == schema::BuiltinOperator::GATHER_ND ||
      row.code == schema::BuiltinOperator::TOPK_V2) {
    NNHAL_ASSIGN_OR_RETURN(op.inputs[1],
                           op.graph.asIndices(uint32_t(op.inputs[1])));
  }
  return Status();
}

uint16_t typeSetOf(OperandType type) {
  static constexpr std::pair<OperandType, uint16_t> sets[] = {
      {OperandType::TENSOR_QUANT16_SYMM, S16},
      {OperandType::TENSOR_QUANT16_ASYMM, A16},
      {tensorInt64, I64},
      {tensorUint32, U32},
      {tensorUint16, U16},
      {tensorUint64, U64},
      {tensorFloat64, F64},
      {OperandType::TENSOR_FLOAT32, F32},
      {OperandType::TENSOR_FLOAT16, F16},
      {OperandType::TENSOR_INT32, I32},
      {OperandType::TENSOR_QUANT8_ASYMM, U8},
      {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, S8},
      {OperandType::TENSOR_BOOL8, B8},
      {OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, PerChannel}};
  const auto *found =
      std::ranges::find(sets, type, &std::pair<OperandType, uint16_t>::first);
  return found == std::end(sets) ? uint16_t(0) : found->second;
}

/// Checks the data inputs against what the HAL operation takes.
static Status checkTypes(Operator &op) {
  const OperatorRow &row = op.row;
  // Only operators with a state take variables.
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i) && !op.input(i).shape &&
        (i == row.dataInput || !row.inferShapes))
      return badData("input {}, {}, is a variable", i, describe(op.input(i)));
  Tensor &data = op.input(row.dataInput);
  if (!data.type)
    return badData("{} {}", describe(data), data.typeProblem);
  if (row.types != AnyType && !(typeSetOf(*data.type) & row.types))
    return badData("the HAL's {} does not take input {} of type {}",
                   nameOf(row.type), row.dataInput, nameOf(data.sourceType));
  if (row.maxRank && data.shape->size() > row.maxRank)
    return badData(
        "the HAL's {} takes at most rank {}, but input {} has shape {}",
        nameOf(row.type), row.maxRank, row.dataInput, toString(*data.shape));
  for (size_t i = row.dataInput + 1u;
       i < size_t(row.dataInput) + row.sameTypeInputs; ++i) {
    if (!op.hasInput(i))
      continue;
    Tensor &other = op.input(i);
    if (!other.type)
      return badData("{} {}", describe(other), other.typeProblem);
    if (*other.type != *data.type)
      return badData("input {} has type {}, but input {} has type {}", i,
                     nameOf(*other.type), row.dataInput, nameOf(*data.type));
  }
  return Status();
}

/// The type that the HAL operation gives output \p i; nullopt where the
/// importer decides.
static std::optional<OperandType> outputType(Operator &op, size_t i) {
  switch (op.row.type) {
  case OperationType::CAST:
  case OperationType::QUANTIZE:
  case OperationType::DEQUANTIZE:
  case OperationType::RANK:
    return std::nullopt;
  default:
    break;
  }
  return op.input(op.row.dataInput).type;
}

static Status checkOutputTypes(Operator &op) {
  for (size_t i = 0; i < op.outputCount(); ++i) {
    const Tensor &tensor = op.output(i);
    std::optional<OperandType> expected = outputType(op, i);
    if (expected && tensor.type && *tensor.type != *expected)
      return badData("output {} has type {}, expected {}", i,
                     nameOf(*tensor.type), nameOf(*expected));
  }
  return Status();
}

static Status checkPlain(const OperatorRow &row, const Tensor &tensor) {
  if (tensor.isPlain && !row.takesPlain)
    return badData("{} has type {} but no quantization parameters",
                   describe(tensor), nameOf(tensor.sourceType));
  return Status();
}

/// Checks that bytes without quantization parameters are not computed with.
static Status checkPlain(Operator &op) {
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i))
      NNHAL_RETURN_IF_ERROR(checkPlain(op.row, op.input(i)));
  for (size_t i = 0; i < op.outputCount(); ++i)
    NNHAL_RETURN_IF_ERROR(checkPlain(op.row, op.output(i)));
  return Status();
}

/// Makes the inputs of \p op what operations of the HAL take.
static Status prepareOperands(Operator &op) {
  // Calls and variables hand on what they get, and SHAPE reads no values.
  if (op.row.checksTypes || op.row.code == schema::BuiltinOperator::SHAPE)
    return Status();
  for (size_t i = 0; i < op.inputCount(); ++i) {
    if (!op.hasInput(i))
      continue;
    if (op.input(i).shape && std::ranges::count(op.shape(i), 0u) > 0)
      return op.isConstant(i)
                 ? badData("{} has no elements", describe(op.input(i)))
                 : badData("the shape of input {} depends on values that are "
                           "not constant",
                           i);
    op.inputs[i] = int32_t(op.graph.asNarrow(uint32_t(op.inputs[i])));
  }
  return Status();
}

/// Imports \p op, whose operands have been read.
static Status importOperands(Operator &op) {
  const OperatorRow &row = op.row;
  if (movesChannels(op))
    return foldChannels(op);
  if (isFoldable(op)) {
    NNHAL_ASSIGN_OR_RETURN(op.outputShapes, row.inferShapes(op));
    return foldIntegers(op);
  }
  NNHAL_RETURN_IF_ERROR(prepareOperands(op));
  if (!row.checksTypes) {
    NNHAL_RETURN_IF_ERROR(checkTypes(op));
    NNHAL_RETURN_IF_ERROR(checkPlain(op));
  }
  if (row.inferShapes) {
    NNHAL_ASSIGN_OR_RETURN(op.outputShapes, row.inferShapes(op));
    NNHAL_RETURN_IF_ERROR(checkOutputTypes(op));
  }
  return row.import(op);
}

static Status importWithRow(Graph &graph, const schema::Operator &source,
                            const OperatorRow &row) {
  if (row.code == schema::BuiltinOperator::LSTM && isBasicLstm(source))
    return importBasicLstm(graph, source);
  Operator op(graph, source, row);
  NNHAL_RETURN_IF_ERROR(readOperands(op));
  if (hasEmptyList(op))
    return importEmptyList(op);
  return mergesDimensions(op) ? importMerged(op, importOperands)
                              : importOperands(op);
}

/// A form in which an operator may be imported; at most one is set.
struct Form {
  const ExtensionRow *extension = nullptr;
  Claim claim;
  const OperatorRow *hal = nullptr;
  /// The inputs and outputs of an operator on complex numbers.
  std::optional<OperatorRow> complexRow = {};
};

static Result<Form> formOf(Graph &graph, const schema::Operator &source,
                           schema::BuiltinOperator builtin,
                           std::string_view custom) {
  Form form;
  form.hal = findOperator(builtin, custom);
  form.extension = findExtension(builtin);
  if (builtin == schema::BuiltinOperator::CUSTOM) {
    NNHAL_ASSIGN_OR_RETURN(form.claim,
                           findClaim(graph.file().extensions, custom));
  }
  if (form.hal || form.extension) {
    OperatorRow row = form.hal ? *form.hal : operatorRowOf(*form.extension);
    Operator op(graph, source, row);
    if (readOperands(op).isOk() && computesComplex(op))
      form.complexRow = row;
  }
  if (form.extension && form.hal &&
      !needsExtension(graph, source, *form.hal, *form.extension))
    form.extension = nullptr;
  return form;
}

/// Imports \p source in the form of an extension, or in the HAL's.
static Status importIn(const Form &form, Graph &graph,
                       const schema::Operator &source,
                       schema::BuiltinOperator builtin) {
  bool usesExtensions = graph.file().useExtensions;
  if (form.complexRow) {
    Operator op(graph, source, *form.complexRow);
    NNHAL_RETURN_IF_ERROR(readOperands(op));
    return importComplex(op);
  }
  if (form.claim.extension && usesExtensions)
    return importAsClaimed(graph, source, form.claim);
  if (form.extension && usesExtensions)
    return importAsExtension(graph, source, *form.extension);
  Status status = form.hal ? importWithRow(graph, source, *form.hal)
                           : badData("{}", whyUnsupported(builtin));
  if (status.code() == StatusCode::invalidArgument &&
      (form.extension || form.claim.extension))
    status = badData("{}; the extension {} takes it", status.message(),
                     form.extension
                         ? extensionName
                         : form.claim.extension->backend->extension().name);
  return status;
}

Status importAs(Graph &graph, const schema::Operator &source,
                schema::BuiltinOperator code) {
  NNHAL_ASSIGN_OR_RETURN(Form form, formOf(graph, source, code, ""));
  return importIn(form, graph, source, code);
}

Status importOperator(Graph &graph, const schema::Operator &source,
                      uint32_t index) {
  const schema::OperatorCode *code = graph.operatorCode(source.opcode_index());
  if (!code)
    return badData(
        "operator {} refers to operator code {}, which the file does not have",
        index, source.opcode_index());
  Result<Form> form =
      formOf(graph, source, builtinCode(*code),
             code->custom_code() ? code->custom_code()->string_view() : "");
  Status status = form.isOk()
                      ? importIn(*form, graph, source, builtinCode(*code))
                      : std::move(form).takeStatus();
  if (status.isOk())
    status = graph.file().checkConstants();
  return std::move(status).withContext(
      fmt::format("operator {} ({})", index, operatorName(*code)));
}

} // namespace nnhal::rt::tflite
