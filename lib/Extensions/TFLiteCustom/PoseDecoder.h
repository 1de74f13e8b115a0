//===- PoseDecoder.h - Poses from the fields of a network -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoder of PersonLab (Papandreou et al., 2018): the best key points are
// roots, from which offsets between key points lead along the edges of a
// skeleton. The arithmetic and the order among equal scores are those of the
// operator PosenetDecoderOp of published files.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_POSEDECODER_H
#define NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_POSEDECODER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nnhal::tflite_custom {

inline constexpr int32_t keyPointCount = 17;
/// The edges of the skeleton in one direction.
inline constexpr int32_t edgeCount = 16;

struct Point {
  float y = 0, x = 0;
};

/// Values at the cells of a grid, row by row, the channels innermost.
struct Field {
  std::span<const float> values;
  int32_t height = 0, width = 0, channels = 0;

  /// Returns the values of channels \p first and \p second at \p point, between
  /// the cells around it.
  Point sample(const Point &point, int32_t first, int32_t second) const;
  float at(int32_t y, int32_t x, int32_t channel) const {
    return values[size_t((int64_t(y) * width + x) * channels + channel)];
  }
  /// Returns \p point, or the closest one that is on the grid.
  Point clamp(const Point &point) const;
};

/// The fields of a network, in cells.
struct PoseFields {
  /// For each key point the logit of its score.
  Field scores;
  /// For each key point the offset to its place: all y, then all x.
  Field shortOffsets;
  /// For each edge the offset to its end: y and x forward, y and x backward.
  Field midOffsets;
};

struct PoseOptions {
  int32_t maxDetections = 0, stride = 0;
  float scoreThreshold = 0;
  /// Key points of one kind that are as close are one; in cells.
  float radius = 0;
};

struct Pose {
  /// The places in cells, and the probabilities.
  std::array<Point, size_t(keyPointCount)> points;
  std::array<float, size_t(keyPointCount)> scores = {};
  float score = 0;
};

/// Returns the poses in the order of their scores.
std::vector<Pose> decodePoses(const PoseFields &fields,
                              const PoseOptions &options);

/// Writes 1 for each cell into the mask of the pose to which \p longOffsets, y
/// and x to each key point, lead from it. There is one mask for each pose, and
/// the first gets all cells where there is no pose.
void decodeMasks(const Field &longOffsets, std::span<const Pose> poses,
                 int32_t stride, std::span<float> masks);

} // namespace nnhal::tflite_custom

#endif // NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_POSEDECODER_H
