//===- DetectionPostprocessing.cpp - The operation without routines -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"

#include "nnhal/Backend/Signatures/Detection.h"

using namespace mlir;
using namespace nnhal;

namespace {
/// The anchors of all images below each other.
class Detections {
public:
  Detections(OperationLowering &op, const rt::DetectionPostprocessingForm &form)
      : op(op), form(form), params(form.params), images(op.input(0).extent(0)),
        anchors(op.input(0).extent(1)), classes(op.input(0).extent(2)),
        rows(images * anchors) {}

  void lower();

private:
  Tensor decodeAnchors();
  /// The order of classes and boxes among scores that may be NaN.
  Scalar ranksBefore(Scalar lhs, Scalar lhsClass, Scalar rhs, Scalar rhsClass) {
    return isLarger(lhs, rhs) | (!isLarger(rhs, lhs) & (lhsClass < rhsClass));
  }
  Standing contend(const Standing &initial, Scalar firstColumn, int64_t limit);
  /// The best of an image, in their order.
  Tensor rank(const Standing &standing);
  Tensor detectRegular();
  Tensor detectFast();
  /// The class of the best score of each row, the first among equals.
  Tensor bestClasses();
  /// The rank of each class among those of its row.
  Tensor rankClasses();
  Scalar classOf(Candidate candidate) {
    return best.get() ? best.stored({candidate.row}).toIndex()
                      : candidate.column;
  }
  void setOutputs(const Tensor &positions);

  OperationLowering &op;
  const rt::DetectionPostprocessingForm &form;
  const rt::PostprocessingParams &params;
  Scalar images, anchors, classes, rows;
  /// [rows, classes] and [rows, 4].
  Tensor scores, boxes;
  /// Where only the best class of a row competes.
  Tensor best;
  /// How many are detected in each image.
  Tensor counts;
};
} // namespace

/// Anchors (cy, cx, h, w) moved by (dy, dx, dh, dw).
Tensor Detections::decodeAnchors() {
  Tensor deltas = op.input(1), table = op.input(2);
  return op.define(float32Tensor(), {rows, op.index(4)}, [&](Indices at) {
    Scalar image = at[0].quotient(anchors), anchor = at[0].remainder(anchors);
    Scalar isX = at[1].remainder(op.index(2)) == 0;
    Scalar centre = select(isX, op.index(1), op.index(0));
    Scalar extent = centre + 2;
    auto delta = [&](Scalar which, int64_t x, int64_t y) {
      return deltas.real({image, anchor, which}) /
             select(isX, op.f32(params.scales[x]), op.f32(params.scales[y]));
    };
    Scalar size = table.real({anchor, extent});
    Scalar middle = table.real({anchor, centre}) + delta(centre, 1, 0) * size;
    Scalar half = exp(delta(extent, 3, 2)) * size / 2;
    return select(at[1] < 2, middle - half, middle + half);
  });
}

Standing Detections::contend(const Standing &initial, Scalar firstColumn,
                             int64_t limit) {
  auto cornersOf = [&](Candidate candidate) -> Corners {
    auto at = [&](int64_t k) {
      return boxes.stored({candidate.row, op.index(k)});
    };
    return {at(0), at(1), at(2), at(3)};
  };
  auto areTogether = [&](Scalar lhs, Scalar rhs) {
    return lhs.quotient(anchors) == rhs.quotient(anchors);
  };
  auto classOfOne = [&](Candidate candidate) { return classOf(candidate); };
  auto damp = [&](Scalar score, Scalar overlap) {
    return dampHard(score, overlap, params.iouThreshold);
  };
  return suppress(op,
                  {rows, firstColumn, initial.scores.extent(1), cornersOf,
                   areTogether, classOfOne, damp, limit,
                   min(rows, images * double(limit))},
                  initial);
}

