//===- Composition.h - Several HAL operations for one operator --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_COMPOSITION_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_COMPOSITION_H

#include "OperationBuilder.h"

namespace nnhal::rt::tflite {

/// More operations than this for one operator are an error: an operator that
/// is unrolled states the number in a shape, which may be of any size.
inline constexpr uint32_t maxUnrolled = 4096;

/// Adds the operations of one operator but for the last, which an
/// OperationBuilder or finish() adds. Like there, the first failure is kept and
/// operations after it are not added; the operand numbers that they would have
/// had are meaningless.
class Composition {
public:
  explicit Composition(Operator &op) : op(op), graph(op.graph) {}

  /// The operand of input \p i.
  uint32_t input(size_t i);
  /// Input \p i as real numbers: dequantized where it is quantized.
  uint32_t real(size_t i);

  uint32_t int32(int32_t value);
  uint32_t boolean(bool value);
  uint32_t integers(const std::vector<int32_t> &values);
  /// TENSOR_INT32 constants of \p shape.
  uint32_t integers(const Shape &shape, const std::vector<int32_t> &values);
  /// Real constants of \p shape, in the type of real().
  uint32_t reals(const Shape &shape, const std::vector<float> &values);
  /// A real scalar operand, in the type of real().
  uint32_t scalar(float value);

  uint32_t addOperand(Operand operand) {
    return graph.addOperand(std::move(operand));
  }
  /// A temporary of \p shape, otherwise as operand \p like.
  uint32_t temporary(uint32_t like, const Shape &shape);
  /// A temporary of \p shape, otherwise as output \p i.
  uint32_t outputLike(size_t i, const Shape &shape);
  /// A real temporary, in the type of real().
  uint32_t realTemporary(const Shape &shape);

  /// Bytes of \p shape like operand \p like that stand for themselves less
  /// \p zeroPoint: their scale is 1.
  uint32_t unscaled(uint32_t like, const Shape &shape, int32_t zeroPoint);
  /// Input 0, bytes, as reals: what is stored less \p zeroPoint.
  uint32_t stored(int32_t zeroPoint);

  /// Adds an operation whose only result is a temporary() like \p like.
  uint32_t add(OperationType type, std::vector<uint32_t> inputs, uint32_t like,
               const Shape &shape);
  /// Adds an operation with the given results.
  void addTo(OperationType type, std::vector<uint32_t> inputs,
             std::vector<uint32_t> outputs);
  /// The elements of \p from in \p shape, both of at most rank 4 (M-104);
  /// \p from itself when that is its shape.
  uint32_t reshape(uint32_t from, const Shape &shape);
  uint32_t transpose(uint32_t from, const std::vector<int32_t> &permutation);
  /// \p count equal parts of dimension \p axis.
  std::vector<uint32_t> split(uint32_t from, uint32_t axis, uint32_t count);
  /// \p parts in one, along \p axis; \p shape is that of the result.
  uint32_t concatenate(const std::vector<uint32_t> &parts, uint32_t axis,
                       const Shape &shape);
  /// \p from, element by element as often as \p shape asks for (M-115). Works
  /// for numbers of any type and rank.
  uint32_t broadcastTo(uint32_t from, const Shape &shape);

  /// Adds the last operation, whose result is real and becomes output 0:
  /// quantized where that is quantized.
  Status finish(OperationType type, std::vector<uint32_t> inputs);
  /// Makes output 0, bytes of \p shape, from the reals \p value, which are what
  /// is stored less \p zeroPoint: rounded, halves away from zero.
  Status finishStored(uint32_t value, const Shape &shape, int32_t zeroPoint);
  /// Returns the status for a last operation that is added elsewhere.
  Status takeStatus() { return std::move(status); }
  bool hasFailed() const { return !status.isOk(); }
  void fail(Status failure);

  Shape shapeOf(uint32_t operand) const;

private:
  uint32_t take(Result<uint32_t> operand);
  OperandType realType() const;

  Operator &op;
  Graph &graph;
  Status status;
};

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_COMPOSITION_H
