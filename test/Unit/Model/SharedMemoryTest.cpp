//===- SharedMemoryTest.cpp - Pools behind descriptors --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/SharedMemory.h"

#include "Faults/SystemCalls.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
namespace fs = std::filesystem;

namespace {

using Pool = std::shared_ptr<SharedMemory>;
constexpr int readWrite = PROT_READ | PROT_WRITE;
/// No allocator of the kernel.
constexpr AllocatorPaths noDevices = {"/nowhere", "/nowhere", "/nowhere"};

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// A memfd with this text and these seals.
UniqueFd fileWith(std::string_view text, int seals = 0) {
  UniqueFd fd(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::write(fd.get(), text.data(), text.size()), ssize_t(text.size()));
  EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
  return fd;
}

Pool poolOf(Result<Pool> pool) {
  EXPECT_TRUE(pool.isOk()) << pool.status().message();
  return pool.isOk() ? *pool : nullptr;
}

Pool fileOf(std::string_view text, int seals = 0, int protection = readWrite) {
  return poolOf(SharedMemory::adopt(PoolKind::mmapFd, fileWith(text, seals),
                                    text.size(), protection));
}

/// What read() gives, or its message.
std::string textOf(const SharedMemory &pool, uint64_t offset, size_t size) {
  std::string text(size, '?');
  Status status = pool.read(offset, std::as_writable_bytes(std::span(text)));
  return status.isOk() ? text : status.message();
}

void expectFailure(const Status &status, StatusCode code,
                   std::string_view message) {
  EXPECT_EQ(toString(status.code()), toString(code)) << status.message();
  EXPECT_EQ(status.message(), message);
}

constexpr StatusCode invalid = StatusCode::invalidArgument;
constexpr StatusCode general = StatusCode::generalFailure;

TEST(SharedMemoryTest, kindsHaveTheNamesOfTheHal) {
  for (const char *name :
       {"ashmem", "mmap_fd", "hardware_buffer_blob", "hardware_buffer"}) {
    ASSERT_TRUE(poolKindOf(name)) << name;
    EXPECT_EQ(toString(*poolKindOf(name)), name);
  }
  EXPECT_FALSE(poolKindOf("ion"));
}

// F-001, F-084, F-085.
TEST(SharedMemoryTest, createdMemoryIsZeroedAndCannotBeResized) {
  Pool pool = poolOf(SharedMemory::createAshmem(5000, noDevices));
  EXPECT_EQ(pool->kind(), PoolKind::ashmem);
  EXPECT_EQ(pool->size(), 5000u);
  EXPECT_EQ(pool->protection(), readWrite);
  EXPECT_EQ(toString(pool->origin()), "memfd");
  EXPECT_TRUE(pool->isStable());
  EXPECT_FALSE(pool->isImmutable());
  EXPECT_NE(::ftruncate(pool->fd(), 0), 0);
  EXPECT_NE(::ftruncate(pool->fd(), 10000), 0);
  EXPECT_NE(::fcntl(pool->fd(), F_GETFD) & FD_CLOEXEC, 0);
  auto bytes = pool->mapForReading();
  ASSERT_TRUE(bytes.isOk());
  EXPECT_EQ(std::ranges::count(*bytes, std::byte(0)), 5000);
  ASSERT_TRUE(pool->write(4997, bytesOf("end")).isOk());
  EXPECT_EQ(textOf(*pool, 4996, 4), std::string_view("\0end", 4));
  EXPECT_EQ((*bytes)[4999], std::byte('d'));
}

// F-003, F-084: whatever the kernel has, a blob can be made and used.
TEST(SharedMemoryTest, blobFromTheBestAllocator) {
  Pool pool = poolOf(SharedMemory::createBlob(5000));
  EXPECT_EQ(pool->kind(), PoolKind::hardwareBufferBlob);
  EXPECT_EQ(pool->size(), 5000u);
  EXPECT_TRUE(pool->isStable());
  EXPECT_EQ(pool->isDmaBuf(), pool->origin() != SharedMemory::Origin::memfd);
  auto access =
      SharedMemory::Access::begin(pool, SharedMemory::Access::Mode::readWrite);
  ASSERT_TRUE(access.isOk());
  auto bytes = pool->mapForWriting();
  ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
  EXPECT_EQ((*bytes)[4999], std::byte(0));
  (*bytes)[4999] = std::byte('x');
  EXPECT_TRUE(access->end().isOk());
  EXPECT_EQ(textOf(*pool, 4999, 1), "x");
  // What another holder of the descriptor sees.
  Pool peer = poolOf(SharedMemory::adopt(
      PoolKind::hardwareBufferBlob, *duplicate(pool->fd()), 5000, readWrite));
  EXPECT_EQ(textOf(*peer, 4999, 1), "x");
  EXPECT_EQ(peer->origin(), SharedMemory::Origin::adopted);
}

TEST(SharedMemoryTest, allocatorsThatDoNotWorkAreSkipped) {
  AllocatorPaths broken = {"/dev/zero", "/dev/zero", "/dev/zero"};
  for (const AllocatorPaths &paths : {noDevices, broken}) {
    EXPECT_EQ(toString(poolOf(SharedMemory::createBlob(1, paths))->origin()),
              "memfd");
    EXPECT_EQ(toString(poolOf(SharedMemory::createAshmem(1, paths))->origin()),
              "memfd");
  }
  EXPECT_EQ(toString(SharedMemory::Origin::udmabuf), "udmabuf");
  EXPECT_EQ(toString(SharedMemory::Origin::dmaHeap), "dma-heap");
  EXPECT_EQ(toString(SharedMemory::Origin::ashmemDevice), "ashmem");
  EXPECT_EQ(toString(SharedMemory::Origin::adopted), "adopted");
}

// F-017.
TEST(SharedMemoryTest, sizesThatCannotBeCreated) {
  expectFailure(SharedMemory::createAshmem(0).status(), invalid,
                "a pool of kind ashmem has size 0");
  expectFailure(SharedMemory::createBlob(0).status(), invalid,
                "a pool of kind hardware_buffer_blob has size 0");
  expectFailure(
      SharedMemory::createBlob(UINT64_MAX).status(),
      StatusCode::resourceExhaustedTransient,
      "cannot create a pool of 18446744073709551615 bytes: File too large");
}

// F-002, F-017.
TEST(SharedMemoryTest, adoptChecksWhatIsStated) {
  auto adopt = [](PoolKind kind, uint64_t size, int protection,
                  uint64_t offset) {
    return SharedMemory::adopt(kind, fileWith("0123456789"), size, protection,
                               offset)
        .status();
  };
  EXPECT_TRUE(adopt(PoolKind::mmapFd, 4, readWrite, 6).isOk());
  expectFailure(adopt(PoolKind::mmapFd, 0, readWrite, 0), invalid,
                "a pool of kind mmap_fd has size 0");
  expectFailure(adopt(PoolKind::mmapFd, 4, 0, 0), invalid,
                "protection 0 of a pool is not PROT_READ, PROT_WRITE or both");
  expectFailure(adopt(PoolKind::mmapFd, 4, readWrite | PROT_EXEC, 0), invalid,
                "protection 7 of a pool is not PROT_READ, PROT_WRITE or both");
  expectFailure(adopt(PoolKind::ashmem, 4, readWrite, 1), invalid,
                "file offset 1 of a pool of kind ashmem must be 0");
  expectFailure(adopt(PoolKind::mmapFd, 4, readWrite, 7), invalid,
                "memory at offset 7 of size 4 exceeds its file of 10 bytes");
  expectFailure(adopt(PoolKind::mmapFd, UINT64_MAX, readWrite, 1), invalid,
                "memory at offset 1 of size 18446744073709551615 exceeds its "
                "file of 10 bytes");
  expectFailure(adopt(PoolKind::mmapFd, 1, readWrite, UINT64_MAX), invalid,
                "memory at offset 18446744073709551615 of size 1 exceeds its "
                "file of 10 bytes");
}

TEST(SharedMemoryTest, adoptChecksTheDescriptor) {
  auto adopt = [](UniqueFd fd, int protection) {
    return SharedMemory::adopt(PoolKind::ashmem, std::move(fd), 1, protection)
        .status();
  };
  auto reopen = [](int flags) {
    UniqueFd fd = fileWith("0123456789");
    return UniqueFd(::open(fmt::format("/proc/self/fd/{}", fd.get()).c_str(),
                           flags | O_CLOEXEC));
  };
  expectFailure(adopt(UniqueFd(), PROT_READ), invalid,
                "the descriptor of a memory is not open");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  UniqueFd writer(ends[1]);
  expectFailure(adopt(UniqueFd(ends[0]), PROT_READ), invalid,
                "the descriptor of a memory is not a regular file");
  expectFailure(adopt(UniqueFd(::open("/dev/zero", O_RDWR)), PROT_READ),
                invalid, "the descriptor of a memory is not a regular file");
  EXPECT_TRUE(adopt(reopen(O_RDONLY), PROT_READ).isOk());
  expectFailure(adopt(reopen(O_RDONLY), readWrite), invalid,
                "protection 3 of a memory allows writing, its descriptor does "
                "not");
  expectFailure(adopt(reopen(O_WRONLY), readWrite), invalid,
                "protection 3 of a memory allows reading, its descriptor does "
                "not");
  expectFailure(adopt(reopen(O_RDWR | O_APPEND), readWrite), invalid,
                "the descriptor of a writable memory was opened to append");
}

// F-007: the same faults, found when the pool is used.
TEST(SharedMemoryTest, uncheckedPoolFailsAtUse) {
  Pool pool = SharedMemory::adoptUnchecked(PoolKind::ashmem, UniqueFd(), 4, 0);
  expectFailure(pool->check(), general,
                "the descriptor of a memory is not open");
  expectFailure(pool->mapForReading().status(), general,
                "the descriptor of a memory is not open");
  pool = SharedMemory::adoptUnchecked(
      PoolKind::mmapFd, fileWith("0123", F_SEAL_SHRINK), 5, readWrite);
  expectFailure(pool->mapForReading().status(), general,
                "memory at offset 0 of size 5 exceeds its file of 4 bytes");
  expectFailure(pool->write(0, bytesOf("x")), general,
                "memory at offset 0 of size 5 exceeds its file of 4 bytes");
}

// F-004, F-006.
TEST(SharedMemoryTest, opaqueBufferIsNotTouched) {
  Pool pool = poolOf(SharedMemory::adopt(
      PoolKind::hardwareBuffer, fileWith("0123", F_SEAL_SHRINK), 0, readWrite));
  const char *message = "memory of kind hardware_buffer is opaque: it is not "
                        "mapped, read or written";
  EXPECT_FALSE(pool->isStable());
  EXPECT_TRUE(pool->check().isOk());
  expectFailure(pool->mapForReading().status(), general, message);
  expectFailure(pool->mapForWriting().status(), general, message);
  EXPECT_EQ(textOf(*pool, 0, 0), message);
  expectFailure(pool->write(0, {}), general, message);
}

// F-008.
TEST(SharedMemoryTest, protectionHolds) {
  for (int seals : {0, F_SEAL_SHRINK}) {
    Pool source = fileOf("0123", seals, PROT_READ);
    EXPECT_EQ(textOf(*source, 1, 2), "12");
    expectFailure(source->write(0, bytesOf("x")), invalid,
                  "memory of protection 1 cannot be written");
    expectFailure(source->mapForWriting().status(), invalid,
                  "memory of protection 1 cannot be written");
    Pool target = fileOf("0123", seals, PROT_WRITE);
    EXPECT_TRUE(target->write(0, bytesOf("x")).isOk());
    EXPECT_EQ(textOf(*target, 0, 1), "memory of protection 2 cannot be read");
  }
}

TEST(SharedMemoryTest, sealedAgainstWriting) {
  for (int extra : {0, F_SEAL_FUTURE_WRITE, F_SEAL_WRITE}) {
    Pool pool = fileOf("0123", F_SEAL_SHRINK | extra);
    EXPECT_TRUE(pool->isStable());
    EXPECT_EQ(pool->isImmutable(), extra == F_SEAL_WRITE);
    EXPECT_EQ(pool->protection(), extra ? PROT_READ : readWrite);
    EXPECT_TRUE(pool->mapForReading().isOk());
    EXPECT_EQ(textOf(*pool, 0, 4), "0123");
    EXPECT_EQ(pool->mapForWriting().isOk(), extra == 0);
  }
  // The holder can still take the bytes away.
  EXPECT_FALSE(fileOf("0123", F_SEAL_WRITE | F_SEAL_GROW)->isStable());
  EXPECT_FALSE(fileOf("0123", F_SEAL_WRITE | F_SEAL_GROW)->isImmutable());
}

// F-022.
TEST(SharedMemoryTest, rangesStayInThePool) {
  for (int seals : {0, F_SEAL_SHRINK}) {
    Pool pool = poolOf(SharedMemory::adopt(
        PoolKind::mmapFd, fileWith("0123456789", seals), 5, readWrite, 2));
    EXPECT_EQ(textOf(*pool, 0, 5), "23456");
    EXPECT_EQ(textOf(*pool, 5, 0), "");
    EXPECT_EQ(textOf(*pool, 1, 5),
              "5 bytes with 0 of padding at offset 1 exceed a pool of 5 bytes");
    expectFailure(pool->write(UINT64_MAX, bytesOf("x")), invalid,
                  "1 bytes with 0 of padding at offset 18446744073709551615 "
                  "exceed a pool of 5 bytes");
    EXPECT_TRUE(pool->checkRange(1, 2, 2).isOk());
    expectFailure(pool->checkRange(1, 2, 3), invalid,
                  "2 bytes with 3 of padding at offset 1 exceed a pool of 5 "
                  "bytes");
    EXPECT_FALSE(pool->checkRange(1, 2, UINT64_MAX).isOk());
    EXPECT_FALSE(pool->checkRange(1, UINT64_MAX, 1).isOk());
    EXPECT_TRUE(pool->write(3, bytesOf("xy")).isOk());
    EXPECT_EQ(textOf(*pool, 2, 3), "4xy");
  }
}

// F-011, F-012: an offset over 4 GiB that is not a multiple of the page size.
TEST(SharedMemoryTest, hugeFileOffset) {
  constexpr uint64_t offset = (uint64_t(5) << 30) + 12345;
  for (int seals : {0, F_SEAL_SHRINK}) {
    UniqueFd fd(::memfd_create("sparse", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::pwrite(fd.get(), "far away", 8, off_t(offset)), 8);
    ASSERT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
    Pool pool = poolOf(SharedMemory::adopt(PoolKind::mmapFd, std::move(fd), 8,
                                           readWrite, offset));
    EXPECT_EQ(pool->isStable(), seals != 0);
    EXPECT_EQ(pool->fileOffset(), offset);
    EXPECT_EQ(textOf(*pool, 0, 8), "far away");
    ASSERT_TRUE(pool->write(4, bytesOf("home")).isOk());
    EXPECT_EQ(textOf(*pool, 0, 8), "far home");
    if (pool->isStable()) {
      EXPECT_EQ(std::ranges::equal(*pool->mapForReading(), bytesOf("far home")),
                true);
    }
  }
}

// F-012: the stated offset is taken as it is, in a file on disk too.
TEST(SharedMemoryTest, fileOnDisk) {
  std::string path = (fs::temp_directory_path() / "nnhalXXXXXX").string();
  UniqueFd fd(::mkstemp(path.data()));
  ASSERT_TRUE(fd.isValid());
  fs::remove(path);
  constexpr uint64_t offset = (uint64_t(4) << 30) + 1;
  if (::pwrite(fd.get(), "disk", 4, off_t(offset)) != 4)
    GTEST_SKIP() << "no sparse files of 4 GiB in the temporary directory";
  Pool pool = poolOf(SharedMemory::adopt(PoolKind::mmapFd, std::move(fd), 4,
                                         readWrite, offset));
  EXPECT_FALSE(pool->isStable());
  EXPECT_EQ(textOf(*pool, 0, 4), "disk");
}

// Only what nobody else can write to is mapped.
TEST(SharedMemoryTest, ownFile) {
  std::string path = testing::TempDir() + "nnhal-own-XXXXXX";
  UniqueFd file(::mkstemp(path.data()));
  std::string text(5000, 'o');
  ASSERT_EQ(::write(file.get(), text.data(), text.size()),
            ssize_t(text.size()));
  auto adopt = [&](uint64_t size) {
    return SharedMemory::adoptOwnFile(*duplicate(file.get()), size, 4096);
  };
  Pool pool = adopt(904);
  EXPECT_TRUE(pool->isStable() && pool->isImmutable());
  Memory memory = *Memory::region(pool, 4, 900).snapshot();
  EXPECT_TRUE(std::holds_alternative<Memory::Shared>(memory.kind()));
  EXPECT_EQ((*memory.bytes())[899], std::byte('o'));
  EXPECT_EQ(adopt(905)->mapForReading().status().message(),
            "memory at offset 4096 of size 905 exceeds its file of 5000 bytes");
  for (mode_t mode : {0620, 0602}) {
    ASSERT_EQ(::fchmod(file.get(), mode), 0);
    pool = adopt(904);
    EXPECT_FALSE(pool->isStable() || pool->isImmutable());
    memory = *Memory::region(pool, 4, 900).snapshot();
    EXPECT_TRUE(std::holds_alternative<Memory::Copied>(memory.kind()));
  }
  fs::remove(path);
}

// F-085: the holder shortens its file after it was adopted.
TEST(SharedMemoryTest, truncationIsReported) {
  Pool pool = fileOf(std::string(8192, 'x'));
  EXPECT_FALSE(pool->isStable());
  expectFailure(pool->mapForReading().status(), general,
                "memory that another holder can shorten is not mapped");
  EXPECT_EQ(textOf(*pool, 8191, 1), "x");
  ASSERT_EQ(::ftruncate(pool->fd(), 100), 0);
  const char *message =
      "memory at offset 0 of size 8192 exceeds its file of 100 bytes";
  EXPECT_EQ(textOf(*pool, 8191, 1), message);
  expectFailure(pool->write(0, bytesOf("x")), general, message);
  EXPECT_EQ(fs::file_size(fmt::format("/proc/self/fd/{}", pool->fd())), 100u);
  ASSERT_EQ(::ftruncate(pool->fd(), 8192), 0);
  EXPECT_EQ(textOf(*pool, 99, 1), "x");
}

// F-085: and while it is read.
TEST(SharedMemoryTest, truncationDuringReads) {
  Pool pool = fileOf(std::string(1 << 16, 'x'));
  std::atomic<bool> isDone = false;
  std::thread holder([&] {
    while (!isDone) {
      (void)::ftruncate(pool->fd(), 0);
      (void)::ftruncate(pool->fd(), 1 << 16);
    }
  });
  std::vector<std::byte> bytes(1 << 16);
  for (int i = 0; i < 2000; ++i) {
    Status status = pool->read(0, bytes);
    EXPECT_TRUE(status.isOk() || status.code() == general);
  }
  isDone = true;
  holder.join();
}

TEST(SharedMemoryTest, whatTheKernelRefuses) {
  // A descriptor that names a file without opening it.
  UniqueFd file = fileWith("0123");
  Pool pool = poolOf(SharedMemory::adopt(
      PoolKind::mmapFd,
      UniqueFd(::open(fmt::format("/proc/self/fd/{}", file.get()).c_str(),
                      O_PATH | O_CLOEXEC)),
      4, PROT_READ));
  EXPECT_EQ(textOf(*pool, 0, 4),
            "cannot read at offset 0: Bad file descriptor");
  // Sealed after it was adopted.
  pool = fileOf("0123");
  ASSERT_EQ(::fcntl(pool->fd(), F_ADD_SEALS, F_SEAL_WRITE), 0);
  expectFailure(pool->write(2, bytesOf("x")), general,
                "cannot write at offset 2: Operation not permitted");
  // More than there are addresses.
  pool = poolOf(SharedMemory::createAshmem(uint64_t(1) << 62, noDevices));
  expectFailure(
      pool->mapForReading().status(), general,
      "cannot map 4611686018427387904 bytes at offset 0: Cannot allocate "
      "memory");
}

TEST(SharedMemoryTest, whatTheKernelRefusesOfANewPool) {
  for (SystemCall call :
       {SystemCall::memfdCreate, SystemCall::ftruncate, SystemCall::addSeals}) {
    SystemCallFailure failure(call, EPERM);
    auto refused = SharedMemory::createAshmem(64, noDevices);
    EXPECT_EQ(refused.status().code(), StatusCode::resourceExhaustedTransient);
    EXPECT_EQ(refused.status().message(),
              "cannot create a pool of 64 bytes: Operation not permitted");
  }
  EXPECT_TRUE(SharedMemory::createAshmem(64, noDevices).isOk());
}

TEST(SharedMemoryTest, fileThatEndsBeforeItsSize) {
  // Files of sysfs have a page by fstat() and less to read.
  UniqueFd fd(::open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC));
  char text[4096];
  ssize_t length = ::pread(fd.get(), text, sizeof(text), 0);
  if (length <= 0)
    GTEST_SKIP() << "no sysfs";
  Result<Pool> pool =
      SharedMemory::adopt(PoolKind::mmapFd, std::move(fd), 4096, PROT_READ);
  if (!pool.isOk())
    GTEST_SKIP() << pool.status().message();
  EXPECT_EQ(textOf(**pool, 0, 4096),
            fmt::format("the file ends at offset {}, {} bytes are missing",
                        length, 4096 - length));
}

// F-010: one mapping, whoever asks first.
TEST(SharedMemoryTest, threadsShareTheMapping) {
  Pool pool = poolOf(SharedMemory::createAshmem(1 << 20));
  std::vector<const std::byte *> seen(8);
  std::vector<std::thread> threads;
  for (const std::byte *&data : seen)
    threads.emplace_back([&] { data = (*pool->mapForReading()).data(); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_NE(seen[0], nullptr);
  EXPECT_EQ(std::ranges::count(seen, seen[0]), 8);
}

// F-018.
TEST(SharedMemoryTest, duplicateIsIndependent) {
  UniqueFd fd = fileWith("0123");
  UniqueFd copy = *duplicate(fd.get());
  fd.reset();
  EXPECT_NE(::fcntl(copy.get(), F_GETFD) & FD_CLOEXEC, 0);
  Pool pool = poolOf(
      SharedMemory::adopt(PoolKind::ashmem, std::move(copy), 4, PROT_READ));
  EXPECT_EQ(textOf(*pool, 0, 4), "0123");
  expectFailure(duplicate(-1).status(), invalid,
                "cannot duplicate descriptor -1: Bad file descriptor");
}

TEST(SharedMemoryTest, duplicateWithoutFreeDescriptor) {
  UniqueFd fd = fileWith("0123");
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  // All below this one are taken.
  rlimit none = {rlim_t(fd.get()), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  Status status = duplicate(fd.get()).status();
  Status created = SharedMemory::createAshmem(1).status();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  expectFailure(status, StatusCode::resourceExhaustedTransient,
                fmt::format("no free descriptor to duplicate {}", fd.get()));
  expectFailure(created, StatusCode::resourceExhaustedTransient,
                "cannot create a pool of 1 bytes: Too many open files");
}

// A longer file would bring SIGXFSZ, which ends the process.
TEST(SharedMemoryTest, theLimitOfFileSizesIsKept) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {99, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Status status = SharedMemory::createAshmem(100, noDevices).status();
  bool isSmallerMade = SharedMemory::createAshmem(99, noDevices).isOk();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  expectFailure(status, StatusCode::resourceExhaustedTransient,
                "cannot create a pool of 100 bytes: File too large");
  EXPECT_TRUE(isSmallerMade);
}

// Nothing to do for a memfd; DmaBufTest has the other kind.
TEST(SharedMemoryTest, accessEndsOnce) {
  using Mode = SharedMemory::Access::Mode;
  Pool pool = poolOf(SharedMemory::createBlob(1));
  for (Mode mode : {Mode::read, Mode::write, Mode::readWrite}) {
    auto access = SharedMemory::Access::begin(pool, mode);
    ASSERT_TRUE(access.isOk()) << access.status().message();
    EXPECT_EQ(pool.use_count(), 2);
    SharedMemory::Access moved = *std::move(access);
    EXPECT_TRUE(access->end().isOk());
    EXPECT_EQ(pool.use_count(), 2);
    EXPECT_TRUE(moved.end().isOk());
    EXPECT_EQ(pool.use_count(), 1);
    EXPECT_TRUE(moved.end().isOk());
    moved = *SharedMemory::Access::begin(pool, mode);
    moved = *SharedMemory::Access::begin(pool, mode);
    EXPECT_EQ(pool.use_count(), 2);
  }
  EXPECT_EQ(pool.use_count(), 1);
}

size_t countDescriptors() {
  return size_t(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

/// Mappings of memory that this test or the allocators made.
size_t countMappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("/memfd:") != std::string::npos ||
             line.find("dmabuf") != std::string::npos ||
             line.find("ashmem") != std::string::npos;
  return count;
}

// F-088, F-020.
TEST(SharedMemoryTest, leavesNothingBehind) {
  size_t descriptors = countDescriptors(), mappings = countMappings();
  for (int i = 0; i < 1000; ++i) {
    Pool pool = i % 2 ? poolOf(SharedMemory::createAshmem(3 << 12))
                      : poolOf(SharedMemory::createBlob(3 << 12));
    Pool part = poolOf(SharedMemory::adopt(
        PoolKind::mmapFd, *duplicate(pool->fd()), 5000, readWrite, 4097));
    ASSERT_TRUE(part->write(1, bytesOf("part")).isOk());
    ASSERT_EQ(textOf(*pool, 4098, 4), "part");
    ASSERT_EQ(SharedMemory::adopt(PoolKind::ashmem, *duplicate(pool->fd()),
                                  1 << 20, readWrite)
                  .isOk(),
              false);
    if (i != 0)
      continue;
    EXPECT_EQ(countMappings(), mappings + 2);
    EXPECT_EQ(countDescriptors(), descriptors + 2);
  }
  EXPECT_EQ(countDescriptors(), descriptors);
  EXPECT_EQ(countMappings(), mappings);
}

} // namespace
