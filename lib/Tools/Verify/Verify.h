//===- Verify.h - Executions held against the reference ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_VERIFY_VERIFY_H
#define NNHAL_LIB_TOOLS_VERIFY_VERIFY_H

#include "Tools/Execution/Preparation.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/TestCase.h"

#include <string>

namespace nnhal::verify {

struct VerifyRequest {
  tools::Preparation preparation;
  /// Where the case goes that shows what is wrong.
  std::string caseFile;
};

/// Runs \p test on both devices and judges each operation of its main graph by
/// the inputs that \p tested had for it (judge()). Success gives a sentence for
/// the user. Fails with generalFailure, which names the first operation that
/// differs, by how much and the file with its inputs; and with what writing
/// that file reports.
rt::Result<std::string> verifyCase(const VerifyRequest &request,
                                   const rt::Device &tested,
                                   const rt::Device &reference,
                                   rt::TestCase test);

} // namespace nnhal::verify

#endif // NNHAL_LIB_TOOLS_VERIFY_VERIFY_H
