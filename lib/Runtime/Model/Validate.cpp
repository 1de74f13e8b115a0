//===- Validate.cpp - Structural validation of a model --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Validate.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Signatures.h"

#include "NeededArguments.h"
#include "Validation.h"

#include <set>

namespace nnhal::rt {

namespace {

using validation::Context;

/// Names and prefixes of extensions are distinct (B-007). Prefix 0 would turn
/// extension codes into HAL codes.
Status checkExtensions(const Model &model) {
  std::set<std::string_view> names;
  std::set<uint16_t> prefixes;
  for (size_t index = 0; index < model.extensionNameToPrefix.size(); ++index) {
    const ExtensionNameAndPrefix &extension =
        model.extensionNameToPrefix[index];
    if (extension.name.empty())
      return badData("extension {}: the name must not be empty", index);
    if (extension.prefix == 0)
      return badData("extension {}: prefix 0 of '{}' must be positive", index,
                     extension.name);
    if (!names.insert(extension.name).second)
      return badData("extension {}: name '{}' is used twice", index,
                     extension.name);
    if (!prefixes.insert(extension.prefix).second)
      return badData("extension {}: prefix {} of '{}' is used twice", index,
                     extension.prefix, extension.name);
  }
  return Status::ok();
}

Status checkPools(const Model &model, HalVersion version) {
  for (size_t index = 0; index < model.pools.size(); ++index)
    NNHAL_RETURN_IF_ERROR(validation::checkPool(model.pools[index], version)
                              .withContext(fmt::format("pool {}", index)));
  return Status::ok();
}

/// Checks the meaning of every operation (M-001 to M-366), as far as the model
/// states it.
Status checkMeaning(const Model &model, const Subgraph &subgraph,
                    HalVersion version) {
  for (size_t index = 0; index < subgraph.operations.size(); ++index) {
    const Operation &operation = subgraph.operations[index];
    Result<OperationFacts> facts =
        checkOperation(OperationView::of(model, subgraph, operation));
    Status status = facts.status();
    if (facts.isOk() && facts->since > version)
      status = badData("this use needs HAL {}, the model is validated as {}",
                       toString(facts->since), toString(version));
    if (!status.isOk())
      return std::move(status).withContext(
          fmt::format("operation {} ({})", index, nameOf(operation.type)));
  }
  return Status::ok();
}

Status checkSubgraph(const Context &context, const Subgraph &subgraph) {
  // A graph has operands (B-002).
  if (subgraph.operands.empty())
    return badData("there are no operands");
  if (subgraph.operations.empty())
    return badData("there are no operations");
  NNHAL_RETURN_IF_ERROR(validation::checkOperands(context, subgraph));
  NNHAL_RETURN_IF_ERROR(validation::checkOperations(context, subgraph));
  NNHAL_RETURN_IF_ERROR(validation::checkInputsAndOutputs(subgraph));
  return validation::checkOrder(subgraph);
}

/// Applies \p check to every subgraph, main first.
template <typename Check>
Status forEachSubgraph(const Model &model, Check check) {
  NNHAL_RETURN_IF_ERROR(Status(check(model.main)).withContext("main"));
  for (size_t index = 0; index < model.referenced.size(); ++index) {
    Status status = check(model.referenced[index]);
    if (!status.isOk())
      return std::move(status).withContext(
          fmt::format("referenced[{}]", index));
  }
  return Status::ok();
}

} // namespace

Context Context::of(const Model &model, HalVersion version) {
  Context context{model, version, std::vector<bool>(1 << 16)};
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
    context.prefixes[extension.prefix] = true;
  return context;
}

Status validation::checkPool(const Pool &pool, HalVersion version) {
  bool isHardwareBuffer =
      pool.name == "hardware_buffer_blob" || pool.name == "hardware_buffer";
  if (!isHardwareBuffer && pool.name != "ashmem" && pool.name != "mmap_fd")
    return badData("'{}' is not a kind of memory", pool.name);
  if (isHardwareBuffer && version < HalVersion::V1_2)
    return badData("{} needs HAL 1.2, the model is validated as {}", pool.name,
                   toString(version));
  if (pool.memory.isNone())
    return badData("there is no memory");
  if (std::holds_alternative<Memory::DeviceToken>(pool.memory.kind()))
    return badData("a device token cannot hold constants");
  return Status::ok();
}

Status validateStructure(const Model &model, HalVersion version) {
  NNHAL_RETURN_IF_ERROR(checkExtensions(model));
  NNHAL_RETURN_IF_ERROR(checkPools(model, version));
  if (!model.referenced.empty() && version < HalVersion::V1_3)
    return badData("{} referenced subgraphs need HAL 1.3, the model is "
                   "validated as {}",
                   model.referenced.size(), toString(version));
  Context context = Context::of(model, version);
  // Every graph obeys the same rules, also one that nothing refers to (B-057,
  // B-060).
  NNHAL_RETURN_IF_ERROR(forEachSubgraph(model, [&](const Subgraph &subgraph) {
    return checkSubgraph(context, subgraph);
  }));
  // The index lists of every subgraph are known to be sound only now.
  validation::NeededArguments needed(model);
  NNHAL_RETURN_IF_ERROR(forEachSubgraph(model, [&](const Subgraph &subgraph) {
    return validation::checkControlFlow(model, subgraph, needed);
  }));
  return validation::checkReferenceCycles(model);
}

Status validateModel(const Model &model, HalVersion version) {
  NNHAL_RETURN_IF_ERROR(validateStructure(model, version));
  return forEachSubgraph(model, [&](const Subgraph &subgraph) {
    return checkMeaning(model, subgraph, version);
  });
}

Result<HalVersion> lowestVersion(const Model &model) {
  Status status;
  for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_1,
                             HalVersion::V1_2, HalVersion::V1_3}) {
    status = validateModel(model, version);
    if (status.isOk())
      return version;
  }
  return status;
}

} // namespace nnhal::rt
