//===- ModelFromView.cpp - The plug-in's view of a model as a model -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFromView.h"

#include "Runtime/Support/Errors.h"

namespace nnhal {

static std::string toString(NNHalString text) {
  return text.size ? std::string(text.data, text.size) : std::string();
}

static std::vector<uint32_t> toVector(NNHalIndices indices) {
  return std::vector<uint32_t>(indices.data, indices.data + indices.size);
}

static std::span<const std::byte> toSpan(NNHalBytes bytes) {
  return {static_cast<const std::byte *>(bytes.data), bytes.size};
}

static rt::Operand toOperand(const NNHalOperandView &view) {
  rt::Operand operand;
  operand.type = rt::OperandType(view.type);
  operand.dimensions = toVector(view.dimensions);
  operand.numberOfConsumers = view.numberOfConsumers;
  operand.scale = view.scale;
  operand.zeroPoint = view.zeroPoint;
  operand.lifetime = rt::OperandLifeTime(view.lifetime);
  operand.location = {view.poolIndex, view.offset, view.length};
  if (view.extraKind == 1) {
    rt::SymmPerChannelQuantParams params;
    params.scales.assign(view.channelScales,
                         view.channelScales + view.channelScaleCount);
    params.channelDim = view.channelDim;
    operand.extraParams = std::move(params);
  } else if (view.extraKind == 2) {
    rt::ExtensionParams params;
    auto *bytes = static_cast<const uint8_t *>(view.extension.data);
    params.bytes.assign(bytes, bytes + view.extension.size);
    operand.extraParams = std::move(params);
  }
  return operand;
}

static rt::Subgraph toSubgraph(const NNHalSubgraphView &view) {
  rt::Subgraph subgraph;
  subgraph.operands.reserve(view.operandCount);
  for (size_t i = 0; i < view.operandCount; ++i)
    subgraph.operands.push_back(toOperand(view.operands[i]));
  subgraph.operations.reserve(view.operationCount);
  for (size_t i = 0; i < view.operationCount; ++i) {
    const NNHalOperationView &operation = view.operations[i];
    subgraph.operations.push_back({rt::OperationType(operation.type),
                                   toVector(operation.inputs),
                                   toVector(operation.outputs)});
  }
  subgraph.inputIndexes = toVector(view.inputIndexes);
  subgraph.outputIndexes = toVector(view.outputIndexes);
  return subgraph;
}

rt::Result<rt::AnnotatedModel> modelFromView(const NNHalModelView &view) {
  if (view.structSize < sizeof(NNHalModelView))
    return rt::badData("model view of {} bytes is older than the {} bytes that "
                       "this compiler reads",
                       view.structSize, sizeof(NNHalModelView));
  if (view.halVersion > uint32_t(rt::HalVersion::V1_3))
    return rt::badData("HAL version index {} exceeds {}", view.halVersion,
                       uint32_t(rt::HalVersion::V1_3));
  rt::AnnotatedModel result;
  rt::Model &model = result.model;
  model.halVersion = rt::HalVersion(view.halVersion);
  model.main = toSubgraph(view.main);
  for (size_t i = 0; i < view.referencedCount; ++i)
    model.referenced.push_back(toSubgraph(view.referenced[i]));
  auto *values = static_cast<const uint8_t *>(view.operandValues.data);
  model.operandValues.assign(values, values + view.operandValues.size);
  for (size_t i = 0; i < view.poolCount; ++i) {
    const NNHalPoolView &pool = view.pools[i];
    model.pools.push_back(
        {toString(pool.name), rt::Memory::borrow(toSpan(pool.bytes)),
         toString(pool.file), pool.fileOffset, pool.isSynthetic != 0});
  }
  model.relaxComputationFloat32toFloat16 =
      view.relaxComputationFloat32toFloat16 != 0;
  for (size_t i = 0; i < view.extensionCount; ++i)
    model.extensionNameToPrefix.push_back(
        {toString(view.extensions[i].name),
         uint16_t(view.extensions[i].prefix)});
  for (size_t i = 0; i < view.inputNameCount; ++i)
    result.inputNames.push_back(toString(view.inputNames[i]));
  for (size_t i = 0; i < view.outputNameCount; ++i)
    result.outputNames.push_back(toString(view.outputNames[i]));
  for (size_t i = 0; i < view.statePairCount; ++i)
    result.statePairs.push_back(
        {view.statePairs[i].outputIndex, view.statePairs[i].inputIndex});
  return result;
}

} // namespace nnhal
