//===- Graph.cpp - The HAL model while it is imported ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "Complex.h"
#include "Constants.h"
#include "ExtensionTypes.h"
#include "Operator.h"
#include "Signatures.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace nnhal::rt::tflite {

/// Pools of the result: the file, and what had to be expanded from it.
constexpr uint32_t filePool = 0;
constexpr uint32_t expandedPool = 1;

const schema::OperatorCode *Graph::operatorCode(uint32_t index) const {
  const auto *codes = shared.model.operator_codes();
  return codes && index < codes->size() ? codes->Get(index) : nullptr;
}

uint16_t FileImport::prefixOf(std::string_view name) {
  std::vector<ExtensionNameAndPrefix> &listed =
      result.model.extensionNameToPrefix;
  auto found = std::ranges::find(listed, name, &ExtensionNameAndPrefix::name);
  if (found != listed.end())
    return found->prefix;
  uint16_t last = extensionPrefix;
  for (const ExtensionNameAndPrefix &one : listed)
    last = std::max(last, one.prefix);
  uint16_t prefix = name == extensionName ? extensionPrefix : last + 1;
  listed.push_back({std::string(name), prefix});
  return prefix;
}

static bool isOfTFLite(uint32_t code) { return code >> 16 == extensionPrefix; }

uint32_t Graph::addOperand(Operand operand) {
  if (isOfTFLite(uint32_t(operand.type)))
    shared.prefixOf(extensionName);
  target.operands.push_back(std::move(operand));
  return static_cast<uint32_t>(target.operands.size() - 1);
}

uint32_t Graph::addTemporary(uint32_t like, const Shape &shape) {
  Operand operand = target.operands[like];
  operand.lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  operand.location = {};
  operand.dimensions = shape.empty() ? Shape{1} : shape;
  return addOperand(std::move(operand));
}

uint32_t Graph::addConstant(OperandType type, std::vector<uint32_t> dimensions,
                            std::span<const std::byte> bytes, float scale) {
  std::vector<uint8_t> &values = shared.result.model.operandValues;
  // Values of 4 bytes and more are aligned to 4 bytes, shorter ones to 2
  // (B-025).
  size_t alignment = bytes.size() >= 4 ? 4 : bytes.size() >= 2 ? 2 : 1;
  values.resize((values.size() + alignment - 1) / alignment * alignment);
  Operand operand;
  operand.type = type;
  operand.dimensions = std::move(dimensions);
  operand.scale = scale;
  operand.lifetime = OperandLifeTime::CONSTANT_COPY;
  operand.location = {0, static_cast<uint32_t>(values.size()),
                      static_cast<uint32_t>(bytes.size())};
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  values.insert(values.end(), data, data + bytes.size());
  return addOperand(std::move(operand));
}

