//===- HostileMemoryTest.cpp - Files that are not what they should be -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostileTesting.h"

#include <android/hardware_buffer.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace nnhal;
using namespace nnhal::test;

namespace {

/// A descriptor of every kind that there is, drawn by \p number; -1 and numbers
/// that are not open too. The caller closes it.
int anyDescriptor(uint32_t number) {
  switch (number % 10) {
  case 0:
    return -1;
  case 1:
    return 9999;
  case 2:
    return eventfd(number & 1, EFD_CLOEXEC);
  case 3:
    return open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  case 4:
    return open("/dev/null", O_RDWR | O_CLOEXEC);
  case 5:
    return open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  case 6:
    return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  case 7:
    return open("/dev/zero", O_WRONLY | O_CLOEXEC);
  case 8: {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0)
      close(ends[1]);
    return ends[0];
  }
  default: {
    int file = memfd_create("hostile", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(file, 4096), 0);
    return file;
  }
  }
}

void closeIfOpen(int descriptor) {
  if (descriptor >= 0 && descriptor != 9999)
    close(descriptor);
}

/// Lets an eventfd be readable; other descriptors take the bytes or do not.
void letSignal(int descriptor) {
  const uint64_t one = 1;
  if (descriptor >= 0 &&
      send(descriptor, &one, sizeof(one), MSG_NOSIGNAL) < 0 &&
      errno == ENOTSOCK && write(descriptor, &one, sizeof(one)) < 0)
    EXPECT_NE(errno, 0);
}

/// One RELU on nnapi-reference with an execution.
struct Relu {
  Relu() : model(unaryModel(ANEURALNETWORKS_RELU)) {
    compilation = compile(model.get());
  }
  NdkExecution execution() const {
    ANeuralNetworksExecution *made = nullptr;
    expectCode(ANeuralNetworksExecution_create(compilation.get(), &made));
    return NdkExecution(made);
  }
  NdkModel model;
  NdkCompilation compilation;
};

// J-029, J-113: memories of descriptors that are no memory.
TEST(HostileMemoryTest, AnyDescriptor) {
  Relu relu;
  ASSERT_TRUE(relu.compilation);
  constexpr std::array<size_t, 7> numbers = {0,    1,        16,      4096,
                                             4097, 1u << 31, SIZE_MAX};
  uint64_t made = 0;
  repeat(2000, [&](uint64_t round) {
    std::mt19937 random{uint32_t(round)};
    int descriptor = anyDescriptor(random());
    ANeuralNetworksMemory *memory = nullptr;
    auto number = [&] { return numbers[random() % numbers.size()]; };
    expectCode(ANeuralNetworksMemory_createFromFd(
        number(), int(random() % 9), descriptor, number(), &memory));
    NdkMemory owned(memory);
    // The library has a descriptor of its own.
    closeIfOpen(descriptor);
    if (!memory)
      return;
    ++made;
    NdkExecution execution = relu.execution();
    std::array<float, 4> other = {};
    bool isInput = random() % 2;
    expectCode((isInput ? ANeuralNetworksExecution_setInputFromMemory
                        : ANeuralNetworksExecution_setOutputFromMemory)(
        execution.get(), 0, nullptr, memory, number(), number()));
    expectCode((isInput ? ANeuralNetworksExecution_setInputFromMemory
                        : ANeuralNetworksExecution_setOutputFromMemory)(
        execution.get(), 0, nullptr, memory, 0, 16));
    if (isInput)
      expectCode(ANeuralNetworksExecution_setOutput(
          execution.get(), 0, nullptr, other.data(), sizeof(other)));
    else
      expectCode(ANeuralNetworksExecution_setInput(
          execution.get(), 0, nullptr, other.data(), sizeof(other)));
    expectCode(ANeuralNetworksExecution_compute(execution.get()));
  });
  EXPECT_GT(made, 10u);
}

