//===- Window.cpp - Rules of pooling and resizing -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

static Result<TensorType> pool(const TensorType &input,
                               const WindowParams &params, OperandTypes types) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, types, rank4)); // pool C1
  NNHAL_RETURN_IF_ERROR(checkPositive("window", params.window));     // pool C2
  NNHAL_RETURN_IF_ERROR(checkPositive("stride", params.strides));    // pool C3
  NNHAL_RETURN_IF_ERROR(checkActivation(params.activation));         // pool C4
  NNHAL_RETURN_IF_ERROR(checkPads(params.pads, params.window.height,
                                  params.window.width)); // pool C5
  std::vector<int64_t> in = input.isRanked
                                ? input.dimensions
                                : std::vector<int64_t>(4, unknownExtent);
  NNHAL_RETURN_IF_ERROR(checkPositive("input height", in[1]));   // pool C6
  NNHAL_RETURN_IF_ERROR(checkPositive("input width", in[2]));    // pool C6
  NNHAL_RETURN_IF_ERROR(checkPositive("input channels", in[3])); // pool C6
  NNHAL_ASSIGN_OR_RETURN(
      int64_t height,
      windowedExtent({"window", "height", in[1], params.window.height,
                      params.strides.height, params.pads.top,
                      params.pads.bottom})); // pool C7
  NNHAL_ASSIGN_OR_RETURN(
      int64_t width,
      windowedExtent({"window", "width", in[2], params.window.width,
                      params.strides.width, params.pads.left,
                      params.pads.right})); // pool C7
  return withShape(input, {in[0], height, width, in[3]});
}

Result<TensorType> nnhal::rt::pool2D(const TensorType &input,
                                     const WindowParams &params) {
  return pool(input, params, floatsAndQuantized);
}

Result<TensorType> nnhal::rt::l2Pool2D(const TensorType &input,
                                       const WindowParams &params) {
  return pool(input, params, floats);
}

Status nnhal::rt::checkResize(const TensorType &input, const TensorType &output,
                              bool alignCorners, bool halfPixelCenters) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, floatsAndQuantized, rank4)); // resize C1
  if (alignCorners && halfPixelCenters)                         // resize C2
    return badData("align_corners and half_pixel_centers exclude each other");
  TensorType expected = input;
  if (input.isRanked && output.isRanked && output.rank() == 4) {
    NNHAL_RETURN_IF_ERROR(
        checkPositive("input height", input.dimensions[1])); // resize C3
    NNHAL_RETURN_IF_ERROR(
        checkPositive("input width", input.dimensions[2])); // resize C3
    NNHAL_RETURN_IF_ERROR(
        checkPositive("input channels", input.dimensions[3])); // resize C3
    NNHAL_RETURN_IF_ERROR(
        checkPositive("result height", output.dimensions[1])); // resize C4
    NNHAL_RETURN_IF_ERROR(
        checkPositive("result width", output.dimensions[2])); // resize C4
    expected.dimensions[1] = output.dimensions[1];
    expected.dimensions[2] = output.dimensions[2];
  }
  return checkStated(expected, output); // resize C5
}
