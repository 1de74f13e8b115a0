//===- Extension.h - Extensions of the process's devices --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_EXTENSION_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_EXTENSION_H

#include "nnhal/Runtime/Device.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::ndk {

/// The extensions that devices have, and the prefixes that stand for them in
/// models of this process (H-001 to H-020).
///
/// Threads: add() and forbid() run before other threads use the object.
class Extensions {
public:
  /// Takes the extensions of \p device. A name that devices describe
  /// differently is disabled (H-013); equal descriptions are one (H-014).
  void add(const rt::Device &device);

  /// Makes all extensions unsupported, because the program may not use them
  /// (H-042). Names still get prefixes, as those that nobody has do.
  void forbid() { isForbidden = true; }
  bool areForbidden() const { return isForbidden; }

  /// Returns the code of \p type within the extension \p name, whose prefix is
  /// chosen when it is first asked for. Nothing when there is no prefix left
  /// (H-005, H-012).
  std::optional<uint32_t> codeOf(const std::string &name, uint16_t type);

  /// Returns the description of the operand type \p code; nothing when no
  /// device has it, or its prefix was never given (H-015, H-020).
  std::optional<rt::Extension::OperandTypeInfo> find(uint32_t code) const;

  /// Whether operations with the prefix of \p code may be in models: somebody
  /// has asked for the prefix, and extensions are not forbidden (H-020, H-042).
  bool mayHaveOperation(uint32_t code) const;

  /// Returns the name that the prefix of \p code stands for; nothing for one
  /// that was never given.
  std::optional<std::string> nameOf(uint32_t code) const;

private:
  std::vector<rt::Extension> known;
  bool isForbidden = false;
  mutable std::mutex mutex;
  /// The names by prefix, from 1 on, and the prefixes by name.
  std::vector<std::string> names;
  std::map<std::string, uint32_t> prefixes;
};

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_EXTENSION_H
