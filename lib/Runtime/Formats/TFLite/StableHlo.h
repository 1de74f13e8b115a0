//===- StableHlo.h - What operators of StableHLO share ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_STABLEHLO_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_STABLEHLO_H

#include "Rewriter.h"

namespace nnhal::rt::tflite {

/// Checks that all inputs have shapes, whose extents are known.
Status checkKnown(Operator &op);

/// Returns the shape that the file states for the only output.
Result<Shape> statedShape(Operator &op);

/// Returns \p list, an attribute \p name of \p count integers, each from
/// \p least to \p most.
Result<std::vector<int32_t>> attribute(const flatbuffers::Vector<int64_t> *list,
                                       std::string_view name, size_t count,
                                       int64_t least, int64_t most);
/// Likewise, dimensions of a tensor of \p rank, each at most once; as many as
/// the file states.
Result<std::vector<int32_t>>
dimensionList(const flatbuffers::Vector<int64_t> *list, std::string_view name,
              size_t rank);

/// The numbers of elements by which a tensor is padded in each dimension:
/// before its elements, behind them (negative numbers remove elements there),
/// and between every two of them.
struct HloPadding {
  std::vector<int32_t> low, high, interior;
};
/// Returns \p tensor with \p padding, whose elements are \p value.
Result<int32_t> padded(Rewriter &r, int32_t tensor, int32_t value,
                       const HloPadding &padding);

/// Returns the operator that subgraph \p body consists of if that combines its
/// two inputs to its only output; nothing where it is anything else.
std::optional<schema::BuiltinOperator> combinerOf(Operator &op,
                                                  const schema::SubGraph &body);

/// Returns subgraph \p index of the file, by which \p op "does" something.
Result<const schema::SubGraph *> bodyOf(Operator &op, std::string_view does,
                                        int32_t index);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_STABLEHLO_H
