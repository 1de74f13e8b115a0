//===- CaseExecution.cpp - Executes hostile test cases --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseExecution.h"

#include "nnhal/Runtime/PreparedModel.h"

#include <fmt/format.h>

#include <algorithm>

namespace nnhal::rt::fuzz {

CaseOutcome executeCase(const TestCase &test, const TestExample &example,
                        const PreparedModel &prepared, std::byte filler) {
  Request request;
  request.loopTimeout = 1'000'000;
  for (const TestTensor &input : example.inputs) {
    InputArgument &argument = request.inputs.emplace_back();
    if (input.isAbsent)
      continue;
    argument.memory = Memory::copy(std::as_bytes(std::span(input.bytes)));
    argument.dimensions = input.dimensions;
  }
  CaseOutcome outcome;
  for (uint32_t index : test.model.main.outputIndexes) {
    uint64_t size = byteSizeOf(test.model.main.operands[index]).value_or(4096);
    outcome.outputs.emplace_back(std::min(size, caseTensorLimit), filler);
    request.outputs.emplace_back().memory =
        OutputMemory::borrow(outcome.outputs.back());
  }
  outcome.status = prepared.execute(request, outcome.result);
  requireReason(outcome.status);
  return outcome;
}

static bool fitsStated(std::span<const uint32_t> stated,
                       std::span<const uint32_t> found) {
  return stated.empty() ||
         std::ranges::equal(stated, found, [](uint32_t left, uint32_t right) {
           return left == 0 || left == right;
         });
}

static std::span<const std::byte> computedBytes(const PreparedModel &prepared,
                                                const CaseOutcome &outcome,
                                                size_t index) {
  InterfaceTensor tensor = prepared.interface().outputs[index];
  tensor.dimensions = outcome.result.outputShapes[index].dimensions;
  std::span<const std::byte> bytes = outcome.outputs[index];
  return bytes.first(
      std::min<size_t>(bytes.size(), byteSizeOf(tensor).value_or(0)));
}

void requireSameOutcome(const TestCase &test, const PreparedModel &prepared,
                        const CaseOutcome &first, const CaseOutcome &second) {
  const std::vector<uint32_t> &outputs = test.model.main.outputIndexes;
  require(first.result.outputShapes.size() == outputs.size(),
          "an execution does not state the shape of every output");
  for (size_t i = 0; i < outputs.size(); ++i)
    require(
        fitsStated(test.model.main.operands[outputs[i]].dimensions,
                   first.result.outputShapes[i].dimensions),
        fmt::format("output {} has not the shape that the model states", i));
  // A loop may have no time left.
  if (!second.status.isOk())
    return;
  require(first.result.outputShapes == second.result.outputShapes,
          "two executions give other shapes");
  for (size_t i = 0; i < outputs.size(); ++i)
    require(std::ranges::equal(computedBytes(prepared, first, i),
                               computedBytes(prepared, second, i)),
            fmt::format("two executions give other bytes of output {}", i));
}

} // namespace nnhal::rt::fuzz
