//===- CacheToken.h - Names of compilations and their files -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_CACHETOKEN_H
#define NNHAL_RUNTIME_CACHETOKEN_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/CacheHandles.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nnhal::rt {

namespace cache {
class Sha256;
}

/// Makes the token under which a device is asked for one step of a compilation:
/// the SHA-256 over the application's token and everything else that the step
/// depends on (E-013 to E-016). No address and no time enters it, so it is
/// equal in every process (E-020).
///
/// Members that add or finish return false where nothing can be added: after
/// finish(), which is a mistake that also takes the token away (E-017), and
/// without a token of the application (K-050).
///
/// Threads: one at a time.
class NNHAL_API CacheTokenBuilder {
public:
  /// Without \p application there is no token (E-018).
  explicit CacheTokenBuilder(const std::optional<CacheToken> &application);
  ~CacheTokenBuilder();

  /// Adds bytes as they are, and the characters of a text without an end.
  bool addBytes(std::span<const std::byte> bytes);
  bool addText(std::string_view text);
  /// Adds an operation of a step of a divided model; the calls come in order. A
  /// model that one device executes wholly adds none (E-015).
  bool addOperation(uint32_t sourceModel, uint32_t operation);
  /// Adds the device and how it is used. This is called once, after the
  /// operations.
  bool addDevice(std::string_view name, std::string_view version,
                 int32_t preference, int32_t priority);

  /// Ends the token. This is called once, as the last call.
  bool finish();

  /// Returns the token, or nothing before finish() and after a mistake.
  std::optional<CacheToken> token() const;

private:
  bool isOpen();

  std::unique_ptr<cache::Sha256> hash;
  bool isFinished = false;
  std::optional<CacheToken> result;
};

enum class CacheFileKind { model = 1, data = 2 };

/// Returns the name of a file of an entry: two letters per byte of \p token,
/// the low half first, then the kind's digit and the index (E-023, E-024).
NNHAL_API std::string cacheFileName(const CacheToken &token, CacheFileKind kind,
                                    uint32_t index);

/// The parts of a file name; there are none for names that cacheFileName() does
/// not make.
struct CacheFileNameParts {
  CacheToken token = {};
  CacheFileKind kind = CacheFileKind::model;
  uint32_t index = 0;
};
NNHAL_API std::optional<CacheFileNameParts>
parseCacheFileName(std::string_view name);

/// The file in a cache directory in which writers of entries lock bytes.
inline constexpr const char *cacheLockName = "nnhal.lock";

/// Returns the offset of the byte of that file that is locked, by the open file
/// description, while an entry of \p token is written.
NNHAL_API uint64_t cacheLockPlace(const CacheToken &token);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_CACHETOKEN_H
