//===- Recurrent.h - Parts of recurrent routines ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_RECURRENT_H
#define NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_RECURRENT_H

#include "Runtime/Routines/Routine.h"

#include "nnhal/Backend/Signatures/Recurrent.h"

namespace nnhal::rt::reference {

// Matrices and batches of vectors are in row-major order.
using Floats = Elements<float>;

float applyActivation(RecurrentActivation activation, float value);

/// Elements of input \p index; empty where it is omitted.
Floats optionalFloats(const RoutineContext &context, size_t index);

/// A batch of sequences in the order [time, batch, size], whatever the order
/// of the tensor.
struct Sequence {
  int64_t steps = 1;
  int64_t batch = 1;
  int64_t size = 1;
  Floats values;

  Sequence(int64_t steps, int64_t batch, int64_t size)
      : steps(steps), batch(batch), size(size),
        values(size_t(steps * batch * size)) {}
  /// Reads input \p index, which is of rank 3.
  Sequence(const RoutineContext &context, size_t index, bool isTimeMajor);

  /// The vectors of all batches at \p step.
  std::span<const float> at(int64_t step) const;
  void set(int64_t step, std::span<const float> vectors);

  /// values in the tensor's order.
  Floats inOrder(bool isTimeMajor) const;
};

/// Stores outputs 0 and, unless they are merged, 1 of a bidirectional
/// operation.
void storeDirections(RoutineContext &context, const SequenceParams &params,
                     const Sequence &forward, const Sequence &backward);

/// Runs \p step for each step of a sequence, from the last to the first when
/// \p isBackward.
template <typename Step>
void forEachStep(int64_t steps, bool isBackward, Step step) {
  for (int64_t i = 0; i < steps; ++i)
    step(isBackward ? steps - 1 - i : i);
}

Status runLstm(RoutineContext &context);
Status runUnidirectionalLstm(RoutineContext &context);
Status runBidirectionalLstm(RoutineContext &context);
Status runQuantized16BitLstm(RoutineContext &context);
Status runQuantizedLstm(RoutineContext &context);

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_RECURRENT_H
