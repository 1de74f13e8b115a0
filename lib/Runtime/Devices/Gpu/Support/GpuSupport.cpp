//===- GpuSupport.cpp - Operations that GPUs take -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuSupport.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Extensions.h"

#include <algorithm>
#include <optional>

using namespace nnhal::rt;

using enum OperationType;

/// The range of a storage buffer that every desktop implementation allows.
static constexpr uint32_t maxBytes = 128u << 20;

namespace {
/// An operation that is not compiled, and what stands in its way.
struct RefusedOperation {
  OperationType type;
  const char *reason;
};
} // namespace

static constexpr const char *isIrregular =
    "it is a routine of the runtime, which GPUs do not call";

static constexpr RefusedOperation refusedOperations[] = {
    {BOX_WITH_NMS_LIMIT, isIrregular},
    {DETECTION_POSTPROCESSING, isIrregular},
    {GENERATE_PROPOSALS, isIrregular},
    {HASHTABLE_LOOKUP, isIrregular},
    {LSH_PROJECTION, isIrregular},
    {RANDOM_MULTINOMIAL, isIrregular},
    {TOPK_V2, isIrregular},
    {IF, "graphs that are chosen by values are not compiled for GPUs"},
    {WHILE, "graphs that are chosen by values are not compiled for GPUs"},
    {OEM_OPERATION, "it is not compiled for GPUs"},
};

/// Whether \p operand is an input of the model whose extents the model leaves
/// open.
static bool isOpenInput(const Operand &operand) {
  return operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT &&
         !isScalar(operand.type) && !byteSizeOf(operand) &&
         (operand.dimensions.empty() ||
          std::ranges::count(operand.dimensions, 0u) > 0);
}

/// Whether requests may omit input \p index of an operation with \p places.
static bool isOmittable(const InputPlaces &places, size_t index) {
  return index < places.rows().size() && places.rows()[index]->isOmittable;
}

/// Whether the kernels are those of requests that omit \p operand, which is
/// input
/// \p index.
static bool isLeftOut(const Operand &operand, const InputPlaces &places,
                      size_t index) {
  return isOmittable(places, index) && isOpenInput(operand);
}

static Status checkOperand(const Model &model, const Operand &operand) {
  if (operand.lifetime == OperandLifeTime::NO_VALUE)
    return Status::ok();
  if (isExtension(operand.type) || operand.type == OperandType::OEM ||
      operand.type == OperandType::TENSOR_OEM_BYTE)
    return badData("is {}, which is not compiled for GPUs",
                   nameOf(model, operand.type));
  if (!isScalar(operand.type) && operand.dimensions.empty())
    return badData("has a rank that only an execution knows");
  std::optional<uint32_t> bytes = byteSizeOf(operand);
  if (!bytes)
    return badData("of shape [{}] has extents that only an execution knows",
                   fmt::join(operand.dimensions, ","));
  if (*bytes > maxBytes)
    return badData("has {} bytes, buffers of GPUs up to {}", *bytes, maxBytes);
  return Status::ok();
}

/// The failure of \p status about the operand \p index of a list.
static Status about(Status status, const char *what, size_t index) {
  if (status.isOk())
    return status;
  return badData("{} {} {}", what, index, status.message());
}

/// The compiler reads scalars, and lists of numbers such as axes.
static bool isParameter(const Operand &operand, const InputPlaces &places,
                        size_t index) {
  if (isScalar(operand.type))
    return true;
  if (index >= places.rows().size())
    return false;
  InputKind kind = places.rows()[index]->kind;
  return kind == InputKind::int32List || kind == InputKind::int32Pairs;
}

static Status checkParameters(const Subgraph &subgraph,
                              const Operation &operation,
                              const InputPlaces &places) {
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    const Operand &operand = subgraph.operands[operation.inputs[i]];
    if (!isConstant(operand.lifetime) &&
        operand.lifetime != OperandLifeTime::NO_VALUE &&
        !isLeftOut(operand, places, i) && isParameter(operand, places, i))
      return badData("input {} is not a constant but a {}", i,
                     toString(operand.lifetime));
  }
  return Status::ok();
}

static Status checkOperands(const Model &model, const Subgraph &subgraph,
                            const Operation &operation) {
  InputPlaces places(OperationView::of(model, subgraph, operation));
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (const Operand &operand = subgraph.operands[operation.inputs[i]];
        !isLeftOut(operand, places, i))
      NNHAL_RETURN_IF_ERROR(about(checkOperand(model, operand), "input", i));
  for (size_t i = 0; i < operation.outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        about(checkOperand(model, subgraph.operands[operation.outputs[i]]),
              "output", i));
  return checkParameters(subgraph, operation, places);
}

Status nnhal::rt::refusalOf(const Model &model, const Subgraph &subgraph,
                            const Operation &operation) {
  if (isExtension(operation.type))
    return badData("{} is of an extension, which is not compiled for GPUs",
                   nameOf(model, operation.type));
  for (const RefusedOperation &refused : refusedOperations)
    if (refused.type == operation.type)
      return badData("{}: {}", nameOf(operation.type), refused.reason);
  return checkOperands(model, subgraph, operation)
      .withContext(nameOf(operation.type));
}

/// Whether operand \p index of the main subgraph is read, and every request may
/// omit it.
static bool isEverywhereOmittable(const Model &model, uint32_t index) {
  bool isRead = false;
  for (const Operation &operation : model.main.operations) {
    if (std::ranges::count(operation.inputs, index) == 0)
      continue;
    isRead = true;
    InputPlaces places(OperationView::of(model, model.main, operation));
    for (size_t i = 0; i < operation.inputs.size(); ++i)
      if (operation.inputs[i] == index && !isOmittable(places, i))
        return false;
  }
  return isRead;
}

Status nnhal::rt::checkGpuInterface(const Model &model) {
  const Subgraph &main = model.main;
  for (size_t i = 0; i < main.inputIndexes.size(); ++i) {
    uint32_t index = main.inputIndexes[i];
    const Operand &operand = main.operands[index];
    if (isOpenInput(operand) && isEverywhereOmittable(model, index))
      continue;
    NNHAL_RETURN_IF_ERROR(about(checkOperand(model, operand), "input", i)
                              .withContext("the model"));
  }
  for (size_t i = 0; i < main.outputIndexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        about(checkOperand(model, main.operands[main.outputIndexes[i]]),
              "output", i)
            .withContext("the model"));
  return Status::ok();
}

Status nnhal::rt::checkGpuModel(const Model &model) {
  const std::vector<Operation> &operations = model.main.operations;
  for (size_t i = 0; i < operations.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        about(refusalOf(model, model.main, operations[i]), "operation", i));
  return checkGpuInterface(model);
}
