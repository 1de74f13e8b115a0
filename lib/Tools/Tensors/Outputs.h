//===- Outputs.h - Outputs and their files ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_TENSORS_OUTPUTS_H
#define NNHAL_LIB_TOOLS_TENSORS_OUTPUTS_H

#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/Status.h"

#include <span>
#include <string>
#include <vector>

namespace nnhal::tools {

/// One output of all frames, with everything that was computed.
struct OutputTensor {
  std::string name;
  rt::OperandType type = rt::OperandType::TENSOR_FLOAT32;
  std::vector<uint32_t> dimensions;
  /// A view.
  std::span<const std::byte> bytes;
  /// What elements of an extension type are.
  rt::ElementKind kind = rt::ElementKind::opaque;
};

/// The shape of \p size bytes of a tensor in files and messages: \p dimensions,
/// and for an extension type whose elements are bytes here, because they are
/// opaque, those of one element along one dimension more.
std::vector<uint32_t> fileShape(rt::OperandType type,
                                std::span<const uint32_t> dimensions,
                                size_t size,
                                rt::ElementKind kind = rt::ElementKind::opaque);

/// Writes each of \p outputs to the file output_N.npy of \p directory, which is
/// created where it is missing. Fails with generalFailure when that is not
/// possible.
rt::Status writeOutputs(const std::string &directory,
                        std::span<const OutputTensor> outputs);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_TENSORS_OUTPUTS_H
