//===- TestCaseWriter.h - One case beside the JSON of its model -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_JSON_TESTCASEWRITER_H
#define NNHAL_LIB_RUNTIME_FORMATS_JSON_TESTCASEWRITER_H

#include "nnhal/Runtime/TestCase.h"

#include <string>
#include <string_view>

namespace nnhal::rt {

/// Writes \p test like writeTestCases(), with \p modelJson for its model, of
/// which only the main subgraph is looked at: values are not needed.
Result<std::string> writeTestCase(const TestCase &test,
                                  std::string_view modelJson);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_FORMATS_JSON_TESTCASEWRITER_H
