//===- FeedModel.cpp - Models by calls of the NDK API ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeedModel.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <android/NeuralNetworksExtensions.h>

#include <algorithm>
#include <map>
#include <type_traits>

using namespace nnhal;
using namespace nnhal::test;
using rt::Status;

ANeuralNetworksOperandType test::operandTypeOf(const rt::Operand &operand) {
  ANeuralNetworksOperandType type{};
  type.type = int32_t(operand.type);
  type.dimensionCount = uint32_t(operand.dimensions.size());
  type.dimensions =
      operand.dimensions.empty() ? nullptr : operand.dimensions.data();
  type.scale = operand.scale;
  type.zeroPoint = operand.zeroPoint;
  return type;
}

/// The first of \p indexes; not null where there are none, as the API asks.
static const uint32_t *dataOf(const std::vector<uint32_t> &indexes) {
  static constexpr uint32_t none = 0;
  return indexes.empty() ? &none : indexes.data();
}

namespace {

/// One subgraph on its way into a model of the NDK API.
class Feeder {
public:
  Feeder(const rt::Model &model, const rt::Subgraph &subgraph)
      : model(model), subgraph(subgraph) {}

  rt::Result<FedModel> feed();

private:
  Status feedOperand(const rt::Operand &operand, int32_t index);
  Status feedValue(const rt::Operand &operand, int32_t index);
  Status feedReference(const rt::Operand &operand, int32_t index);
  Status feedSubgraph(const rt::Operand &operand, int32_t index);
  Status makePools();

  const rt::Model &model;
  const rt::Subgraph &subgraph;
  FedModel fed;
};

} // namespace

Status Feeder::makePools() {
  for (const rt::Pool &pool : model.pools) {
    NdkMemory &memory = fed.pools.emplace_back();
    const auto *region =
        std::get_if<rt::Memory::Descriptor>(&pool.memory.kind());
    if (!region)
      continue;
    ANeuralNetworksMemory *made = nullptr;
    NNHAL_NDK(ANeuralNetworksMemory_createFromFd, region->size,
              region->pool->protection(), region->pool->fd(),
              region->pool->fileOffset() + region->offset, &made);
    memory.reset(made);
  }
  return Status::ok();
}

Status Feeder::feedSubgraph(const rt::Operand &operand, int32_t index) {
  NNHAL_ASSIGN_OR_RETURN(
      FedModel referenced,
      Feeder(model, model.referenced[operand.location.offset]).feed());
  NNHAL_NDK(ANeuralNetworksModel_setOperandValueFromModel, fed.model.get(),
            index, referenced.model.get());
  fed.referenced.push_back(std::move(referenced));
  return Status::ok();
}

Status Feeder::feedReference(const rt::Operand &operand, int32_t index) {
  const rt::DataLocation &location = operand.location;
  if (const NdkMemory &pool = fed.pools[location.poolIndex]) {
    NNHAL_NDK(ANeuralNetworksModel_setOperandValueFromMemory, fed.model.get(),
              index, pool.get(), location.offset, location.length);
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                         rt::constantBytes(model, operand));
  NNHAL_NDK(ANeuralNetworksModel_setOperandValue, fed.model.get(), index,
            bytes.data(), bytes.size());
  return Status::ok();
}

Status Feeder::feedValue(const rt::Operand &operand, int32_t index) {
  switch (operand.lifetime) {
  case rt::OperandLifeTime::CONSTANT_COPY: {
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           rt::constantBytes(model, operand));
    NNHAL_NDK(ANeuralNetworksModel_setOperandValue, fed.model.get(), index,
              bytes.data(), bytes.size());
    return Status::ok();
  }
  case rt::OperandLifeTime::CONSTANT_REFERENCE:
    return feedReference(operand, index);
  case rt::OperandLifeTime::NO_VALUE:
    NNHAL_NDK(ANeuralNetworksModel_setOperandValue, fed.model.get(), index,
              nullptr, 0);
    return Status::ok();
  case rt::OperandLifeTime::SUBGRAPH:
    return feedSubgraph(operand, index);
  default:
    return Status::ok();
  }
}

