//===- DmaBufTest.cpp - Pools that are dma-bufs ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeKernel.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <linux/dma-buf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::rt;
using nnhal::rt::testing::FakeKernel;

namespace {

using PoolRef = std::shared_ptr<SharedMemory>;
using Flags = std::vector<uint64_t>;
constexpr int readWrite = PROT_READ | PROT_WRITE;
constexpr uint64_t startRead = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ;
constexpr uint64_t endRead = DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ;
constexpr uint64_t startWrite = DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE;
constexpr uint64_t endWrite = DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE;

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string textOf(const SharedMemory &pool, uint64_t offset, size_t size) {
  std::string text(size, '?');
  Status status = pool.read(offset, std::as_writable_bytes(std::span(text)));
  return status.isOk() ? text : status.message();
}

std::string textOf(const std::vector<float> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(float));
}

/// The parameter says which allocator there is.
class DmaBufTest : public ::testing::TestWithParam<SharedMemory::Origin> {
protected:
  PoolRef create(uint64_t size) {
    bool hasUdmabuf = GetParam() == SharedMemory::Origin::udmabuf;
    auto pool = SharedMemory::createBlob(
        size, {"/nowhere", hasUdmabuf ? kernel.udmabuf() : "/nowhere",
               kernel.dmaHeap()});
    EXPECT_TRUE(pool.isOk()) << pool.status().message();
    return *pool;
  }
  Flags takeSyncs() { return std::exchange(kernel.syncs, {}); }

  FakeKernel kernel;
};
INSTANTIATE_TEST_SUITE_P(All, DmaBufTest,
                         ::testing::Values(SharedMemory::Origin::udmabuf,
                                           SharedMemory::Origin::dmaHeap),
                         [](const auto &info) {
                           return info.param == SharedMemory::Origin::udmabuf
                                      ? "udmabuf"
                                      : "dmaHeap";
                         });

// F-003, F-084: a blob is a dma-buf that the processor can map.
TEST_P(DmaBufTest, blobsAreDmaBufs) {
  PoolRef pool = create(5000);
  EXPECT_EQ(pool->kind(), PoolKind::hardwareBufferBlob);
  EXPECT_EQ(pool->origin(), GetParam());
  EXPECT_EQ(pool->size(), 5000u);
  EXPECT_TRUE(pool->isDmaBuf());
  EXPECT_TRUE(pool->isStable());
  EXPECT_FALSE(pool->isImmutable());
  EXPECT_EQ(pool->check().message(), "");
  // Whole pages where the device wants them, what was asked for elsewhere.
  if (GetParam() == SharedMemory::Origin::udmabuf)
    EXPECT_EQ(kernel.udmabufSizes, Flags{8192});
  else
    EXPECT_EQ(kernel.dmaHeapSizes, Flags{5000});
  auto bytes = pool->mapForWriting();
  ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
  EXPECT_EQ(bytes->size(), 5000u);
  EXPECT_EQ(takeSyncs(), Flags()); // Nothing was touched.
}

// F-003, F-084: so is what others allocated.
TEST_P(DmaBufTest, areAdopted) {
  PoolRef made = create(8192);
  for (PoolKind kind : {PoolKind::hardwareBufferBlob, PoolKind::mmapFd}) {
    auto adopted = SharedMemory::adopt(kind, *duplicate(made->fd()), 8192,
                                       PROT_READ | PROT_WRITE);
    ASSERT_TRUE(adopted.isOk()) << adopted.status().message();
    EXPECT_TRUE((*adopted)->isDmaBuf());
    EXPECT_TRUE((*adopted)->isStable());
    ASSERT_EQ(made->write(8190, bytesOf("ab")).message(), "");
    EXPECT_EQ(textOf(**adopted, 8190, 2), "ab");
  }
  EXPECT_EQ(SharedMemory::adopt(PoolKind::hardwareBufferBlob,
                                *duplicate(made->fd()), 8193, readWrite)
                .status()
                .message(),
            "memory at offset 0 of size 8193 exceeds its file of 8192 bytes");
}

// F-084: of an opaque dma-buf nothing is mapped, read or synchronized.
TEST_P(DmaBufTest, opaqueBuffersAreNotTouched) {
  auto opaque = SharedMemory::adopt(PoolKind::hardwareBuffer,
                                    *duplicate(create(16)->fd()), 0, readWrite);
  ASSERT_TRUE(opaque.isOk()) << opaque.status().message();
  const char *message = "memory of kind hardware_buffer is opaque: it is not "
                        "mapped, read or written";
  EXPECT_EQ((*opaque)->mapForReading().status().message(), message);
  EXPECT_EQ((*opaque)->write(0, bytesOf("x")).message(), message);
  EXPECT_EQ(textOf(**opaque, 0, 1), message);
  EXPECT_EQ(takeSyncs(), Flags());
}

