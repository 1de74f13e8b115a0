//===- PoseDecoder.cpp - Poses from the fields of a network ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoseDecoder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

using namespace nnhal::tflite_custom;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {

/// The cells around a coordinate, and its distance from the first of them.
struct Neighbours {
  int32_t before = 0, after = 0;
  float distance = 0;

  Neighbours(float coordinate, int32_t count) {
    // A coordinate that is no number is at the first cell.
    float place =
        coordinate > 0.0f ? std::min(coordinate, float(count) - 1.0f) : 0.0f;
    before = int32_t(std::floor(place));
    after = int32_t(std::ceil(place));
    distance = coordinate - float(before);
  }
};

float clampTo(float value, int32_t count) {
  float last = float(count) - 1.0f;
  return value < 0.0f ? 0.0f : last < value ? last : value;
}

} // namespace

Point Field::clamp(const Point &point) const {
  return {clampTo(point.y, height), clampTo(point.x, width)};
}

Point Field::sample(const Point &point, int32_t first, int32_t second) const {
  Neighbours y(point.y, height), x(point.x, width);
  auto between = [&](int32_t channel) {
    float above = (1 - x.distance) * at(y.before, x.before, channel) +
                  x.distance * at(y.before, x.after, channel);
    float below = (1 - x.distance) * at(y.after, x.before, channel) +
                  x.distance * at(y.after, x.after, channel);
    return (1 - y.distance) * above + y.distance * below;
  };
  return {between(first), between(second)};
}

//===----------------------------------------------------------------------===//
// Poses
//===----------------------------------------------------------------------===//

namespace {

struct Edge {
  int32_t from, to;
};

/// The skeleton from the nose: eyes and ears, then each arm and each leg.
constexpr std::array<Edge, size_t(edgeCount)> skeleton = {{{0, 1},
                                                           {1, 3},
                                                           {0, 2},
                                                           {2, 4},
                                                           {0, 5},
                                                           {5, 7},
                                                           {7, 9},
                                                           {5, 11},
                                                           {11, 13},
                                                           {13, 15},
                                                           {0, 6},
                                                           {6, 8},
                                                           {8, 10},
                                                           {6, 12},
                                                           {12, 14},
                                                           {14, 16}}};

/// The first of the two channels of an edge in the field of the mid offsets;
/// the second is edgeCount further. The decoder that files are made for takes
/// channels 16 and 32 for the first edge backward, in place of 32 and 48.
int32_t channelOf(int32_t edge, bool isBackward) {
  if (!isBackward)
    return edge;
  return edge == 0 ? edgeCount : 2 * edgeCount + edge;
}

struct Candidate {
  Point point;
  int32_t keyPoint = 0;
  float score = 0;