// J-110: a file that becomes shorter while it is used is a failure and no
// signal (F-085).
TEST(HostileMemoryTest, FilesThatBecomeShorter) {
  Relu relu;
  ASSERT_TRUE(relu.compilation);
  int file = memfd_create("hostile", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 8192), 0);
  ANeuralNetworksMemory *memory = nullptr;
  ASSERT_EQ(ANeuralNetworksMemory_createFromFd(8192, PROT_READ | PROT_WRITE,
                                               file, 0, &memory),
            ANEURALNETWORKS_NO_ERROR);
  NdkMemory owned(memory);
  std::atomic<bool> isDone = false;
  std::jthread shortener([&] {
    while (!isDone) {
      EXPECT_EQ(ftruncate(file, 0), 0);
      EXPECT_EQ(ftruncate(file, 8192), 0);
    }
  });
  repeat(5000, [&](uint64_t) {
    NdkExecution execution = relu.execution();
    expectCode(ANeuralNetworksExecution_setInputFromMemory(
        execution.get(), 0, nullptr, memory, 4096, 16));
    expectCode(ANeuralNetworksExecution_setOutputFromMemory(
        execution.get(), 0, nullptr, memory, 8192 - 16, 16));
    expectCode(ANeuralNetworksExecution_compute(execution.get()));
  });
  isDone = true;
  shortener.join();
  EXPECT_EQ(ftruncate(file, 0), 0);
  NdkExecution execution = relu.execution();
  std::array<float, 4> out = {};
  expectCode(ANeuralNetworksExecution_setInputFromMemory(
      execution.get(), 0, nullptr, memory, 4096, 16));
  expectCode(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr,
                                                out.data(), sizeof(out)));
  EXPECT_NE(expectCode(ANeuralNetworksExecution_compute(execution.get())),
            ANEURALNETWORKS_NO_ERROR);
  close(file);
}

// J-016, J-113: buffers of libnativewindow.so, used as inputs and outputs with
// any range.
TEST(HostileMemoryTest, HardwareBuffers) {
  Relu relu;
  ASSERT_TRUE(relu.compilation);
  uint64_t computed = 0;
  repeat(300, [&](uint64_t round) {
    std::mt19937 random{uint32_t(round)};
    AHardwareBuffer_Desc desc = {};
    desc.width = 1 + uint32_t(random() % 64);
    desc.height = desc.layers = 1;
    desc.format = AHARDWAREBUFFER_FORMAT_BLOB;
    desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
                 AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
    AHardwareBuffer *buffer = nullptr;
    ASSERT_EQ(AHardwareBuffer_allocate(&desc, &buffer), 0);
    ANeuralNetworksMemory *memory = nullptr;
    expectCode(
        ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory));
    NdkMemory owned(memory);
    // The memory keeps the bytes.
    AHardwareBuffer_release(buffer);
    ASSERT_TRUE(memory);
    NdkExecution execution = relu.execution();
    size_t offset = random() % 80, length = random() % 2 ? 16 : random() % 80;
    expectCode(ANeuralNetworksExecution_setInputFromMemory(
        execution.get(), 0, nullptr, memory, offset, length));
    std::array<float, 4> out = {};
    expectCode(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr,
                                                  out.data(), sizeof(out)));
    computed += expectCode(ANeuralNetworksExecution_compute(execution.get())) ==
                ANEURALNETWORKS_NO_ERROR;
  });
  EXPECT_GT(computed, 5u);
  ANeuralNetworksMemory *memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, &memory),
            ANEURALNETWORKS_UNEXPECTED_NULL);
}

