//===- RoutineTable.cpp - Work that compiled code calls for ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The routines are those of the reference device: what is irregular gains
// nothing from another implementation.
//
//===----------------------------------------------------------------------===//

#include "RoutineTable.h"

#include "Routine.h"

#include "Runtime/Artifact/RoutineSignature.h"
#include "Runtime/Support/Errors.h"

#include <array>
#include <cstring>
#include <new>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

static Routine lookUpRow(OperationType type) {
  for (std::span<const RoutineRow> family :
       {detectionRoutines(), lookupRoutines(), reductionRoutines()})
    for (const RoutineRow &row : family)
      if (row.type == type)
        return row.routine;
  return nullptr;
}

namespace {
/// One call.
struct Call {
  NNHalExecutionContext &context;
  std::span<const NNHalRoutineTensor> inputs;
  std::span<NNHalRoutineTensor> outputs;
};
} // namespace

/// Completes \p signature by what was passed.
static Status bindInputs(RoutineSignature &signature, const Call &call) {
  if (signature.arguments.size() != call.inputs.size())
    return failure("a routine of the runtime was passed {} inputs, expected {}",
                   call.inputs.size(), signature.arguments.size());
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const NNHalRoutineTensor &tensor = call.inputs[i];
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
  NNHalRoutineTensor &output = call.outputs[index];
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

static Status runRoutine(OperationType type, std::span<const uint8_t> bytes,
                         const Call &call) {
  NNHAL_ASSIGN_OR_RETURN(RoutineSignature signature,
                         readRoutineSignature(bytes));
  if (signature.operation.type != type)
    return failure("the routine for {} was called for {}", nameOf(type),
                   nameOf(signature.operation.type));
  NNHAL_RETURN_IF_ERROR(bindInputs(signature, call));
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts,
                         checkOperation(signature.operation));
  if (facts.results.size() != call.outputs.size())
    return failure("{} has {} outputs, the code expects {}", nameOf(type),
                   facts.results.size(), call.outputs.size());
  RoutineContext routine(signature.operation, facts);
  NNHAL_RETURN_IF_ERROR(lookUpRow(type)(routine));
  for (size_t i = 0; i < facts.results.size(); ++i) {
    Elements<std::byte> result = routine.takeOutput(i);
    NNHAL_RETURN_IF_ERROR(deliver(call, i, routine.outputShape(i),
                                  elementSize(routine.outputType(i).type),
                                  result));
  }
  return Status::ok();
}

/// The boundary to generated code: nothing is thrown across it.
template <OperationType type>
static int32_t call(NNHalExecutionContext *context, const uint8_t *signature,
                    uint64_t signatureSize, const NNHalRoutineTensor *inputs,
                    uint32_t inputCount, NNHalRoutineTensor *outputs,
                    uint32_t outputCount) {
  Status status;
  try {
    status =
        runRoutine(type, {signature, signatureSize},
                   {*context, {inputs, inputCount}, {outputs, outputCount}});
  } catch (const std::bad_alloc &) {
    status = Status(StatusCode::resourceExhaustedTransient,
                    "memory for a routine of the runtime is not available");
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

const NNHalRoutineTable &nnhal::rt::routineTable() {
  static constexpr std::array<NNHalRoutine, 7> routines = {
#define NNHAL_ROUTINE(SLOT, OPERATION, WHY) call<OperationType::OPERATION>,
#include "Runtime/Artifact/Routines.def"
  };
  static constexpr NNHalRoutineTable table = {sizeof(NNHalRoutineTable),
                                              routines.size(), routines.data()};
  return table;
}