  bool operator<(const Candidate &other) const { return score < other.score; }
};

using Queue = std::priority_queue<Candidate>;

float squaredDistance(const Point &a, const Point &b) {
  float y = b.y - a.y, x = b.x - a.x;
  return y * y + x * x;
}

/// Whether no neighbour of the cell has a higher score.
bool isLocalMaximum(const Field &scores, int32_t y, int32_t x,
                    int32_t keyPoint) {
  float score = scores.at(y, x, keyPoint);
  for (int32_t row = std::max(y - 1, 0); row < std::min(y + 2, scores.height);
       ++row)
    for (int32_t column = std::max(x - 1, 0);
         column < std::min(x + 2, scores.width); ++column)
      if (scores.at(row, column, keyPoint) > score)
        return false;
  return true;
}

Queue findRoots(const PoseFields &fields, float threshold) {
  Queue roots;
  const Field &scores = fields.scores, &offsets = fields.shortOffsets;
  for (int32_t y = 0; y < scores.height; ++y)
    for (int32_t x = 0; x < scores.width; ++x)
      for (int32_t point = 0; point < keyPointCount; ++point) {
        float score = scores.at(y, x, point);
        if (!(score >= threshold) || !isLocalMaximum(scores, y, x, point))
          continue;
        Point refined = {float(y) + offsets.at(y, x, point),
                         float(x) + offsets.at(y, x, keyPointCount + point)};
        roots.push({scores.clamp(refined), point, score});
      }
  return roots;
}

/// Returns the place of key point \p to: along the channel of an edge from
/// \p from, and then by the short offsets, again and again.
Point follow(const PoseFields &fields, const Point &from, int32_t channel,
             int32_t to) {
  constexpr int32_t refinements = 5;
  auto move = [&](const Point &point, const Point &offset) {
    return fields.scores.clamp({point.y + offset.y, point.x + offset.x});
  };
  Point point =
      move(from, fields.midOffsets.sample(from, channel, channel + edgeCount));
  for (int32_t i = 0; i < refinements; ++i)
    point =
        move(point, fields.shortOffsets.sample(point, to, keyPointCount + to));
  return point;
}

/// Returns the pose of \p root; the scores are logits. The best key point that
/// is reached so far leads on.
Pose growPose(const PoseFields &fields, const Candidate &root) {
  auto scoreAt = [&](const Point &point, int32_t keyPoint) {
    return fields.scores.sample(point, keyPoint, keyPoint).y;
  };
  Pose pose;
  std::array<bool, size_t(keyPointCount)> isPlaced = {};
  Queue reached;
  reached.push({root.point, root.keyPoint, scoreAt(root.point, root.keyPoint)});
  while (!reached.empty()) {
    Candidate current = reached.top();
    reached.pop();
    auto place = size_t(current.keyPoint);
    if (isPlaced[place])
      continue;
    isPlaced[place] = true;
    pose.points[place] = current.point;
    pose.scores[place] = current.score;
    auto grow = [&](int32_t edge, bool isBackward, int32_t next) {
      if (isPlaced[size_t(next)])
        return;
      Point point =
          follow(fields, current.point, channelOf(edge, isBackward), next);
      reached.push({point, next, scoreAt(point, next)});
    };
    for (int32_t edge = 0; edge < edgeCount; ++edge)
      if (skeleton[size_t(edge)].from == current.keyPoint)
        grow(edge, false, skeleton[size_t(edge)].to);
    for (int32_t edge = 0; edge < edgeCount; ++edge)
      if (skeleton[size_t(edge)].to == current.keyPoint)
        grow(edge, true, skeleton[size_t(edge)].from);
  }
  return pose;
}

/// Returns the indices of \p values, none of which is NaN, the greatest first.
std::vector<size_t> decreasing(std::span<const float> values) {
  std::vector<size_t> indices(values.size());
  std::iota(indices.begin(), indices.end(), size_t(0));
  std::sort(indices.begin(), indices.end(),
            [&](size_t a, size_t b) { return values[a] > values[b]; });
  return indices;
}

/// The mean of the scores that are not hidden, added up from the greatest.
float meanScore(const Pose &pose, const std::vector<bool> &isHidden) {
  float total = 0.0f;
  for (size_t point : decreasing(pose.scores))
    if (!isHidden[point])
      total += pose.scores[point];
  return total / float(keyPointCount);
}

/// Returns the poses whose score is not below the threshold, in the order in
/// which their roots are taken.
std::vector<Pose> findPoses(const PoseFields &fields,
                            const PoseOptions &options) {
  // The threshold as a logit.
  float threshold = float(
      -std::log(double(1.0f) / (double(options.scoreThreshold) + 1E-6) - 1.0));
  const std::vector<bool> nothing(size_t(keyPointCount), false);
  std::vector<Pose> poses;
  Queue roots = findRoots(fields, threshold);
  while (poses.size() < size_t(options.maxDetections) && !roots.empty()) {
    Candidate root = roots.top();
    roots.pop();
    bool isTaken = std::ranges::any_of(poses, [&](const Pose &pose) {
      return squaredDistance(root.point, pose.points[size_t(root.keyPoint)]) <=
             options.radius * options.radius;
    });
    if (isTaken)
      continue;
    Pose pose = growPose(fields, root);
    for (float &score : pose.scores)
      score = 1.0f / (1.0f + std::exp(-score));
    // A score that is no number is not above any threshold.
    if (std::ranges::any_of(pose.scores,
                            [](float score) { return std::isnan(score); }))
      continue;
    pose.score = meanScore(pose, nothing);
    if (pose.score >= options.scoreThreshold)
      poses.push_back(pose);
  }
  return poses;
}

std::vector<size_t> byScore(std::span<const Pose> poses) {
  std::vector<float> scores(poses.size());
  std::ranges::transform(poses, scores.begin(), &Pose::score);
  return decreasing(scores);
}

/// Gives each pose the mean of those key points that no better pose has at the
/// same place.
void rescore(std::vector<Pose> &poses, float radius) {
  std::vector<size_t> order = byScore(poses);
  std::vector<float> scores(poses.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const Pose &pose = poses[order[i]];
    std::vector<bool> isHidden(size_t(keyPointCount), false);
    for (size_t j = 0; j < i; ++j)
      for (size_t point = 0; point < isHidden.size(); ++point)
        if (squaredDistance(pose.points[point],
                            poses[order[j]].points[point]) <= radius * radius)
          isHidden[point] = true;
    scores[order[i]] = meanScore(pose, isHidden);
  }
  for (size_t i = 0; i < poses.size(); ++i)
    poses[i].score = scores[i];
}

} // namespace

