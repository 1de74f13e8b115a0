//===- EntryAbiTest.cpp - The layout that generated code relies on --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/EntryAbi.h"
#include "Runtime/CompilerClient/CompilerApi.h"

#include <gtest/gtest.h>

#include <cstddef>

extern "C" size_t nnhalSizeInC(int structure);

namespace {

// A change of any number below breaks every artifact that exists: fields are
// only ever appended.

TEST(EntryAbiTest, tensorArgument) {
  EXPECT_EQ(offsetof(NNHalTensorArgument, data), 0u);
  EXPECT_EQ(offsetof(NNHalTensorArgument, size), 8u);
  EXPECT_EQ(offsetof(NNHalTensorArgument, shape), 16u);
  EXPECT_EQ(offsetof(NNHalTensorArgument, rank), 24u);
  EXPECT_EQ(offsetof(NNHalTensorArgument, isPresent), 28u);
  EXPECT_EQ(offsetof(NNHalTensorArgument, isSufficient), 32u);
  EXPECT_EQ(offsetof(NNHalTensorArgument, reserved), 36u);
  EXPECT_EQ(sizeof(NNHalTensorArgument), 40u);
}

TEST(EntryAbiTest, executionContext) {
  EXPECT_EQ(offsetof(NNHalExecutionContext, structSize), 0u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, version), 4u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, inputs), 8u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, outputs), 16u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, inputCount), 24u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, outputCount), 28u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, arena), 32u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, arenaSize), 40u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, constants), 48u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, constantsSize), 56u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, parallelFor), 64u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, parallelForContext), 72u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, cancelFlag), 80u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, deadline), 88u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, loopTimeout), 96u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, traceHook), 104u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, traceContext), 112u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, routines), 120u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, allocate), 128u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, allocateContext), 136u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, clock), 144u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, clockContext), 152u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, failureReason), 160u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, failedOperation), 164u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, failureFound), 168u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, failureBound), 176u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, report), 184u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, reportContext), 192u);
  EXPECT_EQ(offsetof(NNHalExecutionContext, extensions), 200u);
  EXPECT_EQ(sizeof(NNHalExecutionContext), 208u);
}

TEST(EntryAbiTest, kernelTable) {
  EXPECT_EQ(offsetof(NNHalRoutineTable, structSize), 0u);
  EXPECT_EQ(offsetof(NNHalRoutineTable, count), 4u);
  EXPECT_EQ(offsetof(NNHalRoutineTable, routines), 8u);
  EXPECT_EQ(sizeof(NNHalRoutineTable), 16u);
}

TEST(EntryAbiTest, constants) {
  EXPECT_EQ(NNHAL_ENTRY_ABI_VERSION, 1);
  EXPECT_EQ(NNHAL_ENTRY_ALIGNMENT, 64);
}

TEST(EntryAbiTest, sameInC) {
  EXPECT_EQ(nnhalSizeInC(0), sizeof(NNHalTensorArgument));
  EXPECT_EQ(nnhalSizeInC(1), sizeof(NNHalExecutionContext));
  EXPECT_EQ(nnhalSizeInC(2), sizeof(NNHalRoutineTable));
  EXPECT_EQ(nnhalSizeInC(3), sizeof(NNHalModelView));
  EXPECT_EQ(nnhalSizeInC(4), sizeof(NNHalOperandView));
  EXPECT_EQ(nnhalSizeInC(5), sizeof(NNHalCompilerApi));
}

} // namespace
