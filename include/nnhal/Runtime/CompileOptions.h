//===- CompileOptions.h - Options of a compilation --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_COMPILEOPTIONS_H
#define NNHAL_RUNTIME_COMPILEOPTIONS_H

#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/Rounding.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The extents of every input of a model; a scalar has none.
using InputShapes = std::vector<std::vector<uint32_t>>;

/// An extension whose backend compiled code calls.
struct CompiledExtension {
  Extension description;
  /// InstalledExtension::buildIdentity of the backend.
  std::string buildIdentity;
  bool operator==(const CompiledExtension &) const = default;
};

/// The options of a compilation. They are values only, so that they can be sent
/// to another process (decisions 19).
struct CompileOptions {
  /// The compiler's name of what it makes code for, "vulkan" for example, or a
  /// list of different names with commas between, "cpu,vulkan,cuda": the
  /// artifact has code and constants for each, and a device takes its own. The
  /// empty text stands for processors.
  std::string target;
  /// The triple, the CPU and the features are those of the target "cpu" where
  /// that is one of several. The empty text stands for the host's triple.
  std::string targetTriple;
  std::string targetCpu;
  std::string targetFeatures;
  Rounding rounding = Rounding::doubleRounding;
  /// Shapes for which the artifact has code of their own beside the code for
  /// any shape (Specialization.h). They are for models that leave extents open.
  std::vector<InputShapes> specializations;
  /// The number of threads that compile at once, 1024 at most; 0 stands for one
  /// per processor, but no more than 8. The artifact is the same for any
  /// number.
  uint32_t threads = 0;
  /// A file for `nnhal-opt --run-reproducer`: when a pass of the compiler
  /// fails, the IR that its phase began with and the passes of the phase are
  /// written there, and the message of the failure names the file. A signal
  /// that a pass raises fails the compilation then, and does not end the
  /// process; what the pass had is never freed. Empty for none. Compilers in
  /// other processes write none.
  std::string crashReproducer;
  /// The extensions whose backends the code may call. A device states those
  /// that it has; it does not look at what its caller states.
  std::vector<CompiledExtension> extensions;
  bool operator==(const CompileOptions &) const = default;
};

/// Keys of records of operations, which tell the kernels that they call, begin
/// with it; those of machine code do not.
inline constexpr std::string_view operationKeyPrefix = "operation_";

/// The functions through which a compilation tells about itself, on the thread
/// that asked for it, but for those of kernels and parts. Each function may be
/// empty.
struct CompileObserver {
  std::function<void(bool isError, std::string_view text)> diagnostic;
  /// Is called when \p done of \p total phases are complete and \p phase
  /// begins.
  std::function<void(std::string_view phase, uint32_t done, uint32_t total)>
      progress;
  /// Is asked about every millisecond; a compilation that gets the answer true
  /// soon fails.
  std::function<bool()> isCancelled = nullptr;
  /// Tells how operation \p operation of the main subgraph is computed: by
  /// which code, and what was fused. An operation of which nothing is left gets
  /// no remark.
  std::function<void(uint32_t operation, std::string_view text)> remark =
      nullptr;
  /// Sets \p object to the machine code of the kernel whose content has the
  /// digest \p key, which keepKernel was given by the same build of the
  /// compiler, and returns whether there is any. This and keepKernel are called
  /// on any thread, several at once, and not by compilers in other processes.
  std::function<bool(std::string_view key, std::vector<std::byte> &object)>
      findKernel = nullptr;
  /// Receives the machine code of a kernel as soon as it is made, whatever
  /// becomes of the compilation. What an operation on buffers calls of such
  /// kernels is kept and found in the same way, with keys that begin with
  /// `operationKeyPrefix`.
  std::function<void(std::string_view key, std::span<const std::byte> object)>
      keepKernel = nullptr;
  /// Tells that a part of the compilation, a pass or the code of a kernel, has
  /// just ended on the calling thread, and how long it took there. Parts are
  /// told before those that they are parts of. It is called on any thread,
  /// several at once, and not by compilers in other processes.
  std::function<void(std::string_view name, std::chrono::nanoseconds time)>
      part = nullptr;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_COMPILEOPTIONS_H