Tensor Detections::rank(const Standing &standing) {
  auto isAhead = [&](Candidate lhs, Candidate rhs) {
    Scalar left = standing.scores.stored({lhs.row, lhs.column});
    Scalar right = standing.scores.stored({rhs.row, rhs.column});
    Scalar leftClass = classOf(lhs), rightClass = classOf(rhs);
    Scalar isFirst = (leftClass < rightClass) |
                     ((leftClass == rightClass) & (lhs.row < rhs.row));
    return (left > right) | ((left == right) & isFirst);
  };
  return definePlaces(op, standing.states, [&](Candidate own) {
    Scalar image = own.row.quotient(anchors);
    return countTaken(op, standing.states, op.index(0), [&](Candidate other) {
      return (other.row.quotient(anchors) == image) & isAhead(other, own);
    });
  });
}

/// Suppression within each foreground class; the best of all classes.
Tensor Detections::detectRegular() {
  Tensor states = op.define(int32Tensor(), {rows, classes}, [&](Indices at) {
    Scalar isOpen =
        (at[1] != 0) & (scores.stored(at) > double(params.scoreThreshold));
    return select(isOpen, op.i32(open), op.i32(dropped));
  });
  Tensor copy = op.define(float32Tensor(), {rows, classes},
                          [&](Indices at) { return scores.stored(at); });
  Standing standing =
      contend({copy, states}, op.index(1), params.maxDetectionsPerClass);
  Tensor places = rank(standing);
  counts = op.define(int32Tensor(), {images}, [&](Indices at) {
    Scalar total =
        countTaken(op, standing.states, op.index(0), [&](Candidate candidate) {
          return candidate.row.quotient(anchors) == at[0];
        });
    return min(total, double(params.maxDetections));
  });
  return op.define(int32Tensor(), {images, op.index(params.maxDetections)},
                   [&](Indices at) {
                     return findPlace(op, places, at[0] * anchors,
                                      (at[0] + 1) * anchors, at[1].toI32());
                   });
}

Tensor Detections::bestClasses() {
  return op.define(int32Tensor(), {rows}, [&](Indices at) {
    Scalar one = op.index(1);
    SmallVector<Scalar> found =
        op.loop(op.index(2), classes, {one, scores.stored({at[0], one})},
                [&](Scalar c, ArrayRef<Scalar> best) -> SmallVector<Scalar> {
                  Scalar score = scores.stored({at[0], c});
                  Scalar isBetter = isLarger(score, best[1]);
                  return {select(isBetter, c, best[0]),
                          select(isBetter, score, best[1])};
                });
    return found[0].toI32();
  });
}

Tensor Detections::rankClasses() {
  return op.define(int32Tensor(), {rows, classes}, [&](Indices at) {
    Scalar own = scores.stored(at);
    Scalar rank =
        op.loop(op.index(1), classes, {op.i32(0)},
                [&](Scalar c, ArrayRef<Scalar> rank) -> SmallVector<Scalar> {
                  Scalar isAhead =
                      ranksBefore(scores.stored({at[0], c}), c, own, at[1]);
                  return {select(isAhead, rank[0] + 1, rank[0])};
                })[0];
    return select(at[1] == 0, op.i32(-1), rank);
  });
}

