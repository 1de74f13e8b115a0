//===- Routine.h - The view of a routine ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The reference device executes a model operation by operation. A routine is
// the plainest statement of what an operation computes: it reads whole tensors
// as floats or integers, computes, and stores. By the time it runs,
// checkOperation() has accepted the operation with all values known, so that a
// routine checks only what depends on elements (indices, boxes).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ROUTINES_ROUTINE_H
#define NNHAL_LIB_RUNTIME_ROUTINES_ROUTINE_H

#include "Elements.h"

#include "Runtime/Numerics/Quantization.h"
#include "nnhal/Backend/Signatures.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nnhal::rt::reference {

using Shape = std::vector<int64_t>;

/// The number of elements of \p shape, all of whose extents are known.
int64_t elementCount(std::span<const int64_t> shape);

/// One operation while it runs.
///
/// Elements are read and written as whole tensors in row-major order of the
/// tensor as the model states it (NCHW tensors in NCHW order: see Layout.h).
class RoutineContext {
public:
  /// \p operation has values for all inputs that are not omitted; \p facts are
  /// those of checkOperation() for it.
  RoutineContext(const OperationView &operation, const OperationFacts &facts);

  const OperationView &operation() const { return view; }
  size_t inputCount() const { return view.inputs.size(); }
  size_t outputCount() const { return results.size(); }
  bool hasInput(size_t index) const {
    return index < view.inputs.size() && !view.inputs[index].isOmitted;
  }
  const TensorType &inputType(size_t index) const {
    return view.inputs[index].type;
  }
  const Shape &inputShape(size_t index) const {
    return view.inputs[index].type.dimensions;
  }
  /// Extents are unknown where only the routine can tell them, until
  /// setOutputShape().
  const TensorType &outputType(size_t index) const { return results[index]; }
  const Shape &outputShape(size_t index) const {
    return results[index].dimensions;
  }
  /// States the shape of an output whose extents depend on the computation.
  void setOutputShape(size_t index, Shape shape);

  /// Elements of a FLOAT32, FLOAT16, TENSOR_FLOAT32 or TENSOR_FLOAT16 input as
  /// float32, exactly.
  Elements<float> floats(size_t index) const;
  /// Returns the floats of an input that is large and only read once, where
  /// they are; in \p copy if they are not float32 or not at a multiple of 4.
  std::span<const float> floats(size_t index, Elements<float> &copy) const;
  /// Elements of an input of integers, quantized values or booleans, as stored.
  Elements<int32_t> integers(size_t index) const;
  /// floats() for inputs of floats, otherwise (q - zero point) * scale (M-030);
  /// per-channel scales are applied.
  Elements<float> reals(size_t index) const;
  /// The bytes of an input.
  std::span<const std::byte> bytes(size_t index) const;

  /// Stores all elements of output \p index, rounding once when it is of
  /// FLOAT16 (M-023). The number of elements is that of the output's shape.
  void storeFloats(size_t index, std::span<const float> values);
  /// Stores integers, quantized values (clamped to their storage range) or
  /// booleans.
  void storeIntegers(size_t index, std::span<const int32_t> values);
  /// storeFloats() for outputs of floats, otherwise quantizes: value / scale +
  /// zero point, rounded half away from zero, clamped (M-029).
  void storeReals(size_t index, std::span<const float> values);
  void storeBytes(size_t index, Elements<std::byte> bytes);

  /// Returns the bytes that were stored.
  Elements<std::byte> takeOutput(size_t index) {
    return std::move(stored[index]);
  }

private:
  const OperationView &view;
  std::vector<TensorType> results;
  std::vector<Elements<std::byte>> stored;
};

/// Bytes per element.
uint32_t elementSize(OperandType type);

/// Computes all outputs. Fails with generalFailure naming the found value and
/// the bound when elements break a rule.
using Routine = Status (*)(RoutineContext &context);

struct RoutineRow {
  OperationType type;
  Routine routine;
};

std::span<const RoutineRow> elementwiseRoutines();
std::span<const RoutineRow> activationRoutines();
std::span<const RoutineRow> contractionRoutines();
std::span<const RoutineRow> windowRoutines();
std::span<const RoutineRow> normalizationRoutines();
std::span<const RoutineRow> reductionRoutines();
std::span<const RoutineRow> dataMovementRoutines();
std::span<const RoutineRow> quantizationRoutines();
std::span<const RoutineRow> lookupRoutines();
std::span<const RoutineRow> recurrentRoutines();
std::span<const RoutineRow> detectionRoutines();

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_ROUTINES_ROUTINE_H
