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
#include <type_traits>
#include <utility>

namespace nnhal::tflite_custom {

/// The options of an operator that states them as a FlexBuffers map. Options
/// that are missing or out of their bounds are rejected, and the first of them
/// fails the reading.
class Options {
public:
  /// Returns what \p fill makes of the options of \p use. Fails with
  /// invalidArgument where they are not a map, and as the first option does
  /// that is rejected.
  template <typename Fill>
  static Result<std::invoke_result_t<Fill, Options &>> read(const Use &use,
                                                            Fill fill) {
    NNHAL_ASSIGN_OR_RETURN(Options options, open(use));
    auto result = fill(options);
    NNHAL_RETURN_IF_ERROR(std::move(options.problem));
    return result;
  }

  /// The integer \p name in [least, most]; \p otherwise where it is missing,
  /// unless that is nothing.
  int32_t integer(const char *name, int32_t least, int32_t most,
                  std::optional<int32_t> otherwise = std::nullopt);
  /// The integers of the list \p name, one or more, in [least, most].
  std::vector<int32_t> integers(const char *name, int32_t least, int32_t most);
  /// The number \p name, which is finite.
  float real(const char *name);
  /// The truth \p name; false where it is missing.
  bool truth(const char *name);

  void reject(Status failure) {
    if (problem.isOk())
      problem = std::move(failure);
  }

private:
  explicit Options(std::span<const uint8_t> bytes)
      : bytes(bytes.begin(), bytes.end()) {}
  static Result<Options> open(const Use &use);

  /// FlexBuffers reads numbers where they are, aligned to the begin.
  std::vector<uint8_t> bytes;
  Status problem;
};

} // namespace nnhal::tflite_custom

#endif // NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPTIONS_H
