//===- Elementwise.cpp - General lowerings ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationLowering.h"

using namespace mlir;
using namespace nnhal;
using rt::OperationType;

std::span<const GeneralLoweringRow> nnhal::generalElementwiseRows() { return {}; }
