//===- FifoMemoryTest.cpp - Which memory is a queue -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Fifo/FifoMemory.h"

#include "Faults/SystemCalls.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace nnhal::rt;

namespace {

/// A memfd with a header that a test may damage.
class Forgery {
public:
  explicit Forgery(uint64_t size = sizeof(FifoHeader) + 8 * 24,
                   int seals = F_SEAL_SHRINK | F_SEAL_GROW)
      : fd(::memfd_create("forgery", MFD_ALLOW_SEALING)), seals(seals) {
    EXPECT_EQ(::ftruncate(fd.get(), off_t(size)), 0);
    header.magic = fifoMagic;
    header.version = fifoVersion;
    header.elementSize = 24;
    header.capacity = 8;
  }

  std::string open() {
    EXPECT_EQ(
        ::pwrite(fd.get(), &header, std::min<size_t>(sizeof header, 16), 0),
        16);
    EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
    return FifoMemory::open(std::move(fd), 24).status().message();
  }

  FifoHeader header{};

private:
  UniqueFd fd;
  int seals;
};

TEST(FifoMemoryTest, LayoutIsThatOfThePage) {
  EXPECT_EQ(offsetof(FifoHeader, magic), 0u);
  EXPECT_EQ(offsetof(FifoHeader, version), 4u);
  EXPECT_EQ(offsetof(FifoHeader, elementSize), 8u);
  EXPECT_EQ(offsetof(FifoHeader, capacity), 12u);
  EXPECT_EQ(offsetof(FifoHeader, written), 64u);
  EXPECT_EQ(offsetof(FifoHeader, writerCore), 72u);
  EXPECT_EQ(offsetof(FifoHeader, read), 128u);
  EXPECT_EQ(offsetof(FifoHeader, events), 192u);
  auto memory = FifoMemory::create(3, 24);
  ASSERT_TRUE(memory.isOk());
  EXPECT_EQ(::lseek(memory->fd(), 0, SEEK_END), 256 + 3 * 24);
}

TEST(FifoMemoryTest, CapacityIsBounded) {
  EXPECT_EQ(FifoMemory::create(0, 24).status().message(),
            "the capacity of a queue is 0 elements, expected 1 to 1048576");
  EXPECT_EQ(
      FifoMemory::create(1048577, 24).status().message(),
      "the capacity of a queue is 1048577 elements, expected 1 to 1048576");
}

TEST(FifoMemoryTest, NoMemory) {
  {
    SystemCallFailure failure(SystemCall::ftruncate, ENOMEM);
    Status status = FifoMemory::create(8, 24).status();
    EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
    EXPECT_EQ(status.message(), "no memory for a queue of 448 bytes: Cannot "
                                "allocate memory");
  }
  // Room for the addresses of this process and a little more.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlimit none = before;
  none.rlim_cur = 1;
  auto memory = FifoMemory::create(1024, 24);
  ASSERT_TRUE(memory.isOk());
  UniqueFd other = *duplicate(memory->fd());
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &none), 0);
  Status status = FifoMemory::open(std::move(other), 24).status();
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(),
            "cannot map the 24832 bytes of a queue: Cannot allocate memory");
}

// A longer file would bring SIGXFSZ, which ends the process.
TEST(FifoMemoryTest, TheLimitOfFileSizesIsKept) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {447, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Status status = FifoMemory::create(8, 24).status();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(status.message(),
            "no memory for a queue of 448 bytes: File too large");
}

TEST(FifoMemoryTest, NobodyCanResizeIt) {
  auto memory = FifoMemory::create(8, 24);
  ASSERT_TRUE(memory.isOk());
  EXPECT_NE(::ftruncate(memory->fd(), 0), 0);
  EXPECT_NE(::ftruncate(memory->fd(), 1 << 20), 0);
}

TEST(FifoMemoryTest, AnyCapacityOfThePeer) { // G-014
  for (uint32_t capacity : {1u, 7u, 8u, 1024u, 4099u}) {
    auto made = FifoMemory::create(capacity, 24);
    ASSERT_TRUE(made.isOk());
    auto opened = FifoMemory::open(*duplicate(made->fd()), 24);
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    EXPECT_EQ(opened->capacity(), capacity);
    // A peer that changes its mind later is not listened to.
    made->header().capacity = 1u << 30;
    EXPECT_EQ(opened->capacity(), capacity);
  }
}

TEST(FifoMemoryTest, WhatIsNotAQueue) { // G-064
  EXPECT_EQ(Forgery().open(), "");
  Forgery magic;
  magic.header.magic = 1;
  EXPECT_EQ(magic.open(), "a queue begins with 0x1, expected 0x51464e4e");
  Forgery version;
  version.header.version = 2;
  EXPECT_EQ(version.open(), "a queue has version 2, expected 1");
  Forgery element;
  element.header.elementSize = 16;
  EXPECT_EQ(element.open(),
            "the elements of a queue have 16 bytes, expected 24");
  Forgery none;
  none.header.capacity = 0;
  EXPECT_EQ(none.open(),
            "the capacity of a queue is 0 elements, expected 1 to 1048576");
  Forgery huge;
  huge.header.capacity = UINT32_MAX;
  EXPECT_EQ(huge.open(), "the capacity of a queue is 4294967295 elements, "
                         "expected 1 to 1048576");
  Forgery larger;
  larger.header.capacity = 9;
  EXPECT_EQ(larger.open(),
            "a queue for 9 elements has 448 bytes, expected 472");
  EXPECT_EQ(Forgery(16).open(), "a queue has 16 bytes, expected at least 256");
}

TEST(FifoMemoryTest, SealsAreDemanded) {
  EXPECT_EQ(Forgery(448, F_SEAL_GROW).open(),
            "a queue has the seals 0x4, expected those against shrinking and "
            "growing (0x6) and none against writing");
  EXPECT_EQ(Forgery(448, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE).open(),
            "a queue has the seals 0xe, expected those against shrinking and "
            "growing (0x6) and none against writing");
  EXPECT_EQ(FifoMemory::open(UniqueFd(::open("/dev/null", O_RDWR)), 24)
                .status()
                .message(),
            "a queue is not in sealed memory: Invalid argument");
  EXPECT_EQ(FifoMemory::open(UniqueFd(), 24).status().message(),
            "a queue is not in sealed memory: Bad file descriptor");
}

} // namespace
