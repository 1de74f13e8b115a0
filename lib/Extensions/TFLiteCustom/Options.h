//===- Options.h - Options of custom operators ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPTIONS_H
#define NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPTIONS_H

#include "Operator.h"

#include <optional>

namespace nnhal::tflite_custom {

/// The options of an operator that states them as a FlexBuffers map. The first
/// option that is missing or out of its bounds is kept as status().
class Options {
public:
  /// Fails with invalidArgument where \p use states no map.
  static Result<Options> read(const Use &use);

  /// The integer \p name in [least, most]; \p otherwise where it is missing,
  /// unless that is nothing.
  int32_t integer(const char *name, int32_t least, int32_t most,
                  std::optional<int32_t> otherwise = std::nullopt);
  /// The number \p name, which is finite.
  float real(const char *name);
  /// The truth \p name; false where it is missing.
  bool truth(const char *name);

  void reject(Status failure) {
    if (problem.isOk())
      problem = std::move(failure);
  }
  Status status() const { return problem; }

private:
  explicit Options(std::span<const uint8_t> bytes)
      : bytes(bytes.begin(), bytes.end()) {}

  /// FlexBuffers reads numbers where they are, aligned to the begin.
  std::vector<uint8_t> bytes;
  Status problem;
};

} // namespace nnhal::tflite_custom

#endif // NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPTIONS_H
