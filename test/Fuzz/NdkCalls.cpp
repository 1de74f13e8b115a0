//===- NdkCalls.cpp - Fuzzes sequences of calls of the NDK ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// L-081: the functions of the NDK with the whole runtime behind them.
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"
#include "NdkClient.h"

using namespace nnhal::rt::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  NdkClient(bytesOf(data, size)).run();
  return 0;
}
