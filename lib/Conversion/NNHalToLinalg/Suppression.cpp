//===- Suppression.cpp - Non-maximum suppression without routines ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For targets that call no routines of the runtime, such as GPUs. Candidates
// are the elements of a matrix: its rows are boxes, its columns classes, which
// do not compete with each other. A state says of each whether it is open,
// taken or dropped. One loop nest takes the best of a column and damps the
// others, as often as that may be; rows of several images are in one column,
// and only those of one image overlap.
//
// Non-maximum suppression marks the candidates that it takes, and keeps no list
// of them in the order of taking: the order of a result is that of scores,
// classes and boxes, so that the place of a candidate is the number of those
// before it. Every element of a result looks for the candidate in its place.
// The order and the arithmetic are those of
// lib/Runtime/Routines/Detection*.cpp.
//
//===----------------------------------------------------------------------===//

#include "WithoutRoutines.h"

#include "nnhal/Backend/Signatures/Detection.h"

using namespace mlir;
using namespace nnhal;

// std::max(a, b) and std::min(a, b) are max(b, a) and min(b, a): the first one
// for NaN.

namespace {

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

} // namespace

static Scalar areaOf(const Corners &box) {
  return (box.x2 - box.x1) * (box.y2 - box.y1);
}

/// The part of the union of two boxes that both cover; 0 where the union has no
/// area.
static Scalar overlapOf(const Corners &lhs, const Corners &rhs) {
  Scalar width = min(rhs.x2, lhs.x2) - max(rhs.x1, lhs.x1);
  Scalar height = min(rhs.y2, lhs.y2) - max(rhs.y1, lhs.y1);
  Scalar zero = width.like(0);
  Scalar common = max(zero, width) * max(zero, height);
  Scalar all = areaOf(lhs) + areaOf(rhs) - common;
  return select(all > 0, common / all, zero);
}

//===----------------------------------------------------------------------===//
// Taking the best
//===----------------------------------------------------------------------===//

/// The row of the best open candidate of \p column, or -1.
static Scalar findBest(OperationLowering &op, const Contest &contest,
                       const Standing &standing, Scalar column) {
  SmallVector<Scalar> best = op.loop(
      op.index(0), contest.rows, {op.index(-1), op.f32(0)},
      [&](Scalar row, ArrayRef<Scalar> best) -> SmallVector<Scalar> {
        Scalar score = standing.scores.stored({row, column});
        Scalar isOpen = standing.states.stored({row, column}) == double(open);
        Scalar before = max(best[0], op.index(0));
        // Among equals the first class, then the first box.
        Scalar isBetter =
            (best[0] < 0) | (score > best[1]) |
            ((score == best[1]) & (contest.classOf({row, column}) <
                                   contest.classOf({before, column})));
        Scalar isBest = isOpen & isBetter;
        return {select(isBest, row, best[0]), select(isBest, score, best[1])};
      });
  return best[0];
}

/// Whether the limit of the image of row \p best is reached with it.
static Scalar isLimitReached(OperationLowering &op, const Contest &contest,
                             const Standing &standing, Candidate best) {
  if (!contest.limit)
    return op.truth(false);
  Scalar before =
      op.fold(contest.rows, op.i32(1), [&](Scalar row, Scalar count) {
        Scalar isTaken =
            standing.states.stored({row, best.column}) == double(taken);
        return select(isTaken & contest.areTogether(row, best.row), count + 1,
                      count);
      });
  return before >= double(*contest.limit);
}

/// Takes the best open candidate of \p column, if there is one, and damps the
/// others of its image.
static Standing takeBest(OperationLowering &op, const Contest &contest,
                         const Standing &standing, Scalar column) {
  Scalar found = findBest(op, contest, standing, column);
  Candidate best{max(found, op.index(0)), column};
  Scalar isLast = isLimitReached(op, contest, standing, best);
  Corners corners = contest.cornersOf(best);
  Scalar end = select(found >= 0, contest.rows, op.index(0));
  SmallVector<Tensor> tensors = op.loopOverTensors(
      op.index(0), end, {standing.scores, standing.states},
      [&](Scalar row, ArrayRef<Tensor> now) -> SmallVector<Tensor> {
        SmallVector<Scalar> at = {row, column};
        Scalar score = now[0].stored(at), state = now[1].stored(at);
        Scalar isBest = row == best.row;
        Scalar isRival = (state == double(open)) & !isBest &
                         contest.areTogether(row, best.row);
        Damped damped = contest.damp(
            score, overlapOf(corners, contest.cornersOf({row, column})));
        Scalar isDropped = isRival & (isLast | !damped.remains);
        Scalar next = select(isBest, op.i32(taken),
                             select(isDropped, op.i32(dropped), state));
        return {op.insert(select(isRival, damped.score, score), now[0], at),
                op.insert(next, now[1], at)};
      });
  return {tensors[0], tensors[1]};
}

