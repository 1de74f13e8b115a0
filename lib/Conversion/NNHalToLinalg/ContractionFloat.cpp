//===- ContractionFloat.cpp - Contractions of static f32 as kernels -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionFloat.h"

#include "ComputedFilter.h"

#include "../Common/ConstantData.h"

#include "nnhal/Dialect/Kernel/Packing.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;

using Shape = ArrayRef<int64_t>;

static bool isStaticF32(const Tensor &tensor) {
  RankedTensorType type = tensor.getValueType();
  return type.getElementType().isF32() && type.hasStaticShape() &&
         type.getNumElements() != 0;
}

bool nnhal::isFloatContraction(OperationLowering &op, const Tensor &input,
                               const Tensor &filter, Scalar channels) {
  Tensor bias = op.input(2);
  return op.policy().hasMicroKernels() && isStaticF32(input) &&
         isStaticF32(filter) && isStaticF32(bias) && bias.rank() == 1 &&
         bias.extent(0).known() == channels.known();
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Input 1, which \p filter is, [O,H,W,I] when it is \p ohwi, and input 2, the
/// bias, in panels of \p width. Constants are packed now, others when the model
/// runs.
static Value packFilter(OperationLowering &op, const Tensor &filter, Shape ohwi,
                        int64_t width) {
  ElementsAttr packed;
  if (ElementsAttr constant = op.constantOf(1))
    packed = op.getShared().packFilter(constant, ohwi, width);
  if (!packed)
    return packComputedFilter(op, filter, ohwi, width);
  return arith::ConstantOp::create(op.getBuilder(), cast<TypedAttr>(packed));
}

static Value packBias(OperationLowering &op, int64_t width) {
  ElementsAttr packed;
  if (ElementsAttr constant = op.constantOf(2))
    packed = op.getShared().packBias(constant, width);
  if (!packed)
    return packComputedBias(op, op.input(2), width);
  return arith::ConstantOp::create(op.getBuilder(), cast<TypedAttr>(packed));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static Value emptyF32(OperationLowering &op, Shape shape) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  return tensor::EmptyOp::create(builder, shape, builder.getF32Type());
}

/// A convolution of packed \p filter and \p bias to \p channels channels.
static Tensor convolve(OperationLowering &op, Value input, Value filter,
                       Value bias, int64_t channels, const KernelWindow &window,
                       rt::FusedActivation activation) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  int64_t batches = cast<RankedTensorType>(input.getType()).getDimSize(0);
  auto conv = kernel::Conv2DOp::create(
      builder, input, filter, bias,
      emptyF32(op, {batches, window.output[0], window.output[1], channels}),
      window.strides, window.dilations, window.pads);
  addEpilogue(builder, conv, activation);
  return {builder, conv->getResult(0), op.outputType()};
}

void nnhal::lowerToFloatConvolution(OperationLowering &op, const Tensor &input,
                                    const Tensor &filter,
                                    const KernelWindow &window,
                                    rt::FusedActivation activation) {
  Shape ohwi = filter.getValueType().getShape();
  int64_t width = op.policy().panelWidth(ohwi[0]);
  op.setOutput(convolve(op, input.get(), packFilter(op, filter, ohwi, width),
                        packBias(op, width), ohwi[0], window, activation));
}

void nnhal::lowerToFloatProduct(OperationLowering &op, const Tensor &input,
                                const Tensor &weights,
                                rt::FusedActivation activation) {
  Shape shape = weights.getValueType().getShape();
  int64_t units = shape[0], depth = shape[1];
  int64_t rows = input.getValueType().getNumElements() / depth;
  int64_t width = op.policy().panelWidth(units);
  KernelWindow window;
  window.output = {1, rows};
  Value filter = packFilter(op, weights, {units, 1, 1, depth}, width);
  Value bias = packBias(op, width);
  // The rows of the input become one row of pixels.
  Tensor pixels = op.reshape(input, op.indices({1, 1, rows, depth}));
  Tensor product =
      convolve(op, pixels.get(), filter, bias, units, window, activation);
  op.setOutput(op.reshape(product, op.indices({rows, units})));
}

void nnhal::lowerToFloatDepthwise(OperationLowering &op, const Tensor &input,
                                  const Tensor &filter,
                                  const KernelWindow &window,
                                  rt::FusedActivation activation) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  Shape shape = filter.getValueType().getShape();
  RankedTensorType type = input.getValueType();
  // The filter loses its leading dimension; a constant is shared, not copied.
  TypedAttr shared;
  if (ElementsAttr constant = op.constantOf(1))
    shared = reshapeConstant(constant, shape.drop_front());
  Value factors =
      shared ? Value(arith::ConstantOp::create(builder, shared))
             : op.reshape(filter, op.indices(shape.drop_front())).get();
  auto conv = kernel::DepthwiseConv2DOp::create(
      builder, input.get(), factors, op.input(2).get(),
      emptyF32(op, {type.getDimSize(0), window.output[0], window.output[1],
                    shape[3]}),
      window.strides, window.dilations, window.pads,
      shape[3] / type.getDimSize(3));
  addEpilogue(builder, conv, activation);
  op.setOutput({builder, conv->getResult(0), op.outputType()});
}
