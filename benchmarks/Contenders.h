//===- Contenders.h - Other libraries' kernels ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is built when its library is there (NNHAL_HAVE_ONEDNN,
// NNHAL_HAVE_XNNPACK). All run on the calling thread alone.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BENCHMARKS_CONTENDERS_H
#define NNHAL_BENCHMARKS_CONTENDERS_H

#include "Contraction.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace nnhal {

/// A contraction that is ready to run.
struct Contender {
  /// Executes it once, with its own data; false when that failed. Empty when
  /// error says why there is nothing to run.
  std::function<bool()> run = {};
  std::string error = "";
  /// What the last execution left; valid while run is.
  std::span<const std::byte> output = {};
};

/// oneDNN, which chooses the layout of the weights, on NHWC images; float32
/// only. \p avx2: with no instructions beyond those of x86-64-v3; the first
/// call decides.
Contender prepareOneDnn(const Contraction &contraction, bool avx2);

/// XNNPACK's operators; 8 bits only.
Contender prepareXnnpack(const Contraction &contraction);

} // namespace nnhal

#endif // NNHAL_BENCHMARKS_CONTENDERS_H
