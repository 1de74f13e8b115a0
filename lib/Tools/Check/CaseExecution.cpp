//===- CaseExecution.cpp - Executes examples of test cases ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseExecution.h"

#include "Tools/Execution/ArgumentPlaces.h"
#include "Tools/Execution/Modes.h"
#include "Tools/Execution/Preparation.h"
#include "Tools/Tensors/Npy.h"
#include "Tools/Tensors/Outputs.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

bool tools::isInfiniteLoop(const rt::TestCase &test) {
  return test.spec.ends_with("while_infinite_loop");
}

static const rt::Operand &outputOperand(const rt::TestCase &test,
                                        size_t output) {
  const rt::Subgraph &main = test.model.main;
  return main.operands[main.outputIndexes[output]];
}

static bool hasZeroExtent(const std::vector<uint32_t> &dimensions) {
  return std::ranges::find(dimensions, 0u) != dimensions.end();
}

/// Returns the number of bytes of an output that are left out to make it too
/// small; 0 for one that cannot be smaller.
static size_t missingBytes(const rt::TestCase &test,
                           const rt::TestExample &example, size_t output) {
  const rt::TestTensor &expected = example.outputs[output];
  if (expected.isAbsent || expected.bytes.empty())
    return 0;
  rt::OperandType type = outputOperand(test, output).type;
  // The last extent is that of the bytes of one element.
  if (rt::isExtension(type))
    return fileShape(type, expected.dimensions, expected.bytes.size()).back();
  return formatOf(type).size;
}

/// Whether an input or output is of an extension type, of which devices have no
/// buffers (C-075).
static bool hasExtensionArguments(const rt::TestCase &test) {
  const rt::Subgraph &main = test.model.main;
  auto isForeign = [&](uint32_t index) {
    return rt::isExtension(main.operands[index].type);
  };
  return std::ranges::any_of(main.inputIndexes, isForeign) ||
         std::ranges::any_of(main.outputIndexes, isForeign);
}

bool CaseExecution::hasKnownShapes(const rt::TestExample &example) const {
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    std::vector<uint32_t> dimensions = dimensionsOf(example, i);
    // A tensor without dimensions has an unknown rank, for which an output that
    // is not compared has no value.
    if (hasZeroExtent(dimensions) ||
        (rt::isTensor(outputOperand(test, i).type) && dimensions.empty()))
      return false;
  }
  return true;
}

bool CaseExecution::isDefined(const rt::TestExample &example, Way way) const {
  switch (way) {
  case Way::sync:
  case Way::async:
  case Way::cached:
    return true;
  case Way::fenced:
    return hasKnownShapes(example);
  case Way::burst:
    // Packets state neither deadlines nor time-outs of loops.
    return !timeLimit && !isInfiniteLoop(test);
  case Way::buffers:
    return device && hasKnownShapes(example) && !hasExtensionArguments(test) &&
           std::ranges::none_of(example.inputs, [](const auto &input) {
             return !input.isAbsent && hasZeroExtent(input.dimensions);
           });
  case Way::insufficient:
    break;
  }
  if (test.expectFailure || isInfiniteLoop(test))
    return false;
  for (size_t i = 0; i < example.outputs.size(); ++i)
    if (missingBytes(test, example, i) > 0)
      return true;
  return false;
}

size_t CaseExecution::sizeOf(const rt::TestExample &example,
                             size_t output) const {
  // The size of an output that is not compared and whose size is unknown.
  constexpr size_t amplySized = 1 << 20;
  const rt::TestTensor &expected = example.outputs[output];
  return expected.isAbsent
             ? rt::byteSizeOf(outputOperand(test, output)).value_or(amplySized)
             : expected.bytes.size();
}

std::vector<uint32_t>
CaseExecution::dimensionsOf(const rt::TestExample &example,
                            size_t output) const {
  const rt::TestTensor &expected = example.outputs[output];
  return expected.isAbsent ? outputOperand(test, output).dimensions
                           : expected.dimensions;
}

rt::Request CaseExecution::makeRequest(const rt::TestExample &example) const {
  rt::Request request;
  if (isInfiniteLoop(test))
    request.loopTimeout = 1'000'000;
  request.deadline = deadlineAfter(timeLimit);
  for (const rt::TestTensor &input : example.inputs) {
    rt::InputArgument &argument = request.inputs.emplace_back();
    if (input.isAbsent)
      continue;
    argument.memory = rt::Memory::copy(std::as_bytes(std::span(input.bytes)));
    argument.dimensions = input.dimensions;
  }
  request.outputs.resize(example.outputs.size());
  return request;
}