// F-086: copies see what a device wrote, and a device sees what they wrote.
TEST_P(DmaBufTest, copiesAreBracketed) {
  PoolRef pool = create(100);
  kernel.writeOnDevice(pool->fd(), 10, "from the device");
  EXPECT_EQ(textOf(*pool, 10, 15), "from the device");
  EXPECT_EQ(takeSyncs(), (Flags{startRead, endRead}));
  ASSERT_EQ(pool->write(50, bytesOf("from the host")).message(), "");
  EXPECT_EQ(takeSyncs(), (Flags{startWrite, endWrite}));
  EXPECT_EQ(kernel.deviceText(pool->fd(), 50, 13), "from the host");
  EXPECT_EQ(textOf(*pool, 10, 15), "from the device");
  takeSyncs();
  EXPECT_EQ(textOf(*pool, 100, 0), "");
  EXPECT_EQ(pool->write(0, {}).message(), "");
  EXPECT_EQ(takeSyncs(), Flags()); // Nothing to copy, nothing to say.
}

// F-086: constants and inputs are copied inside the bracket, as nobody would
// begin and end the reads of mapped bytes.
TEST_P(DmaBufTest, regionsAreCopied) {
  PoolRef pool = create(100);
  kernel.writeOnDevice(pool->fd(), 40, "constants");
  auto memory = Memory::region(pool, 40, 9).materialize();
  ASSERT_TRUE(memory.isOk()) << memory.status().message();
  EXPECT_TRUE(std::holds_alternative<Memory::Copied>(memory->kind()));
  EXPECT_EQ(std::memcmp(memory->bytes()->data(), "constants", 9), 0);
  EXPECT_EQ(takeSyncs(), (Flags{startRead, endRead}));
}

// F-086: each access begins and ends once, with its mode.
TEST_P(DmaBufTest, accessesAreBracketed) {
  using Mode = SharedMemory::Access::Mode;
  PoolRef pool = create(8);
  auto bytes = *pool->mapForWriting();
  const std::pair<Mode, uint64_t> modes[] = {
      {Mode::read, DMA_BUF_SYNC_READ},
      {Mode::write, DMA_BUF_SYNC_WRITE},
      {Mode::readWrite, DMA_BUF_SYNC_RW}};
  for (auto [mode, flags] : modes) {
    auto access = SharedMemory::Access::begin(pool, mode);
    ASSERT_TRUE(access.isOk()) << access.status().message();
    EXPECT_EQ(takeSyncs(), Flags{DMA_BUF_SYNC_START | flags});
    SharedMemory::Access moved = *std::move(access);
    EXPECT_EQ(moved.end().message(), "");
    EXPECT_EQ(takeSyncs(), Flags{DMA_BUF_SYNC_END | flags});
    EXPECT_EQ(moved.end().message(), "");
    EXPECT_EQ(takeSyncs(), Flags());
    {
      auto dropped = SharedMemory::Access::begin(pool, mode);
    }
    EXPECT_EQ(takeSyncs(),
              (Flags{DMA_BUF_SYNC_START | flags, DMA_BUF_SYNC_END | flags}));
  }
  kernel.writeOnDevice(pool->fd(), 0, "device");
  auto access = SharedMemory::Access::begin(pool, Mode::readWrite);
  EXPECT_EQ(bytes[0], std::byte('d'));
  bytes[0] = std::byte('D');
  EXPECT_EQ(kernel.deviceText(pool->fd(), 0, 6), "device");
  EXPECT_EQ(access->end().message(), "");
  EXPECT_EQ(kernel.deviceText(pool->fd(), 0, 6), "Device");
}

// F-086: the kernel asks to be asked again, or refuses.
TEST_P(DmaBufTest, failuresAreReported) {
  PoolRef pool = create(8);
  kernel.syncErrors = {EINTR, EAGAIN};
  ASSERT_EQ(pool->write(0, bytesOf("again")).message(), "");
  EXPECT_EQ(takeSyncs(), (Flags{startWrite, endWrite}));
  const char *message = "cannot synchronize a dma-buf: Input/output error";
  kernel.syncErrors = {EIO};
  EXPECT_EQ(textOf(*pool, 0, 5), message);
  kernel.syncErrors = {EIO};
  Status status = pool->write(0, bytesOf("x"));
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), message);
  kernel.syncErrors = {EIO};
  EXPECT_EQ(SharedMemory::Access::begin(pool, SharedMemory::Access::Mode::read)
                .status()
                .message(),
            message);
}

