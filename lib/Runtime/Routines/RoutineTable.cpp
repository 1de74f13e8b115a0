//===- RoutineTable.cpp - Work that compiled code calls for ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The routines are those of the reference device: what is irregular gains
// nothing from another implementation. The last one calls the backends of
// extensions.
//
//===----------------------------------------------------------------------===//

#include "RoutineTable.h"

#include "Routine.h"

#include "Runtime/Artifact/RoutineSignature.h"
#include "Runtime/Model/ExtensionCalls.h"
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

/// Completes \p signature by what was passed; \p sizeOf tells the bytes of an
/// element of a type.
template <typename SizeOf>
static Status bindInputs(RoutineSignature &signature, const Call &call,
                         SizeOf sizeOf) {
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
                         sizeOf(operand.type.type)};
  }
  return Status::ok();
}

/// Allocates output \p index, of elements of \p size bytes.
static Status allocate(const Call &call, size_t index,
                       std::span<const int64_t> shape, uint32_t size) {
  NNHalRoutineTensor &output = call.outputs[index];
  if (shape.size() != output.rank)
    return failure("output {} has rank {}, expected {}", index, shape.size(),
                   output.rank);
  std::ranges::copy(shape, output.extents);
  output.data = call.context.allocate(call.context.allocateContext,
                                      output.extents, output.rank, size);
  if (!output.data)
    return Status(StatusCode::resourceExhaustedTransient, "");
  return Status::ok();
}

static Status checkOutputCount(const OperationFacts &facts, const Call &call,
                               std::string_view name) {
  if (facts.results.size() == call.outputs.size())
    return Status::ok();
  return failure("{} has {} outputs, the code expects {}", name,
                 facts.results.size(), call.outputs.size());
}

static Status runRoutine(OperationType type, std::span<const uint8_t> bytes,
                         const Call &call) {
  NNHAL_ASSIGN_OR_RETURN(RoutineSignature signature,
                         readRoutineSignature(bytes));
  if (signature.operation.type != type)
    return failure("the routine for {} was called for {}", nameOf(type),
                   nameOf(signature.operation.type));
  NNHAL_RETURN_IF_ERROR(bindInputs(signature, call, elementSize));
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts,
                         checkOperation(signature.operation));
  NNHAL_RETURN_IF_ERROR(checkOutputCount(facts, call, nameOf(type)));
  RoutineContext routine(signature.operation, facts);
  NNHAL_RETURN_IF_ERROR(lookUpRow(type)(routine));
  for (size_t i = 0; i < facts.results.size(); ++i) {
    Elements<std::byte> result = routine.takeOutput(i);
    NNHAL_RETURN_IF_ERROR(allocate(call, i, routine.outputShape(i),
                                   elementSize(routine.outputType(i).type)));
    if (!result.empty())
      std::memcpy(call.outputs[i].data, result.data(), result.size());
  }
  return Status::ok();
}

namespace {
/// The outputs of a call to an extension's backend.
class CallOutputs final : public CheckedOutputs {
public:
  CallOutputs(const Call &call, const Extension &extension,
              std::vector<TensorType> results)
      : CheckedOutputs(extension, std::move(results)), call(call) {}

protected:
  Result<std::span<std::byte>> allocateElements(size_t index,
                                                uint32_t elementSize) override {
    const Shape &shape = types()[index].dimensions;
    NNHAL_RETURN_IF_ERROR(::allocate(call, index, shape, elementSize));
    // A product that overflows was refused.
    return std::span(static_cast<std::byte *>(call.outputs[index].data),
                     size_t(elementCount(shape)) * elementSize);
  }

private:
  const Call &call;
};
} // namespace

/// Turns the type of \p operand, if it is of another extension, into
/// \p extension's own.
static Status adoptType(const RoutineSignature &signature,
                        const Extension &extension,
                        std::span<const InstalledExtension> installed,
                        OperandView &operand) {
  OperandType type = operand.type.type;
  uint32_t prefix = uint32_t(type) >> 16;
  if (!isExtension(type) || prefix == ownExtensionPrefix)
    return Status::ok();
  size_t last = ownExtensionPrefix + signature.otherExtensions.size();
  if (prefix > last)
    return failure(
        "has a type with extension prefix {}, which is not in {}..{}", prefix,
        ownExtensionPrefix, last);
  return adoptType(extension, installed,
                   signature.otherExtensions[prefix - ownExtensionPrefix - 1],
                   uint16_t(type), operand);
}

