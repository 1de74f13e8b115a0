//===- CodeImage.h - Native code, loaded ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_CPU_CODEIMAGE_H
#define NNHAL_LIB_RUNTIME_DEVICES_CPU_CODEIMAGE_H

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Backend/EntryAbi.h"
#include "nnhal/Runtime/Memory.h"

#include <memory>
#include <string>
#include <vector>

namespace nnhal::rt {

/// An executable code section of an artifact: a private copy that was checked
/// and can no longer change (decisions 8).
///
/// Ownership: move-only; unloads the code when it goes.
/// Threads:   const members may be called from any thread.
class CodeImage {
public:
  CodeImage(CodeImage &&other) noexcept = default;
  CodeImage &operator=(CodeImage &&other) = delete;
  ~CodeImage() = default;

  /// Loads \p section. Fails with invalidArgument when it is not loadable code
  /// for this machine, and with deviceUnavailable when the machine lacks a
  /// feature that it needs.
  static Result<CodeImage> load(const CodeSection &section);

  /// Fails with invalidArgument when the code does not export the function
  /// \p symbol.
  Result<NNHalEntry> find(const std::string &symbol) const;

private:
  struct Unloader {
    void operator()(void *handle) const;
  };

  CodeImage(UniqueFd file, std::vector<std::string> functions, void *handle)
      : file(std::move(file)), functions(std::move(functions)), handle(handle) {
  }

  // Open as long as the code is loaded: the dynamic linker knows libraries by
  // their path, and with a reused descriptor number that path would name both.
  // Declared first, so closed last.
  UniqueFd file;
  /// The names of the functions that the code exports.
  std::vector<std::string> functions;
  std::unique_ptr<void, Unloader> handle;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_CPU_CODEIMAGE_H
