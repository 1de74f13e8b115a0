//===- Suppression.h - Non-maximum suppression in code ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_SUPPRESSION_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_SUPPRESSION_H

#include "WithoutRoutines.h"

#include <optional>

namespace nnhal {

struct Corners {
  Scalar x1, y1, x2, y2;
};

/// A candidate by its position in the matrix.
struct Candidate {
  Scalar row, column;
};

/// The scores and states of all candidates of a suppression, [rows, columns].
struct Standing {
  /// f32.
  Tensor scores;
  /// i32, a State.
  Tensor states;
};

enum State : int64_t { dropped = 0, open = 1, taken = 2 };

/// The score of a candidate after a better one that it overlaps was taken.
struct Damped {
  /// i1.
  Scalar remains;
  Scalar score;
};

/// The rules of a suppression.
struct Contest {
  Scalar rows, firstColumn, endColumn;
  llvm::function_ref<Corners(Candidate)> cornersOf;
  /// Whether two rows are of one image.
  llvm::function_ref<Scalar(Scalar, Scalar)> areTogether;
  /// The class of a candidate.
  llvm::function_ref<Scalar(Candidate)> classOf;
  llvm::function_ref<Damped(Scalar score, Scalar overlap)> damp;
  /// At most so many of an image are taken in a column.
  std::optional<int64_t> limit;
  /// At most so many are taken in a column.
  Scalar takes;
};

/// Takes the best candidates of each column, from \p initial on.
Standing suppress(OperationLowering &op, const Contest &contest,
                  const Standing &initial);

/// A candidate remains with its score, unless it overlaps the taken one by
/// \p threshold or more.
Damped dampHard(Scalar score, Scalar overlap, float threshold);

/// How many of the candidates whose state is taken \p isCounted holds for.
Scalar countTaken(OperationLowering &op, const Tensor &states,
                  Scalar firstColumn,
                  llvm::function_ref<Scalar(Candidate)> isCounted);

/// The places of what is taken, as \p placeOf tells them, and -1 of the rest.
Tensor definePlaces(OperationLowering &op, const Tensor &states,
                    llvm::function_ref<Scalar(Candidate)> placeOf);

/// The position in the matrix, `row * columns + column`, of the candidate in
/// \p place among \p places of rows from \p first to \p end; -1 without one.
Scalar findPlace(OperationLowering &op, const Tensor &places, Scalar first,
                 Scalar end, Scalar place);

/// The candidate at \p position of a matrix of \p extents; the first one for
/// -1.
Candidate candidateAt(OperationLowering &op, Scalar position, Indices extents);

llvm::LogicalResult lowerBoxWithNmsLimit(OperationLowering &op);
llvm::LogicalResult lowerDetectionPostprocessing(OperationLowering &op);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_SUPPRESSION_H