/// Turns the types of other extensions in \p operands, which are inputs or
/// outputs as \p role says, into \p extension's own.
static Status adoptTypes(const RoutineSignature &signature,
                         const Extension &extension,
                         std::span<const InstalledExtension> installed,
                         std::string_view role,
                         std::vector<OperandView> &operands) {
  for (size_t i = 0; i < operands.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        adoptType(signature, extension, installed, operands[i])
            .withContext(fmt::format("{} {}", role, i)));
  return Status::ok();
}

static Status runExtension(std::span<const uint8_t> bytes, const Call &call) {
  NNHAL_ASSIGN_OR_RETURN(RoutineSignature signature,
                         readRoutineSignature(bytes));
  const auto *installed = static_cast<const std::vector<InstalledExtension> *>(
      call.context.extensions);
  const InstalledExtension *found =
      installed ? findInstalled(*installed, signature.extension) : nullptr;
  if (!found)
    return failure("there is no extension '{}'", signature.extension);
  const ExtensionBackend &backend = *found->backend;
  const Extension &extension = backend.extension();
  OperationView &operation = signature.operation;
  NNHAL_RETURN_IF_ERROR(
      adoptTypes(signature, extension, *installed, "input", operation.inputs));
  NNHAL_RETURN_IF_ERROR(adoptTypes(signature, extension, *installed, "output",
                                   operation.outputs));
  NNHAL_RETURN_IF_ERROR(bindInputs(signature, call, [&](OperandType type) {
    return elementSizeIn(extension, type);
  }));
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, checkCall(backend, operation));
  NNHAL_RETURN_IF_ERROR(checkOutputCount(facts, call, signature.extension));
  CallOutputs outputs(call, extension, std::move(facts.results));
  NNHAL_RETURN_IF_ERROR(backend.execute(operation, outputs));
  return outputs.checkComplete();
}

/// The boundary to generated code: nothing is thrown across it.
template <typename Run>
static int32_t guarded(NNHalExecutionContext &context, Run run) {
  Status status;
  try {
    status = run();
  } catch (const std::bad_alloc &) {
    status = Status(StatusCode::resourceExhaustedTransient,
                    "memory for a routine of the runtime is not available");
  }
  if (status.isOk())
    return 0;
  if (context.report && !status.message().empty())
    context.report(context.reportContext, status.message().c_str());
  // An execution fails where validation would have rejected the model, had it
  // known the values.
  return int32_t(status.code() == StatusCode::invalidArgument
                     ? StatusCode::generalFailure
                     : status.code());
}

template <OperationType type>
static int32_t call(NNHalExecutionContext *context, const uint8_t *signature,
                    uint64_t signatureSize, const NNHalRoutineTensor *inputs,
                    uint32_t inputCount, NNHalRoutineTensor *outputs,
                    uint32_t outputCount) {
  return guarded(*context, [&] {
    return runRoutine(type, {signature, signatureSize},
                      {*context, {inputs, inputCount}, {outputs, outputCount}});
  });
}

static int32_t callExtension(NNHalExecutionContext *context,
                             const uint8_t *signature, uint64_t signatureSize,
                             const NNHalRoutineTensor *inputs,
                             uint32_t inputCount, NNHalRoutineTensor *outputs,
                             uint32_t outputCount) {
  return guarded(*context, [&] {
    return runExtension(
        {signature, signatureSize},
        {*context, {inputs, inputCount}, {outputs, outputCount}});
  });
}

const NNHalRoutineTable &nnhal::rt::routineTable() {
  static constexpr std::array<NNHalRoutine, 8> routines = {
#define NNHAL_ROUTINE(SLOT, OPERATION, WHY) call<OperationType::OPERATION>,
#include "Runtime/Artifact/Routines.def"

      callExtension};
  static_assert(routines.size() == extensionRoutineSlot + 1);
  static constexpr NNHalRoutineTable table = {sizeof(NNHalRoutineTable),
                                              routines.size(), routines.data()};
  return table;
}
