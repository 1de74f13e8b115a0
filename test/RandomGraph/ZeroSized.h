//===- ZeroSized.h - Uses of operations without elements --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_ZEROSIZED_H
#define NNHAL_TEST_RANDOMGRAPH_ZEROSIZED_H

#include "Tools/Verify/Interpreter.h"

#include <functional>

namespace nnhal::randomgraph {

using namespace verify;

/// One dimension of one input of an operation.
struct Extent {
  size_t input;
  size_t dimension;
  bool operator==(const Extent &) const = default;
};

/// One operation whose inputs are all constants or omitted, and which can be
/// changed so that some of them have no elements.
struct ConstantOperation {
  rt::OperationType type;
  bool isRelaxed = false;
  /// One per input. Constants have the value of the same index.
  std::vector<rt::Operand> operands;
  Tensors values;
  std::vector<rt::Operand> outputs;

  /// The first operation of \p type in the first example of \p test, whose
  /// inputs and constants it reads. Fails when it reads computed values.
  static rt::Result<ConstantOperation> of(const rt::TestCase &test,
                                          rt::OperationType type);

  /// The sets of dimensions to set to 0: each of them alone, all those of one
  /// extent, and each pair of dimensions of different inputs.
  std::vector<std::vector<Extent>> zeroings() const;

  /// The operation with \p zeros set to 0, as a model whose outputs are of
  /// unknown extents.
  rt::Model withZeros(std::span<const Extent> zeros) const;
};

/// The operation and the types and shapes of its tensors.
std::string describe(const ConstantOperation &operation,
                     std::span<const Extent> zeros);

/// What \p device answers to the operation with \p zeros set to 0.
rt::Result<Tensors> executeWithZeros(const rt::Device &device,
                                     const ConstantOperation &operation,
                                     std::span<const Extent> zeros);

/// Calls \p visit(operation, zeros) for uses of every operation, on every type
/// that it works on, that have constants without elements. IF and WHILE, which
/// hand their inputs on, are left out.
rt::Status
forEachZeroing(const rt::Device &reference, uint64_t seeds,
               const std::function<void(const ConstantOperation &,
                                        std::span<const Extent>)> &visit);

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_ZEROSIZED_H
