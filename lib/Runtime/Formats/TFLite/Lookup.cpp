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

Status importLshProjection(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::LSHProjectionOptions>());
  // M-159: codes of the HAL; the one that the file format calls sparse adds a
  // multiple of the number of signatures for each function.
  constexpr int32_t dense = 2, sparse = 3;
  bool isDense = options->type() == schema::LSHProjectionType::DENSE;
  if (!isDense && options->type() != schema::LSHProjectionType::SPARSE)
    return badData("projection type {} is neither SPARSE (1) nor DENSE (2)",
                   int(options->type()));
  // The bytes of what the file states are hashed, so that integers of 64 bits
  // do not become others here; op.input() may be narrowed already.
  const Tensor &stated = op.graph.tensor(uint32_t(op.source.inputs()->Get(1)));
  if (stated.is64Bit)
    return badData("input 1 has type {}, whose bytes the HAL does not hash",
                   nameOf(stated.sourceType));
  return OperationBuilder(op, OperationType::LSH_PROJECTION)
      .input(0)
      .input(1)
      .optional(2, *op.input(0).type)
      .int32(isDense ? dense : sparse)
      .finish();
}

} // namespace nnhal::rt::tflite
