//===- Quantization.cpp - Forms of QUANTIZE and DEQUANTIZE ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

/// The shape of \p input with the type of \p output, which a model must state.
static TensorType likeInput(const TensorType &input, const TensorType &output) {
  TensorType result = output;
  result.isRanked = input.isRanked;
  result.dimensions = input.dimensions;
  return result;
}

static Result<OperationFacts> quantizeFacts(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(checkQuantize(reader.input(0), reader.output(0)));
  return factsOf(reader, likeInput(reader.input(0), reader.output(0)));
}

static Result<OperationFacts> dequantizeFacts(Reader &reader) {
  // HAL 1.0 and 1.1 have only unsigned bytes to float32 (M-146).
  if (reader.output(0).type != OperandType::TENSOR_FLOAT32)
    reader.require(HalVersion::V1_2);
  NNHAL_RETURN_IF_ERROR(checkDequantize(reader.input(0), reader.output(0)));
  return factsOf(reader, likeInput(reader.input(0), reader.output(0)));
}

std::span<const Row> signatures::quantizationRows() {
  static constexpr Row rows[] = {
      {OperationType::QUANTIZE, quantizeFacts},
      {OperationType::DEQUANTIZE, dequantizeFacts},
  };
  return rows;
}