/// Suppression by the best class of each box; the best classes of those that
/// remain (M-233).
Tensor Detections::detectFast() {
  best = bestClasses();
  Scalar one = op.index(1);
  auto bestScore = [&](Scalar row) {
    return scores.stored({row, op.indexFrom(best, {row}, classes)});
  };
  Tensor initial = op.define(float32Tensor(), {rows, one},
                             [&](Indices at) { return bestScore(at[0]); });
  Tensor states = op.define(int32Tensor(), {rows, one}, [&](Indices at) {
    return select(bestScore(at[0]) > double(params.scoreThreshold),
                  op.i32(open), op.i32(dropped));
  });
  Standing standing =
      contend({initial, states}, op.index(0), params.maxDetections);
  Tensor places = rank(standing), ranks = rankClasses();
  Scalar labels = min(op.index(params.maxClassesPerDetection), classes - 1);
  counts = op.define(int32Tensor(), {images}, [&](Indices at) {
    Scalar kept =
        countTaken(op, standing.states, op.index(0), [&](Candidate candidate) {
          return candidate.row.quotient(anchors) == at[0];
        });
    return kept * labels.toI32();
  });
  int64_t most = params.maxDetections * params.maxClassesPerDetection;
  // There is one column: positions are rows.
  Tensor found =
      op.define(int32Tensor(), {images, op.index(most)}, [&](Indices at) {
        return findPlace(op, places, at[0] * anchors, (at[0] + 1) * anchors,
                         at[1].quotient(labels).toI32());
      });
  return op.define(int32Tensor(), {images, op.index(most)}, [&](Indices at) {
    Scalar position = found.stored(at);
    Scalar row = max(position.toIndex(), op.index(0));
    Scalar wanted = at[1].remainder(labels).toI32();
    Scalar label = op.loop(
        one, classes, {one},
        [&](Scalar c, ArrayRef<Scalar> label) -> SmallVector<Scalar> {
          return {select(ranks.stored({row, c}) == wanted, c, label[0])};
        })[0];
    return select(position < 0, position, (row * classes + label).toI32());
  });
}

/// Places without a detection stay zero (M-232).
void Detections::setOutputs(const Tensor &positions) {
  SmallVector<Scalar> places = positions.extents(), matrix = {rows, classes};
  auto isEmpty = [&](Indices at) {
    return positions.stored(at.take_front(2)) < 0;
  };
  auto at = [&](Indices place) {
    return candidateAt(op, positions.stored(place.take_front(2)), matrix);
  };
  op.setOutput(0, op.define(op.outputType(0), places, [&](Indices place) {
    Candidate found = at(place);
    Scalar score = scores.stored({found.row, found.column});
    return op.encode(select(isEmpty(place), op.f32(0), score),
                     op.outputType(0));
  }));
  SmallVector<Scalar> corners = {places[0], places[1], op.index(4)};
  op.setOutput(1, op.define(op.outputType(1), corners, [&](Indices place) {
    // (y1, x1, y2, x2) of (x1, y1, x2, y2).
    Scalar isX = place[2].remainder(op.index(2)) == 0;
    Scalar k = select(isX, place[2] + 1, place[2] - 1);
    Scalar value = boxes.stored({at(place).row, k});
    return op.encode(select(isEmpty(place), op.f32(0), value),
                     op.outputType(1));
  }));
  // Labels count from the first class after the background, unless the
  // background has a label as well (M-234).
  double shift = form.isBackgroundLabeled ? 0 : 1;
  op.setOutput(2, op.define(op.outputType(2), places, [&](Indices place) {
    Scalar label = at(place).column.toI32() - shift;
    return select(isEmpty(place), op.i32(0), label);
  }));
  op.setOutput(3, counts);
}

void Detections::lower() {
  Tensor stated = op.input(0), deltas = op.input(1), table = op.input(2);
  op.checkEqual(deltas.extent(0), images);
  op.checkEqual(deltas.extent(1), anchors);
  op.check(deltas.extent(2) >= 4, FailureReason::valueTooSmall,
           deltas.extent(2), op.index(4));
  op.checkEqual(table.extent(0), anchors);
  op.checkEqual(table.extent(1), op.index(4));
  scores = op.define(float32Tensor(), {rows, classes}, [&](Indices at) {
    return stated.real(
        {at[0].quotient(anchors), at[0].remainder(anchors), at[1]});
  });
  boxes = decodeAnchors();
  setOutputs(params.isRegularNms ? detectRegular() : detectFast());
}

LogicalResult nnhal::lowerDetectionPostprocessing(OperationLowering &op) {
  auto form = op.decoded(rt::decodeDetectionPostprocessing(op.view()));
  if (failed(form) || failed(needConstantScalars(op)))
    return failure();
  Detections(op, *form).lower();
  return success();
}