uint32_t Graph::addNoValue(OperandType type) {
  Operand operand;
  operand.type = type;
  operand.lifetime = OperandLifeTime::NO_VALUE;
  // B-014: an omitted operand still obeys the rules of its type.
  if (isQuantized(type) && type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
    operand.scale = 1.0f;
  return addOperand(std::move(operand));
}

OperandView Graph::view(uint32_t index) const {
  const Operand &source = operand(index);
  OperandView view = OperandView::of(shared.result.model, source);
  // The model gets its pools at the end.
  if (source.lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
    std::span<const std::byte> pool =
        source.location.poolIndex == filePool
            ? shared.file
            : std::span<const std::byte>(shared.expanded);
    view.value = pool.subspan(source.location.offset, source.location.length);
  }
  return view;
}

void Graph::addOperation(OperationType type, std::vector<uint32_t> inputs,
                         std::vector<uint32_t> outputs) {
  if (isOfTFLite(uint32_t(type)))
    shared.prefixOf(extensionName);
  target.operations.push_back({type, std::move(inputs), std::move(outputs)});
}

Result<Operand> operandFor(const Tensor &tensor, const Shape &shape) {
  if (!tensor.type)
    return badData("{} {}", describe(tensor), tensor.typeProblem);
  Operand operand;
  operand.type = *tensor.type;
  // A tensor of the HAL has at least one dimension; none is unknown rank.
  bool hasShape = isTensor(*tensor.type) || isExtension(*tensor.type);
  if (hasShape)
    operand.dimensions = shape.empty() ? Shape{1} : shape;
  operand.scale = tensor.scale;
  // INT32 has none in the HAL.
  if (*tensor.type != OperandType::TENSOR_INT32)
    operand.zeroPoint = tensor.zeroPoint;
  if (tensor.channels) {
    if (tensor.channels->channelDim >= shape.size() ||
        shape[tensor.channels->channelDim] != tensor.channels->scales.size())
      return badData("{} has {} scales, which is not the size of dimension {} "
                     "of its shape {}",
                     describe(tensor), tensor.channels->scales.size(),
                     tensor.channels->channelDim, toString(shape));
    operand.extraParams = *tensor.channels;
  }
  uint64_t size = elementSizeOf(*tensor.type);
  for (uint32_t extent : operand.dimensions)
    size = size > UINT32_MAX ? size : size * std::max(extent, 1u);
  if (hasShape && size > UINT32_MAX)
    return badData("{} of shape {} needs more than 4294967295 bytes",
                   describe(tensor), toString(shape));
  return operand;
}

Result<uint32_t> Graph::makeConstant(Tensor &tensor) {
  if (elementCount(*tensor.shape) == 0u)
    return badData("{} has no elements", describe(tensor));
  NNHAL_ASSIGN_OR_RETURN(Operand operand, operandFor(tensor, *tensor.shape));
  operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  bool isInPlace = !needsExpansion(tensor);
  uint64_t offset = 0;
  if (isInPlace) {
    offset = tensor.bytes.data() - shared.file.data();
    isInPlace = offset % elementSizeOf(operand.type) == 0 &&
                offset + tensor.bytes.size() <= UINT32_MAX;
  }
  if (isInPlace) {
    operand.location = {filePool, static_cast<uint32_t>(offset),
                        static_cast<uint32_t>(tensor.bytes.size())};
  } else {
    shared.expanded.resize((shared.expanded.size() + 15) / 16 * 16);
    size_t begin = shared.expanded.size();
    NNHAL_RETURN_IF_ERROR(
        expandConstant(tensor, shared.constantLimit(), shared.expanded)
            .withContext(describe(tensor)));
    operand.location = {expandedPool, static_cast<uint32_t>(begin),
                        static_cast<uint32_t>(shared.expanded.size() - begin)};
  }
  return addOperand(std::move(operand));
}

static Status checkUndefined(const Tensor &tensor) {
  if (tensor.isConstant || tensor.isVariable || tensor.operand)
    return badData("computes {}, which has a value already", describe(tensor));
  return Status();
}

Status Graph::fold(Tensor &tensor, Shape shape, std::vector<std::byte> values) {
  NNHAL_RETURN_IF_ERROR(checkUndefined(tensor));
  tensor.isConstant = tensor.isFolded = true;
  tensor.shape = std::move(shape);
  tensor.bytes = shared.keepFolded(std::move(values));
  return Status();
}

Status Graph::bind(Tensor &tensor, uint32_t operand, Shape shape) {
  NNHAL_RETURN_IF_ERROR(checkUndefined(tensor));
  tensor.operand = operand;
  tensor.shape = std::move(shape);
  return Status();
}

Status Graph::bindConstant(Tensor &tensor, const Tensor &constant) {
  NNHAL_RETURN_IF_ERROR(checkUndefined(tensor));
  tensor.isConstant = true;
  tensor.isFolded = constant.isFolded;
  tensor.sourceType = constant.sourceType;
  if (tensor.is64Bit)
    tensor.type = constant.type;
  tensor.shape = constant.shape;
  tensor.bytes = constant.bytes;
  tensor.expansion = constant.expansion;
  tensor.blocks = constant.blocks;
  tensor.sparsity = constant.sparsity;
  return Status();
}

Result<uint32_t> Graph::use(Tensor &tensor) {
  if (tensor.imaginary)
    return badData("{} {}", describe(tensor), tensor.typeProblem);
  if (tensor.operand)
    return *tensor.operand;
  if (!tensor.isConstant)
    return badData("{} is used before it is computed", describe(tensor));
  NNHAL_ASSIGN_OR_RETURN(tensor.operand, makeConstant(tensor));
  return *tensor.operand;
}

Result<std::vector<uint32_t>> Graph::useParts(Tensor &tensor) {
  NNHAL_RETURN_IF_ERROR(splitConstant(*this, tensor));
  if (tensor.imaginary)
    return std::vector<uint32_t>{*tensor.operand, *tensor.imaginary};
  NNHAL_ASSIGN_OR_RETURN(uint32_t value, use(tensor));
  return std::vector<uint32_t>{value};
}

static Status checkDefinable(const Tensor &tensor) {
  if (tensor.isConstant)
    return badData("computes {}, which is a constant", describe(tensor));
  if (tensor.isVariable)
    return badData("computes {}, which is a variable", describe(tensor));
  if (tensor.operand)
    return badData("computes {}, which has a value already", describe(tensor));
  return Status();
}

Result<uint32_t> Graph::define(Tensor &tensor, Shape shape) {
  NNHAL_RETURN_IF_ERROR(checkDefinable(tensor));
  NNHAL_ASSIGN_OR_RETURN(Operand operand, operandFor(tensor, shape));
  tensor.shape = std::move(shape);
  tensor.operand = addOperand(std::move(operand));
  return *tensor.operand;
}

Result<std::vector<uint32_t>> Graph::defineParts(Tensor &tensor, Shape shape) {
  NNHAL_RETURN_IF_ERROR(checkDefinable(tensor));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Operand> parts, partsFor(tensor, shape));
  std::vector<uint32_t> indices;
  indices.reserve(parts.size());
  for (Operand &part : parts)
    indices.push_back(addOperand(std::move(part)));
  tensor.shape = std::move(shape);
  tensor.operand = indices[0];
  if (indices.size() > 1)
    tensor.imaginary = indices[1];
  return indices;
}

