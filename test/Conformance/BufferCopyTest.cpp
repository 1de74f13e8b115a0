//===- BufferCopyTest.cpp - Copies between buffers and pools --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include <fmt/format.h>

#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

/// addModel() with one more input, number 2, that no operation reads: whatever
/// its type, a device that can add can execute it.
AnnotatedModel modelWithInput(OperandType type, const Dimensions &dimensions) {
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  uint32_t lhs = main.input(OperandType::TENSOR_FLOAT32, {2});
  uint32_t rhs = main.input(OperandType::TENSOR_FLOAT32, {2});
  uint32_t none = main.scalar(0);
  uint32_t sum = main.output(OperandType::TENSOR_FLOAT32, {2});
  uint32_t unused = main.input(type, dimensions);
  Operand &operand = main.operand(unused);
  if (type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
    operand.extraParams = SymmPerChannelQuantParams{{0.5f, 0.25f}, 0};
  else if (isQuantized(type))
    operand.scale = 0.5f;
  main.operation(OperationType::ADD, {lhs, rhs, none}, {sum});
  annotated.model.main = main.finish();
  return annotated;
}

class BufferTypeTest : public ConformanceTest,
                       public testing::WithParamInterface<OperandType> {
protected:
  Dimensions shape() const {
    return isScalar(GetParam()) ? Dimensions() : Dimensions{2, 3};
  }
  size_t size() const {
    return lookUp(GetParam())->elementSize * (isScalar(GetParam()) ? 1 : 6);
  }
};
INSTANTIATE_TEST_SUITE_P(
    All, BufferTypeTest,
    testing::Values(OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16,
                    OperandType::TENSOR_QUANT8_ASYMM,
                    OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
                    OperandType::TENSOR_QUANT8_SYMM,
                    OperandType::TENSOR_QUANT16_ASYMM,
                    OperandType::TENSOR_QUANT16_SYMM,
                    OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL,
                    OperandType::TENSOR_INT32, OperandType::TENSOR_BOOL8,
                    OperandType::FLOAT32, OperandType::FLOAT16,
                    OperandType::INT32, OperandType::UINT32, OperandType::BOOL),
    [](const auto &info) { return nameOf(info.param); });

// F-042, F-043, F-050, F-054, F-057, F-061, L-034.
TEST_P(BufferTypeTest, copiesItsBytes) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, modelWithInput(GetParam(), shape()));
  NNHAL_ALLOCATE(buffer, *device, prepared, {2}, {});
  std::vector<std::byte> bytes(size());
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = std::byte(i + 1);
  for (PoolSource source : allPoolSources) {
    SharedPool from = createPool(source, size()),
               to = createPool(source, size());
    ASSERT_TRUE(from.isValid() && to.isValid());
    ASSERT_EQ(from.pool->write(0, bytes).message(), "");
    EXPECT_EQ(buffer->copyFrom(*from.pool, {}).message(), "");
    EXPECT_EQ(buffer->copyFrom(*from.pool, shape()).message(), "");
    EXPECT_EQ(buffer->copyTo(*to.pool).message(), "");
    std::vector<std::byte> copied(size());
    ASSERT_EQ(to.pool->read(0, copied).message(), "");
    EXPECT_EQ(copied, bytes) << toString(source);
  }
  SharedPool large = createPool(PoolSource::ashmem, size() + 1);
  ASSERT_TRUE(large.isValid());
  EXPECT_EQ(buffer->copyTo(*large.pool).message(),
            fmt::format("the target has {} bytes, the buffer {}", size() + 1,
                        size()));
  EXPECT_EQ(buffer->copyFrom(*large.pool, {}).message(),
            fmt::format("the source has {} bytes, the shape [{}] needs {}",
                        size() + 1, fmt::join(shape(), ","), size()));
  if (!isScalar(GetParam()))
    return;
  SharedPool exact = createPool(PoolSource::ashmem, size());
  ASSERT_TRUE(exact.isValid());
  const uint32_t one[] = {1};
  Status shaped = buffer->copyFrom(*exact.pool, one);
  EXPECT_EQ(shaped.code(), StatusCode::invalidArgument);
  EXPECT_EQ(shaped.message(),
            "the buffer holds a scalar, the source has the shape [1]");
}

