//===- Limits.cpp - Bounds of what messages list --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"

#include "Service/Protocol/Descriptors.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/CacheHandles.h"
#include "nnhal/Runtime/Model.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

static constexpr uint64_t maxOperands = 1 << 20;
static constexpr uint64_t maxSubgraphs = 1 << 12;
static constexpr uint64_t maxNames = 1 << 16;
static constexpr uint64_t maxSpecializations = 1 << 10;

Status service::checkList(const char *what, uint64_t found, uint64_t limit) {
  if (found > limit)
    return rt::badData("a message has {} {} where {} are allowed", found, what,
                       limit);
  return Status::ok();
}

/// Calls \p function with each subgraph of \p model.
template <typename Function>
static void forEachSubgraph(wire::Model::Reader model, Function function) {
  function(model.getMain());
  for (auto graph : model.getReferenced())
    function(graph);
}

Status service::checkLists(wire::Model::Reader model) {
  NNHAL_RETURN_IF_ERROR(
      checkList("subgraphs", model.getReferenced().size(), maxSubgraphs));
  uint64_t operands = 0;
  uint64_t operations = 0;
  forEachSubgraph(model, [&](wire::Subgraph::Reader graph) {
    operands += graph.getOperands().size();
    operations += graph.getOperations().size();
  });
  NNHAL_RETURN_IF_ERROR(checkList("operands", operands, maxOperands));
  NNHAL_RETURN_IF_ERROR(checkList("operations", operations, maxOperands));
  // One descriptor is left for the operand values.
  NNHAL_RETURN_IF_ERROR(checkList("pools", model.getPools().size(),
                                  maxDescriptorsPerMessage - 1));
  NNHAL_RETURN_IF_ERROR(
      checkList("extensions", model.getExtensions().size(), maxNames));
  return checkList("state pairs", model.getStatePairs().size(), maxNames);
}

/// The descriptors in \p files, whose lists are short.
static Status
countFiles(capnp::List<capnp::List<wire::Descriptor>>::Reader files,
           uint64_t &count) {
  NNHAL_RETURN_IF_ERROR(
      checkList("cache files", files.size(), rt::maxCacheFiles));
  for (auto handle : files)
    count += handle.size();
  return Status::ok();
}

Status service::checkLists(wire::PrepareOptions::Reader options) {
  uint64_t files = 0;
  NNHAL_RETURN_IF_ERROR(countFiles(options.getModelCache(), files));
  NNHAL_RETURN_IF_ERROR(countFiles(options.getDataCache(), files));
  NNHAL_RETURN_IF_ERROR(
      checkList("cache descriptors", files, 2 * rt::maxCacheFiles));
  NNHAL_RETURN_IF_ERROR(checkList(
      "extensions", options.getCompile().getExtensions().size(), maxNames));
  return checkList("specializations",
                   options.getCompile().getSpecializations().size(),
                   maxSpecializations);
}

Status service::checkLists(wire::Request::Reader request) {
  NNHAL_RETURN_IF_ERROR(
      checkList("inputs", request.getInputs().size(), maxArguments));
  return checkList("outputs", request.getOutputs().size(), maxArguments);
}

Result<uint64_t> service::bytesOf(wire::Model::Reader model) {
  uint64_t bytes = 0;
  forEachSubgraph(model, [&](wire::Subgraph::Reader graph) {
    bytes += graph.getOperands().size() * sizeof(rt::Operand);
    bytes += graph.getOperations().size() * sizeof(rt::Operation);
  });
  uint64_t values = model.getOperandValues().getSize();
  constexpr uint64_t addressable = uint64_t(1) << 47;
  if (values > addressable)
    return rt::badData("operand values have {} bytes where {} are allowed",
                       values, addressable);
  return bytes + values;
}