Result<uint32_t> Graph::readState(Tensor &variable, Shape shape) {
  if (!isMain())
    return badData("{} is a state, which only the main subgraph can have",
                   describe(variable));
  if (variable.operand)
    return *variable.operand;
  NNHAL_ASSIGN_OR_RETURN(Operand operand, operandFor(variable, shape));
  operand.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  variable.shape = std::move(shape);
  variable.operand = addOperand(std::move(operand));
  states.push_back({&variable, *variable.operand});
  return *variable.operand;
}

uint32_t Graph::addFlagState(std::string name, Shape shape) {
  Tensor &flag = ownStates.emplace_back();
  flag.name = std::move(name);
  flag.shape = shape;
  std::vector<std::byte> truth(*elementCount(shape), std::byte(1));
  Operand operand;
  operand.type = OperandType::TENSOR_BOOL8;
  operand.dimensions = shape;
  operand.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  uint32_t input = addOperand(std::move(operand));
  flag.operand =
      addConstant(OperandType::TENSOR_BOOL8, std::move(shape), truth);
  states.push_back({&flag, input});
  return input;
}

Result<StateOperands> Graph::addState(std::string name, Operand operand) {
  if (!isMain())
    return badData("'{}' is a state, which only the main subgraph can have",
                   name);
  Tensor &state = ownStates.emplace_back();
  state.name = std::move(name);
  state.shape = operand.dimensions;
  StateOperands operands;
  operand.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  operands.input = addOperand(std::move(operand));
  operands.output = addTemporary(operands.input, *state.shape);
  state.operand = operands.output;
  states.push_back({&state, operands.input});
  return operands;
}

Status Graph::callOnce(int32_t index) {
  uint32_t count = shared.model.subgraphs()->size();
  if (index < 0 || uint32_t(index) >= count)
    return badData("calls subgraph {} of {}", index, count);
  return shared.variables
      .initialize(*shared.model.subgraphs()->Get(uint32_t(index)), shared.file)
      .withContext(fmt::format("subgraph {}", index));
}

uint32_t Graph::writeState(Tensor &variable) {
  variable.operand = addTemporary(*variable.operand, *variable.shape);
  return *variable.operand;
}

/// "input 0 'image'".
static std::string describeInput(uint32_t position, const Tensor &tensor) {
  return tensor.name.empty()
             ? fmt::format("input {}", position)
             : fmt::format("input {} '{}'", position, tensor.name);
}

