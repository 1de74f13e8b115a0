//===- Activation.cpp - Import of activation operators --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Status importElu(Operator &op) {
  return OperationBuilder(op, OperationType::ELU)
      .throughReals()
      .input(0)
      .floating(1.0f)
      .finish();
}

Status importSoftmax(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::SoftmaxOptions>());
  // Beta is positive (M-059).
  if (!(options->beta() > 0))
    return badData("beta is {}, which is not positive", options->beta());
  return OperationBuilder(op, OperationType::SOFTMAX)
      .input(0)
      .floating(options->beta())
      .finish();
}

Status importLogSoftmax(Operator &op) {
  return OperationBuilder(op, OperationType::LOG_SOFTMAX)
      .throughReals()
      .input(0)
      .floating(1.0f)
      .int32(-1)
      .finish();
}

} // namespace nnhal::rt::tflite
