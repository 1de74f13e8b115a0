//===- Compliance.cpp - Models of older HAL versions ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Compliance.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/Validate.h"

#include "Validation.h"

#include <algorithm>

namespace nnhal::rt {

namespace {

using validation::Context;

/// Returns, for each operand, whether a version has it, with constants where it
/// has them.
std::vector<bool> compliantOperands(const Context &context,
                                    const Subgraph &subgraph) {
  std::vector<bool> isCompliant;
  for (const Operand &operand : subgraph.operands) {
    bool has = validation::checkOperand(context, operand).isOk();
    if (has && operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE)
      has =
          validation::checkPool(context.model.pools[operand.location.poolIndex],
                                context.version)
              .isOk();
    isCompliant.push_back(has);
  }
  return isCompliant;
}

bool hasOperation(const Context &context, const Operation &operation) {
  if (!validation::checkOperationType(context, operation.type).isOk())
    return false;
  Result<OperationFacts> facts = checkOperation(
      OperationView::of(context.model, context.model.main, operation));
  return facts.isOk() && facts->since <= context.version;
}

/// Hardware buffers came with HAL 1.2 (K-035, K-039).
Status checkKind(const SharedMemory &pool, HalVersion version) {
  if (version >= HalVersion::V1_2 || pool.kind() == PoolKind::ashmem ||
      pool.kind() == PoolKind::mmapFd)
    return Status::ok();
  return badData("{} needs HAL 1.2, the request is for {}",
                 toString(pool.kind()), toString(version));
}

/// Serves Memory and OutputMemory.
template <typename AnyMemory>
Status checkMemory(const AnyMemory &memory, HalVersion version) {
  return std::visit(
      [&](const auto &kind) -> Status {
        if constexpr (requires { kind.pool; }) {
          return checkKind(*kind.pool, version);
        } else if constexpr (requires { kind.token; }) {
          if (version < HalVersion::V1_3)
            return badData("device memory needs HAL 1.3, the request is for {}",
                           toString(version));
        }
        return Status::ok();
      },
      memory.kind());
}

template <typename Argument>
Status checkArguments(const std::vector<Argument> &arguments,
                      std::string_view what, HalVersion version) {
  for (size_t i = 0; i < arguments.size(); ++i)
    NNHAL_RETURN_IF_ERROR(checkMemory(arguments[i].memory, version)
                              .withContext(fmt::format("{} {}", what, i)));
  return Status::ok();
}

} // namespace

Status checkCompliance(const Model &model, HalVersion version) {
  return validateModel(model, version);
}

Result<std::vector<uint32_t>> nonCompliantOperations(const Model &model,
                                                     HalVersion version) {
  NNHAL_RETURN_IF_ERROR(validateModel(model, HalVersion::V1_3));
  Context context = Context::of(model, version);
  std::vector<bool> isCompliant = compliantOperands(context, model.main);
  auto areCompliant = [&](const std::vector<uint32_t> &indices) {
    return std::ranges::all_of(
        indices, [&](uint32_t index) { return isCompliant[index]; });
  };
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < model.main.operations.size(); ++i) {
    const Operation &operation = model.main.operations[i];
    if (!areCompliant(operation.inputs) || !areCompliant(operation.outputs) ||
        !hasOperation(context, operation))
      found.push_back(i);
  }
  return found;
}

Operand convertTo(Operand operand, HalVersion version) {
  if (version < HalVersion::V1_2)
    operand.extraParams = std::monostate();
  return operand;
}

Result<Model> convertTo(Model model, HalVersion version) {
  NNHAL_RETURN_IF_ERROR(checkCompliance(model, version));
  for (Operand &operand : model.main.operands)
    operand = convertTo(std::move(operand), version);
  // A model of 1.1 may still name extensions, which nothing in it uses.
  if (version < HalVersion::V1_2 || model.halVersion < HalVersion::V1_2)
    model.extensionNameToPrefix.clear();
  if (version == HalVersion::V1_0 || model.halVersion == HalVersion::V1_0)
    model.relaxComputationFloat32toFloat16 = false;
  model.halVersion = version;
  return model;
}

Status checkCompliance(const Request &request, HalVersion version) {
  NNHAL_RETURN_IF_ERROR(checkArguments(request.inputs, "input", version));
  return checkArguments(request.outputs, "output", version);
}

StatusCode convertTo(StatusCode code, HalVersion version) {
  if (version < HalVersion::V1_3 &&
      uint32_t(code) > uint32_t(StatusCode::invalidArgument))
    return StatusCode::generalFailure;
  return code;
}

StatusCode statusCodeOf(uint32_t value) {
  return value <= uint32_t(StatusCode::resourceExhaustedPersistent)
             ? StatusCode(value)
             : StatusCode::generalFailure;
}

} // namespace nnhal::rt