// An allocator without memory is passed over.
TEST(DmaBufAllocatorTest, theNextOneIsAsked) {
  FakeKernel kernel;
  AllocatorPaths paths = {"/nowhere", kernel.udmabuf(), kernel.dmaHeap()};
  auto originOf = [&] {
    return std::string(
        toString((*SharedMemory::createBlob(1, paths))->origin()));
  };
  EXPECT_EQ(originOf(), "udmabuf");
  kernel.udmabufError = ENOMEM;
  EXPECT_EQ(originOf(), "dma-heap");
  kernel.dmaHeapError = ENOMEM;
  EXPECT_EQ(originOf(), "memfd");
}

/// sum = a + b, four floats each.
AnnotatedModel addModel(const Memory &constant = {}) {
  AnnotatedModel annotated;
  Subgraph &main = annotated.model.main;
  main.operands.resize(4);
  for (Operand &operand : main.operands) {
    operand.type = OperandType::TENSOR_FLOAT32;
    operand.dimensions = {4};
  }
  main.operands[0].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  main.operands[1].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  main.operands[2].type = OperandType::INT32;
  main.operands[2].dimensions.clear();
  main.operands[2].lifetime = OperandLifeTime::CONSTANT_COPY;
  main.operands[2].location = {0, 0, 4};
  annotated.model.operandValues.resize(4);
  main.operands[3].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  main.operations = {{OperationType::ADD, {0, 1, 2}, {3}}};
  main.inputIndexes = {0, 1};
  main.outputIndexes = {3};
  if (!constant.isNone()) {
    Pool &pool = annotated.model.pools.emplace_back();
    pool.name = "hardware_buffer_blob";
    pool.memory = constant;
    main.operands[1].lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    main.operands[1].location = {0, 0, 16};
    main.inputIndexes = {0};
  }
  computeConsumers(main);
  return annotated;
}

// F-003, F-086: an execution reads what another device wrote to its inputs,
// and the other device reads its outputs.
TEST_P(DmaBufTest, holdsArguments) {
  auto prepared = createReferenceDevice()->prepareModel(addModel());
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  PoolRef inputs = create(32), output = create(16);
  kernel.writeOnDevice(inputs->fd(), 0, textOf({1, 2, 3, 4, 10, 20, 30, 40}));
  Request request;
  request.inputs = {{Memory::region(inputs, 0, 16), {}},
                    {Memory::region(inputs, 16, 16), {}}};
  request.outputs = {{OutputMemory::region(output, 0, 16), {}}};
  ExecutionResult result;
  EXPECT_EQ((*prepared)->execute(request, result).message(), "");
  EXPECT_EQ(kernel.deviceText(output->fd(), 0, 16), textOf({11, 22, 33, 44}));
  EXPECT_EQ(result.copiedBytes, 0u);
  Flags starts, ends;
  for (uint64_t flags : takeSyncs())
    (flags & DMA_BUF_SYNC_END ? ends : starts).push_back(flags);
  EXPECT_EQ(starts, (Flags{startRead, startRead, startWrite}));
  EXPECT_EQ(ends, (Flags{endRead, endRead, endWrite}));
  // An access that cannot begin is a failure, and the ones before have ended.
  kernel.syncErrors = {0, EIO};
  Status status = (*prepared)->execute(request, result);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "cannot synchronize a dma-buf: Input/output "
                              "error");
  EXPECT_EQ(takeSyncs(), (Flags{startRead, endRead}));
}

// F-003, F-021: constants in a blob.
TEST_P(DmaBufTest, holdsConstants) {
  PoolRef pool = create(16);
  kernel.writeOnDevice(pool->fd(), 0, textOf({10, 20, 30, 40}));
  auto prepared = createReferenceDevice()->prepareModel(
      addModel(Memory::region(pool, 0, 16)));
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  std::vector<float> input = {1, 2, 3, 4}, output(4);
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(input))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}}};
  ExecutionResult result;
  EXPECT_EQ((*prepared)->execute(request, result).message(), "");
  EXPECT_EQ(output, (std::vector<float>{11, 22, 33, 44}));
}

} // namespace
