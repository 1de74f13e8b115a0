//===- Normalization.cpp - Import of normalizations -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Status importL2Normalization(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::L2NormOptions>());
  return OperationBuilder(op, OperationType::L2_NORMALIZATION)
      .input(0)
      .separateActivation(options->activation())
      .finish();
}

Status importLocalResponseNormalization(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(
      const auto *options,
      op.options<schema::LocalResponseNormalizationOptions>());
  // The radius is not negative (M-068).
  if (options->radius() < 0)
    return badData("radius {} is negative", options->radius());
  return OperationBuilder(op, OperationType::LOCAL_RESPONSE_NORMALIZATION)
      .input(0)
      .int32(options->radius())
      .floating(options->bias())
      .floating(options->alpha())
      .floating(options->beta())
      .finish();
}

} // namespace nnhal::rt::tflite
