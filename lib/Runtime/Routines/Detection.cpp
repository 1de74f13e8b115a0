//===- Detection.cpp - The Detection operations ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on regions of feature maps. All types are computed in float32 and
// rounded once when they are stored; operations on boxes alone are in
// DetectionProposals.cpp.
//
//===----------------------------------------------------------------------===//

#include "Detection.h"

#include "Layout.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Signatures/Detection.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

namespace {
/// Input 0 in NHWC order.
struct FeatureMaps {
  Shape shape;
  Elements<float> values;

  FeatureMaps(const RoutineContext &context, bool isNchw)
      : shape(isNchw ? nchwToNhwc(context.inputShape(0))
                     : context.inputShape(0)),
        values(toNhwc(context.reals(0), shape, isNchw)) {}

  int64_t height() const { return shape[1]; }
  int64_t width() const { return shape[2]; }
  int64_t channels() const { return shape[3]; }
  float at(int64_t n, int64_t h, int64_t w, int64_t c) const {
    return values[size_t(((n * shape[1] + h) * shape[2] + w) * shape[3] + c)];
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// HEATMAP_MAX_KEYPOINT
//===----------------------------------------------------------------------===//

namespace {
/// A maximum between pixels.
struct Peak {
  float score;
  /// The coordinates are those of the centre of the pixel.
  float x = 0.0f;
  float y = 0.0f;
};
using Neighbourhood = std::array<std::array<float, 3>, 3>;
} // namespace

/// The maximum of the quadratic function through \p grid (rows, columns) about
/// its centre. \p tolerance is what a determinant must reach.
static Peak refinePeak(const Neighbourhood &grid, float tolerance) {
  Peak peak{grid[1][1]};
  // Gradient, negated, and Hessian.
  float gradientX = -(grid[1][2] - grid[1][0]) / 2;
  float gradientY = -(grid[2][1] - grid[0][1]) / 2;
  float xx = grid[1][0] - 2 * grid[1][1] + grid[1][2];
  float xy = (grid[2][2] - grid[2][0] - grid[0][2] + grid[0][0]) / 4;
  float yy = grid[0][1] - 2 * grid[1][1] + grid[2][1];
  float product = xx * yy;
  float determinant = product - xy * xy;
  // The peak is refined unless the determinant is too small for its product
  // (M-217).
  if (!(std::abs(determinant) >= tolerance + tolerance * product))
    return peak;
  peak.x = (yy * gradientX - xy * gradientY) / determinant;
  peak.y = (xx * gradientY - xy * gradientX) / determinant;
  float largest = std::max(std::abs(peak.x), std::abs(peak.y));
  if (largest > 1.5f) {
    peak.x *= 1.5f / largest;
    peak.y *= 1.5f / largest;
  }
  peak.score = grid[1][1] - gradientX * peak.x - gradientY * peak.y +
               ((xx * peak.x + xy * peak.y) * peak.x +
                (xy * peak.x + yy * peak.y) * peak.y) /
                   2;
  return peak;
}

namespace {
struct Keypoint {
  float score;
  float x;
  float y;
};
} // namespace

/// Keypoint \p c of heatmap \p n, relative to the map's size.
static Keypoint findKeypoint(const FeatureMaps &maps, int64_t n, int64_t c,
                             float tolerance) {
  int64_t size = maps.height(), maxH = 0, maxW = 0;
  for (int64_t h = 0; h < size; ++h)
    for (int64_t w = 0; w < size; ++w)
      if (maps.at(n, h, w, c) > maps.at(n, maxH, maxW, c)) {
        maxH = h;
        maxW = w;
      }
  // Borders are mirrored.
  auto mirror = [size](int64_t at) {
    return at < 0 ? 1 : (at >= size ? size - 2 : at);
  };
  Neighbourhood grid;
  for (int64_t h = 0; h < 3; ++h)
    for (int64_t w = 0; w < 3; ++w)
      grid[size_t(h)][size_t(w)] =
          maps.at(n, mirror(maxH + h - 1), mirror(maxW + w - 1), c);
  Peak peak = refinePeak(grid, tolerance);
  return {peak.score, (float(maxW) + peak.x + 0.5f) / float(size),
          (float(maxH) + peak.y + 0.5f) / float(size)};
}

static Status heatmapMaxKeypointRoutine(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(HeatmapMaxKeypointForm form,
                         decodeHeatmapMaxKeypoint(context.operation()));
  FeatureMaps maps(context, form.isNchw);
  Elements<Box> boxes = toBoxes(context.reals(1));
  bool isHalf = context.inputType(0).type == OperandType::TENSOR_FLOAT16;
  // The tolerance of the determinant is 1e-3 for half floats, 1e-5 otherwise
  // (M-217).
  float tolerance = isHalf ? 1e-3f : 1e-5f;
  Elements<float> scores, keypoints;
  for (size_t n = 0; n < boxes.size(); ++n) {
    const Box &box = boxes[n];
    NNHAL_RETURN_IF_ERROR(checkCorners("box", n, box));
    for (int64_t c = 0; c < maps.channels(); ++c) {
      Keypoint keypoint = findKeypoint(maps, int64_t(n), c, tolerance);
      scores.push_back(keypoint.score);
      keypoints.push_back(keypoint.x * (box.x2 - box.x1) + box.x1);
      keypoints.push_back(keypoint.y * (box.y2 - box.y1) + box.y1);
    }
  }
  context.storeReals(0, scores);
  context.storeReals(1, keypoints);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Regions of interest
//===----------------------------------------------------------------------===//

namespace {
/// A region in coordinates of its feature map.
struct Region {
  int64_t batch;
  Box box;
};
} // namespace

/// Reads inputs 1 and 2 and checks them against the maps (M-211, M-213).
static Result<Elements<Region>> readRegions(const RoutineContext &context,
                                            const FeatureMaps &maps,
                                            const RoiParams &params) {
  Elements<Box> rois = toBoxes(context.reals(1));
  Elements<int32_t> batches = context.integers(2);
  Elements<Region> regions;
  for (size_t i = 0; i < rois.size(); ++i) {
    const Box &roi = rois[i];
    NNHAL_RETURN_IF_ERROR(checkBatchIndex(batches[i], maps.shape[0]));
    NNHAL_RETURN_IF_ERROR(checkCorners("roi", i, roi));
    Box box{roi.x1 / params.widthRatio, roi.y1 / params.heightRatio,
            roi.x2 / params.widthRatio, roi.y2 / params.heightRatio};
    if (!(box.x1 >= 0 && box.y1 >= 0 && box.x2 <= float(maps.width()) &&
          box.y2 <= float(maps.height()))) // roi C4
      return failure("roi {} from ({}, {}) to ({}, {}) exceeds the feature map "
                     "of {}x{}",
                     i, box.x1, box.y1, box.x2, box.y2, maps.height(),
                     maps.width());
    regions.push_back({batches[i], box});
  }
  return regions;
}

//===----------------------------------------------------------------------===//
// ROI_ALIGN
//===----------------------------------------------------------------------===//

namespace {
/// The weights of a bin's samples along one axis: pixel first + i counts
/// weights[i] times in their mean.
struct AxisWeights {
  int64_t first = 0;
  Elements<double> weights;
};
/// A region, its bins and the feature map along one axis.
struct RoiAxis {
  float start;
  float end;
  int64_t bins;
  int64_t samples;
  int64_t extent;
};
} // namespace

/// More samples along an axis than any feature map calls for; bounds the time
/// that a request may take.
static constexpr int64_t maxSamples = int64_t(1) << 16;

/// Samples at equal distances in bin \p bin, each interpolated between its two
/// neighbours (M-209, M-210).
static Result<AxisWeights> sampleBin(const RoiAxis &axis, int64_t bin) {
  float binSize = std::max(axis.end - axis.start, 1.0f) / float(axis.bins);
  int64_t count = axis.samples > 0 ? axis.samples : int64_t(std::ceil(binSize));
  if (count > maxSamples) // roi_align C2
    return failure("{} samples per bin exceed {}", count, maxSamples);
  float binStart = axis.start + binSize * float(bin);
  float step = binSize / float(count);
  int64_t last = axis.extent - 1;
  AxisWeights result;
  result.first = std::min(int64_t(binStart + step / 2), last);
  auto add = [&](int64_t pixel, double weight) {
    // Beyond the last pixel its value holds.
    auto at = size_t(std::min(pixel, last) - result.first);
    if (at >= result.weights.size())
      result.weights.resize(at + 1);
    result.weights[at] += weight / double(count);
  };
  for (int64_t i = 0; i < count; ++i) {
    float position = binStart + step / 2 + step * float(i);
    auto pixel = int64_t(position);
    double fraction = double(position) - double(pixel);
    add(pixel, 1.0 - fraction);
    add(pixel + 1, fraction);
  }
  return result;
}

/// The mean of channel \p c over the samples of a bin.
static float averageBin(const FeatureMaps &maps, int64_t batch,
                        const AxisWeights &rows, const AxisWeights &columns,
                        int64_t c) {
  double mean = 0.0;
  for (size_t i = 0; i < rows.weights.size(); ++i)
    for (size_t j = 0; j < columns.weights.size(); ++j)
      mean += rows.weights[i] * columns.weights[j] *
              double(maps.at(batch, rows.first + int64_t(i),
                             columns.first + int64_t(j), c));
  return float(mean);
}

static Status roiAlignRoutine(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(RoiForm form, decodeRoiAlign(context.operation()));
  const RoiParams &params = form.params;
  FeatureMaps maps(context, form.isNchw);
  NNHAL_ASSIGN_OR_RETURN(Elements<Region> regions,
                         readRegions(context, maps, params));
  Elements<float> result;
  for (const Region &region : regions) {
    const Box &box = region.box;
    RoiAxis vertical{box.y1, box.y2, params.extent.height,
                     params.samples.height, maps.height()};
    RoiAxis horizontal{box.x1, box.x2, params.extent.width,
                       params.samples.width, maps.width()};
    for (int64_t h = 0; h < vertical.bins; ++h) {
      NNHAL_ASSIGN_OR_RETURN(AxisWeights rows, sampleBin(vertical, h));
      for (int64_t w = 0; w < horizontal.bins; ++w) {
        NNHAL_ASSIGN_OR_RETURN(AxisWeights columns, sampleBin(horizontal, w));
        for (int64_t c = 0; c < maps.channels(); ++c)
          result.push_back(averageBin(maps, region.batch, rows, columns, c));
      }
    }
  }
  Shape shape{int64_t(regions.size()), params.extent.height,
              params.extent.width, maps.channels()};
  context.storeReals(0, fromNhwc(std::move(result), shape, form.isNchw));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// ROI_POOLING
//===----------------------------------------------------------------------===//

namespace {
/// Pixels from first up to end.
struct PixelRange {
  int64_t first;
  int64_t end;
};
} // namespace

/// The pixels of \p bin of \p bins: both ends of the region are inclusive after
/// rounding, bins are widened to whole pixels and clipped to the map (M-213).
static PixelRange binPixels(float regionStart, float regionEnd, int64_t bins,
                            int64_t bin, int64_t extent) {
  float start = std::round(regionStart);
  float size = std::max(std::round(regionEnd) - start + 1, 1.0f);
  float binSize = size / float(bins);
  auto clip = [extent](float position) {
    return std::clamp<int64_t>(int64_t(position), 0, extent);
  };
  return {clip(std::floor(start + binSize * float(bin))),
          clip(std::ceil(start + binSize * float(bin + 1)))};
}

/// Returns the largest value of channel \p c; 0 when there are no pixels.
static float maxOfBin(const FeatureMaps &maps, int64_t batch, PixelRange rows,
                      PixelRange columns, int64_t c) {
  if (rows.first >= rows.end || columns.first >= columns.end)
    return 0.0f;
  float largest = maps.at(batch, rows.first, columns.first, c);
  for (int64_t h = rows.first; h < rows.end; ++h)
    for (int64_t w = columns.first; w < columns.end; ++w)
      largest = std::max(largest, maps.at(batch, h, w, c));
  return largest;
}

static Status roiPoolingRoutine(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(RoiForm form, decodeRoiPooling(context.operation()));
  const Extent2D &extent = form.params.extent;
  FeatureMaps maps(context, form.isNchw);
  NNHAL_ASSIGN_OR_RETURN(Elements<Region> regions,
                         readRegions(context, maps, form.params));
  Elements<float> result;
  for (const Region &region : regions)
    for (int64_t h = 0; h < extent.height; ++h)
      for (int64_t w = 0; w < extent.width; ++w) {
        PixelRange rows = binPixels(region.box.y1, region.box.y2, extent.height,
                                    h, maps.height());
        PixelRange columns = binPixels(region.box.x1, region.box.x2,
                                       extent.width, w, maps.width());
        for (int64_t c = 0; c < maps.channels(); ++c)
          result.push_back(maxOfBin(maps, region.batch, rows, columns, c));
      }
  Shape shape{int64_t(regions.size()), extent.height, extent.width,
              maps.channels()};
  context.storeReals(0, fromNhwc(std::move(result), shape, form.isNchw));
  return Status::ok();
}

std::span<const RoutineRow> reference::detectionRoutines() {
  static constexpr RoutineRow rows[] = {
      {OperationType::AXIS_ALIGNED_BBOX_TRANSFORM,
       axisAlignedBBoxTransformRoutine},
      {OperationType::BOX_WITH_NMS_LIMIT, boxWithNmsLimitRoutine},
      {OperationType::DETECTION_POSTPROCESSING, detectionPostprocessingRoutine},
      {OperationType::GENERATE_PROPOSALS, generateProposalsRoutine},
      {OperationType::HEATMAP_MAX_KEYPOINT, heatmapMaxKeypointRoutine},
      {OperationType::ROI_ALIGN, roiAlignRoutine},
      {OperationType::ROI_POOLING, roiPoolingRoutine},
  };
  return rows;
}
