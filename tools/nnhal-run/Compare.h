//===- Compare.h - Outputs against expectations -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_COMPARE_H
#define NNHAL_TOOLS_NNHAL_RUN_COMPARE_H

#include "Flags.h"
#include "Npy.h"

namespace nnhal::run {

/// One output of all frames, with everything that was computed.
struct OutputTensor {
  std::string name;
  rt::OperandType type = rt::OperandType::TENSOR_FLOAT32;
  std::vector<uint32_t> dimensions;
  std::vector<std::byte> bytes;
};

/// An element agrees when |actual - expected| <= atol + rtol * |expected|.
struct Bounds {
  double atol = 0.0;
  double rtol = 0.0;
};

/// The bounds of the conformance tests for \p type; \p isRelaxed for models
/// that may compute in float16.
Bounds boundsFor(rt::OperandType type, bool isRelaxed);
/// The same as \p tolerance changes them; \p largestExpected is a magnitude.
Bounds boundsFor(const Tolerance &tolerance, rt::OperandType type,
                 bool isRelaxed, double largestExpected);

/// Compares output \p index with the file \p path. Success gives a sentence for
/// the user; generalFailure says where the first difference is and how many
/// there are; invalidArgument when the file does not fit the output.
rt::Result<std::string> compareWithFile(const OutputTensor &output,
                                        size_t index, const std::string &path,
                                        const Tolerance &tolerance,
                                        bool isRelaxed);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_COMPARE_H
