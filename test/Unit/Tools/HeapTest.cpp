//===- HeapTest.cpp - How the heap of a process grows ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Process/Heap.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::tools;

// A sanitizer has a heap of its own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer)
#define NNHAL_HAS_OTHER_HEAP
#endif
#endif

#ifndef NNHAL_HAS_OTHER_HEAP
namespace {

constexpr ptrdiff_t mebibyte = 1 << 20;

/// The flags by which the kernel knows the mapping that has \p address.
std::string flagsOf(const void *address) {
  std::ifstream maps("/proc/self/smaps");
  auto wanted = reinterpret_cast<uintptr_t>(address);
  bool isThere = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t first = 0;
    uintptr_t end = 0;
    const char *last = line.data() + line.size();
    auto [dash, error] = std::from_chars(line.data(), last, first, 16);
    if (error == std::errc() && dash != last && *dash == '-' &&
        std::from_chars(dash + 1, last, end, 16).ec == std::errc())
      isThere = first <= wanted && wanted < end;
    else if (isThere && line.starts_with("VmFlags:"))
      return line + " ";
  }
  return "";
}

/// Whether the kernel can be asked for large pages, and tells so of an address:
/// emulators of other processors do not.
bool hasLargePages() {
  void *probe = ::mmap(nullptr, 4 * mebibyte, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return probe != MAP_FAILED &&
         ::madvise(probe, 4 * mebibyte, MADV_HUGEPAGE) == 0 &&
         flagsOf(static_cast<char *>(probe)).find(" hg ") != std::string::npos;
}

/// Ends the process, with 0 when the heap has grown at once by what a
/// compilation needs, in large pages.
[[noreturn]] void growAndEnd() {
  ::mallopt(M_MMAP_THRESHOLD, 32 * mebibyte);
  auto *before = static_cast<char *>(::sbrk(0));
  growHeapInLargePages();
  auto *end = static_cast<char *>(::sbrk(0));
  if (end - before < 64 * mebibyte)
    ::_exit(1);
  if (hasLargePages() &&
      flagsOf(before + 32 * mebibyte).find(" hg ") == std::string::npos)
    ::_exit(2);
  // Memory that is free at the end of the heap stays with the process.
  void *volatile block = std::malloc(16 * mebibyte);
  std::free(block);
  ::_exit(::sbrk(0) == end ? 0 : 3);
}

/// Ends the process, with 0 when its heap is as it was.
[[noreturn]] void leaveAndEnd() {
  ::mallopt(M_MMAP_THRESHOLD, mebibyte / 2);
  // The next small blocks are there already.
  std::free(std::malloc(mebibyte / 4));
  void *before = ::sbrk(0);
  growHeapInLargePages();
  ::_exit(::sbrk(0) == before ? 0 : 1);
}

/// Each test has a process of its own, whose heap is new.
class HeapTest : public testing::Test {
protected:
  void SetUp() override {
    style = GTEST_FLAG_GET(death_test_style);
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
  void TearDown() override { GTEST_FLAG_SET(death_test_style, style); }

private:
  std::string style;
};

TEST_F(HeapTest, GrowsInLargePages) {
  EXPECT_EXIT(growAndEnd(), testing::ExitedWithCode(0), "");
}

// Blocks of a megabyte are not of the heap where nobody asked for that.
TEST_F(HeapTest, StaysWhereLargeBlocksAreNotOfIt) {
  EXPECT_EXIT(leaveAndEnd(), testing::ExitedWithCode(0), "");
}

} // namespace
#endif
