//===- CompileOptions.h - What a compilation is asked for -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_COMPILEOPTIONS_H
#define NNHAL_RUNTIME_COMPILEOPTIONS_H

#include "nnhal/Runtime/Rounding.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// Extents of every input of a model; of a scalar none.
using InputShapes = std::vector<std::vector<uint32_t>>;

/// Values only, so that they can be sent to another process (decisions 19).
struct CompileOptions {
  /// Empty means the host's.
  std::string targetTriple;
  std::string targetCpu;
  std::string targetFeatures;
  Rounding rounding = Rounding::doubleRounding;
  /// Shapes for which the artifact has code of their own beside that for any
  /// (Specialization.h). Only for models that leave extents open.
  std::vector<InputShapes> specializations;
  /// Threads that compile at once, 1024 at most; 0 for one per processor, but
  /// no more than 8. The artifact is the same for any number.
  uint32_t threads = 0;
  bool operator==(const CompileOptions &) const = default;
};

/// Whom a compilation tells about itself, on the thread that asked for it.
/// Each function may be empty.
struct CompileObserver {
  std::function<void(bool isError, std::string_view text)> diagnostic;
  /// \p done of \p total phases are complete, \p phase begins.
  std::function<void(std::string_view phase, uint32_t done, uint32_t total)>
      progress;
  /// Asked between the phases; a compilation that hears yes fails.
  std::function<bool()> isCancelled = nullptr;
  /// What became of operation \p operation of the main subgraph: what computes
  /// it and what was fused. Operations of which nothing is left get no remark.
  std::function<void(uint32_t operation, std::string_view text)> remark =
      nullptr;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_COMPILEOPTIONS_H
