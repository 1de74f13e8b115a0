//===- HardwareBufferTest.cpp - Buffers of one process --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <string>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace nnhal::nativewindow::test;

extern "C" int sizeOfBlobInC(const AHardwareBuffer *buffer);

namespace {

TEST(HardwareBufferTest, AllocatesZeroedBytes) { // F-003
  Buffer buffer = allocate(blob(4097));
  ASSERT_TRUE(buffer);
  AHardwareBuffer_Desc desc = {};
  AHardwareBuffer_describe(buffer.get(), &desc);
  EXPECT_EQ(desc.width, 4097u);
  EXPECT_EQ(desc.height, 1u);
  EXPECT_EQ(desc.layers, 1u);
  EXPECT_EQ(desc.format, uint32_t(AHARDWAREBUFFER_FORMAT_BLOB));
  EXPECT_EQ(desc.usage, readOften | writeOften);
  EXPECT_EQ(desc.stride, 4097u);
  EXPECT_EQ(sizeOfBlobInC(buffer.get()), 4097);
  uint8_t *bytes = lock(buffer.get(), readOften | writeOften);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(std::count(bytes, bytes + 4097, 0), 4097);
  bytes[4096] = 7;
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
  bytes = lock(buffer.get(), readOften);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes[4096], 7);
  int32_t fence = 5;
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), &fence), 0);
  EXPECT_EQ(fence, -1);
}

TEST(HardwareBufferTest, ReferencesKeepTheBuffer) {
  long before = openDescriptors();
  Buffer buffer = allocate(blob(16));
  ASSERT_TRUE(buffer);
  AHardwareBuffer_acquire(buffer.get());
  AHardwareBuffer_release(buffer.get());
  EXPECT_TRUE(lock(buffer.get(), readOften));
  AHardwareBuffer_release(nullptr);
  AHardwareBuffer_acquire(nullptr);
  // A lock does not keep it.
  buffer.reset();
  EXPECT_EQ(openDescriptors(), before);
}

TEST(HardwareBufferTest, ReferencesOfManyThreads) {
  Buffer buffer = allocate(blob(16));
  ASSERT_TRUE(buffer);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int j = 0; j < 200; ++j) {
          AHardwareBuffer_acquire(buffer.get());
          EXPECT_TRUE(lock(buffer.get(), readOften));
          EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
          AHardwareBuffer_release(buffer.get());
        }
      });
  }
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), -EINVAL);
}

TEST(HardwareBufferTest, IdsDiffer) {
  std::set<uint64_t> ids;
  std::vector<Buffer> buffers;
  for (int i = 0; i < 8; ++i) {
    buffers.push_back(allocate(blob(1)));
    uint64_t id = 0;
    EXPECT_EQ(AHardwareBuffer_getId(buffers.back().get(), &id), 0);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 8u);
  uint64_t id = 0;
  EXPECT_EQ(AHardwareBuffer_getId(nullptr, &id), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_getId(buffers[0].get(), nullptr), -EINVAL);
}

/// Expects that allocate() fails with \p error and that isSupported() agrees.
void expectRefused(const AHardwareBuffer_Desc &desc, int error) {
  Buffer other = allocate(blob(1));
  AHardwareBuffer *buffer = other.get();
  EXPECT_EQ(AHardwareBuffer_allocate(&desc, &buffer), error);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(AHardwareBuffer_isSupported(&desc), 0);
}

