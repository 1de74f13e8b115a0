//===- Detection.cpp - Operations on boxes and regions --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All types are computed in float32, and rounded once when they are stored.
// The elements of boxes are checked in a loop of its own before anything is
// computed: corners in order, numbers of pictures in range.
//
// ROI_ALIGN and ROI_POOLING first bring the regions into the coordinates of the
// feature map. The two axes of a region do not depend on each other: for each
// region and bin, a table has the first pixel and the end of the pixels along
// an axis. One loop nest over the result then goes over the pixels of a bin.
// ROI_POOLING takes the largest. The mean of the samples of a ROI_ALIGN is a
// sum of pixels times the product of two weights, one for the row and one for
// the column, which come from tables of float64, too: a pixel is read once,
// however many samples lie about it.
//
// A HEATMAP_MAX_KEYPOINT finds the largest pixel of each map, and takes from
// the pixels around it the maximum of the quadratic function through them.
// AXIS_ALIGNED_BBOX_TRANSFORM computes each coordinate by itself.
//
//===----------------------------------------------------------------------===//

#include "Engine/OperationLowering.h"

#include "nnhal/Backend/Signatures/Detection.h"

using namespace mlir;
using namespace nnhal;
using rt::OperandType;
using rt::OperationType;

using Condition = OperationLowering::Condition;

// std::max(a, b) and std::min(a, b) are max(b, a) and min(b, a): the first one
// for NaN.

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Input \p index is [\p count, \p length].
static void checkTable(OperationLowering &op, const Tensor &table, Scalar count,
                       int64_t length) {
  op.checkEqual(table.extent(0), count);
  op.checkEqual(table.extent(1), op.index(length));
}

/// x1 <= x2 and y1 <= y2 in each of \p boxes, [n, 4], of no NaN.
static void checkCorners(OperationLowering &op, const Tensor &boxes) {
  Scalar count = boxes.extent(0);
  op.checkEach(
      count,
      [&](Scalar i) -> Condition {
        auto at = [&](int64_t k) { return boxes.real({i, op.index(k)}); };
        return {(at(0) <= at(2)) & (at(1) <= at(3)), i};
      },
      FailureReason::cornersDisordered, count);
}

/// Input \p index holds the batch index, below \p batchCount, of each of
/// \p boxCount boxes.
static Tensor checkedBatches(OperationLowering &op, size_t index,
                             Scalar boxCount, Scalar batchCount) {
  Tensor batches = op.input(index);
  op.checkEqual(batches.extent(0), boxCount);
  op.checkEach(
      boxCount,
      [&](Scalar i) -> Condition {
        Scalar batch = batches.integer({i}).toIndex();
        return {(batch >= 0) & (batch < batchCount), batch};
      },
      FailureReason::indexOutOfRange, batchCount);
  return batches;
}

static rt::TensorType float32() {
  rt::TensorType type;
  type.type = OperandType::TENSOR_FLOAT32;
  return type;
}

static rt::TensorType int32() {
  rt::TensorType type;
  type.type = OperandType::TENSOR_INT32;
  return type;
}

namespace {
struct FeatureMaps {
  Tensor tensor;

