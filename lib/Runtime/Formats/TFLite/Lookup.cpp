//===- Lookup.cpp - Import of lookups -------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Status importHashtableLookup(Operator &op) {
  Tensor &hits = op.output(1);
  if (hits.sourceType != schema::TensorType::UINT8)
    return badData("output 1 has type {}, expected UINT8",
                   nameOf(hits.sourceType));
  hits.type = OperandType::TENSOR_QUANT8_ASYMM; // M-155: 1 is a hit
  hits.scale = 1.0f;
  hits.zeroPoint = 0;
  return OperationBuilder(op, OperationType::HASHTABLE_LOOKUP)
      .input(0)
      .input(1)
      .input(2)
      .finish();
}

} // namespace nnhal::rt::tflite