using BufferCopyTest = ConformanceTest;

/// What a copy from \p pool reports, and that it leaves nothing (F-053, F-058).
void expectNotCopied(Buffer &buffer, const SharedMemory &pool,
                     const Dimensions &dimensions, StatusCode code,
                     std::string_view message) {
  ASSERT_EQ(copyFloatsTo(buffer, {1, 2, 3, 4}, {2, 2}).message(), "");
  Status copied = buffer.copyFrom(pool, dimensions);
  EXPECT_EQ(copied.code(), code);
  EXPECT_EQ(copied.message(), message);
  Status read = readabilityOf(buffer, 4);
  EXPECT_EQ(read.code(), StatusCode::generalFailure);
  EXPECT_EQ(read.message(), "the buffer is uninitialized");
}

// F-052 to F-055, F-058.
TEST_F(BufferCopyTest, checksWhatItReads) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {});
  constexpr StatusCode invalid = StatusCode::invalidArgument;
  auto exact = poolOf({1, 2, 3, 4}), large = poolOf({1, 2, 3, 4, 5});
  expectNotCopied(*buffer, *large, {}, invalid,
                  "the source has 20 bytes, the shape [2,2] needs 16");
  expectNotCopied(*buffer, *large, {2, 2}, invalid,
                  "the source has 20 bytes, the shape [2,2] needs 16");
  expectNotCopied(*buffer, *exact, {4}, invalid,
                  "the shape [4] of the source contradicts the buffer's [2,2]");
  expectNotCopied(
      *buffer, *exact, {4, 1}, invalid,
      "the shape [4,1] of the source contradicts the buffer's [2,2]");
  expectNotCopied(*buffer, *exact, {2, 0}, invalid,
                  "the shape [2,0] of the source has unknown extents");
}

// F-055, F-056, F-061.
TEST_F(BufferCopyTest, takesTheShapeOfWhatItReads) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({0, 2}));
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {});
  constexpr StatusCode invalid = StatusCode::invalidArgument;
  auto exact = poolOf({1, 2, 3, 4});
  expectNotCopied(*buffer, *exact, {}, invalid,
                  "the buffer's shape [0,2] has unknown extents that the "
                  "source does not state");
  expectNotCopied(*buffer, *exact, {0, 2}, invalid,
                  "the shape [0,2] of the source has unknown extents");
  expectNotCopied(*buffer, *exact, {4, 1}, invalid,
                  "the shape [4,1] of the source contradicts the buffer's "
                  "[0,2]");
  expectNotCopied(*buffer, *exact, {3, 2}, invalid,
                  "the source has 16 bytes, the shape [3,2] needs 24");
  expectNotCopied(*buffer, *exact, {UINT32_MAX, 2}, invalid,
                  "a source of shape [4294967295,2] exceeds 4294967295 bytes");
  for (uint32_t rows : {1u, 5u, 2u, 300u}) {
    std::vector<float> values(size_t(rows) * 2);
    std::iota(values.begin(), values.end(), 1.0f);
    EXPECT_EQ(copyFloatsTo(*buffer, values, {rows, 2}).message(), "");
    EXPECT_EQ(floatsOf(*buffer, values.size()), values);
    Status small = readabilityOf(*buffer, values.size() + 1);
    EXPECT_EQ(small.code(), invalid);
    EXPECT_EQ(small.message(),
              fmt::format("the target has {} bytes, the buffer {}",
                          values.size() * 4 + 4, values.size() * 4));
  }
}

