//===- InitializedKernel.c - Code that runs when it is loaded -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/EntryAbi.h"

static volatile int32_t state;

__attribute__((constructor)) static void initialize(void) { state = 1; }

int32_t run(NNHalExecutionContext *context) {
  (void)context;
  return state;
}
