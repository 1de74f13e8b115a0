//===- ConstantPools.cpp - Constants that nobody can read -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantPools.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/CalledGraphs.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>

using namespace nnhal::rt;

/// Whether the bytes of \p memory can be read now.
static Status checkReadable(const Backend &backend, const Memory &memory) {
  const auto *region = std::get_if<Memory::Descriptor>(&memory.kind());
  if (!region || backend.importsPool(*region->pool))
    return Status::ok();
  const SharedMemory &pool = *region->pool;
  NNHAL_RETURN_IF_ERROR(
      pool.checkRange(region->offset, region->size, region->padding));
  std::byte first;
  return pool.read(region->offset,
                   {&first, std::min<uint64_t>(region->size, 1)});
}

/// One status per pool of \p model.
static std::vector<Status> inspectPools(const Backend &backend,
                                        const Model &model) {
  std::vector<Status> pools;
  for (size_t i = 0; i < model.pools.size(); ++i) {
    Status status = checkReadable(backend, model.pools[i].memory);
    // A pool that cannot be read is a general failure, whatever the reason.
    pools.push_back(status.isOk() ? status
                                  : failure("pool {} cannot be read: {}", i,
                                            status.message()));
  }
  return pools;
}

Status nnhal::rt::checkPools(const Backend &backend, const Model &model) {
  for (Status &status : inspectPools(backend, model))
    NNHAL_RETURN_IF_ERROR(std::move(status));
  return Status::ok();
}

/// Returns the fault of a pool that \p operation reads, itself or in the graphs
/// that it executes.
static Status checkReads(CalledGraphs &graphs, std::span<const Status> pools,
                         const Subgraph &subgraph, const Operation &operation) {
  for (uint32_t input : operation.inputs) {
    const Operand &operand = subgraph.operands[input];
    if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE)
      NNHAL_RETURN_IF_ERROR(pools[operand.location.poolIndex]);
  }
  return graphs.check(subgraph, operation,
                      [&](const Subgraph &callee, const Operation &inner) {
                        return checkReads(graphs, pools, callee, inner);
                      });
}

void nnhal::rt::refuseUnreadable(const Backend &backend, const Model &model,
                                 std::vector<Status> &answers) {
  std::vector<Status> pools = inspectPools(backend, model);
  if (std::ranges::all_of(pools, &Status::isOk))
    return;
  CalledGraphs graphs(model);
  for (size_t i = 0; i < model.main.operations.size() && i < answers.size();
       ++i)
    if (answers[i].isOk())
      answers[i] =
          checkReads(graphs, pools, model.main, model.main.operations[i]);
}
