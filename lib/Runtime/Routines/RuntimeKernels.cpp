//===- RuntimeKernels.cpp - Work that compiled code calls for -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels are those of the reference device: what is irregular gains
// nothing from another implementation.
//
//===----------------------------------------------------------------------===//

#include "RuntimeKernels.h"

#include "Kernel.h"

#include "Runtime/Artifact/KernelSignature.h"
#include "Runtime/Support/Errors.h"

#include <array>
#include <cstring>
#include <new>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

static Kernel lookUpRow(OperationType type) {
  for (std::span<const KernelRow> family :
       {detectionKernels(), lookupKernels(), reductionKernels()})
    for (const KernelRow &row : family)
      if (row.type == type)
        return row.kernel;
  return nullptr;
}

namespace {
/// One call.
struct Call {
  NNHalExecutionContext &context;
  std::span<const NNHalKernelTensor> inputs;
  std::span<NNHalKernelTensor> outputs;
};
} // namespace

/// Completes \p signature by what was passed.
static Status bindInputs(KernelSignature &signature, const Call &call) {
  if (signature.arguments.size() != call.inputs.size())
    return failure("a runtime kernel was passed {} inputs, expected {}",
                   call.inputs.size(), signature.arguments.size());
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const NNHalKernelTensor &tensor = call.inputs[i];
    OperandView &operand = signature.operation.inputs[signature.arguments[i]];
    if (!tensor.data) {
      operand.isOmitted = true;
      continue;
    }
    operand.type.dimensions.assign(tensor.extents,
                                   tensor.extents + tensor.rank);
    operand.type.isRanked = true;
    operand.value = {static_cast<const std::byte *>(tensor.data),
                     size_t(elementCount(operand.type.dimensions)) *
                         elementSize(operand.type.type)};
  }
  return Status::ok();
}

/// Allocates output \p index and copies \p bytes to it.
static Status deliver(const Call &call, size_t index, const Shape &shape,
                      uint32_t size, std::span<const std::byte> bytes) {
  NNHalKernelTensor &output = call.outputs[index];
  if (shape.size() != output.rank)
    return failure("output {} has rank {}, expected {}", index, shape.size(),
                   output.rank);
  std::ranges::copy(shape, output.extents);
  output.data = call.context.allocate(call.context.allocateContext,
                                      output.extents, output.rank, size);
  if (!output.data)
    return Status(StatusCode::resourceExhaustedTransient, "");
  if (!bytes.empty())
    std::memcpy(output.data, bytes.data(), bytes.size());
  return Status::ok();
}

static Status runKernel(OperationType type, std::span<const uint8_t> bytes,
                        const Call &call) {
  NNHAL_ASSIGN_OR_RETURN(KernelSignature signature, readKernelSignature(bytes));
  if (signature.operation.type != type)
    return failure("the kernel for {} was called for {}", nameOf(type),
                   nameOf(signature.operation.type));
  NNHAL_RETURN_IF_ERROR(bindInputs(signature, call));
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts,
                         checkOperation(signature.operation));
  if (facts.results.size() != call.outputs.size())
    return failure("{} has {} outputs, the code expects {}", nameOf(type),
                   facts.results.size(), call.outputs.size());
  KernelContext kernel(signature.operation, facts);
  NNHAL_RETURN_IF_ERROR(lookUpRow(type)(kernel));
  for (size_t i = 0; i < facts.results.size(); ++i) {
    Elements<std::byte> result = kernel.takeOutput(i);
    NNHAL_RETURN_IF_ERROR(deliver(call, i, kernel.outputShape(i),
                                  elementSize(kernel.outputType(i).type),
                                  result));
  }
  return Status::ok();
}

/// The boundary to generated code: nothing is thrown across it.
template <OperationType type>
static int32_t call(NNHalExecutionContext *context, const uint8_t *signature,
                    uint64_t signatureSize, const NNHalKernelTensor *inputs,
                    uint32_t inputCount, NNHalKernelTensor *outputs,
                    uint32_t outputCount) {
  Status status;
  try {
    status =
        runKernel(type, {signature, signatureSize},
                  {*context, {inputs, inputCount}, {outputs, outputCount}});
  } catch (const std::bad_alloc &) {
    status = Status(StatusCode::resourceExhaustedTransient,
                    "memory for a runtime kernel is not available");
  }
  if (status.isOk())
    return 0;
  if (context->report && !status.message().empty())
    context->report(context->reportContext, status.message().c_str());
  // An execution fails where validation would have rejected the model, had it
  // known the values.
  return int32_t(status.code() == StatusCode::invalidArgument
                     ? StatusCode::generalFailure
                     : status.code());
}

const NNHalKernelTable &nnhal::rt::runtimeKernels() {
  static constexpr std::array<NNHalKernel, 7> kernels = {
#define NNHAL_RUNTIME_KERNEL(SLOT, OPERATION, WHY)                             \
  call<OperationType::OPERATION>,
#include "Runtime/Artifact/RuntimeKernels.def"
  };
  static constexpr NNHalKernelTable table = {sizeof(NNHalKernelTable),
                                             kernels.size(), kernels.data()};
  return table;
}
