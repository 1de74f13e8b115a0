//===- RuntimeDialect.cpp - What compiled code asks of the runtime --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace nnhal::runtime;

#include "nnhal/Dialect/Runtime/RuntimeDialect.cpp.inc"

#define GET_OP_CLASSES
#include "nnhal/Dialect/Runtime/RuntimeOps.cpp.inc"

void RuntimeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "nnhal/Dialect/Runtime/RuntimeOps.cpp.inc"
      >();
}
