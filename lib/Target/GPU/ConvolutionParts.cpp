//===- ConvolutionParts.cpp - A convolution in a kernel -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvolutionParts.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

ConvolutionParts::ConvolutionParts(Kernel &kernel, kernel::Conv2DOp op,
                                   KernelEpilogue epilogue,
                                   ArrayRef<FlatBuffer> buffers)
    : kernel(kernel), op(op), builder(kernel.builder()), loc(op.getLoc()),
      math(kernel, loc), epilogue(std::move(epilogue)), input(buffers[0]),
      filter(buffers[1]), bias(buffers[2]),
      window(kernel, loc, input,
             {op.getStrides(), op.getDilations(), op.getPads()}),
      output(cast<MemRefType>(op.getInit().getType()).getShape()) {}

FailureOr<ConvolutionParts> ConvolutionParts::of(Kernel &kernel,
                                                 kernel::Conv2DOp op) {
  FailureOr<KernelEpilogue> epilogue = KernelEpilogue::of(kernel, op);
  SmallVector<FlatBuffer> buffers;
  for (Value view : {op.getInput(), op.getFilter(), op.getBias()}) {
    FailureOr<FlatBuffer> buffer = FlatBuffer::of(kernel, view, op);
    if (failed(buffer) || failed(epilogue))
      return failure();
    // The filter is packed in words; the input may be a part of a buffer.
    bool isInWords = buffer->element().isInteger(8) &&
                     op.getStepChannels() == 4 && buffer->isInFours();
    buffers.push_back(isInWords ? buffer->inWords() : *buffer);
  }
  return ConvolutionParts(kernel, op, *std::move(epilogue), buffers);
}