TEST(HardwareBufferTest, RefusesContradictions) {
  AHardwareBuffer_Desc desc = blob(8);
  EXPECT_EQ(AHardwareBuffer_isSupported(&desc), 1);
  EXPECT_EQ(AHardwareBuffer_isSupported(nullptr), 0);
  AHardwareBuffer *buffer = nullptr;
  EXPECT_EQ(AHardwareBuffer_allocate(nullptr, &buffer), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_allocate(&desc, nullptr), -EINVAL);
  for (uint32_t AHardwareBuffer_Desc::*extent :
       {&AHardwareBuffer_Desc::width, &AHardwareBuffer_Desc::height,
        &AHardwareBuffer_Desc::layers}) {
    desc = blob(8);
    desc.*extent = 0;
    expectRefused(desc, -EINVAL);
    // A blob has one row and one layer.
    desc.*extent = 2;
    if (extent != &AHardwareBuffer_Desc::width)
      expectRefused(desc, -EINVAL);
  }
  desc = blob(8);
  desc.rfu0 = 1;
  expectRefused(desc, -EINVAL);
  desc = blob(8);
  desc.rfu1 = 1;
  expectRefused(desc, -EINVAL);
  desc = blob(8);
  desc.usage |= AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE;
  expectRefused(desc, -EINVAL);
  desc = blob(8);
  desc.format = AHARDWAREBUFFER_FORMAT_R8_UNORM;
  desc.usage = AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER;
  expectRefused(desc, -EINVAL);
}

TEST(HardwareBufferTest, RefusesWhatItCannotMake) {
  AHardwareBuffer_Desc desc = blob(8);
  desc.usage = AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
  expectRefused(desc, -ENOTSUP);
  desc = blob(8);
  desc.usage |= uint64_t(1) << 40;
  expectRefused(desc, -ENOTSUP);
  desc = blob(8);
  desc.usage |= AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER |
                AHARDWAREBUFFER_USAGE_VENDOR_0 |
                AHARDWAREBUFFER_USAGE_VENDOR_19;
  EXPECT_TRUE(allocate(desc));
  for (uint32_t format :
       {uint32_t(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM),
        uint32_t(AHARDWAREBUFFER_FORMAT_YCbCr_P010), 0u, UINT32_MAX}) {
    desc = blob(8);
    desc.format = format; // F-004
    expectRefused(desc, -ENOTSUP);
  }
}

TEST(HardwareBufferTest, HandleHasTheDescriptor) { // F-084
  Buffer buffer = allocate(blob(100));
  ASSERT_TRUE(buffer);
  const native_handle_t *handle = AHardwareBuffer_getNativeHandle(buffer.get());
  ASSERT_TRUE(handle);
  EXPECT_EQ(handle->version, int(sizeof(native_handle_t)));
  EXPECT_EQ(handle->numFds, 1);
  EXPECT_EQ(handle->numInts, 0);
  struct stat state;
  ASSERT_EQ(fstat(handle->data[0], &state), 0);
  EXPECT_GE(state.st_size, 100);
  EXPECT_NE(fcntl(handle->data[0], F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(AHardwareBuffer_getNativeHandle(nullptr), nullptr);
}

TEST(HardwareBufferTest, LocksTellTheLayout) {
  Buffer buffer = allocate(blob(12));
  ASSERT_TRUE(buffer);
  void *address = nullptr;
  int32_t pixel = 0, stride = 0;
  EXPECT_EQ(AHardwareBuffer_lockAndGetInfo(buffer.get(), readOften, -1, nullptr,
                                           &address, &pixel, &stride),
            0);
  EXPECT_TRUE(address);
  EXPECT_EQ(pixel, 1);
  EXPECT_EQ(stride, 12);
  AHardwareBuffer_Planes planes;
  EXPECT_EQ(
      AHardwareBuffer_lockPlanes(buffer.get(), readOften, -1, nullptr, &planes),
      0);
  EXPECT_EQ(planes.planeCount, 1u);
  EXPECT_EQ(planes.planes[0].data, address);
  EXPECT_EQ(planes.planes[0].pixelStride, 1u);
  EXPECT_EQ(planes.planes[0].rowStride, 12u);
  EXPECT_EQ(planes.planes[1].data, nullptr);
  // Both locks end, and there is no third.
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_lockAndGetInfo(nullptr, readOften, -1, nullptr,
                                           &address, &pixel, &stride),
            -EINVAL);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(pixel, -1);
  EXPECT_EQ(stride, -1);
  EXPECT_EQ(
      AHardwareBuffer_lockPlanes(buffer.get(), 1 << 8, -1, nullptr, &planes),
      -EINVAL);
  EXPECT_EQ(planes.planeCount, 0u);
  EXPECT_EQ(
      AHardwareBuffer_lockPlanes(buffer.get(), readOften, -1, nullptr, nullptr),
      -EINVAL);
}

TEST(HardwareBufferTest, LocksThatAreRefused) {
  Buffer buffer = allocate(blob(12));
  ASSERT_TRUE(buffer);
  void *address = &address;
  EXPECT_EQ(AHardwareBuffer_lock(nullptr, readOften, -1, nullptr, &address),
            -EINVAL);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(AHardwareBuffer_lock(buffer.get(), readOften, -1, nullptr, nullptr),
            -EINVAL);
  EXPECT_EQ(AHardwareBuffer_lock(buffer.get(),
                                 AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER, -1,
                                 nullptr, &address),
            -EINVAL);
  for (ARect rect : {ARect{-1, 0, 1, 1}, ARect{0, -1, 1, 1}, ARect{0, 0, 13, 1},
                     ARect{0, 0, 1, 2}, ARect{2, 0, 1, 1}, ARect{0, 1, 1, 0}})
    EXPECT_EQ(
        AHardwareBuffer_lock(buffer.get(), readOften, -1, &rect, &address),
        -EINVAL);
  ARect all = {0, 0, 12, 1};
  EXPECT_EQ(AHardwareBuffer_lock(buffer.get(), readOften, -1, &all, &address),
            0);
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), -EINVAL);
  int32_t fence = 3;
  EXPECT_EQ(AHardwareBuffer_unlock(nullptr, &fence), -EINVAL);
  EXPECT_EQ(fence, -1);
}

