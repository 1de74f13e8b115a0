//===- ImportingKernel.c - Code that imports what it must not -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/EntryAbi.h"

extern int32_t getpid(void);

int32_t run(NNHalExecutionContext *context) {
  (void)context;
  return getpid();
}