// J-113: events of descriptors that nobody signals, or that fail.
TEST(HostileMemoryTest, EventsOfAnyDescriptor) {
  Relu relu;
  ASSERT_TRUE(relu.compilation);
  repeat(500, [&](uint64_t round) {
    std::mt19937 random{uint32_t(round)};
    int descriptor = anyDescriptor(random());
    ANeuralNetworksEvent *event = nullptr;
    expectCode(ANeuralNetworksEvent_createFromSyncFenceFd(descriptor, &event));
    NdkEvent fence(event);
    int again = 0;
    if (expectCode(ANeuralNetworksEvent_getSyncFenceFd(event, &again)) ==
        ANEURALNETWORKS_NO_ERROR)
      close(again);
    NdkExecution execution = relu.execution();
    std::array<float, 4> in = {}, out = {};
    expectCode(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr,
                                                 in.data(), sizeof(in)));
    expectCode(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr,
                                                  out.data(), sizeof(out)));
    // A wait for one that never signals ends with the time that it is given.
    const ANeuralNetworksEvent *dependencies[] = {event, event};
    ANeuralNetworksEvent *end = nullptr;
    expectCode(ANeuralNetworksExecution_setTimeout(execution.get(), 2'000'000));
    expectCode(ANeuralNetworksExecution_startComputeWithDependencies(
        execution.get(), dependencies, uint32_t(random() % 3), 1'000'000,
        &end));
    NdkEvent ended(end);
    if (end)
      expectCode(ANeuralNetworksEvent_wait(end));
    // Who frees an event waits for it: it signals, or hangs up, at last.
    letSignal(descriptor);
    closeIfOpen(descriptor);
  });
}

/// A folder that is removed with everything in it.
struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / "nnhal-XXXXXX") {
    EXPECT_TRUE(mkdtemp(path.data()));
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string path;
};

/// nnhal-cpu, which caches, where it can compile \p model; otherwise
/// nnapi-reference.
const ANeuralNetworksDevice *cachingDevice(ANeuralNetworksModel *model) {
  const ANeuralNetworksDevice *device = findDevice("nnhal-cpu");
  ANeuralNetworksCompilation *made = nullptr;
  if (!device || expectCode(ANeuralNetworksCompilation_createForDevices(
                     model, &device, 1, &made)) != ANEURALNETWORKS_NO_ERROR)
    return referenceDevice();
  NdkCompilation compilation(made);
  return expectCode(ANeuralNetworksCompilation_finish(made)) ==
                 ANEURALNETWORKS_NO_ERROR
             ? device
             : referenceDevice();
}

// J-110, E-058: whatever is in the folder of a cache, the model computes what
// it should.
TEST(HostileMemoryTest, DamagedCaches) {
  Folder folder;
  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
  const ANeuralNetworksDevice *device = cachingDevice(model.get());
  repeat(30, [&](uint64_t round) {
    std::mt19937 random{uint32_t(round)};
    ANeuralNetworksCompilation *made = nullptr;
    ASSERT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), &device,
                                                          1, &made),
              ANEURALNETWORKS_NO_ERROR);
    NdkCompilation compilation(made);
    std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> token = {};
    token[0] = uint8_t(random() % 4);
    const std::string paths[] = {
        folder.path, "", "/sys", "/proc", folder.path + "/none", "/dev/null"};
    expectCode(ANeuralNetworksCompilation_setCaching(
        made, paths[random() % std::size(paths)].c_str(),
        random() % 16 ? token.data() : nullptr));
    ASSERT_EQ(ANeuralNetworksCompilation_finish(made),
              ANEURALNETWORKS_NO_ERROR);
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(folder.path)) {
      if (!entry.is_regular_file() || random() % 2)
        continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out);
      file.seekp(std::streamoff(random() % 512));
      file.put(char(random()));
    }
    ANeuralNetworksExecution *execution = nullptr;
    expectCode(ANeuralNetworksExecution_create(made, &execution));
    NdkExecution owned(execution);
    std::array<float, 4> in = {-1, 2, -3, 4}, out = {};
    expectCode(ANeuralNetworksExecution_setInput(execution, 0, nullptr,
                                                 in.data(), sizeof(in)));
    expectCode(ANeuralNetworksExecution_setOutput(execution, 0, nullptr,
                                                  out.data(), sizeof(out)));
    ASSERT_EQ(ANeuralNetworksExecution_compute(execution),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(out, (std::array<float, 4>{0, 2, 0, 4}));
  });
}

} // namespace
