//===- MemoryDomainTest.cpp - Devices that give no memory -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostileTesting.h"

#include <array>
#include <cstdlib>
#include <string>

using namespace nnhal::test;

namespace {

/// The library has the plug-in of the environment: CMakeLists.txt sets it.
class MemoryDomainTest : public ::testing::Test {
protected:
  /// A finished compilation of RELU: on the device of the plug-in, or where the
  /// library chooses.
  NdkCompilation compile(bool isListed) {
    const ANeuralNetworksDevice *device = findDevice("test-memory");
    EXPECT_NE(device, nullptr);
    ANeuralNetworksCompilation *made = nullptr;
    if (isListed)
      expectCode(ANeuralNetworksCompilation_createForDevices(
          model.get(), &device, 1, &made));
    else
      expectCode(ANeuralNetworksCompilation_create(model.get(), &made));
    EXPECT_EQ(ANeuralNetworksCompilation_finish(made),
              ANEURALNETWORKS_NO_ERROR);
    return NdkCompilation(made);
  }

  /// The code of createFromDesc() for the output of \p compilation.
  int createMemory(const NdkCompilation &compilation, NdkMemory &memory) {
    ANeuralNetworksMemoryDesc *made = nullptr;
    expectCode(ANeuralNetworksMemoryDesc_create(&made));
    NdkMemoryDesc desc(made);
    EXPECT_EQ(
        ANeuralNetworksMemoryDesc_addOutputRole(made, compilation.get(), 0, 1),
        ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(made), ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksMemory *created = nullptr;
    int code = ANeuralNetworksMemory_createFromDesc(made, &created);
    memory.reset(created);
    return code;
  }

  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
};

// F-070, F-073: a device that was asked for memory and gives none.
TEST_F(MemoryDomainTest, AListedDeviceThatGivesNoMemory) {
  NdkCompilation compilation = compile(/*isListed=*/true);
  NdkMemory memory;
  EXPECT_EQ(createMemory(compilation, memory), ANEURALNETWORKS_OP_FAILED);
  EXPECT_FALSE(memory);
}

// F-071: what is shared instead depends on the oldest device.
TEST_F(MemoryDomainTest, SharedMemoryIsABlobWhereAllDevicesKnowIt) {
  NdkCompilation compilation = compile(/*isListed=*/false);
  NdkMemory memory;
  ASSERT_EQ(createMemory(compilation, memory), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksExecution *made = nullptr;
  expectCode(ANeuralNetworksExecution_create(compilation.get(), &made));
  NdkExecution execution(made);
  std::array<float, 4> in = {-1, 2, -3, 4};
  expectCode(ANeuralNetworksExecution_setInput(made, 0, nullptr, in.data(),
                                               sizeof(in)));
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(made, 0, nullptr,
                                                         memory.get(), 0, 0),
            ANEURALNETWORKS_NO_ERROR);
  unsetenv("NNHAL_TEST_POOL_KIND");
  EXPECT_EQ(ANeuralNetworksExecution_compute(made), ANEURALNETWORKS_NO_ERROR);
  const char *kind = std::getenv("NNHAL_TEST_POOL_KIND");
  bool isOld = std::getenv("NNHAL_TEST_HAL") != nullptr;
  EXPECT_EQ(std::string(kind ? kind : "none"),
            isOld ? "ashmem" : "hardware_buffer_blob");
}

} // namespace
