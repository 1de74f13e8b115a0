//===- Memory.h - Where bytes live and who owns them ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_MEMORY_H
#define NNHAL_RUNTIME_MEMORY_H

#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace nnhal::rt {

/// A file descriptor that closes itself. Move-only; -1 is empty.
class UniqueFd {
public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd(fd) {}
  UniqueFd(UniqueFd &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  UniqueFd &operator=(UniqueFd &&other) noexcept {
    if (this != &other) {
      reset();
      fd = std::exchange(other.fd, -1);
    }
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd; }
  bool isValid() const { return fd >= 0; }
  int release() { return std::exchange(fd, -1); }
  void reset();

private:
  int fd = -1;
};

/// Bytes that a model or a request refers to (decisions 9): a value that can be
/// copied, compared by kind and handed to another thread.
///
/// Ownership: `Copied` shares its bytes, `Descriptor` shares the descriptor,
///            `Borrowed` owns nothing; its bytes must outlive every use.
/// Threads:   const members may be called from any thread.
/// Mapping:   this class owns the policy. Bytes behind a descriptor that
///            somebody else holds are copied, never mapped: the holder could
///            truncate the file under a mapping (decisions 8).
class Memory {
public:
  struct None {};
  struct Copied {
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };
  struct Borrowed {
    const std::byte *data = nullptr;
    size_t size = 0;
  };
  struct Descriptor {
    std::shared_ptr<UniqueFd> fd;
    uint64_t offset = 0;
    uint64_t size = 0;
    int protection = 0; // PROT_READ, PROT_WRITE
  };
  struct DeviceToken {
    uint32_t token = 0;
  };

  Memory() = default;
  static Memory copy(std::span<const std::byte> bytes);
  static Memory adopt(std::vector<std::byte> bytes);
  static Memory borrow(std::span<const std::byte> bytes);
  static Memory fromDescriptor(UniqueFd fd, uint64_t offset, uint64_t size,
                               int protection);

  /// Reads the whole file \p path into private memory. invalidArgument when it
  /// cannot be opened, is not a regular file or exceeds \p maxSize bytes.
  static Result<Memory> readFile(const std::string &path,
                                 uint64_t maxSize = uint64_t(2) << 30);

  uint64_t size() const;
  bool isNone() const { return std::holds_alternative<None>(storage); }

  /// The bytes of `Copied` and `Borrowed` memory; empty for `None`.
  /// invalidArgument for the other kinds: call materialize() first.
  Result<std::span<const std::byte>> bytes() const;

  /// The same bytes in a kind for which bytes() succeeds. Checks offset and
  /// size against the descriptor's real size first.
  Result<Memory> materialize() const;

  const std::variant<None, Copied, Borrowed, Descriptor, DeviceToken> &
  kind() const {
    return storage;
  }

private:
  std::variant<None, Copied, Borrowed, Descriptor, DeviceToken> storage;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_MEMORY_H
