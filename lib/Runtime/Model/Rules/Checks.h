//===- Checks.h - Checks that rules share -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_RULES_CHECKS_H
#define NNHAL_LIB_RUNTIME_MODEL_RULES_CHECKS_H

#include "nnhal/Backend/Rules.h"

#include <limits>
#include <string_view>

namespace nnhal::rt::rules {

using OperandTypes = std::span<const OperandType>;

inline constexpr OperandType floats[] = {OperandType::TENSOR_FLOAT32,
                                         OperandType::TENSOR_FLOAT16};
inline constexpr OperandType floatsAndInts[] = {OperandType::TENSOR_FLOAT32,
                                                OperandType::TENSOR_FLOAT16,
                                                OperandType::TENSOR_INT32};
inline constexpr OperandType floatsAndQuantized[] = {
    OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16,
    OperandType::TENSOR_QUANT8_ASYMM, OperandType::TENSOR_QUANT8_ASYMM_SIGNED};
inline constexpr OperandType numbers[] = {
    OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16,
    OperandType::TENSOR_INT32, OperandType::TENSOR_QUANT8_ASYMM,
    OperandType::TENSOR_QUANT8_ASYMM_SIGNED};
inline constexpr OperandType numbersAndBools[] = {
    OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16,
    OperandType::TENSOR_INT32,   OperandType::TENSOR_QUANT8_ASYMM,
    OperandType::TENSOR_BOOL8,   OperandType::TENSOR_QUANT8_ASYMM_SIGNED};
inline constexpr OperandType bools[] = {OperandType::TENSOR_BOOL8};
inline constexpr OperandType integers[] = {OperandType::TENSOR_INT32};

/// The bounds of a rank.
struct RankBounds {
  int64_t low = 1;
  int64_t high = std::numeric_limits<int64_t>::max();
};
inline constexpr RankBounds anyRank{};
inline constexpr RankBounds upToRank4{1, 4};
inline constexpr RankBounds rank4{4, 4};

inline bool isKnown(int64_t extent) { return extent != unknownExtent; }
/// TENSOR_QUANT8_ASYMM and TENSOR_QUANT8_ASYMM_SIGNED.
bool isAsymmetric(OperandType type);
bool isFloat(OperandType type);

/// Type and rank of the operand \p name; ranks only where known (M-002).
Status checkOperand(std::string_view name, const TensorType &operand,
                    OperandTypes types, RankBounds bounds = anyRank);
/// \p type has the operand type of \p other.
Status checkSameType(std::string_view name, const TensorType &type,
                     std::string_view otherName, const TensorType &other);
/// Extents \p lhs and \p rhs are equal where both are known.
Status checkSameExtent(std::string_view name, int64_t lhs,
                       std::string_view otherName, int64_t rhs);
Status checkSameShape(std::string_view name, const TensorType &type,
                      std::string_view otherName, const TensorType &other);
Status checkPositive(std::string_view name, int64_t value);
Status checkPositive(std::string_view name, Extent2D extent);
Status checkActivation(FusedActivation activation);
/// The attribute \p name has \p count elements, each an INT32 of the HAL.
Status checkInts(std::string_view name, Ints values, int64_t count);

/// \p axis counted from the front; negative ones count from the end (M-024).
Result<int64_t> resolveAxis(std::string_view name, int64_t axis, int64_t rank);

/// \p axis is one of \p input, counted from either end; any is where the rank
/// is not known.
Status checkAxis(const TensorType &input, int64_t axis);

/// Shapes right-aligned; extents are equal or one of them is 1 (M-021).
Result<std::vector<int64_t>> broadcastShapes(const TensorType &lhs,
                                             const TensorType &rhs);

/// \p type with other extents, ranked.
TensorType withShape(const TensorType &type, std::vector<int64_t> dimensions);
/// \p type with unknown rank.
TensorType withoutRank(const TensorType &type);
/// \p type with quantization left free where the type is quantized.
TensorType withFreeQuantization(TensorType type);
/// \p type with the quantization that the HAL prescribes: \p scale, and the
/// zero point of the two asymmetric types (M-243 to M-246).
TensorType withPrescribedQuantization(TensorType type, float scale,
                                      int32_t unsignedZeroPoint,
                                      int32_t signedZeroPoint);

/// The extent that windows of \p window elements yield on an axis (M-006);
/// unknown where \p input or \p window is. \p windowName and \p axisName go
/// into the message about a window that does not fit.
struct Axis {
  std::string_view windowName;
  std::string_view axisName;
  int64_t input = unknownExtent;
  int64_t window = unknownExtent;
  int64_t stride = 1;
  int64_t head = 0;
  int64_t tail = 0;
};
Result<int64_t> windowedExtent(const Axis &axis);
/// Each pad is at least 0 and below \p window, the window's extent on that
/// axis (M-009).
Status checkPads(const Pads2D &pads, int64_t height, int64_t width);

/// The number of elements; unknownExtent when an extent or the rank is.
Result<int64_t> elementCount(std::string_view name, const TensorType &type);

/// lhs * rhs as an extent; unknown when either is, an error beyond 32 bits.
Result<int64_t> multiplyExtents(int64_t lhs, int64_t rhs);

} // namespace nnhal::rt::rules

#endif // NNHAL_LIB_RUNTIME_MODEL_RULES_CHECKS_H