TEST(HardwareBufferTest, LocksWaitForTheFence) {
  Buffer buffer = allocate(blob(12));
  ASSERT_TRUE(buffer);
  long before = openDescriptors();
  void *address = nullptr;
  int pipes[2];
  ASSERT_EQ(pipe2(pipes, O_CLOEXEC), 0);
  {
    std::jthread signal([&] { EXPECT_EQ(write(pipes[1], "s", 1), 1); });
    EXPECT_EQ(AHardwareBuffer_lock(buffer.get(), readOften, pipes[0], nullptr,
                                   &address),
              0);
  }
  close(pipes[1]);
  // A fence that hangs up has failed, and one that is not open, too.
  ASSERT_EQ(pipe2(pipes, O_CLOEXEC), 0);
  close(pipes[1]);
  EXPECT_EQ(AHardwareBuffer_lock(buffer.get(), readOften, pipes[0], nullptr,
                                 &address),
            -EIO);
  EXPECT_EQ(
      AHardwareBuffer_lock(buffer.get(), readOften, 9999, nullptr, &address),
      -EIO);
  // It is closed also when nobody waits for it.
  EXPECT_EQ(AHardwareBuffer_lock(nullptr, readOften, eventfd(0, EFD_CLOEXEC),
                                 nullptr, &address),
            -EINVAL);
  EXPECT_EQ(openDescriptors(), before);
}

TEST(HardwareBufferTest, ExportsWhatTheMapLists) {
  std::ifstream map(NNHAL_TEST_DATA "/../lib/NativeWindow/Exports.map");
  size_t count = 0;
  for (std::string line; std::getline(map, line);) {
    size_t begin = line.find("AHardwareBuffer_");
    if (begin == std::string::npos)
      continue;
    std::string name = line.substr(begin, line.find(';') - begin);
    EXPECT_TRUE(dlvsym(RTLD_DEFAULT, name.c_str(), "LIBNATIVEWINDOW")) << name;
    ++count;
  }
  EXPECT_EQ(count, 13u);
  // Nothing of the runtime that is inside.
  EXPECT_FALSE(dlsym(RTLD_DEFAULT, "_ZN5nnhal2rt12SharedMemoryD1Ev"));
}

} // namespace
