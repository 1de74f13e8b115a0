//===- ContentKey.cpp - Identity of a model and its options ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sha256.h"

#include "ModelCache.h"

#include <fmt/format.h>

#include <bit>

using namespace nnhal::rt;
using cache::Sha256;

// Everything goes in with its length or in a fixed width, and lists with their
// count, so that two different models never feed the same bytes.

static void addIndices(Sha256 &hash, const std::vector<uint32_t> &values) {
  hash.number(values.size());
  for (uint32_t value : values)
    hash.number(value);
}

static void addFloat(Sha256 &hash, float value) {
  hash.number(std::bit_cast<uint32_t>(value));
}

static void addExtraParams(Sha256 &hash, const Operand &operand) {
  hash.number(operand.extraParams.index());
  if (const auto *channels =
          std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
    hash.number(channels->channelDim);
    hash.number(channels->scales.size());
    for (float scale : channels->scales)
      addFloat(hash, scale);
  } else if (const auto *extension =
                 std::get_if<ExtensionParams>(&operand.extraParams)) {
    hash.blob(std::as_bytes(std::span(extension->bytes)));
  }
}

static void addSubgraph(Sha256 &hash, const Subgraph &subgraph) {
  hash.number(subgraph.operands.size());
  for (const Operand &operand : subgraph.operands) {
    hash.number(uint32_t(operand.type));
    addIndices(hash, operand.dimensions);
    addFloat(hash, operand.scale);
    hash.number(uint32_t(operand.zeroPoint));
    hash.number(uint32_t(operand.lifetime));
    hash.number(operand.location.poolIndex);
    hash.number(operand.location.offset);
    hash.number(operand.location.length);
    addExtraParams(hash, operand);
  }
  hash.number(subgraph.operations.size());
  for (const Operation &operation : subgraph.operations) {
    hash.number(uint32_t(operation.type));
    addIndices(hash, operation.inputs);
    addIndices(hash, operation.outputs);
  }
  addIndices(hash, subgraph.inputIndexes);
  addIndices(hash, subgraph.outputIndexes);
}

static Status addPools(Sha256 &hash, const Model &model) {
  hash.number(model.pools.size());
  for (size_t i = 0; i < model.pools.size(); ++i) {
    const Pool &pool = model.pools[i];
    auto bytes = pool.memory.bytes();
    if (!bytes.isOk())
      return std::move(bytes).takeStatus().withContext(
          fmt::format("pool {} has no readable bytes", i));
    hash.text(pool.name);
    hash.blob(*bytes);
  }
  return Status::ok();
}

static void addNames(Sha256 &hash, const std::vector<std::string> &names) {
  hash.number(names.size());
  for (const std::string &name : names)
    hash.text(name);
}

Result<std::array<uint8_t, 32>>
nnhal::rt::contentKeyOf(const AnnotatedModel &annotated,
                        std::string_view options) {
  const Model &model = annotated.model;
  Sha256 hash;
  hash.text("nnhal content key 1");
  hash.text(options);
  hash.number(uint32_t(model.halVersion));
  hash.number(model.relaxComputationFloat32toFloat16);
  addSubgraph(hash, model.main);
  hash.number(model.referenced.size());
  for (const Subgraph &subgraph : model.referenced)
    addSubgraph(hash, subgraph);
  hash.blob(std::as_bytes(std::span(model.operandValues)));
  NNHAL_RETURN_IF_ERROR(addPools(hash, model));
  hash.number(model.extensionNameToPrefix.size());
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix) {
    hash.text(extension.name);
    hash.number(extension.prefix);
  }
  addNames(hash, annotated.inputNames);
  addNames(hash, annotated.outputNames);
  hash.number(annotated.statePairs.size());
  for (const StatePair &pair : annotated.statePairs) {
    hash.number(pair.outputIndex);
    hash.number(pair.inputIndex);
  }
  return hash.finish();
}
