//===- Memory.h - Where bytes live and who owns them ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_MEMORY_H
#define NNHAL_RUNTIME_MEMORY_H

#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace nnhal::rt {

class SharedMemory;

/// A file descriptor that closes itself. It is move-only; -1 is empty.
class NNHAL_API UniqueFd {
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
/// Ownership: `Copied`, `Descriptor` and `Shared` share the memory that they
///            refer to, `Borrowed` owns nothing; its bytes must outlive every
///            use.
/// Threads:   const members may be called from any thread.
/// Mapping:   SharedMemory says which memory may be mapped (decisions 8). Bytes
///            that a holder of the descriptor could take away are copied.
class NNHAL_API Memory {
public:
  struct None {};
  /// Bytes of memory that nobody else writes; they live as long as the owner.
  struct Copied {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
  };
  struct Borrowed {
    const std::byte *data = nullptr;
    size_t size = 0;
  };
  /// Bytes of a pool: size of them from offset on. The padding bytes that
  /// follow may be read too, and lie inside the pool.
  struct Descriptor {
    std::shared_ptr<const SharedMemory> pool;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t padding = 0;
  };
  struct DeviceToken {
    uint32_t token = 0;
  };
  /// Bytes of a mapped pool, which it keeps mapped; never those of a dma-buf.
  struct Shared {
    std::shared_ptr<const SharedMemory> pool;
    const std::byte *data = nullptr;
    size_t size = 0;
  };

  Memory() = default;
  static Memory copy(std::span<const std::byte> bytes);
  /// Takes the bytes over where they are, as `Copied`.
  static Memory adopt(std::vector<std::byte> bytes);
  static Memory adopt(AlignedBuffer bytes);
  static Memory borrow(std::span<const std::byte> bytes);
  /// Makes a region of \p pool, which is not null. Each use checks the bounds.
  static Memory region(std::shared_ptr<const SharedMemory> pool,
                       uint64_t offset, uint64_t size, uint64_t padding = 0);
  /// Makes a region that is the whole of an unchecked mmap_fd pool of its own.
  static Memory fromDescriptor(UniqueFd fd, uint64_t offset, uint64_t size,
                               int protection);
  static Memory device(uint32_t token);

  /// Reads the whole file \p path into private memory. Fails with
  /// invalidArgument when it cannot be opened, is not a regular file or exceeds
  /// \p maxSize bytes.
  static Result<Memory> readFile(const std::string &path,
                                 uint64_t maxSize = uint64_t(2) << 30);

  uint64_t size() const;
  bool isNone() const { return std::holds_alternative<None>(storage); }

  /// Returns the bytes of `Copied`, `Borrowed` and `Shared` memory; none for
  /// `None`. Fails with invalidArgument for the other kinds: call materialize()
  /// or snapshot() first.
  Result<std::span<const std::byte>> bytes() const;

  /// Returns the same bytes in a kind for which bytes() succeeds: without a
  /// copy as `Shared` when the pool is stable and not a dma-buf, otherwise
  /// `Copied`. Holders of the descriptor can still change shared bytes, though
  /// not take them away: they are fit for data, not for bytes that have to stay
  /// as they were checked. Fails with invalidArgument for a device token and
  /// for a region outside its pool, with resourceExhaustedTransient when there
  /// is no memory for a copy, otherwise like SharedMemory::check(),
  /// mapForReading() and read().
  Result<Memory> materialize() const;

  /// Returns bytes like materialize() that no holder of a descriptor can
  /// change: a copy unless the pool is sealed against writing. This is for
  /// constants, programs and everything else that is checked before it is used.
  Result<Memory> snapshot() const;

  using Kind =
      std::variant<None, Copied, Borrowed, Descriptor, DeviceToken, Shared>;
  const Kind &kind() const { return storage; }

private:
  Kind storage;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_MEMORY_H
