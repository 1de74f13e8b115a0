//===- SharedMemory.h - Pools behind descriptors ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_SHAREDMEMORY_H
#define NNHAL_RUNTIME_SHAREDMEMORY_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Memory.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string_view>

namespace nnhal::rt {

/// The HAL's kinds of memory (F-001 to F-004).
enum class PoolKind : uint32_t {
  /// One descriptor, shared: a memfd or /dev/ashmem.
  ashmem,
  /// A descriptor with protection and a 64-bit offset in its file.
  mmapFd,
  /// A one-dimensional buffer: a dma-buf, or a memfd in its place.
  hardwareBufferBlob,
  /// A buffer whose layout only its maker knows. It is never mapped, read or
  /// written.
  hardwareBuffer,
};

/// Returns the HAL's name, "hardware_buffer_blob" for example.
NNHAL_API std::string_view toString(PoolKind kind);
NNHAL_API std::optional<PoolKind> poolKindOf(std::string_view name);

/// Returns a second descriptor of the same open file, closed by exec (F-018).
/// Fails with invalidArgument when \p fd is not open, with
/// resourceExhaustedTransient when the process has no free descriptor.
NNHAL_API Result<UniqueFd> duplicate(int fd);

/// The paths at which the allocators look for the kernel's own.
struct AllocatorPaths {
  const char *ashmem = "/dev/ashmem";
  const char *udmabuf = "/dev/udmabuf";
  const char *dmaHeap = "/dev/dma_heap/system";
};

/// One pool: bytes behind a descriptor that other holders may share.
///
/// Ownership: the pool owns its descriptor and its mapping; both end with the
///            last std::shared_ptr to it, so users of bytes of map*() keep one.
/// Threads:   const members may be called from any thread. Threads and
///            processes that write to the same bytes order themselves.
/// Safety:    only stable memory is mapped. All other memory is copied, and
///            each copy checks the real size of the file first: a holder that
///            shortens its file causes a failure, never a signal (F-085).
/// Failures:  invalidArgument for a wrong statement of the caller (a range
///            outside the pool, writing to a read-only one); generalFailure for
///            anything that the descriptor cannot do, such as a file shorter
///            than the pool, also when it became so later (F-007).
class NNHAL_API SharedMemory {
public:
  /// The allocator that made the memory.
  enum class Origin : uint32_t {
    adopted,
    memfd,
    ashmemDevice,
    udmabuf,
    dmaHeap
  };

  /// Allocates zeroed memory of \p size bytes that nobody can resize, from
  /// /dev/ashmem where that exists and works, else a sealed memfd. Fails with
  /// invalidArgument for size 0, with resourceExhaustedTransient when the
  /// system gives none.
  static Result<std::shared_ptr<SharedMemory>>
  createAshmem(uint64_t size, const AllocatorPaths &paths = {});

  /// Allocates like createAshmem(), memory of kind hardwareBufferBlob: from
  /// /dev/udmabuf, else from the system's dma-buf heap, else a sealed memfd;
  /// origin() says which.
  static Result<std::shared_ptr<SharedMemory>>
  createBlob(uint64_t size, const AllocatorPaths &paths = {});

  /// Takes \p fd as a pool of \p size bytes from \p fileOffset on, which need
  /// not be a multiple of the page size (F-012). \p protection is PROT_READ,
  /// PROT_WRITE or both. Fails with invalidArgument when these are wrong in
  /// themselves or do not fit \p fd as it is now; size, protection and file of
  /// a hardwareBuffer are not looked at.
  static Result<std::shared_ptr<SharedMemory>> adopt(PoolKind kind, UniqueFd fd,
                                                     uint64_t size,
                                                     int protection,
                                                     uint64_t fileOffset = 0);

  /// Takes \p fd like adopt(), except that each use of the pool reports, as
  /// generalFailure, the failure that adopt() would have reported.
  static std::shared_ptr<SharedMemory>
  adoptUnchecked(PoolKind kind, UniqueFd fd, uint64_t size, int protection,
                 uint64_t fileOffset = 0);

  /// Makes a pool for reading of \p size bytes of the file \p fd from
  /// \p fileOffset on. The caller promises that nobody of this user changes the
  /// file: it is replaced under its name, as files of a cache are. The pool is
  /// stable and immutable when, moreover, the file belongs to this user and
  /// nobody else may write to it; otherwise it is like any adopted file, which
  /// is never mapped.
  static std::shared_ptr<SharedMemory> adoptOwnFile(UniqueFd fd, uint64_t size,
                                                    uint64_t fileOffset = 0);

  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  PoolKind kind() const { return poolKind; }
  /// The stated size in bytes.
  uint64_t size() const { return byteSize; }
  uint64_t fileOffset() const { return offsetInFile; }
  /// The PROT_READ and PROT_WRITE bits; without PROT_WRITE when the descriptor
  /// is sealed against writing.
  int protection() const { return access; }
  int fd() const { return descriptor.get(); }
  Origin origin() const { return madeBy; }