Status Graph::importInput(uint32_t position, Tensor &tensor,
                          const std::vector<uint32_t> *option) {
  std::string name = describeInput(position, tensor);
  if (tensor.isConstant)
    return badData("{} is a constant", name);
  if (tensor.operand)
    return badData("{} is listed twice", name);
  std::vector<int64_t> dimensions;
  dimensions.reserve(tensor.declared.size());
  for (int32_t dimension : tensor.declared)
    dimensions.push_back(dimension == -1 ? 1 : dimension);
  if (option) {
    if (!tensor.declared.empty() && option->size() != tensor.declared.size())
      return badData("{} has rank {}, but the shape given for it has rank {}",
                     name, tensor.declared.size(), option->size());
    for (size_t i = 0; i < tensor.declared.size(); ++i)
      if (tensor.declared[i] != -1 && i > 0 &&
          int64_t((*option)[i]) != tensor.declared[i])
        return badData(
            "{} has size {} in dimension {}, but the shape given for it has {}",
            name, tensor.declared[i], i, (*option)[i]);
    shared.isReshaped |= !std::equal(option->begin(), option->end(),
                                     dimensions.begin(), dimensions.end());
    dimensions.assign(option->begin(), option->end());
  }
  Result<Shape> shape = makeShape(dimensions);
  if (!shape.isOk())
    return std::move(shape).takeStatus().withContext(name);
  tensor.isVariable = false;
  Result<Operand> operand = isComplex(tensor)
                                ? complexOperandFor(*this, tensor, *shape)
                                : operandFor(tensor, *shape);
  if (!operand.isOk())
    return std::move(operand).takeStatus().withContext(
        fmt::format("input {}", position));
  operand->lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  tensor.shape = *std::move(shape);
  uint32_t input = addOperand(*std::move(operand));
  target.inputIndexes.push_back(input);
  if (isComplex(tensor))
    splitComplex(*this, tensor, input);
  else
    tensor.operand = input;
  shared.result.inputNames.push_back(tensor.name);
  return Status();
}

Status Graph::importInputs(const TFLiteImportOptions &options) {
  std::set<std::string> unusedOptions;
  for (const auto &[key, shape] : options.inputShapes)
    unusedOptions.insert(key);
  uint32_t position = 0;
  for (int32_t index : elementsOf(source.inputs())) {
    if (index < 0 || uint32_t(index) >= tensors.size())
      return badData("input {} refers to tensor {} of {}", position, index,
                     tensors.size());
    Tensor &tensor = tensors[index];
    const std::vector<uint32_t> *option = nullptr;
    for (const std::string &key : {tensor.name, std::to_string(position)})
      if (auto found = options.inputShapes.find(key);
          found != options.inputShapes.end()) {
        option = &found->second;
        unusedOptions.erase(key);
        break;
      }
    NNHAL_RETURN_IF_ERROR(importInput(position, tensor, option));
    ++position;
  }
  if (!unusedOptions.empty())
    return badData(
        "a shape is given for input '{}', which the model does not have",
        *unusedOptions.begin());
  return Status();
}

/// The operation that copies a value of \p type unchanged.
static OperationType identityOperation(const Operand &operand) {
  if (isExtension(operand.type))
    return extensionOperation(schema::BuiltinOperator::RESHAPE);
  switch (operand.type) {
  case OperandType::TENSOR_FLOAT32:
  case OperandType::TENSOR_FLOAT16:
  case OperandType::TENSOR_QUANT8_ASYMM:
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    if (operand.dimensions.size() <= 4)
      return OperationType::RESHAPE;
    break;
  default:
    break;
  }
  return OperationType::CAST; // M-151: any type to itself
}

