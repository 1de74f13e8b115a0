//===- CaseExecution.h - Executes examples of test cases --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_CHECK_CASEEXECUTION_H
#define NNHAL_LIB_TOOLS_CHECK_CASEEXECUTION_H

#include "Ways.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/TestCase.h"

#include <optional>
#include <vector>

namespace nnhal::tools {

/// Whether what has to fail in \p test is the time-out of a loop.
bool isInfiniteLoop(const rt::TestCase &test);

/// The outputs that an execution has left.
struct CaseOutputs {
  std::vector<std::vector<std::byte>> bytes;
  rt::ExecutionResult result;
};

/// The executions of one prepared test case, which outlives this object.
class CaseExecution {
public:
  /// \p device has prepared \p prepared and may be null: then there are no
  /// buffers. \p timeLimit bounds each execution, in nanoseconds.
  CaseExecution(const rt::TestCase &test, const rt::Device *device,
                rt::PreparedModelRef prepared,
                std::optional<uint64_t> timeLimit)
      : test(test), device(device), prepared(std::move(prepared)),
        timeLimit(timeLimit) {}

  /// Whether \p way is defined for \p example. A fenced execution and buffers
  /// need outputs of known shapes without zero extents (D-035, D-050, F-037).
  bool isDefined(const rt::TestExample &example, Way way) const;

  /// Executes \p example in \p way. Fails with what the execution reports, and
  /// where Way::insufficient is not answered as it must be.
  rt::Status execute(const rt::TestExample &example, Way way,
                     CaseOutputs &outputs) const;

private:
  bool hasKnownShapes(const rt::TestExample &example) const;
  size_t sizeOf(const rt::TestExample &example, size_t output) const;
  std::vector<uint32_t> dimensionsOf(const rt::TestExample &example,
                                     size_t output) const;
  rt::Request makeRequest(const rt::TestExample &example) const;
  void bindOutputs(const rt::TestExample &example, rt::Request &request,
                   CaseOutputs &outputs) const;
  rt::Status executeInBuffers(const rt::TestExample &example,
                              rt::Request &request, CaseOutputs &outputs) const;
  rt::Status refuseSmallOutputs(const rt::TestExample &example,
                                rt::Request &request,
                                CaseOutputs &outputs) const;

  const rt::TestCase &test;
  const rt::Device *device;
  rt::PreparedModelRef prepared;
  std::optional<uint64_t> timeLimit;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_CHECK_CASEEXECUTION_H
