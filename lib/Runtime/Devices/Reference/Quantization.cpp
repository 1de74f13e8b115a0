//===- Quantization.cpp - QUANTIZE and DEQUANTIZE -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Routines/Routine.h"

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

/// QUANTIZE and DEQUANTIZE both convert real values: reading dequantizes
/// (M-030), storing quantizes (M-148).
static Status convert(RoutineContext &context) {
  context.storeReals(0, context.reals(0));
  return Status::ok();
}

std::span<const RoutineRow> reference::quantizationRoutines() {
  static constexpr RoutineRow rows[] = {
      {OperationType::QUANTIZE, convert},
      {OperationType::DEQUANTIZE, convert},
  };
  return rows;
}