// F-050, F-052: the size goes first, where there is one.
TEST_F(BufferCopyTest, doesNotReadWhatWasNotWritten) {
  NNHAL_PREPARE_OR_SKIP(fixed, *device, addModel());
  NNHAL_ALLOCATE(buffer, *device, fixed, {0}, {0});
  Status read = readabilityOf(*buffer, 4);
  EXPECT_EQ(read.code(), StatusCode::generalFailure);
  EXPECT_EQ(read.message(), "the buffer is uninitialized");
  read = readabilityOf(*buffer, 3);
  EXPECT_EQ(read.code(), StatusCode::invalidArgument);
  EXPECT_EQ(read.message(), "the target has 12 bytes, the buffer 16");
  NNHAL_PREPARE_OR_SKIP(flexible, *device, addModel({0, 2}));
  NNHAL_ALLOCATE(open, *device, flexible, {0}, {});
  read = readabilityOf(*open, 4);
  EXPECT_EQ(read.code(), StatusCode::generalFailure);
  EXPECT_EQ(read.message(), "the buffer is uninitialized");
}

// F-050: nothing is lost by a copy that fails, nor by one that succeeds.
TEST_F(BufferCopyTest, keepsWhatIsRead) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {});
  ASSERT_EQ(copyFloatsTo(*buffer, {1, 2, 3, 4}).message(), "");
  EXPECT_EQ(readabilityOf(*buffer, 5).message(),
            "the target has 20 bytes, the buffer 16");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(floatsOf(*buffer, 4), (std::vector<float>{1, 2, 3, 4}));
}

// F-051, F-052, F-060, F-085: what cannot be reached, before anything else.
TEST_F(BufferCopyTest, needsReachablePools) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {});
  constexpr StatusCode failed = StatusCode::generalFailure;
  auto expectUnreachable = [&](const SharedMemory &pool,
                               std::string_view message) {
    expectNotCopied(*buffer, pool, {}, failed, message);
    Status written = buffer->copyTo(pool);
    EXPECT_EQ(written.code(), failed);
    EXPECT_EQ(written.message(), message);
  };
  for (uint64_t size : {16, 17}) {
    expectUnreachable(*createOpaquePool(size),
                      "memory of kind hardware_buffer cannot be read or "
                      "written by a copy");
    // Nothing can be sent of such a memory.
    if (!device->traits().isRemote)
      expectUnreachable(*SharedMemory::adoptUnchecked(PoolKind::ashmem,
                                                      UniqueFd(), size,
                                                      PROT_READ | PROT_WRITE),
                        "the descriptor of a memory is not open");
    for (PoolSource source : {PoolSource::unsealed, PoolSource::file}) {
      SharedPool shared = createPool(source, size);
      ASSERT_TRUE(shared.isValid());
      ASSERT_EQ(::ftruncate(shared.peer.get(), 5), 0);
      expectUnreachable(*shared.pool,
                        fmt::format("memory at offset 0 of size {} exceeds its "
                                    "file of 5 bytes",
                                    size));
    }
  }
}

// F-002, F-051.
TEST_F(BufferCopyTest, respectsProtection) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {});
  for (PoolSource source : allPoolSources) {
    SharedPool shared = createPool(source, 16);
    ASSERT_TRUE(shared.isValid());
    expectNotCopied(*buffer, *reopened(shared, PROT_WRITE), {},
                    StatusCode::generalFailure,
                    "the source cannot be read: memory of protection 2 cannot "
                    "be read");
    ASSERT_EQ(copyFloatsTo(*buffer, {1, 2, 3, 4}).message(), "");
    Status written = buffer->copyTo(*reopened(shared, PROT_READ));
    EXPECT_EQ(written.code(), StatusCode::generalFailure);
    EXPECT_EQ(written.message(), "the target cannot be written: memory of "
                                 "protection 1 cannot be written");
    EXPECT_EQ(readFloats(*shared.pool, 0, 4), std::vector<float>(4));
  }
}

} // namespace