static Standing suppress(OperationLowering &op, const Contest &contest,
                         const Standing &initial) {
  SmallVector<Tensor> tensors = op.loopOverTensors(
      contest.firstColumn, contest.endColumn, {initial.scores, initial.states},
      [&](Scalar column, ArrayRef<Tensor> now) {
        return op.loopOverTensors(
            op.index(0), contest.takes, now,
            [&](Scalar, ArrayRef<Tensor> now) -> SmallVector<Tensor> {
              Standing next = takeBest(op, contest, {now[0], now[1]}, column);
              return {next.scores, next.states};
            });
      });
  return {tensors[0], tensors[1]};
}

static Damped dampHard(Scalar score, Scalar overlap, float threshold) {
  return {!(overlap >= double(threshold)), score};
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// How many of the candidates whose state is taken \p isCounted holds for.
static Scalar countTaken(OperationLowering &op, const Tensor &states,
                         Scalar firstColumn,
                         llvm::function_ref<Scalar(Candidate)> isCounted) {
  return op.fold(states.extent(0), op.i32(0), [&](Scalar row, Scalar outer) {
    return op
        .loop(
            firstColumn, states.extent(1), {outer},
            [&](Scalar column, ArrayRef<Scalar> count) -> SmallVector<Scalar> {
              Scalar isTaken = states.stored({row, column}) == double(taken);
              return {select(isTaken & isCounted({row, column}), count[0] + 1,
                             count[0])};
            })
        .front();
  });
}

/// The places of what is taken, as \p placeOf tells them, and -1 of the rest.
static Tensor definePlaces(OperationLowering &op, const Tensor &states,
                           llvm::function_ref<Scalar(Candidate)> placeOf) {
  return op.define(int32Tensor(), states.extents(), [&](Indices at) {
    Scalar isTaken = states.stored(at) == double(taken);
    return op.branch(
        isTaken, [&] { return placeOf({at[0], at[1]}); },
        [&] { return op.i32(-1); });
  });
}

/// The position in the matrix, `row * columns + column`, of the candidate in
/// \p place among \p places of rows from \p first to \p end; -1 without one.
static Scalar findPlace(OperationLowering &op, const Tensor &places,
                        Scalar first, Scalar end, Scalar place) {
  Scalar columns = places.extent(1);
  return op
      .loop(first, end, {op.i32(-1)},
            [&](Scalar row, ArrayRef<Scalar> outer) {
              return op.loop(
                  op.index(0), columns, outer,
                  [&](Scalar column,
                      ArrayRef<Scalar> found) -> SmallVector<Scalar> {
                    Scalar isHere = places.stored({row, column}) == place;
                    return {select(isHere, (row * columns + column).toI32(),
                                   found[0])};
                  });
            })
      .front();
}

/// The candidate at \p position of a matrix of \p extents; the first one for
/// -1.
static Candidate candidateAt(OperationLowering &op, Scalar position,
                             Indices extents) {
  Scalar number =
      clamp(position.toIndex(), op.index(0), extents[0] * extents[1] - 1);
  return {number.quotient(extents[1]), number.remainder(extents[1])};
}

//===----------------------------------------------------------------------===//
// BOX_WITH_NMS_LIMIT
//===----------------------------------------------------------------------===//

namespace {
/// The candidates of a BOX_WITH_NMS_LIMIT: scores are [boxes, classes], and
/// each class has corners of its own.
class LimitedBoxes {
public:
  LimitedBoxes(OperationLowering &op, const rt::BoxWithNmsLimitForm &form)
      : op(op), form(form), scores(op.input(0)), boxes(op.input(1)),
        batches(op.input(2)), rows(scores.extent(0)),
        classes(scores.extent(1)) {}

  LogicalResult lower();

private:
  void numberImages();
  Standing begin();
  Damped damp(Scalar score, Scalar overlap);
  Tensor keepBest(const Standing &standing);
  Tensor arrange(const Standing &standing);
  void setOutputs(const Tensor &positions);
  /// Whether \p lhs has the higher score, or is of the first box among equals.
  Scalar hasPriority(Candidate lhs, Candidate rhs) const {
    Scalar left = standing.scores.stored({lhs.row, lhs.column});
    Scalar right = standing.scores.stored({rhs.row, rhs.column});
    return (left > right) | ((left == right) & precedes(lhs.column, lhs.row,
                                                        rhs.column, rhs.row));
  }
  /// Whether (a, b) is lexicographically before (c, d).
  static Scalar precedes(Scalar a, Scalar b, Scalar c, Scalar d) {
    return (a < c) | ((a == c) & (b < d));
  }
  Scalar corner(Candidate of, Scalar k) const {
    return boxes.real({of.row, of.column * 4 + k});
  }

  OperationLowering &op;
  const rt::BoxWithNmsLimitForm &form;
  Tensor scores, boxes, batches;
  Scalar rows, classes;
  /// The number of the image of each row.
  Tensor images;
  Standing standing;
};
} // namespace

/// Boxes of an image stand together.
void LimitedBoxes::numberImages() {
  images = op.define(int32Tensor(), {rows}, [&](Indices at) {
    return op.fold(at[0], op.i32(0), [&](Scalar row, Scalar number) {
      Scalar differs = batches.integer({row}) != batches.integer({row + 1});
      return select(differs, number + 1, number);
    });
  });
}

/// Class 0 is the background (M-223).
Standing LimitedBoxes::begin() {
  Scalar mayTake = op.truth(form.maxBoxes != 0);
  Tensor states = op.define(int32Tensor(), {rows, classes}, [&](Indices at) {
    Scalar isOpen = mayTake & (at[1] != 0) &
                    (scores.real(at) > double(form.scoreThreshold));
    return select(isOpen, op.i32(open), op.i32(dropped));
  });
  return {op.define(float32Tensor(), {rows, classes},
                    [&](Indices at) { return scores.real(at); }),
          states};
}

Damped LimitedBoxes::damp(Scalar score, Scalar overlap) {
  if (form.kernel == rt::SoftNmsKernel::hard)
    return dampHard(score, overlap, form.iouThreshold);
  Scalar damped = score;
  if (form.kernel == rt::SoftNmsKernel::gaussian)
    damped = score * exp(-overlap * overlap / double(form.sigma));
  else
    damped = select(overlap >= double(form.iouThreshold),
                    score * (1.0 - overlap), score);
  return {damped >= double(form.nmsScoreThreshold), damped};
}

/// The states of \p standing without those beyond the limit of their image.
Tensor LimitedBoxes::keepBest(const Standing &standing) {
  if (form.maxBoxes < 0)
    return standing.states;
  return op.define(int32Tensor(), {rows, classes}, [&](Indices at) {
    Candidate own{at[0], at[1]};
    Scalar state = standing.states.stored(at);
    return op.branch(
        state == double(taken),
        [&] {
          Scalar rank = countTaken(op, standing.states, op.index(1),
                                   [&](Candidate other) {
                                     return (images.stored({other.row}) ==
                                             images.stored({own.row})) &
                                            hasPriority(other, own);
                                   });
          return select(rank < double(form.maxBoxes), op.i32(taken),
                        op.i32(dropped));
        },
        [&] { return op.i32(dropped); });
  });
}

/// By image, then by class, then by score (M-224).
Tensor LimitedBoxes::arrange(const Standing &standing) {
  return definePlaces(op, standing.states, [&](Candidate own) {
    return countTaken(op, standing.states, op.index(1), [&](Candidate other) {
      Scalar image = images.stored({own.row});
      Scalar otherImage = images.stored({other.row});
      Scalar isSame = (image == otherImage) & (own.column == other.column);
      return precedes(otherImage, other.column.toI32(), image,
                      own.column.toI32()) |
             (isSame & hasPriority(other, own));
    });
  });
}

void LimitedBoxes::setOutputs(const Tensor &positions) {
  Scalar count = positions.extent(0);
  SmallVector<Scalar> extents = {rows, classes};
  auto at = [&](Scalar place) {
    return candidateAt(op, positions.stored({place}), extents);
  };
  op.setOutput(0, op.define(op.outputType(0), {count}, [&](Indices place) {
    Candidate found = at(place[0]);
    return op.encode(standing.scores.stored({found.row, found.column}),
                     op.outputType(0));
  }));
  op.setOutput(
      1, op.define(op.outputType(1), {count, op.index(4)}, [&](Indices place) {
        return op.encode(corner(at(place[0]), place[1]), op.outputType(1));
      }));
  op.setOutput(2, op.define(op.outputType(2), {count}, [&](Indices place) {
    return at(place[0]).column.toI32();
  }));
  op.setOutput(3, op.define(op.outputType(3), {count}, [&](Indices place) {
    return batches.integer({at(place[0]).row});
  }));
}

LogicalResult LimitedBoxes::lower() {
  int64_t stated = rt::unknownExtent;
  for (const rt::OperandView &output : op.view().outputs)
    if (output.type.isRanked && output.type.dimensions[0] != rt::unknownExtent)
      stated = output.type.dimensions[0];
  if (stated == rt::unknownExtent)
    return op.fail("the number of boxes that remain is not stated, and the "
                   "target calls no routines of the runtime");
  op.checkEqual(boxes.extent(0), rows);
  op.checkEqual(boxes.extent(1), classes * 4);
  op.checkEqual(batches.extent(0), rows);
  numberImages();
  auto cornersOf = [&](Candidate candidate) -> Corners {
    auto at = [&](int64_t k) { return corner(candidate, op.index(k)); };
    return {at(0), at(1), at(2), at(3)};
  };
  auto areTogether = [&](Scalar lhs, Scalar rhs) {
    return images.stored({lhs}) == images.stored({rhs});
  };
  auto classOf = [](Candidate candidate) { return candidate.column; };
  auto dampOne = [&](Scalar score, Scalar overlap) {
    return damp(score, overlap);
  };
  std::optional<int64_t> limit;
  if (form.maxBoxes >= 0)
    limit = form.maxBoxes;
  standing = suppress(op,
                      {rows, op.index(1), classes, cornersOf, areTogether,
                       classOf, dampOne, limit, rows},
                      begin());
  standing.states = keepBest(standing);
  Tensor places = arrange(standing);
  Tensor total = op.define(int32Tensor(), {op.index(1)}, [&](Indices) {
    return countTaken(op, standing.states, op.index(1),
                      [&](Candidate) { return op.truth(true); });
  });
  op.checkEqual(total.stored({op.index(0)}).toIndex(), op.index(stated),
                FailureReason::statedExtentDiffers);
  setOutputs(op.define(int32Tensor(), {op.index(stated)}, [&](Indices at) {
    return findPlace(op, places, op.index(0), rows, at[0].toI32());
  }));
  return success();
}

static LogicalResult lowerBoxWithNmsLimit(OperationLowering &op) {
  auto form = op.decoded(rt::decodeBoxWithNmsLimit(op.view()));
  if (failed(form) || failed(needConstantScalars(op)))
    return failure();
  return LimitedBoxes(op, *form).lower();
}

//===----------------------------------------------------------------------===//
// DETECTION_POSTPROCESSING
//===----------------------------------------------------------------------===//

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

static LogicalResult lowerDetectionPostprocessing(OperationLowering &op) {
  auto form = op.decoded(rt::decodeDetectionPostprocessing(op.view()));
  if (failed(form) || failed(needConstantScalars(op)))
    return failure();
  Detections(op, *form).lower();
  return success();
}

std::span<const LoweringRow> nnhal::suppressionRows() {
  static constexpr LoweringRow rows[] = {
      {rt::OperationType::BOX_WITH_NMS_LIMIT, lowerBoxWithNmsLimit},
      {rt::OperationType::DETECTION_POSTPROCESSING,
       lowerDetectionPostprocessing},
  };
  return rows;
}
