//===- Model.cpp - A model that a client builds ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Library.h"
#include "OperandTypes.h"

#include "Runtime/Model/NeededArguments.h"
#include "Runtime/Model/Validation.h"
#include "nnhal/Backend/Signatures.h"

#include <algorithm>
#include <cstring>

using namespace nnhal;
using namespace nnhal::ndk;
using rt::Operand;
using rt::OperandLifeTime;
using rt::OperandType;

// The greatest number of operands, and of operations (B-104, J-115).
static constexpr uint32_t maxCount = 0xFFFFFFFE;

ANeuralNetworksModel::ANeuralNetworksModel()
    : built(std::make_shared<rt::AnnotatedModel>()) {}

Operand *ANeuralNetworksModel::operandAt(int32_t index) {
  std::vector<Operand> &operands = built->model.main.operands;
  return index >= 0 && size_t(index) < operands.size()
             ? &operands[size_t(index)]
             : nullptr;
}

int ANeuralNetworksModel::addOperand(const ANeuralNetworksOperandType &type) {
  if (state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  std::vector<Operand> &operands = built->model.main.operands;
  Operand operand;
  if (operands.size() >= maxCount ||
      !makeOperand(type, Openness::allowed, operand))
    return ANEURALNETWORKS_BAD_DATA;
  operands.push_back(std::move(operand));
  return ANEURALNETWORKS_NO_ERROR;
}

/// Values lie at multiples of their size, of 4 bytes at most (B-025).
static size_t aligned(size_t offset, size_t length) {
  size_t alignment = length < 2 ? 1 : length < 4 ? 2 : 4;
  return (offset + alignment - 1) & ~(alignment - 1);
}

void ANeuralNetworksModel::storeInline(Operand &operand, const void *buffer,
                                       uint32_t length) {
  std::vector<uint8_t> &values = built->model.operandValues;
  bool isReplaced = operand.lifetime == OperandLifeTime::CONSTANT_COPY &&
                    operand.location.length == length;
  size_t offset =
      isReplaced ? operand.location.offset : aligned(values.size(), length);
  if (!isReplaced)
    values.resize(offset + length);
  if (length != 0)
    std::memcpy(values.data() + offset, buffer, length);
  operand.lifetime = OperandLifeTime::CONSTANT_COPY;
  operand.location = {0, uint32_t(offset), length};
}

/// OEM scalars have values of any length (B-114).
static bool hasFittingLength(const Operand &operand, size_t length) {
  if (operand.type == OperandType::OEM)
    return true;
  return sizeOf(operand) == std::optional(uint32_t(length));
}

int ANeuralNetworksModel::setOperandValue(int32_t index, const void *buffer,
                                          size_t length) {
  if (state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  Operand *operand = operandAt(index);
  if (!operand || length > UINT32_MAX || operand->type == OperandType::SUBGRAPH)
    return ANEURALNETWORKS_BAD_DATA;
  if (buffer && !hasFittingLength(*operand, length))
    return ANEURALNETWORKS_BAD_DATA;
  largeValues.erase(uint32_t(index));
  if (!buffer) {
    operand->lifetime = OperandLifeTime::NO_VALUE;
    operand->location = {};
  } else if (length <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES) {
    storeInline(*operand, buffer, uint32_t(length));
  } else {
    largeValues[uint32_t(index)] = {buffer, uint32_t(length)};
    operand->lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    operand->location = {}; // Known when the value is copied.
  }
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel::setOperandValueFromMemory(
    int32_t index, const ANeuralNetworksMemory &memory, size_t offset,
    size_t length) {
  if (state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  Operand *operand = operandAt(index);
  std::shared_ptr<rt::SharedMemory> pool = memory.linearPool();
  // Opaque and described memories hold no constants (B-118).
  if (!operand || !pool || operand->type == OperandType::SUBGRAPH)
    return ANEURALNETWORKS_BAD_DATA;
  if (offset > UINT32_MAX || length > UINT32_MAX - offset ||
      !pool->checkRange(offset, length).isOk() ||
      !hasFittingLength(*operand, length))
    return ANEURALNETWORKS_BAD_DATA;
  std::vector<rt::Pool> &pools = built->model.pools;
  auto [place, isNew] =
      poolIndices.try_emplace(pool.get(), uint32_t(pools.size()));
  if (isNew)
    pools.push_back({std::string(rt::toString(pool->kind())),
                     rt::Memory::region(pool, 0, pool->size()), /*file=*/"",
                     /*fileOffset=*/0, /*isSynthetic=*/false});
  largeValues.erase(uint32_t(index));
  operand->lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  operand->location = {place->second, uint32_t(offset), uint32_t(length)};
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel::setOperandValueFromModel(
    int32_t index, const ANeuralNetworksModel &value) {
  if (!value.isFinished() || state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  Operand *operand = operandAt(index);
  if (!operand)
    return ANEURALNETWORKS_BAD_DATA;
  uint32_t subgraph = addReferenced(value);
  largeValues.erase(uint32_t(index));
  operand = operandAt(index);
  // Another type than MODEL is found by finish (B-119).
  operand->lifetime = OperandLifeTime::SUBGRAPH;
  operand->location = {0, subgraph, 0};
  return ANEURALNETWORKS_NO_ERROR;
}

/// Appends the graphs of \p value, which is finished, with their constants, and
/// returns the index of its main one. A model that is referred to twice is
/// there once.
uint32_t
ANeuralNetworksModel::addReferenced(const ANeuralNetworksModel &value) {
  rt::Model &target = built->model;
  auto [place, isNew] =
      referencedIndices.try_emplace(&value, uint32_t(target.referenced.size()));
  if (!isNew)
    return place->second;
  const rt::Model &source = value.annotated()->model;
  auto firstPool = uint32_t(target.pools.size());
  auto firstByte = uint32_t(aligned(target.operandValues.size(), 4));
  uint32_t firstGraph = place->second + 1;
  target.operandValues.resize(firstByte);
  target.operandValues.insert(target.operandValues.end(),
                              source.operandValues.begin(),
                              source.operandValues.end());
  target.pools.insert(target.pools.end(), source.pools.begin(),
                      source.pools.end());
  target.referenced.push_back(source.main);
  target.referenced.insert(target.referenced.end(), source.referenced.begin(),
                           source.referenced.end());
  for (size_t i = place->second; i < target.referenced.size(); ++i)
    for (Operand &operand : target.referenced[i].operands) {
      if (operand.lifetime == OperandLifeTime::CONSTANT_COPY)
        operand.location.offset += firstByte;
      else if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE)
        operand.location.poolIndex += firstPool;
      else if (operand.lifetime == OperandLifeTime::SUBGRAPH)
        operand.location.offset += firstGraph;
    }
  return place->second;
}

int ANeuralNetworksModel::setChannelQuant(
    int32_t index, const ANeuralNetworksSymmPerChannelQuantParams &params) {
  if (state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  Operand *operand = operandAt(index);
  if (!operand || operand->type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
    return ANEURALNETWORKS_BAD_DATA;
  // A count that is not true is found before the list is read.
  const std::vector<uint32_t> &extents = operand->dimensions;
  if (params.channelDim >= extents.size() || !params.scales ||
      params.scaleCount == 0 || params.scaleCount != extents[params.channelDim])
    return ANEURALNETWORKS_BAD_DATA;
  // The extent of the channels is known, and each has a scale that is positive
  // and finite (B-122).
  std::span scales(params.scales, params.scaleCount);
  Operand changed = *operand;
  changed.lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  changed.location = {};
  changed.extraParams = rt::SymmPerChannelQuantParams{
      {scales.begin(), scales.end()}, params.channelDim};
  if (!isValidOperand("setOperandSymmPerChannelQuantParams", changed))
    return ANEURALNETWORKS_BAD_DATA;
  operand->extraParams = std::move(changed.extraParams);
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel::setExtensionData(int32_t index, const void *data,
                                           size_t length) {
  if (state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  Operand *operand = operandAt(index);
  // Null is for no bytes and nothing else (B-127).
  if (!operand || !rt::isExtension(operand->type) || length > UINT32_MAX ||
      (data == nullptr) != (length == 0))
    return ANEURALNETWORKS_BAD_DATA;
  if (!data) {
    operand->extraParams = std::monostate();
    return ANEURALNETWORKS_NO_ERROR;
  }
  const auto *bytes = static_cast<const uint8_t *>(data);
  operand->extraParams = rt::ExtensionParams{{bytes, bytes + length}};
  return ANEURALNETWORKS_NO_ERROR;
}

/// Whether the HAL has the operation, or its extension was asked for by a
/// program that may use extensions (B-033, B-105, H-020).
static bool isKnownOperation(rt::OperationType type) {
  if (!rt::isExtension(type))
    return type == rt::OperationType::OEM_OPERATION || rt::lookUp(type);
  Library *library = Library::find();
  return library && library->extensions().mayHaveOperation(uint32_t(type));
}

/// Whether everything that decides about the signature is there: parameters of
/// channels may come later.
static bool isDescribed(const Operand &operand) {
  return operand.type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL ||
         !std::holds_alternative<std::monostate>(operand.extraParams);
}

/// Checks the signature (B-107), and that of the graphs (B-120).
int ANeuralNetworksModel::checkNewOperation(const rt::Operation &operation) {
  rt::Model &model = built->model;
  bool isControlFlow = operation.type == rt::OperationType::IF ||
                       operation.type == rt::OperationType::WHILE;
  for (uint32_t index : operation.inputs) {
    const Operand &operand = model.main.operands[index];
    if (!isDescribed(operand))
      return ANEURALNETWORKS_NO_ERROR; // Checked by finish().
    if (operand.type == OperandType::SUBGRAPH &&
        operand.lifetime != OperandLifeTime::SUBGRAPH)
      return ANEURALNETWORKS_BAD_DATA;
  }
  // The bytes of large values are nowhere yet.
  rt::OperationView view;
  view.type = operation.type;
  auto look = [&](uint32_t index) {
    Operand operand = model.main.operands[index];
    if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE)
      operand.lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
    return rt::OperandView::of(model, operand);
  };
  for (uint32_t index : operation.inputs)
    view.inputs.push_back(look(index));
  for (uint32_t index : operation.outputs)
    view.outputs.push_back(look(index));
  rt::Status status = rt::checkOperation(view).status();
  if (status.isOk() && isControlFlow) {
    rt::Subgraph probe;
    probe.operands = model.main.operands;
    probe.operations = {operation};
    rt::validation::NeededArguments needed(model);
    status = rt::validation::checkControlFlow(model, probe, needed);
  }
  return status.isOk() ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA;
}

int ANeuralNetworksModel::addOperation(int32_t type,
                                       std::span<const uint32_t> inputs,
                                       std::span<const uint32_t> outputs) {
  if (state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  rt::Subgraph &main = built->model.main;
  auto exists = [&](uint32_t index) { return index < main.operands.size(); };
  rt::OperationType code = rt::OperationType(uint32_t(type));
  if (main.operations.size() >= maxCount || !isKnownOperation(code) ||
      !std::ranges::all_of(inputs, exists) ||
      !std::ranges::all_of(outputs, exists))
    return ANEURALNETWORKS_BAD_DATA;
  rt::Operation operation = {
      code, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}};
  if (int result = checkNewOperation(operation))
    return result;
  main.operations.push_back(std::move(operation));
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel::identifyInputsAndOutputs(
    std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  if (state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  rt::Subgraph &main = built->model.main;
  // Each operand has no value and is named once (B-123).
  std::vector<bool> isNamed(main.operands.size());
  auto isFree = [&](uint32_t index) {
    if (index >= main.operands.size() || isNamed[index] ||
        main.operands[index].lifetime != OperandLifeTime::TEMPORARY_VARIABLE)
      return false;
    isNamed[index] = true;
    return true;
  };
  if (!std::ranges::all_of(inputs, isFree) ||
      !std::ranges::all_of(outputs, isFree))
    return ANEURALNETWORKS_BAD_DATA;
  main.inputIndexes.assign(inputs.begin(), inputs.end());
  main.outputIndexes.assign(outputs.begin(), outputs.end());
  for (uint32_t index : inputs)
    main.operands[index].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  for (uint32_t index : outputs)
    main.operands[index].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel::relax(bool allow) {
  if (state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  built->model.relaxComputationFloat32toFloat16 = allow;
  return ANEURALNETWORKS_NO_ERROR;
}
