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

#include "Suppression.h"

using namespace mlir;
using namespace nnhal;

// std::max(a, b) and std::min(a, b) are max(b, a) and min(b, a): the first one
// for NaN.

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

Standing nnhal::suppress(OperationLowering &op, const Contest &contest,
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

Damped nnhal::dampHard(Scalar score, Scalar overlap, float threshold) {
  return {!(overlap >= double(threshold)), score};
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Scalar nnhal::countTaken(OperationLowering &op, const Tensor &states,
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

Tensor nnhal::definePlaces(OperationLowering &op, const Tensor &states,
                           llvm::function_ref<Scalar(Candidate)> placeOf) {
  return op.define(int32Tensor(), states.extents(), [&](Indices at) {
    Scalar isTaken = states.stored(at) == double(taken);
    return op.branch(
        isTaken, [&] { return placeOf({at[0], at[1]}); },
        [&] { return op.i32(-1); });
  });
}

Scalar nnhal::findPlace(OperationLowering &op, const Tensor &places,
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

Candidate nnhal::candidateAt(OperationLowering &op, Scalar position,
                             Indices extents) {
  Scalar number =
      clamp(position.toIndex(), op.index(0), extents[0] * extents[1] - 1);
  return {number.quotient(extents[1]), number.remainder(extents[1])};
}

std::span<const LoweringRow> nnhal::suppressionRows() {
  static constexpr LoweringRow rows[] = {
      {rt::OperationType::BOX_WITH_NMS_LIMIT, lowerBoxWithNmsLimit},
      {rt::OperationType::DETECTION_POSTPROCESSING,
       lowerDetectionPostprocessing},
  };
  return rows;
}