std::vector<Pose>
nnhal::tflite_custom::decodePoses(const PoseFields &fields,
                                  const PoseOptions &options) {
  std::vector<Pose> poses = findPoses(fields, options);
  rescore(poses, options.radius);
  std::vector<Pose> result;
  for (size_t index : byScore(poses)) {
    if (poses[index].score < options.scoreThreshold)
      break;
    result.push_back(poses[index]);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Returns the pose whose key points are closest to \p points, both in pixels.
static size_t closestPose(std::span<const Point> points,
                          std::span<const Pose> poses, int32_t stride) {
  auto scale = float(stride);
  size_t closest = 0;
  float least = 0.0f;
  for (size_t i = 0; i < poses.size(); ++i) {
    float sum = 0.0f;
    for (size_t point = 0; point < points.size(); ++point) {
      const Point &place = poses[i].points[point];
      sum += squaredDistance(points[point], {place.y * scale, place.x * scale});
    }
    if (i == 0 || sum < least) {
      least = sum;
      closest = i;
    }
  }
  return closest;
}

void nnhal::tflite_custom::decodeMasks(const Field &longOffsets,
                                       std::span<const Pose> poses,
                                       int32_t stride, std::span<float> masks) {
  constexpr int32_t steps = 3;
  auto scale = float(stride);
  auto size = size_t(longOffsets.height) * size_t(longOffsets.width);
  for (int32_t y = 0; y < longOffsets.height; ++y)
    for (int32_t x = 0; x < longOffsets.width; ++x) {
      std::array<Point, size_t(keyPointCount)> points;
      for (int32_t keyPoint = 0; keyPoint < keyPointCount; ++keyPoint) {
        Point point = {float(y), float(x)};
        for (int32_t step = 0; step < steps; ++step) {
          Point offset =
              longOffsets.sample(point, keyPoint, keyPointCount + keyPoint);
          point = longOffsets.clamp({point.y + offset.y, point.x + offset.x});
        }
        points[size_t(keyPoint)] = {point.y * scale, point.x * scale};
      }
      size_t pose = closestPose(points, poses, stride);
      masks[pose * size + size_t(y) * size_t(longOffsets.width) + size_t(x)] =
          1.0f;
    }
}
