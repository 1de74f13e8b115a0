//===- ZeroSizedTest.cpp - Constants without elements ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroSized.h"

#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <set>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperationType;

namespace {

const rt::Device &reference() {
  static const std::unique_ptr<rt::Device> device = rt::createReferenceDevice();
  return *device;
}

/// The operations that take tensors without elements; the rules of all others
/// refuse them. docs/Spec says so for each of them.
const std::set<OperationType> &acceptingOperations() {
  using enum OperationType;
  static const std::set<OperationType> operations = {
      ADD,
      AVERAGE_POOL_2D,
      CONCATENATION,
      CONV_2D,
      DEPTHWISE_CONV_2D,
      DEQUANTIZE,
      FULLY_CONNECTED,
      L2_POOL_2D,
      LOGISTIC,
      MAX_POOL_2D,
      MUL,
      RELU,
      RELU1,
      RELU6,
      RESIZE_BILINEAR,
      SOFTMAX,
      TANH,
      DIV,
      SUB,
      TRANSPOSE,
      AXIS_ALIGNED_BBOX_TRANSFORM,
      BOX_WITH_NMS_LIMIT,
      QUANTIZE,
      ROI_ALIGN,
      SLICE,
      TRANSPOSE_CONV_2D,
      RESIZE_NEAREST_NEIGHBOR,
      ELU,
      HARD_SWISH,
      RANK};
  return operations;
}

// Constants of a model state their extents, so that one of 0 is known and not
// one that an execution finds.
TEST(ZeroSizedTest, IsRefusedOrExecuted) {
  std::set<OperationType> executed;
  size_t count = 0;
  rt::Status status = forEachZeroing(
      reference(), /*seeds=*/2,
      [&](const ConstantOperation &operation, std::span<const Extent> zeros) {
        SCOPED_TRACE(describe(operation, zeros));
        auto outputs = executeWithZeros(reference(), operation, zeros);
        if (outputs.isOk())
          executed.insert(operation.type);
        else
          EXPECT_FALSE(outputs.status().message().empty());
        ++count;
      });
  EXPECT_EQ(status.message(), "");
  EXPECT_GT(count, 5000u);
  EXPECT_EQ(executed, acceptingOperations());
}

// Beside an extent of 0 the others have no bounded product.
TEST(ZeroSizedTest, OtherExtentsMayBeLarge) {
  size_t executed = 0;
  rt::Status status = forEachZeroing(
      reference(), /*seeds=*/1,
      [&](const ConstantOperation &operation, std::span<const Extent> zeros) {
        ConstantOperation large = operation;
        for (const Extent &zero : zeros)
          for (uint32_t &extent : large.values[zero.input].dimensions)
            if (extent == 1)
              extent = UINT32_MAX;
        SCOPED_TRACE(describe(large, zeros));
        executed += executeWithZeros(reference(), large, zeros).isOk();
      });
  EXPECT_EQ(status.message(), "");
  EXPECT_GT(executed, 50u);
}

} // namespace