  /// True when no holder of the descriptor can take bytes away under a mapping:
  /// a memfd sealed against shrinking, a dma-buf, /dev/ashmem, a file of this
  /// user alone from adoptOwnFile(). This is decided when the pool is made.
  bool isStable() const { return stable; }
  /// True when, moreover, nobody can change the bytes: a memfd that is also
  /// sealed against writing, or such a file. Bytes that were checked in such
  /// memory stay as they are.
  bool isImmutable() const { return immutable; }
  /// True when mapped bytes are touched inside an Access only (F-086).
  bool isDmaBuf() const { return dmaBuf; }

  /// Compares the descriptor with the statements about it: it is open, of a
  /// file that can be a pool, opened for the stated protection and long enough.
  Status check() const;

  /// True once the bytes of stable memory have been mapped: check() succeeded
  /// then, and nothing that a holder of the descriptor does, closing it
  /// included, takes away what a mapping needs.
  bool isMapped() const {
    return mapped.load(std::memory_order_acquire) != nullptr;
  }

  /// Returns the size() bytes of stable memory, mapped by the first call,
  /// without a copy. Fails with generalFailure for other memory and when the
  /// mapping fails, with invalidArgument when the protection forbids it.
  Result<std::span<const std::byte>> mapForReading() const;
  Result<std::span<std::byte>> mapForWriting() const;

  /// These two copy from and to any kind but hardwareBuffer. After a failure
  /// the target has unspecified contents. write() never resizes the file.
  Status read(uint64_t offset, std::span<std::byte> target) const;
  Status write(uint64_t offset, std::span<const std::byte> source) const;

  /// Fails with invalidArgument unless \p size bytes from \p offset on, and
  /// \p padding bytes after them, lie inside the pool.
  Status checkRange(uint64_t offset, uint64_t size, uint64_t padding = 0) const;

  /// Brackets the processor's use of mapped bytes: it tells a dma-buf to make
  /// them coherent, and does nothing for other memory (F-086).
  class Access {
  public:
    enum class Mode : uint32_t { read, write, readWrite };

    /// Begins a use and keeps \p pool alive. Fails with generalFailure when the
    /// kernel refuses.
    static Result<Access> begin(std::shared_ptr<const SharedMemory> pool,
                                Mode mode);

    Access(Access &&other) noexcept = default;
    Access &operator=(Access &&other) noexcept;
    ~Access();

    /// Ends the use; the destructor does so too, but cannot report a failure. A
    /// second call does nothing.
    Status end();

  private:
    Access(std::shared_ptr<const SharedMemory> pool, Mode mode)
        : pool(std::move(pool)), mode(mode) {}

    std::shared_ptr<const SharedMemory> pool; // Null once ended.
    Mode mode;
  };

private:
  SharedMemory(PoolKind kind, Origin origin, UniqueFd fd, uint64_t size,
               int protection, uint64_t fileOffset);

  void inspect();
  Result<uint64_t> realSize() const;
  Result<std::byte *> map() const;
  Status checkUse(int needed) const;
  Status synchronize(uint64_t flags) const;
  static Result<std::shared_ptr<SharedMemory>> createMemfd(PoolKind kind,
                                                           uint64_t size);
  static std::shared_ptr<SharedMemory> tryAshmem(const char *path,
                                                 uint64_t size);
  static std::shared_ptr<SharedMemory> tryUdmabuf(const char *path,
                                                  uint64_t size);
  static std::shared_ptr<SharedMemory> tryDmaHeap(const char *path,
                                                  uint64_t size);

  UniqueFd descriptor;
  uint64_t byteSize;
  uint64_t offsetInFile;
  int access;
  PoolKind poolKind;
  Origin madeBy;
  bool stable = false;
  bool immutable = false;
  bool dmaBuf = false;
  bool ashmemDevice = false;
  mutable std::mutex mutex; // Held while the mapping is made.
  /// The first byte of the pool, not of its page; null until mapped.
  mutable std::atomic<std::byte *> mapped = nullptr;
};

/// Returns "memfd", "udmabuf", "dma-heap", "ashmem" or "adopted".
NNHAL_API std::string_view toString(SharedMemory::Origin origin);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_SHAREDMEMORY_H
