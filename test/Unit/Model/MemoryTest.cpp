//===- MemoryTest.cpp - Where bytes live and who owns them ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Faults/SystemCalls.h"

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace nnhal::rt;
namespace fs = std::filesystem;

namespace {

std::string textOf(const Memory &memory) {
  auto bytes = memory.bytes();
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  if (!bytes.isOk())
    return {};
  return std::string(reinterpret_cast<const char *>((*bytes).data()),
                     (*bytes).size());
}

UniqueFd fileWith(std::string_view text, int seals = 0) {
  UniqueFd fd(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::write(fd.get(), text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
  EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
  return fd;
}

std::shared_ptr<SharedMemory> poolWith(std::string_view text, int seals = 0) {
  auto pool = SharedMemory::adopt(PoolKind::ashmem, fileWith(text, seals),
                                  text.size(), PROT_READ | PROT_WRITE);
  EXPECT_TRUE(pool.isOk()) << pool.status().message();
  return *pool;
}

bool isCopied(const Memory &memory) {
  return std::holds_alternative<Memory::Copied>(memory.kind());
}

bool isShared(const Memory &memory) {
  return std::holds_alternative<Memory::Shared>(memory.kind());
}

TEST(MemoryTest, descriptorClosesItself) {
  UniqueFd fd = fileWith("x");
  int number = fd.get();
  UniqueFd other = std::move(fd);
  EXPECT_FALSE(fd.isValid()); // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(other.get(), number);
  other.reset();
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST(MemoryTest, copiedAndBorrowed) {
  std::vector<std::byte> bytes(3, std::byte('a'));
  Memory copied = Memory::copy(bytes);
  Memory borrowed = Memory::borrow(bytes);
  bytes[0] = std::byte('b');
  EXPECT_EQ(textOf(copied), "aaa");
  EXPECT_EQ(textOf(borrowed), "baa");
  EXPECT_EQ(borrowed.size(), 3u);
  EXPECT_EQ(textOf(*borrowed.materialize()), "baa");
  EXPECT_TRUE(Memory().isNone());
  EXPECT_EQ(textOf(Memory()), "");
}

TEST(MemoryTest, descriptorIsCopied) {
  UniqueFd fd = fileWith("0123456789");
  int number = fd.get();
  Memory memory = Memory::fromDescriptor(std::move(fd), 2, 5, PROT_READ);
  EXPECT_EQ(memory.size(), 5u);
  EXPECT_EQ(memory.bytes().status().message(),
            "memory behind a descriptor has not been materialized");
  Memory copy = *memory.materialize();
  // The holder can shorten the file: the copy stays.
  ASSERT_EQ(::ftruncate(number, 0), 0);
  EXPECT_EQ(textOf(copy), "23456");
  EXPECT_EQ(memory.materialize().status().message(),
            "memory at offset 2 of size 5 exceeds its file of 0 bytes");
}

TEST(MemoryTest, descriptorBounds) {
  auto complaint = [](uint64_t offset, uint64_t size) {
    return Memory::fromDescriptor(fileWith("0123456789"), offset, size,
                                  PROT_READ)
        .materialize()
        .status()
        .message();
  };
  EXPECT_EQ(complaint(0, 10), "");
  EXPECT_EQ(complaint(10, 0), "");
  EXPECT_EQ(complaint(0, 11),
            "memory at offset 0 of size 11 exceeds its file of 10 bytes");
  EXPECT_EQ(complaint(11, 0),
            "memory at offset 11 of size 0 exceeds its file of 10 bytes");
  EXPECT_EQ(complaint(1, UINT64_MAX),
            "memory at offset 1 of size 18446744073709551615 exceeds its file "
            "of 10 bytes");
  EXPECT_EQ(complaint(UINT64_MAX, 1),
            "memory at offset 18446744073709551615 of size 1 exceeds its file "
            "of 10 bytes");
}

TEST(MemoryTest, descriptorMustBeAFile) {
  EXPECT_EQ(Memory::fromDescriptor(UniqueFd(), 0, 1, PROT_READ)
                .materialize()
                .status()
                .message(),
            "the descriptor of a memory is not open");
  // A number beyond all descriptors that a process may have.
  EXPECT_EQ(Memory::fromDescriptor(UniqueFd(INT_MAX), 0, 1, PROT_READ)
                .materialize()
                .status()
                .message(),
            "the descriptor of a memory is not open");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  UniqueFd writer(ends[1]);
  EXPECT_EQ(Memory::fromDescriptor(UniqueFd(ends[0]), 0, 1, PROT_READ)
                .materialize()
                .status()
                .message(),
            "the descriptor of a memory is not a regular file");
}

TEST(MemoryTest, deviceTokenHasNoBytes) {
  Memory memory = Memory::device(7);
  EXPECT_EQ(std::get<Memory::DeviceToken>(memory.kind()).token, 7u);
  EXPECT_EQ(memory.size(), 0u);
  const char *message = "memory behind a device token cannot be read here";
  EXPECT_EQ(memory.bytes().status().message(), message);
  EXPECT_EQ(memory.materialize().status().message(), message);
  EXPECT_EQ(memory.snapshot().status().message(), message);
}

// F-085: bytes that their holder can take away are copied.
TEST(MemoryTest, regionOfAnUnstablePoolIsCopied) {
  auto pool = poolWith("0123456789");
  Memory region = Memory::region(pool, 3, 4);
  Memory copy = *region.materialize();
  EXPECT_TRUE(isCopied(copy));
  ASSERT_TRUE(pool->write(3, std::as_bytes(std::span("xx", 2))).isOk());
  EXPECT_EQ(textOf(copy), "3456");
  EXPECT_EQ(textOf(*region.materialize()), "xx56");
  ASSERT_EQ(::ftruncate(pool->fd(), 5), 0);
  Status status = region.materialize().status();
  EXPECT_EQ(status.code(), StatusCode::generalFailure); // F-007
  EXPECT_EQ(status.message(),
            "memory at offset 0 of size 10 exceeds its file of 5 bytes");
}

// F-010, F-020: no copy, and the pool stays while its bytes are in use.
TEST(MemoryTest, regionOfAStablePoolIsShared) {
  auto pool = poolWith("0123456789", F_SEAL_SHRINK);
  const std::byte *first = (*pool->mapForReading()).data();
  Memory region = Memory::region(pool, 3, 4, 2);
  EXPECT_EQ(region.size(), 4u);
  EXPECT_EQ(region.bytes().status().message(),
            "memory behind a descriptor has not been materialized");
  Memory shared = *region.materialize();
  EXPECT_TRUE(isShared(shared));
  EXPECT_EQ(shared.size(), 4u);
  EXPECT_EQ((*shared.bytes()).data(), first + 3);
  EXPECT_EQ((*shared.materialize()->bytes()).data(), first + 3);
  ASSERT_TRUE(pool->write(3, std::as_bytes(std::span("xx", 2))).isOk());
  region = Memory();
  pool.reset();
  EXPECT_EQ(textOf(shared), "xx56");
}

TEST(MemoryTest, snapshotCannotBeChanged) {
  auto pool = poolWith("0123456789", F_SEAL_SHRINK);
  Memory copy = *Memory::region(pool, 3, 4).snapshot();
  EXPECT_TRUE(isCopied(copy));
  EXPECT_TRUE(isCopied(*Memory::region(pool, 3, 4).materialize()->snapshot()));
  ASSERT_TRUE(pool->write(3, std::as_bytes(std::span("xx", 2))).isOk());
  EXPECT_EQ(textOf(copy), "3456");
  EXPECT_TRUE(isCopied(*Memory::region(poolWith("0"), 0, 1).snapshot()));
  // Nobody can write: nothing needs to be copied.
  pool = poolWith("0123456789", F_SEAL_SHRINK | F_SEAL_WRITE);
  Memory shared = *Memory::region(pool, 3, 4).snapshot();
  EXPECT_TRUE(isShared(shared));
  EXPECT_EQ(textOf(shared), "3456");
}

// A dma-buf is copied (DmaBufTest), a memfd in its place is not.
TEST(MemoryTest, regionOfABlob) {
  auto pool = *SharedMemory::createBlob(10);
  ASSERT_TRUE(pool->write(8, std::as_bytes(std::span("xy", 2))).isOk());
  Memory memory = *Memory::region(pool, 8, 2).materialize();
  EXPECT_EQ(textOf(memory), "xy");
  EXPECT_EQ(isCopied(memory), pool->isDmaBuf());
}

// F-022, F-004.
TEST(MemoryTest, regionsStayInThePool) {
  for (int seals : {0, F_SEAL_SHRINK}) {
    auto complaint = [&](uint64_t offset, uint64_t size, uint64_t padding) {
      Status status =
          Memory::region(poolWith("0123456789", seals), offset, size, padding)
              .materialize()
              .status();
      EXPECT_TRUE(status.isOk() ||
                  status.code() == StatusCode::invalidArgument);
      return status.message();
    };
    EXPECT_EQ(complaint(8, 1, 1), "");
    EXPECT_EQ(complaint(10, 0, 0), "");
    EXPECT_EQ(complaint(8, 1, 2), "1 bytes with 2 of padding at offset 8 "
                                  "exceed a pool of 10 bytes");
    EXPECT_EQ(complaint(UINT64_MAX, 2, 0),
              "2 bytes with 0 of padding at offset 18446744073709551615 exceed "
              "a pool of 10 bytes");
  }
  auto opaque = SharedMemory::adoptUnchecked(PoolKind::hardwareBuffer,
                                             fileWith("0"), 0, PROT_READ);
  EXPECT_EQ(Memory::region(opaque, 0, 0).materialize().status().message(),
            "memory of kind hardware_buffer is opaque: it is not mapped, read "
            "or written");
}

// A sanitizer ends the program when memory runs out.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NNHAL_TEST_WITH_SANITIZER
#endif
#endif
#ifndef NNHAL_TEST_WITH_SANITIZER
TEST(MemoryTest, noMemoryForACopy) {
  constexpr uint64_t size = uint64_t(1) << 62;
  UniqueFd fd = fileWith("");
  ASSERT_EQ(::ftruncate(fd.get(), off_t(size)), 0);
  Status status = Memory::fromDescriptor(std::move(fd), 0, size, PROT_READ)
                      .materialize()
                      .status();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory for 4611686018427387904 bytes");
}
#endif

TEST(MemoryTest, whereOutputsGo) {
  EXPECT_TRUE(OutputMemory().isNone());
  EXPECT_EQ(OutputMemory().size(), 0u);
  std::byte bytes[3];
  EXPECT_EQ(OutputMemory::borrow(bytes).size(), 3u);
  auto pool = poolWith("0123456789");
  OutputMemory output = OutputMemory::region(pool, 1, 4, 2);
  EXPECT_EQ(output.size(), 4u);
  const auto &region = std::get<OutputMemory::Region>(output.kind());
  EXPECT_EQ(region.pool, pool);
  EXPECT_EQ(region.offset, 1u);
  EXPECT_EQ(region.padding, 2u);
  output = OutputMemory::device(9);
  EXPECT_EQ(std::get<OutputMemory::DeviceToken>(output.kind()).token, 9u);
}

class MemoryFileTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "nnhalXXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory = pattern;
  }
  void TearDown() override { fs::remove_all(directory); }
  std::string path(const char *name) { return (directory / name).string(); }

  fs::path directory;
};

TEST_F(MemoryFileTest, readsAFile) {
  std::ofstream(path("data")) << "0123456789";
  Result<Memory> memory = Memory::readFile(path("data"));
  ASSERT_TRUE(memory.isOk()) << memory.status().message();
  EXPECT_EQ(textOf(*memory), "0123456789");
  EXPECT_EQ(textOf(*Memory::readFile(path("data"), 10)), "0123456789");
  // Constants are used where they are only when they are aligned.
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->bytes()->data()) %
                AlignedBuffer::minimumAlignment,
            0u);
}

TEST_F(MemoryFileTest, explainsFailures) {
  std::ofstream(path("data")) << "0123456789";
  EXPECT_EQ(Memory::readFile(path("data"), 9).status().message(),
            fmt::format("'{}' has 10 bytes, at most 9 are read", path("data")));
  EXPECT_EQ(
      Memory::readFile(path("none")).status().message(),
      fmt::format("cannot open '{}': No such file or directory", path("none")));
  EXPECT_EQ(Memory::readFile(directory.string()).status().message(),
            fmt::format("'{}' is not a regular file", directory.string()));
  // A pipe without a writer must not block.
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(Memory::readFile(path("pipe")).status().message(),
            fmt::format("'{}' is not a regular file", path("pipe")));
  SystemCallFailure failure(SystemCall::fstat, EIO);
  EXPECT_EQ(
      Memory::readFile(path("data")).status().message(),
      fmt::format("cannot inspect '{}': Input/output error", path("data")));
}

} // namespace