uint32_t Graph::asOutput(uint32_t index, const Shape &shape) {
  // B-038, B-054: an output is written by an operation and listed once.
  if (operand(index).lifetime != OperandLifeTime::TEMPORARY_VARIABLE) {
    uint32_t copy = addTemporary(index, shape);
    OperationType type = identityOperation(operand(index));
    std::vector<uint32_t> inputs = {index};
    if (type == OperationType::RESHAPE) {
      std::vector<int32_t> extents(operand(copy).dimensions.begin(),
                                   operand(copy).dimensions.end());
      inputs.push_back(addConstant(OperandType::TENSOR_INT32,
                                   {uint32_t(extents.size())},
                                   std::as_bytes(std::span(extents))));
    } else if (isExtension(type)) {
      inputs.push_back(addNoValue(OperandType::TENSOR_INT32));
    }
    addOperation(type, inputs, {copy});
    index = copy;
  }
  operand(index).lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  return index;
}

Result<uint32_t> Graph::useAsOutput(Tensor &tensor) {
  NNHAL_RETURN_IF_ERROR(splitConstant(*this, tensor));
  if (!tensor.imaginary)
    return use(tensor);
  NNHAL_ASSIGN_OR_RETURN(Operand operand,
                         complexOperandFor(*this, tensor, *tensor.shape));
  return joinComplex(*this, tensor, std::move(operand));
}

Status Graph::importOutput(uint32_t position, Tensor &tensor) {
  if (tensor.isVariable)
    return badData(
        "output {} is the variable {}, which is a state output already",
        position, describe(tensor));
  Result<uint32_t> value = useAsOutput(tensor);
  if (!value.isOk())
    return std::move(value).takeStatus().withContext(
        fmt::format("output {}", position));
  if (tensor.channels &&
      operand(*value).lifetime != OperandLifeTime::TEMPORARY_VARIABLE)
    return badData(
        "output {} is {}, whose several scales no operation can copy", position,
        describe(tensor));
  target.outputIndexes.push_back(asOutput(*value, *tensor.shape));
  shared.result.outputNames.push_back(tensor.name);
  return Status();
}

Status Graph::importOutputs() {
  uint32_t position = 0;
  for (int32_t index : elementsOf(source.outputs())) {
    if (index < 0 || uint32_t(index) >= tensors.size())
      return badData("output {} refers to tensor {} of {}", position, index,
                     tensors.size());
    NNHAL_RETURN_IF_ERROR(importOutput(position, tensors[index]));
    ++position;
  }
  if (position == 0)
    return badData("the model has no outputs");
  return Status();
}

void Graph::importStates() {
  Subgraph &main = shared.result.model.main;
  for (const State &state : states) {
    const Tensor &variable = *state.variable;
    main.inputIndexes.push_back(state.input);
    shared.result.inputNames.push_back(variable.name);
    main.outputIndexes.push_back(asOutput(*variable.operand, *variable.shape));
    shared.result.outputNames.push_back(variable.name);
    shared.result.statePairs.push_back(
        {static_cast<uint32_t>(main.outputIndexes.size() - 1),
         static_cast<uint32_t>(main.inputIndexes.size() - 1)});
  }
}

Status Graph::import(const TFLiteImportOptions &options) {
  NNHAL_ASSIGN_OR_RETURN(tensors, readTensors(shared.model, source, shared.file,
                                              shared.useExtensions));
  shared.variables.scan(source);
  const schema::SignatureDef *signature = shared.signature;
  if (signature)
    NNHAL_RETURN_IF_ERROR(nameTensors(signature->inputs(), tensors));
  NNHAL_RETURN_IF_ERROR(importInputs(options));
  NNHAL_RETURN_IF_ERROR(importOperators());
  if (signature)
    NNHAL_RETURN_IF_ERROR(nameTensors(signature->outputs(), tensors));
  NNHAL_RETURN_IF_ERROR(importOutputs());
  importStates();
  return Status();
}

Status Graph::importArgument(Tensor &tensor, const Tensor &argument,
                             bool isInlined) {
  if (!accepts(tensor, argument))
    return badData("{} has another type, scale or zero point than its argument",
                   describe(tensor));
  tensor.isVariable = false;
  tensor.type = argument.type;
  tensor.sourceType = argument.sourceType;
  if (argument.isConstant)
    return bindConstant(tensor, argument);
  if (isInlined) {
    NNHAL_RETURN_IF_ERROR(bind(tensor, *argument.operand, *argument.shape));
    tensor.imaginary = argument.imaginary;
    return Status();
  }
  NNHAL_ASSIGN_OR_RETURN(std::vector<uint32_t> parts,
                         defineParts(tensor, *argument.shape));
  for (uint32_t input : parts) {
    operand(input).lifetime = OperandLifeTime::SUBGRAPH_INPUT;
    target.inputIndexes.push_back(input);
  }
  return Status();
}