void CaseExecution::bindOutputs(const rt::TestExample &example,
                                rt::Request &request,
                                CaseOutputs &outputs) const {
  outputs.bytes.clear();
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    outputs.bytes.emplace_back(sizeOf(example, i));
    request.outputs[i].memory = rt::OutputMemory::borrow(outputs.bytes[i]);
  }
}

Status CaseExecution::executeInBuffers(const rt::TestExample &example,
                                       rt::Request &request,
                                       CaseOutputs &outputs) const {
  ArgumentPlaces places(ArgumentPlace::buffers, *device, prepared);
  for (size_t i = 0; i < example.inputs.size(); ++i) {
    const rt::TestTensor &input = example.inputs[i];
    if (input.isAbsent)
      continue;
    NNHAL_ASSIGN_OR_RETURN(
        request.inputs[i].memory,
        places.placeInput(i, std::as_bytes(std::span(input.bytes)),
                          input.dimensions));
  }
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(
        request.outputs[i].memory,
        places.placeOutput(i, sizeOf(example, i), dimensionsOf(example, i)));
  }
  NNHAL_RETURN_IF_ERROR(prepared->execute(request, outputs.result));
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    // The shape is compared later; all that was computed is fetched.
    size_t size = formatOf(outputOperand(test, i).type).size;
    for (uint32_t extent : outputs.result.outputShapes[i].dimensions)
      size *= extent;
    outputs.bytes[i].resize(size);
    NNHAL_RETURN_IF_ERROR(places.fetchOutput(i, outputs.bytes[i]));
  }
  return Status::ok();
}

/// Expects that outputs which are one element too small are refused, and that
/// the answer says which they are and what all need.
Status CaseExecution::refuseSmallOutputs(const rt::TestExample &example,
                                         rt::Request &request,
                                         CaseOutputs &outputs) const {
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    std::span<std::byte> bytes = outputs.bytes[i];
    request.outputs[i].memory = rt::OutputMemory::borrow(
        bytes.first(bytes.size() - missingBytes(test, example, i)));
  }
  Status status = prepared->execute(request, outputs.result);
  if (status.isOk())
    return rt::failure("outputs that are one element too small are accepted");
  if (status.code() != rt::StatusCode::outputInsufficientSize)
    return std::move(status).withContext(
        "with outputs that are one element too small");
  const std::vector<rt::OutputShape> &shapes = outputs.result.outputShapes;
  if (shapes.size() != example.outputs.size())
    return rt::failure("{} reports {} shapes for {} outputs",
                       rt::toString(status.code()), shapes.size(),
                       example.outputs.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    const rt::TestTensor &expected = example.outputs[i];
    if (!expected.isAbsent && shapes[i].dimensions != expected.dimensions)
      return rt::failure("{} reports shape [{}] for output {}, expected [{}]",
                         rt::toString(status.code()),
                         fmt::join(shapes[i].dimensions, ","), i,
                         fmt::join(expected.dimensions, ","));
    bool isSufficient = missingBytes(test, example, i) == 0;
    if (shapes[i].isSufficient != isSufficient)
      return rt::failure("{} reports that output {} is {}",
                         rt::toString(status.code()), i,
                         isSufficient ? "too small" : "large enough");
  }
  return Status::ok();
}

Status CaseExecution::execute(const rt::TestExample &example, Way way,
                              CaseOutputs &outputs) const {
  rt::Request request = makeRequest(example);
  bindOutputs(example, request, outputs);
  switch (way) {
  case Way::sync:
  case Way::cached:
    break;
  case Way::async:
    return Executions(ExecutionMode::async, prepared)
        .execute(request, outputs.result);
  case Way::burst:
    return Executions(ExecutionMode::burst, prepared)
        .execute(request, outputs.result);
  case Way::fenced:
    for (size_t i = 0; i < example.outputs.size(); ++i)
      request.outputs[i].dimensions = dimensionsOf(example, i);
    return Executions(ExecutionMode::fenced, prepared)
        .execute(request, outputs.result);
  case Way::buffers:
    return executeInBuffers(example, request, outputs);
  case Way::insufficient:
    NNHAL_RETURN_IF_ERROR(refuseSmallOutputs(example, request, outputs));
    bindOutputs(example, request, outputs);
    request.deadline = deadlineAfter(timeLimit);
    break;
  }
  return prepared->execute(request, outputs.result);
}
