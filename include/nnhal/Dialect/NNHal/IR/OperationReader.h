//===- OperationReader.h - Operations as the rules see them -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_OPERATIONREADER_H
#define NNHAL_DIALECT_NNHAL_IR_OPERATIONREADER_H

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Runtime/Signatures.h"

#include <deque>
#include <vector>

namespace nnhal {

/// The constant that defines \p value: that of an nnhal.constant or
/// nnhal.constant_copy; null when something else defines it.
mlir::Attribute definingConstant(mlir::Value value);

/// Reads nnhal.operation for the rules of nnhal/Runtime/Signatures.h.
///
/// Ownership: what read() returned refers to attributes and to this reader.
class OperationReader {
public:
  /// invalidArgument when no HAL operation has the name of \p op, or a type is
  /// none of the HAL's.
  rt::Result<rt::OperationView> read(OperationOp op);

private:
  rt::Result<rt::OperandView> read(mlir::Value value);

  /// Bytes of attributes that have none to borrow; a deque keeps them in place.
  std::deque<std::vector<uint8_t>> storage;
};

/// Gives results of \p op the rank and extents that its rule infers where its
/// type leaves them open. Returns the rule's error, if it has one.
rt::Status refineResultTypes(OperationOp op);

} // namespace nnhal

#endif // NNHAL_DIALECT_NNHAL_IR_OPERATIONREADER_H
