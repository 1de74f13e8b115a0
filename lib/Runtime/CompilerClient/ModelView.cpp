//===- ModelView.cpp - A model as plain C structures ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelView.h"

#include <fmt/format.h>

using namespace nnhal::rt;

static NNHalString toView(const std::string &text) {
  return {text.data(), text.size()};
}

static NNHalIndices toView(const std::vector<uint32_t> &values) {
  return {values.data(), values.size()};
}

static NNHalOperandView toView(const Operand &operand) {
  NNHalOperandView view = {};
  view.type = uint32_t(operand.type);
  view.dimensions = toView(operand.dimensions);
  view.numberOfConsumers = operand.numberOfConsumers;
  view.scale = operand.scale;
  view.zeroPoint = operand.zeroPoint;
  view.lifetime = uint32_t(operand.lifetime);
  view.poolIndex = operand.location.poolIndex;
  view.offset = operand.location.offset;
  view.length = operand.location.length;
  view.extraKind = uint32_t(operand.extraParams.index());
  if (const auto *channels =
          std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
    view.channelScales = channels->scales.data();
    view.channelScaleCount = channels->scales.size();
    view.channelDim = channels->channelDim;
  } else if (const auto *extension =
                 std::get_if<ExtensionParams>(&operand.extraParams)) {
    view.extension = {extension->bytes.data(), extension->bytes.size()};
  }
  return view;
}

NNHalSubgraphView ModelView::addSubgraph(const Subgraph &subgraph) {
  std::vector<NNHalOperandView> &operands = operandLists.emplace_back();
  operands.reserve(subgraph.operands.size());
  for (const Operand &operand : subgraph.operands)
    operands.push_back(toView(operand));
  std::vector<NNHalOperationView> &operations = operationLists.emplace_back();
  operations.reserve(subgraph.operations.size());
  for (const Operation &operation : subgraph.operations)
    operations.push_back({uint32_t(operation.type), toView(operation.inputs),
                          toView(operation.outputs)});
  return {operands.data(),
          operands.size(),
          operations.data(),
          operations.size(),
          toView(subgraph.inputIndexes),
          toView(subgraph.outputIndexes)};
}

Status ModelView::addPools(const Model &model) {
  for (size_t i = 0; i < model.pools.size(); ++i) {
    const Pool &pool = model.pools[i];
    auto memory = pool.memory.snapshot();
    if (!memory.isOk())
      return std::move(memory).takeStatus().withContext(
          fmt::format("pool {}", i));
    poolMemory.push_back(*std::move(memory));
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           poolMemory.back().bytes());
    pools.push_back({toView(pool.name),
                     {bytes.data(), bytes.size()},
                     toView(pool.file),
                     pool.fileOffset,
                     pool.isSynthetic});
  }
  return Status::ok();
}

const std::vector<NNHalString> &
ModelView::addNames(const std::vector<std::string> &names) {
  std::vector<NNHalString> &list = nameLists.emplace_back();
  list.reserve(names.size());
  for (const std::string &name : names)
    list.push_back(toView(name));
  return list;
}

Result<ModelView> ModelView::of(const AnnotatedModel &annotated) {
  const Model &model = annotated.model;
  ModelView result;
  NNHAL_RETURN_IF_ERROR(result.addPools(model));
  for (const Subgraph &subgraph : model.referenced)
    result.referenced.push_back(result.addSubgraph(subgraph));
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
    result.extensions.push_back({toView(extension.name), extension.prefix});
  for (const StatePair &pair : annotated.statePairs)
    result.statePairs.push_back({pair.outputIndex, pair.inputIndex});

  NNHalModelView &root = result.root;
  root.structSize = sizeof(root);
  root.halVersion = uint32_t(model.halVersion);
  root.main = result.addSubgraph(model.main);
  root.referenced = result.referenced.data();
  root.referencedCount = result.referenced.size();
  root.operandValues = {model.operandValues.data(), model.operandValues.size()};
  root.pools = result.pools.data();
  root.poolCount = result.pools.size();
  root.relaxComputationFloat32toFloat16 =
      model.relaxComputationFloat32toFloat16;
  root.extensions = result.extensions.data();
  root.extensionCount = result.extensions.size();
  const auto &inputNames = result.addNames(annotated.inputNames);
  root.inputNames = inputNames.data();
  root.inputNameCount = inputNames.size();
  const auto &outputNames = result.addNames(annotated.outputNames);
  root.outputNames = outputNames.data();
  root.outputNameCount = outputNames.size();
  root.statePairs = result.statePairs.data();
  root.statePairCount = result.statePairs.size();
  return result;
}
