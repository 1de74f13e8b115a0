//===- ContractionFloat.cpp - Contractions of static f32 as kernels -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionFloat.h"

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

static SmallVector<Scalar> scalars(OperationLowering &op, Shape numbers) {
  SmallVector<Scalar> result;
  for (int64_t number : numbers)
    result.push_back(op.index(number));
  return result;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// \p value with zeros after its first dimension's elements, up to \p extent of
/// them.
static Tensor padFirst(OperationLowering &op, const Tensor &value,
                       int64_t extent) {
  SmallVector<Scalar> extents = value.extents();
  if (extents[0].known() == extent)
    return value;
  extents[0] = op.index(extent);
  Tensor zeros = op.filled(value.getType(), extents, op.f32(0));
  return op.insert(value, zeros,
                   SmallVector<Scalar>(extents.size(), op.index(0)));
}

/// The \p filter [O,H,W,I], which the model computes or is given, packed as
/// LinalgLowering::packFilter() does, when the model runs.
static Value packFilterAtRuntime(OperationLowering &op, const Tensor &filter,
                                 Shape ohwi, int64_t width) {
  int64_t panels = kernel::panelCount(ohwi[0], width);
  Tensor padded =
      padFirst(op, op.reshape(filter, scalars(op, ohwi)), panels * width);
  Tensor split = op.reshape(
      padded, scalars(op, {panels, width, ohwi[1], ohwi[2], ohwi[3]}));
  return op.transpose(split, {0, 2, 3, 4, 1}).get();
}

static Value packBiasAtRuntime(OperationLowering &op, const Tensor &bias,
                               int64_t width) {
  int64_t panels = kernel::panelCount(*bias.extent(0).known(), width);
  return op
      .reshape(padFirst(op, bias, panels * width), scalars(op, {panels, width}))
      .get();
}

/// Input 1, which \p filter is, [O,H,W,I] when it is \p ohwi, and input 2, the
/// bias, in panels of \p width. Constants are packed now, others when the model
/// runs.
static Value packFilter(OperationLowering &op, const Tensor &filter, Shape ohwi,
                        int64_t width) {
  ElementsAttr packed;
  if (ElementsAttr constant = op.constantOf(1))
    packed = op.getShared().packFilter(constant, ohwi, width);
  if (!packed)
    return packFilterAtRuntime(op, filter, ohwi, width);
  return arith::ConstantOp::create(op.getBuilder(), cast<TypedAttr>(packed));
}

static Value packBias(OperationLowering &op, int64_t width) {
  ElementsAttr packed;
  if (ElementsAttr constant = op.constantOf(2))
    packed = op.getShared().packBias(constant, width);
  if (!packed)
    return packBiasAtRuntime(op, op.input(2), width);
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
  Tensor pixels = op.reshape(input, scalars(op, {1, 1, rows, depth}));
  Tensor product =
      convolve(op, pixels.get(), filter, bias, units, window, activation);
  op.setOutput(op.reshape(product, scalars(op, {rows, units})));
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
             : op.reshape(filter, scalars(op, shape.drop_front())).get();
  auto conv = kernel::DepthwiseConv2DOp::create(
      builder, input.get(), factors, op.input(2).get(),
      emptyF32(op, {type.getDimSize(0), window.output[0], window.output[1],
                    shape[3]}),
      window.strides, window.dilations, window.pads,
      shape[3] / type.getDimSize(3));
  addEpilogue(builder, conv, activation);
  op.setOutput({builder, conv->getResult(0), op.outputType()});
}
