//===- Errors.cpp - Failures with formatted messages ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

using namespace nnhal::rt;

Status nnhal::rt::formatFailure(StatusCode code, fmt::string_view format,
                                fmt::format_args args) {
  return Status(code, fmt::vformat(format, args));
}
