//===- Compare.h - Outputs against expectations -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_TENSORS_COMPARE_H
#define NNHAL_LIB_TOOLS_TENSORS_COMPARE_H

#include "Npy.h"
#include "Outputs.h"

namespace nnhal::tools {

/// The distance that an output may have from its expectation.
struct Tolerance {
  enum class Kind { byType, range, exact, steps, absolute };
  Kind kind = Kind::byType;
  /// The amount for steps and absolute.
  double amount = 0.0;
};

/// An element agrees when |actual - expected| <= atol + rtol * |expected|.
struct Bounds {
  double atol = 0.0;
  double rtol = 0.0;
};

/// Whether \p model may compute in float16: it is relaxed, or an operand of any
/// of its subgraphs is of TENSOR_FLOAT16.
bool isRelaxed(const rt::Model &model);

/// The bounds of the conformance tests for \p type; \p isRelaxed for models
/// that may compute in float16. Elements of extension types are of \p kind;
/// those that are no reals have to be equal.
Bounds boundsFor(rt::OperandType type, bool isRelaxed,
                 rt::ElementKind kind = rt::ElementKind::opaque);
/// Returns the bounds that \p tolerance makes of the usual ones;
/// \p largestExpected is a magnitude.
Bounds boundsFor(const Tolerance &tolerance, rt::OperandType type,
                 bool isRelaxed, double largestExpected,
                 rt::ElementKind kind = rt::ElementKind::opaque);

/// The result of a comparison of two tensors.
struct Differences {
  /// The number of elements that differ by more than the bounds allow.
  uint64_t count = 0;
  /// The first of them.
  uint64_t first = 0;
  double actual = 0.0;
  double expected = 0.0;
  /// The largest difference of all elements.
  double worst = 0.0;
};

/// Compares \p count elements. Both formats have as many numbers.
Differences compareElements(const ElementFormat &actualFormat,
                            const std::byte *actual,
                            const ElementFormat &expectedFormat,
                            const std::byte *expected, uint64_t count,
                            const Bounds &bounds);

/// "[0,3,1]" for element \p flat of a row-major tensor.
std::string positionText(uint64_t flat, std::span<const uint32_t> shape);

/// Compares output \p index with the file \p path. Success gives a sentence for
/// the user. Fails with generalFailure, which says where the first difference
/// is and how many there are, and with invalidArgument when the file does not
/// fit the output.
rt::Result<std::string> compareWithFile(const OutputTensor &output,
                                        size_t index, const std::string &path,
                                        const Tolerance &tolerance,
                                        bool isRelaxed);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_TENSORS_COMPARE_H
