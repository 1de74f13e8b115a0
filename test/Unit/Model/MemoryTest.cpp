//===- MemoryTest.cpp - Where bytes live and who owns them ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Memory.h"

#include <gtest/gtest.h>

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

UniqueFd fileWith(std::string_view text) {
  UniqueFd fd(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(::write(fd.get(), text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
  return fd;
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
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  UniqueFd writer(ends[1]);
  EXPECT_EQ(Memory::fromDescriptor(UniqueFd(ends[0]), 0, 1, PROT_READ)
                .materialize()
                .status()
                .message(),
            "the descriptor of a memory is not a regular file");
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
}

} // namespace
