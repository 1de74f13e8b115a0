//===- HttpMemoryTest.cpp - Connections without memory --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operators are weak because the thread sanitizer brings its own, and are
// in a file with few allocations: compilers that inline them beside uses of new
// and delete take them for mismatched pairs.
//
//===----------------------------------------------------------------------===//

#include "HttpFixture.h"

#include <atomic>
#include <cstdlib>
#include <new>

/// The size whose next allocation, on any thread, fails; 0 for none.
static std::atomic<size_t> failingSize = 0;

[[gnu::weak]] void *operator new(size_t size) {
  size_t failing = size;
  if (size != 0 && failingSize.compare_exchange_strong(failing, 0))
    throw std::bad_alloc();
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
[[gnu::weak]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::weak]] void operator delete(void *memory, size_t) noexcept {
  std::free(memory);
}

using namespace nnhal;
using namespace nnhal::serving;

using HttpMemoryTest = HttpFixture;

TEST_F(HttpMemoryTest, ConnectionThatThereIsNoMemoryFor) {
  start();
  const std::string request = "GET /v2/health/live HTTP/1.1\r\n\r\n";
  // The bytes that a connection receives at once.
  failingSize = size_t(32) << 10;
  std::string answer = sendRaw(request);
  bool hasFailed = failingSize.exchange(0) == 0;
  if (!hasFailed)
    GTEST_SKIP() << "another library brings operator new";
  EXPECT_EQ(answer, "");
  EXPECT_TRUE(sendRaw(request).starts_with("HTTP/1.1 200 OK"));
}
