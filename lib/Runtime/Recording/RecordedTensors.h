//===- RecordedTensors.h - The arguments of a request as values -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_RECORDING_RECORDEDTENSORS_H
#define NNHAL_LIB_RUNTIME_RECORDING_RECORDEDTENSORS_H

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/TestCase.h"

namespace nnhal::rt {

/// Copies the arguments of \p request, whose execution has ended with
/// \p result; shapes that it does not have are those of
/// the request. Outputs are left out where \p hasOutputs is false. May throw
/// std::bad_alloc.
///
/// Fails with invalidArgument for arguments whose number or size is not that of
/// \p interface, and for memory that is out of reach, which the message names.
Result<TestExample> recordedExample(const Interface &interface,
                                    const Request &request,
                                    const ExecutionResult &result,
                                    bool hasOutputs);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_RECORDING_RECORDEDTENSORS_H