  Scalar batches() const { return tensor.extent(0); }
  Scalar height() const { return tensor.extent(1); }
  Scalar width() const { return tensor.extent(2); }
  Scalar channels() const { return tensor.extent(3); }
  Scalar at(Scalar n, Scalar h, Scalar w, Scalar c) const {
    return tensor.real({n, h, w, c});
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// AXIS_ALIGNED_BBOX_TRANSFORM
//===----------------------------------------------------------------------===//

/// Coordinate \p k of roi \p i moved by the delta from element \p first on, and
/// clipped to image \p batch (M-220).
static Scalar transformedCoordinate(OperationLowering &op, Scalar i, Scalar k,
                                    Scalar first, Scalar batch) {
  Tensor rois = op.input(0), deltas = op.input(1), images = op.input(3);
  Scalar isSecond = k >= 2;
  Scalar axis = select(isSecond, k - 2, k);
  Scalar low = rois.real({i, axis}), high = rois.real({i, axis + 2});
  Scalar size = high - low;
  Scalar centre = (low + high) / 2 + deltas.real({i, first + axis}) * size;
  Scalar half = exp(deltas.real({i, first + axis + 2})) * size / 2;
  Scalar moved = select(isSecond, centre + half, centre - half);
  // Images are (height, width).
  Scalar bound = images.real({batch, op.index(1) - axis});
  return min(bound, max(moved.like(0), moved));
}

static LogicalResult lowerAxisAlignedBBoxTransform(OperationLowering &op) {
  Tensor rois = op.input(0), deltas = op.input(1), images = op.input(3);
  Scalar count = rois.extent(0), length = deltas.extent(1);
  checkTable(op, rois, count, 4);
  op.checkEqual(deltas.extent(0), count);
  op.check((length >= 4) & (length.remainder(op.index(4)) == 0),
           FailureReason::notDivisible, length, op.index(4));
  checkTable(op, images, images.extent(0), 2);
  op.check(images.extent(0) >= 1, FailureReason::negativeExtent,
           images.extent(0), op.index(1));
  checkCorners(op, rois);
  Tensor batches = checkedBatches(op, 2, count, images.extent(0));
  Scalar four = op.index(4);
  Tensor result = op.define(
      op.outputType(), {count, length.quotient(four), four}, [&](Indices at) {
        Scalar batch = op.indexFrom(batches, {at[0]}, images.extent(0));
        return op.encode(
            transformedCoordinate(op, at[0], at[2], at[1] * 4, batch),
            op.outputType());
      });
  op.setOutput(op.reshape(result, {count, length}));
  return success();
}

//===----------------------------------------------------------------------===//
// HEATMAP_MAX_KEYPOINT
//===----------------------------------------------------------------------===//

namespace {
/// A maximum between pixels, from the centre of the pixel.
struct Peak {
  Scalar score, x, y;
};
using Neighbourhood = std::array<std::array<Scalar, 3>, 3>;
} // namespace

/// The maximum of the quadratic function through \p grid (rows, columns) about
/// its centre. \p tolerance is what a determinant must reach.
static Peak refinePeak(const Neighbourhood &grid, float tolerance) {
  Scalar centre = grid[1][1];
  // Gradient, negated, and Hessian.
  Scalar gradientX = -(grid[1][2] - grid[1][0]) / 2;
  Scalar gradientY = -(grid[2][1] - grid[0][1]) / 2;
  Scalar xx = grid[1][0] - 2 * centre + grid[1][2];
  Scalar xy = (grid[2][2] - grid[2][0] - grid[0][2] + grid[0][0]) / 4;
  Scalar yy = grid[0][1] - 2 * centre + grid[2][1];
  Scalar product = xx * yy;
  Scalar determinant = product - xy * xy;
  // The peak is refined unless the determinant is too small for its product
  // (M-217).
  Scalar isRefined =
      abs(determinant) >= double(tolerance) + double(tolerance) * product;
  Scalar x = (yy * gradientX - xy * gradientY) / determinant;
  Scalar y = (xx * gradientY - xy * gradientX) / determinant;
  Scalar largest = max(abs(y), abs(x));
  Scalar isFar = largest > 1.5;
  x = select(isFar, x * (1.5 / largest), x);
  y = select(isFar, y * (1.5 / largest), y);
  Scalar score = centre - gradientX * x - gradientY * y +
                 ((xx * x + xy * y) * x + (xy * x + yy * y) * y) / 2;
  Scalar zero = centre.like(0);
  return {select(isRefined, score, centre), select(isRefined, x, zero),
          select(isRefined, y, zero)};
}

/// The row and column of each largest pixel, the first one of equals, as
/// [n, channels, 2].
static Tensor findLargest(OperationLowering &op, const FeatureMaps &maps) {
  Scalar size = maps.height(), zero = op.index(0);
  Tensor flat =
      op.define(int32(), {maps.batches(), maps.channels()}, [&](Indices at) {
        Scalar n = at[0], c = at[1];
        SmallVector<Scalar> best = op.loop(
            zero, size, {maps.at(n, zero, zero, c), zero},
            [&](Scalar h, ArrayRef<Scalar> outer) {
              return op.loop(
                  zero, size, outer,
                  [&](Scalar w, ArrayRef<Scalar> inner) -> SmallVector<Scalar> {
                    Scalar value = maps.at(n, h, w, c);
                    Scalar isLarger = value > inner[0];
                    return {select(isLarger, value, inner[0]),
                            select(isLarger, h * size + w, inner[1])};
                  });
            });
        return best[1].toI32();
      });
  return op.define(int32(), {maps.batches(), maps.channels(), op.index(2)},
                   [&](Indices at) {
                     Scalar position = flat.stored(at.take_front(2)).toIndex();
                     return select(at[2] == 0, position.quotient(size),
                                   position.remainder(size))
                         .toI32();
                   });
}

/// The score, x and y of keypoint \p c of heatmap \p n; coordinates relative to
/// the map's size.
static Peak findKeypoint(OperationLowering &op, const FeatureMaps &maps,
                         const Tensor &largest, Scalar n, Scalar c) {
  Scalar size = maps.height();
  bool isHalf = maps.tensor.getType().type == OperandType::TENSOR_FLOAT16;
  Scalar maxH = largest.stored({n, c, op.index(0)}).toIndex();
  Scalar maxW = largest.stored({n, c, op.index(1)}).toIndex();
  // Borders are mirrored. Rows and columns are as many, but each index is
  // bounded by the extent of its own dimension, of which one alone may be
  // known.
  auto mirror = [&](Scalar at, Scalar extent) {
    Scalar mirrored =
        select(at < 0, op.index(1), select(at >= size, size - 2, at));
    return clamp(mirrored, op.index(0), extent - 1);
  };
  Neighbourhood grid;
  for (int64_t h = 0; h < 3; ++h)
    for (int64_t w = 0; w < 3; ++w)
      grid[h][w] = maps.at(n, mirror(maxH + double(h - 1), maps.height()),
                           mirror(maxW + double(w - 1), maps.width()), c);
  // The tolerance of the determinant is 1e-3 for half floats, 1e-5 otherwise
  // (M-217).
  Peak peak = refinePeak(grid, isHalf ? 1e-3f : 1e-5f);
  return {peak.score, (maxW.toF32() + peak.x + 0.5) / size.toF32(),
          (maxH.toF32() + peak.y + 0.5) / size.toF32()};
}

static LogicalResult lowerHeatmapMaxKeypoint(OperationLowering &op) {
  if (failed(op.decoded(rt::decodeHeatmapMaxKeypoint(op.view()))))
    return failure();
  FeatureMaps maps{op.input(0)};
  Tensor boxes = op.input(1);
  op.checkNotEmpty(maps.tensor);
  op.checkEqual(maps.width(), maps.height());
  op.check(maps.height() >= 2, FailureReason::valueTooSmall, maps.height(),
           op.index(2));
  checkTable(op, boxes, maps.batches(), 4);
  checkCorners(op, boxes);
  Tensor largest = findLargest(op, maps);
  Scalar count = maps.batches(), channels = maps.channels();
  op.setOutput(0,
               op.define(op.outputType(0), {count, channels}, [&](Indices at) {
                 Peak peak = findKeypoint(op, maps, largest, at[0], at[1]);
                 return op.encode(peak.score, op.outputType(0));
               }));
  op.setOutput(1, op.define(op.outputType(1), {count, channels, op.index(2)},
                            [&](Indices at) {
                              Peak peak =
                                  findKeypoint(op, maps, largest, at[0], at[1]);
                              Scalar first = boxes.real({at[0], at[2]});
                              Scalar last = boxes.real({at[0], at[2] + 2});
                              Scalar part = select(at[2] == 0, peak.x, peak.y);
                              return op.encode(part * (last - first) + first,
                                               op.outputType(1));
                            }));
  return success();
}

//===----------------------------------------------------------------------===//
// Regions of interest
//===----------------------------------------------------------------------===//

namespace {

/// Bins of the regions along an axis of the feature map.
struct RoiAxis {
  /// Of x or of y in a region.
  int64_t coordinate;
  Scalar bins;
  /// Of the map.
  Scalar extent;
  /// Per bin, 0 where the bin's size decides; ROI_ALIGN only.
  Scalar samples;
};

/// Inputs of ROI_ALIGN and ROI_POOLING, checked.
struct RoiInputs {
  FeatureMaps maps;
  Tensor batches;
  /// [n, 4], float32, in coordinates of the map.
  Tensor regions;
  RoiAxis vertical, horizontal;
};

} // namespace

/// The scalar \p index, a positive float.
static Scalar readRatio(OperationLowering &op, size_t index) {
  Scalar ratio = op.scalar(index).toF32();
  op.check(ratio > 0, FailureReason::valueTooSmall,
           saturated(ratio, op.getBuilder().getI32Type()), op.index(0));
  return ratio;
}

/// The scalar \p index, an integer from \p low on.
static Scalar readCount(OperationLowering &op, size_t index, int64_t low) {
  Scalar count = op.scalar(index).toIndex();
  op.check(count >= double(low), FailureReason::valueTooSmall, count,
           op.index(low));
  return count;
}

/// The regions in coordinates of the map, all of them within it: checked, and
/// cut for what OperationLowering::indexFrom() is about.
static Tensor defineRegions(OperationLowering &op, const FeatureMaps &maps,
                            const Tensor &rois) {
  Scalar heightRatio = readRatio(op, 5), widthRatio = readRatio(op, 6);
  Scalar width = maps.width().toF32(), height = maps.height().toF32();
  Scalar count = rois.extent(0);
  op.checkEach(
      count,
      [&](Scalar i) -> Condition {
        auto at = [&](int64_t k) {
          return rois.real({i, op.index(k)}) /
                 (k % 2 == 0 ? widthRatio : heightRatio);
        };
        return {(at(0) >= 0) & (at(1) >= 0) & (at(2) <= width) &
                    (at(3) <= height),
                i};
      },
      FailureReason::regionOutside, count);
  return op.define(float32(), {count, op.index(4)}, [&](Indices at) {
    Scalar isX = at[1].remainder(op.index(2)) == 0;
    Scalar region = rois.real(at) / select(isX, widthRatio, heightRatio);
    return clamp(region, op.f32(0), select(isX, width, height));
  });
}

/// Reads and checks inputs 0 to 6 (M-211, M-213).
static RoiInputs readRoiInputs(OperationLowering &op) {
  FeatureMaps maps{op.input(0)};
  Tensor rois = op.input(1);
  op.checkNotEmpty(maps.tensor);
  checkTable(op, rois, rois.extent(0), 4);
  Tensor batches = checkedBatches(op, 2, rois.extent(0), maps.batches());
  checkCorners(op, rois);
  RoiAxis vertical{1, readCount(op, 3, 1), maps.height(), Scalar()};
  RoiAxis horizontal{0, readCount(op, 4, 1), maps.width(), Scalar()};
  return {maps, batches, defineRegions(op, maps, rois), vertical, horizontal};
}

/// What an element of the result is computed from: first and end of the pixels
/// along both axes.
namespace {
struct BinPixels {
  Scalar region, batch, channel, binRow, binColumn;
  Scalar rowBegin, rowEnd, columnBegin, columnEnd;
};
} // namespace

/// The result, whose elements \p element gives; \p rows and \p columns are
/// [n, bins, 2], the first pixel and the end of the pixels of each bin.
static void defineBins(OperationLowering &op, const RoiInputs &inputs,
                       const Tensor &rows, const Tensor &columns,
                       llvm::function_ref<Scalar(const BinPixels &)> element) {
  const FeatureMaps &maps = inputs.maps;
  SmallVector<Scalar> extents = {inputs.regions.extent(0), inputs.vertical.bins,
                                 inputs.horizontal.bins, maps.channels()};
  op.setOutput(op.define(op.outputType(), op.stated(extents), [&](Indices at) {
    Scalar row = at[1], column = at[2];
    // Within the map already, but for what OperationLowering::indexFrom() is
    // about.
    auto bound = [&](const Tensor &ranges, Scalar bin, int64_t which,
                     Scalar extent) {
      return clamp(ranges.stored({at[0], bin, op.index(which)}).toIndex(),
                   op.index(0), extent);
    };
    BinPixels pixels{at[0],
                     op.indexFrom(inputs.batches, {at[0]}, maps.batches()),
                     at[3],
                     row,
                     column,
                     bound(rows, row, 0, maps.height()),
                     bound(rows, row, 1, maps.height()),
                     bound(columns, column, 0, maps.width()),
                     bound(columns, column, 1, maps.width())};
    return op.encode(element(pixels), op.outputType());
  }));
}

//===----------------------------------------------------------------------===//
// ROI_ALIGN
//===----------------------------------------------------------------------===//

/// As many as the reference device allows: bounds the time that a request may
/// take.
static constexpr double maxSamples = double(int64_t(1) << 16);

namespace {
/// The samples of a bin along an axis, at equal distances.
struct Samples {
  /// Index.
  Scalar count;
  /// Of the first one, and from one to the next.
  Scalar first, step;

  Scalar position(Scalar i) const { return first + step * i.toF32(); }
};
} // namespace

static Scalar binSizeOf(OperationLowering &op, const Tensor &regions,
                        const RoiAxis &axis, Scalar region) {
  Scalar begin = regions.stored({region, op.index(axis.coordinate)});
  Scalar end = regions.stored({region, op.index(axis.coordinate + 2)});
  return max(op.f32(1), end - begin) / axis.bins.toF32();
}

static Scalar sampleCount(const RoiAxis &axis, Scalar binSize) {
  return select(axis.samples > 0, axis.samples,
                ceil(binSize).toI64().toIndex());
}

static Samples samplesOf(OperationLowering &op, const Tensor &regions,
                         const RoiAxis &axis, Scalar region, Scalar bin) {
  Scalar begin = regions.stored({region, op.index(axis.coordinate)});
  Scalar binSize = binSizeOf(op, regions, axis, region);
  Scalar count = sampleCount(axis, binSize);
  Scalar step = binSize / count.toF32();
  return {count, begin + binSize * bin.toF32() + step / 2, step};
}

/// No bin has more than maxSamples.
static void checkSamples(OperationLowering &op, const Tensor &regions,
                         const RoiAxis &axis) {
  int64_t samples = axis.samples.known().value_or(-1);
  int64_t extent = axis.extent.known().value_or(int64_t(maxSamples) + 1);
  // A bin is as large as the map at most.
  if (samples >= 0 && samples <= int64_t(maxSamples) &&
      (samples > 0 || extent <= int64_t(maxSamples)))
    return;
  op.checkEach(
      regions.extent(0),
      [&](Scalar i) -> Condition {
        Scalar count = sampleCount(axis, binSizeOf(op, regions, axis, i));
        return {count <= maxSamples, count};
      },
      FailureReason::valueTooLarge, op.index(int64_t(maxSamples)));
}

/// The pixels that the samples of each bin lie on, [n, bins, 2].
static Tensor defineAlignPixels(OperationLowering &op, const Tensor &regions,
                                const RoiAxis &axis) {
  Scalar last = axis.extent - 1;
  return op.define(
      int32(), {regions.extent(0), axis.bins, op.index(2)}, [&](Indices at) {
        Samples samples = samplesOf(op, regions, axis, at[0], at[1]);
        Scalar first = min(samples.first.toI64().toIndex(), last);
        Scalar end = samples.position(samples.count - 1).toI64().toIndex() + 1;
        return select(at[2] == 0, first, min(end, last) + 1).toI32();
      });
}

/// How much each pixel along \p axis counts in the mean of each bin: samples
/// are interpolated between two neighbours (M-209, M-210). [n, bins, extent],
/// float64.
static Tensor defineWeights(OperationLowering &op, const Tensor &regions,
                            const RoiAxis &axis) {
  Scalar last = axis.extent - 1;
  Type f64 = op.getBuilder().getF64Type();
  return op.define(
      f64, {regions.extent(0), axis.bins, axis.extent}, [&](Indices at) {
        Samples samples = samplesOf(op, regions, axis, at[0], at[1]);
        Scalar zero = Scalar::constant(op.getBuilder(), f64, 0);
        Scalar count = samples.count.toF64();
        return op.fold(samples.count, zero, [&](Scalar i, Scalar sum) {
          Scalar position = samples.position(i);
          Scalar pixel = position.toI64();
          Scalar fraction = position.toF64() - pixel.toF64();
          auto add = [&](Scalar target, Scalar weight) {
            // Beyond the last pixel its value holds.
            Scalar isHere = min(target.toIndex(), last) == at[2];
            sum = select(isHere, sum + weight / count, sum);
          };
          add(pixel, 1.0 - fraction);
          add(pixel + 1, fraction);
          return sum;
        });
      });
}

static LogicalResult lowerRoiAlign(OperationLowering &op) {
  if (failed(op.decoded(rt::decodeRoiAlign(op.view()))))
    return failure();
  RoiInputs inputs = readRoiInputs(op);
  RoiAxis &vertical = inputs.vertical, &horizontal = inputs.horizontal;
  vertical.samples = readCount(op, 7, 0);
  horizontal.samples = readCount(op, 8, 0);
  const Tensor &regions = inputs.regions;
  checkSamples(op, regions, vertical);
  checkSamples(op, regions, horizontal);
  Tensor rows = defineAlignPixels(op, regions, vertical);
  Tensor columns = defineAlignPixels(op, regions, horizontal);
  Tensor rowWeights = defineWeights(op, regions, vertical);
  Tensor columnWeights = defineWeights(op, regions, horizontal);
  Scalar zero =
      Scalar::constant(op.getBuilder(), op.getBuilder().getF64Type(), 0);
  defineBins(op, inputs, rows, columns, [&](const BinPixels &at) {
    auto sumRow = [&](Scalar h, Scalar sum) {
      Scalar weight = rowWeights.stored({at.region, at.binRow, h});
      return op.loop(
          at.columnBegin, at.columnEnd, sum,
          [&](Scalar w, ArrayRef<Scalar> values) -> SmallVector<Scalar> {
            Scalar product =
                weight * columnWeights.stored({at.region, at.binColumn, w});
            Scalar value = inputs.maps.at(at.batch, h, w, at.channel);
            return {values[0] + product * value.toF64()};
          });
    };
    return op
        .loop(at.rowBegin, at.rowEnd, zero,
              [&](Scalar h, ArrayRef<Scalar> values) {
                return sumRow(h, values[0]);
              })
        .front()
        .toF32();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// ROI_POOLING
//===----------------------------------------------------------------------===//

/// The pixels of each bin, [n, bins, 2]: both ends of a region are inclusive
/// after rounding, bins are widened to whole pixels and clipped to the map
/// (M-213).
static Tensor definePoolPixels(OperationLowering &op, const Tensor &regions,
                               const RoiAxis &axis) {
  return op.define(
      int32(), {regions.extent(0), axis.bins, op.index(2)}, [&](Indices at) {
        Scalar begin =
            round(regions.stored({at[0], op.index(axis.coordinate)}));
        Scalar end =
            round(regions.stored({at[0], op.index(axis.coordinate + 2)}));
        Scalar size = max(op.f32(1), end - begin + 1);
        Scalar binSize = size / axis.bins.toF32();
        auto clip = [&](Scalar position) {
          return clamp(position.toI64().toIndex(), op.index(0), axis.extent);
        };
        Scalar first = clip(floor(begin + binSize * at[1].toF32()));
        Scalar last = clip(ceil(begin + binSize * (at[1] + 1).toF32()));
        return select(at[2] == 0, first, last).toI32();
      });
}

static LogicalResult lowerRoiPooling(OperationLowering &op) {
  if (failed(op.decoded(rt::decodeRoiPooling(op.view()))))
    return failure();
  RoiInputs inputs = readRoiInputs(op);
  Tensor rows = definePoolPixels(op, inputs.regions, inputs.vertical);
  Tensor columns = definePoolPixels(op, inputs.regions, inputs.horizontal);
  // The largest value of a bin; 0 when there are no pixels.
  defineBins(op, inputs, rows, columns, [&](const BinPixels &at) {
    Scalar hasPixels =
        (at.rowBegin < at.rowEnd) & (at.columnBegin < at.columnEnd);
    Scalar first = op.branch(
        hasPixels,
        [&] {
          return inputs.maps.at(
              at.batch, min(at.rowBegin, inputs.maps.height() - 1),
              min(at.columnBegin, inputs.maps.width() - 1), at.channel);
        },
        [&] { return op.f32(0); });
    auto maxOfRow = [&](Scalar h, ArrayRef<Scalar> largest) {
      return op.loop(
          at.columnBegin, at.columnEnd, largest,
          [&](Scalar w, ArrayRef<Scalar> values) -> SmallVector<Scalar> {
            Scalar value = inputs.maps.at(at.batch, h, w, at.channel);
            return {max(value, values[0])};
          });
    };
    return op.loop(at.rowBegin, at.rowEnd, first, maxOfRow).front();
  });
  return success();
}

static constexpr LoweringRow rows[] = {
    {OperationType::AXIS_ALIGNED_BBOX_TRANSFORM, lowerAxisAlignedBBoxTransform},
    {OperationType::HEATMAP_MAX_KEYPOINT, lowerHeatmapMaxKeypoint},
    {OperationType::ROI_ALIGN, lowerRoiAlign},
    {OperationType::ROI_POOLING, lowerRoiPooling},
};

std::span<const LoweringRow> nnhal::detectionRows() { return rows; }
