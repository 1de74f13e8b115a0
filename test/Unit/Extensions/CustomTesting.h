//===- CustomTesting.h - Uses of custom operators ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_EXTENSIONS_CUSTOMTESTING_H
#define NNHAL_TEST_UNIT_EXTENSIONS_CUSTOMTESTING_H

#include "TFLiteTesting.h"

#include "Extensions/TFLiteCustom/CustomExtension.h"

#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <functional>

namespace nnhal::tflite {

inline Operator customOperator(uint16_t number) {
  return Operator(number, tflite_custom::createCustomExtension());
}

/// The operation that stands for the custom operator \p name.
inline Operator customOperator(std::string_view name) {
  auto extension = tflite_custom::createCustomExtension();
  auto customs = extension->customOperators();
  auto found = std::ranges::find(customs, name, &rt::CustomOperator::name);
  EXPECT_NE(found, customs.end()) << name;
  return customOperator(found->operation);
}

inline constexpr auto tensorUint32 = rt::ownOperandType(1);
inline constexpr auto tensorUint64 = rt::ownOperandType(3);

/// Integers of [low, high].
inline std::vector<int32_t> randomIntegers(uint32_t state, size_t count,
                                           int32_t low, int32_t high) {
  std::vector<int32_t> values;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(low + int32_t((state >> 8) % uint32_t(high - low + 1)));
  }
  return values;
}

/// The bytes of a FlexBuffers map that \p fill adds the values of.
inline std::vector<uint8_t>
mapOf(const std::function<void(flexbuffers::Builder &)> &fill) {
  flexbuffers::Builder builder;
  builder.Map([&] { fill(builder); });
  builder.Finish();
  return builder.GetBuffer();
}

/// The bytes of a map of integers.
inline std::vector<uint8_t>
mapOf(std::initializer_list<std::pair<const char *, int64_t>> values) {
  return mapOf([&](flexbuffers::Builder &map) {
    for (auto [name, value] : values)
      map.Int(name, value);
  });
}

/// The options of TFLite_Detection_PostProcess, which is operation 0.
struct DetectionOptions {
  int maxDetections = 4, maxClasses = 1, perClass = 3, classes = 2;
  bool isRegular = false;
  float scoreThreshold = 0.25f, iouThreshold = 0.5f, yScale = 10.0f;

  std::vector<uint8_t> bytes() const {
    return mapOf([this](flexbuffers::Builder &map) {
      map.Int("max_detections", maxDetections);
      map.Int("max_classes_per_detection", maxClasses);
      map.Int("detections_per_class", perClass);
      map.Int("num_classes", classes);
      map.Bool("use_regular_nms", isRegular);
      map.Float("nms_score_threshold", scoreThreshold);
      map.Float("nms_iou_threshold", iouThreshold);
      map.Float("y_scale", yScale);
      map.Float("x_scale", 10.0f);
      map.Float("h_scale", 5.0f);
      map.Float("w_scale", 5.0f);
    });
  }
};

/// The options of PosenetDecoderOp, which is operation 1.
struct PosenetOptions {
  int maxDetections = 3, stride = 8;
  float scoreThreshold = 0.4f, radius = 3.0f;

  std::vector<uint8_t> bytes() const {
    return mapOf([this](flexbuffers::Builder &map) {
      map.Int("max_detections", maxDetections);
      map.Float("score_threshold", scoreThreshold);
      map.Int("stride", stride);
      map.Float("nms_radius", radius);
    });
  }
};

} // namespace nnhal::tflite

#endif // NNHAL_TEST_UNIT_EXTENSIONS_CUSTOMTESTING_H