Status Feeder::feedOperand(const rt::Operand &operand, int32_t index) {
  ANeuralNetworksOperandType type = operandTypeOf(operand);
  NNHAL_NDK(ANeuralNetworksModel_addOperand, fed.model.get(), &type);
  if (const auto *quant =
          std::get_if<rt::SymmPerChannelQuantParams>(&operand.extraParams)) {
    ANeuralNetworksSymmPerChannelQuantParams params{
        .channelDim = quant->channelDim,
        .scaleCount = uint32_t(quant->scales.size()),
        .scales = quant->scales.data()};
    NNHAL_NDK(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams,
              fed.model.get(), index, &params);
  }
  if (const auto *data = std::get_if<rt::ExtensionParams>(&operand.extraParams);
      data && !data->bytes.empty())
    NNHAL_NDK(ANeuralNetworksModel_setOperandExtensionData, fed.model.get(),
              index, data->bytes.data(), data->bytes.size());
  return feedValue(operand, index);
}

rt::Result<FedModel> Feeder::feed() {
  ANeuralNetworksModel *made = nullptr;
  NNHAL_NDK(ANeuralNetworksModel_create, &made);
  fed.model.reset(made);
  NNHAL_RETURN_IF_ERROR(makePools());
  for (size_t i = 0; i < subgraph.operands.size(); ++i)
    NNHAL_RETURN_IF_ERROR(feedOperand(subgraph.operands[i], int32_t(i))
                              .withContext(fmt::format("operand {}", i)));
  for (const rt::Operation &operation : subgraph.operations)
    NNHAL_NDK(ANeuralNetworksModel_addOperation, made, int32_t(operation.type),
              uint32_t(operation.inputs.size()), dataOf(operation.inputs),
              uint32_t(operation.outputs.size()), dataOf(operation.outputs));
  NNHAL_NDK(
      ANeuralNetworksModel_identifyInputsAndOutputs, made,
      uint32_t(subgraph.inputIndexes.size()), dataOf(subgraph.inputIndexes),
      uint32_t(subgraph.outputIndexes.size()), dataOf(subgraph.outputIndexes));
  if (model.relaxComputationFloat32toFloat16)
    NNHAL_NDK(ANeuralNetworksModel_relaxComputationFloat32toFloat16, made,
              true);
  NNHAL_NDK(ANeuralNetworksModel_finish, made);
  return std::move(fed);
}

rt::Result<FedModel> test::feedModel(const rt::Model &model) {
  return Feeder(model, model.main).feed();
}

Status test::adoptExtensionCodes(rt::Model &model) {
  ANeuralNetworksModel *made = nullptr;
  NNHAL_NDK(ANeuralNetworksModel_create, &made);
  NdkModel asked(made);
  // The prefix that the library has for each prefix of the model.
  std::map<uint32_t, uint32_t> prefixes;
  for (rt::ExtensionNameAndPrefix &entry : model.extensionNameToPrefix) {
    int32_t code = 0;
    NNHAL_NDK(ANeuralNetworksModel_getExtensionOperandType, made,
              entry.name.c_str(), 0, &code);
    prefixes[entry.prefix] = uint32_t(code) >> 16;
    entry.prefix = uint16_t(uint32_t(code) >> 16);
  }
  auto adopt = [&](auto &type) {
    if (auto found = prefixes.find(uint32_t(type) >> 16);
        found != prefixes.end())
      type = std::decay_t<decltype(type)>(found->second << 16 |
                                          (uint32_t(type) & 0xFFFF));
  };
  auto adoptAll = [&](rt::Subgraph &subgraph) {
    for (rt::Operand &operand : subgraph.operands)
      adopt(operand.type);
    for (rt::Operation &operation : subgraph.operations)
      adopt(operation.type);
  };
  adoptAll(model.main);
  std::ranges::for_each(model.referenced, adoptAll);
  return Status::ok();
}
