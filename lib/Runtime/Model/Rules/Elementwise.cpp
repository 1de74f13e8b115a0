//===- Elementwise.cpp - Rules of element-wise operations -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

/// Two operands of one type that broadcast; the result has that type, with free
/// quantization.
static Result<TensorType> broadcast(const TensorType &lhs,
                                    const TensorType &rhs, OperandTypes types,
                                    RankBounds bounds = anyRank) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("lhs", lhs, types, bounds));                 // broadcast C1
  NNHAL_RETURN_IF_ERROR(checkSameType("rhs", rhs, "lhs", lhs)); // broadcast C2
  NNHAL_RETURN_IF_ERROR(
      checkOperand("rhs", rhs, types, bounds)); // broadcast C1
  TensorType result = withFreeQuantization(lhs);
  if (!lhs.isRanked || !rhs.isRanked)
    return withoutRank(result);
  NNHAL_ASSIGN_OR_RETURN(result.dimensions,
                         broadcastShapes(lhs, rhs)); // broadcast C3
  return result;
}

Result<TensorType> nnhal::rt::arithmetic(const TensorType &lhs,
                                         const TensorType &rhs,
                                         FusedActivation activation,
                                         bool allowsQuantized) {
  OperandTypes types = floatsAndInts;
  if (allowsQuantized)
    types = numbers;
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         broadcast(lhs, rhs, types, upToRank4));
  NNHAL_RETURN_IF_ERROR(checkActivation(activation)); // arithmetic C1
  if (lhs.type == OperandType::TENSOR_INT32 &&
      activation != FusedActivation::none) // arithmetic C2
    return badData("fused activation {} on TENSOR_INT32 must be 0",
                   int32_t(activation));
  return result;
}

Status nnhal::rt::checkAddScale(const TensorType &lhs, const TensorType &rhs,
                                const TensorType &output) {
  if (!isAsymmetric(output.type))
    return Status::ok();
  // The fixed-point form shifts the operands left by 20 bits.
  double bound =
      2.0 * std::max(double(lhs.scale), double(rhs.scale)) / (1 << 20);
  if (!(double(output.scale) > bound)) // add C1, sub C1
    return badData("result scale {} must be above {}, twice the larger operand "
                   "scale over 2^20",
                   output.scale, bound);
  return Status::ok();
}

Status nnhal::rt::checkMulScale(const TensorType &lhs, const TensorType &rhs,
                                const TensorType &output) {
  if (!isAsymmetric(output.type))
    return Status::ok();
  float product = lhs.scale * rhs.scale;
  if (!(output.scale > product)) // mul C1
    return badData("result scale {} must be above {}, the product of the "
                   "operand scales",
                   output.scale, product);
  return Status::ok();
}

Result<TensorType> nnhal::rt::power(const TensorType &lhs,
                                    const TensorType &rhs) {
  return broadcast(lhs, rhs, floats);
}

Result<TensorType> nnhal::rt::extremum(const TensorType &lhs,
                                       const TensorType &rhs) {
  return broadcast(lhs, rhs, numbers);
}

Result<TensorType> nnhal::rt::comparison(const TensorType &lhs,
                                         const TensorType &rhs) {
  NNHAL_ASSIGN_OR_RETURN(TensorType shape,
                         broadcast(lhs, rhs, numbersAndBools));
  TensorType result;
  result.type = OperandType::TENSOR_BOOL8;
  result.isRanked = shape.isRanked;
  result.dimensions = shape.dimensions;
  return result;
}

Result<TensorType> nnhal::rt::logicalBinary(const TensorType &lhs,
                                            const TensorType &rhs) {
  return broadcast(lhs, rhs, bools);
}

Result<TensorType> nnhal::rt::logicalNot(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, bools)); // logical_not C1
  return input;
}

Result<TensorType> nnhal::rt::select(const TensorType &condition,
                                     const TensorType &lhs,
                                     const TensorType &rhs) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("condition", condition, bools));             // select C1
  NNHAL_RETURN_IF_ERROR(checkOperand("lhs", lhs, numbers));     // select C2
  NNHAL_RETURN_IF_ERROR(checkSameType("rhs", rhs, "lhs", lhs)); // select C3
  NNHAL_RETURN_IF_ERROR(
      checkSameShape("lhs", lhs, "condition", condition)); // select C4
  NNHAL_RETURN_IF_ERROR(
      checkSameShape("rhs", rhs, "condition", condition));       // select C4
  NNHAL_RETURN_IF_ERROR(checkSameShape("rhs", rhs, "lhs", lhs)); // select C4
  return withFreeQuantization(lhs);
}

Result<TensorType> nnhal::rt::signedUnary(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, floatsAndInts)); // signed_unary C1
  return input;
}

Result<TensorType> nnhal::rt::floatUnary(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floats)); // float_unary C1
  return input;
}

Result<TensorType> nnhal::rt::floorOf(const TensorType &input) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, floats, upToRank4)); // floor C1
  return input;
}

/// Types among which any cast is legal (M-150).
static bool isConvertible(OperandType type) {
  return isFloat(type) || type == OperandType::TENSOR_INT32 ||
         type == OperandType::TENSOR_QUANT8_ASYMM;
}

/// Types that may be cast to themselves only (M-151).
static bool isIdentityOnly(OperandType type) {
  switch (type) {
  case OperandType::TENSOR_BOOL8:
  case OperandType::TENSOR_QUANT16_ASYMM:
  case OperandType::TENSOR_QUANT16_SYMM:
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
  case OperandType::TENSOR_QUANT8_SYMM:
    return true;
  default:
    return false;
  }
}

Status nnhal::rt::checkCast(const TensorType &input, const TensorType &output) {
  bool isLegal = isConvertible(input.type)
                     ? isConvertible(output.type)
                     : isIdentityOnly(input.type) && input.type == output.type;
  if (!isLegal) // cast C1
    return badData("no cast from {} to {}", nameOf(input.type),
                   nameOf(output.type));
  return checkSameShape("result", output, "input", input); // cast C2
}
