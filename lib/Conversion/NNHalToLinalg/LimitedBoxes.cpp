//===- LimitedBoxes.cpp - BOX_WITH_NMS_LIMIT without routines -------------===//
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

LogicalResult nnhal::lowerBoxWithNmsLimit(OperationLowering &op) {
  auto form = op.decoded(rt::decodeBoxWithNmsLimit(op.view()));
  if (failed(form) || failed(needConstantScalars(op)))
    return failure();
  return LimitedBoxes(op, *form).lower();
}