Status Graph::importOperators() {
  uint32_t index = 0;
  for (const schema::Operator *op : tablesOf(source.operators()))
    NNHAL_RETURN_IF_ERROR(importOperator(*this, *op, index++));
  return Status();
}

Status Graph::importCalled(std::span<const Tensor> arguments, bool isInlined,
                           std::vector<Tensor> &results) {
  NNHAL_ASSIGN_OR_RETURN(tensors, readTensors(shared.model, source, shared.file,
                                              shared.useExtensions));
  std::span<const int32_t> inputs = elementsOf(source.inputs()),
                           outputs = elementsOf(source.outputs());
  for (int32_t index : inputs)
    if (index < 0 || uint32_t(index) >= tensors.size())
      return badData("an input refers to tensor {} of {}", index,
                     tensors.size());
  for (int32_t index : outputs)
    if (index < 0 || uint32_t(index) >= tensors.size())
      return badData("an output refers to tensor {} of {}", index,
                     tensors.size());
  if (inputs.size() != arguments.size())
    return badData("takes {} inputs, but {} are given", inputs.size(),
                   arguments.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        importArgument(tensors[size_t(inputs[i])], arguments[i], isInlined));
  NNHAL_RETURN_IF_ERROR(importOperators());
  for (int32_t index : outputs) {
    Tensor &tensor = tensors[size_t(index)];
    if (!tensor.isConstant)
      NNHAL_RETURN_IF_ERROR(useParts(tensor).takeStatus());
    results.push_back(tensor);
  }
  return Status();
}

Status Graph::importCalled(std::span<const Tensor> arguments,
                           std::vector<Tensor> &results) {
  return importCalled(arguments, /*isInlined=*/false, results);
}

Status Graph::importInlined(const schema::SubGraph &called,
                            std::span<const Tensor> arguments,
                            std::vector<Tensor> &results) {
  return Graph(shared, called, target)
      .importCalled(arguments, /*isInlined=*/true, results);
}

bool accepts(const Tensor &tensor, const Tensor &value) {
  if (isComplex(tensor) || isComplex(value))
    return tensor.sourceType == value.sourceType;
  bool isNarrowed = tensor.sourceType == schema::TensorType::INT64 &&
                    value.type == OperandType::TENSOR_INT32;
  return value.type && (isNarrowed || tensor.type == value.type) &&
         !tensor.channels && !value.channels && tensor.scale == value.scale &&
         tensor.zeroPoint == value.zeroPoint;
}

std::span<const std::byte>
FileImport::keepFolded(std::vector<std::byte> bytes) {
  foldedBytes += bytes.size();
  return folded.emplace_back(std::move(bytes));
}

uint64_t FileImport::constantLimit() const {
  uint64_t limit = std::max<uint64_t>(256 << 20, file.size() * 4);
  return std::min<uint64_t>(limit, UINT32_MAX); // A location has 32 bits.
}

Status FileImport::checkConstants(uint64_t more) const {
  uint64_t made =
      result.model.operandValues.size() + expanded.size() + foldedBytes + more;
  if (made > constantLimit())
    return badData("needs constants of {} bytes that the file does not hold, "
                   "at most {} are made",
                   made, constantLimit());
  return Status();
}

AnnotatedModel FileImport::take(Memory memory) && {
  Pool pool;
  pool.name = "mmap_fd";
  pool.memory = std::move(memory);
  result.model.pools.push_back(std::move(pool));
  if (!expanded.empty()) {
    Pool expandedMemory;
    expandedMemory.name = "ashmem";
    expandedMemory.memory = Memory::adopt(std::move(expanded));
    expandedMemory.isSynthetic = true;
    result.model.pools.push_back(std::move(expandedMemory));
  }
  computeConsumers(result.model.main);
  for (Subgraph &called : result.model.referenced)
    computeConsumers(called);
  return std::move(result);
}

} // namespace nnhal::rt::tflite
