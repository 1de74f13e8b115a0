//===- EngineTest.cpp - Which devices of Vulkan suit ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeVulkanTest.h"
#include "TestProgram.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using vulkan::Engine;

namespace {

/// Opens engines of a loader that answers as `fake` says.
class EngineTest : public FakeVulkanTest {
protected:
  std::string refusal() const {
    auto opened = Engine::open(NNHAL_FAKE_VULKAN);
    EXPECT_EQ(opened.status().code(), StatusCode::deviceUnavailable);
    return opened.status().message();
  }
};

TEST_F(EngineTest, OpensADeviceThatSuits) {
  auto opened = Engine::open(NNHAL_FAKE_VULKAN);
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  EXPECT_EQ((*opened)->description(), "fake (driver 0, Vulkan 1.3.0)");
  EXPECT_EQ((*opened)->limits().importAlignment, 0u);
  EXPECT_EQ((*opened)->limits().timestampPeriod, 0.0);
  EXPECT_FALSE((*opened)->features().int8);
  EXPECT_EQ((*opened)->deviceClass(), "words");
  auto memory =
      (*opened)->findMemory(1, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0);
  EXPECT_EQ(memory.status().message(),
            "none of 1 types of memory has the properties 0x2");
}

// Only kernels of "words" do without 16-bit storage.
TEST_F(EngineTest, DeviceClasses) {
  vulkan::Features features;
  features.storage16 = true;
  vulkan::Limits limits;
  limits.sharedBytes = 32768;
  limits.subgroups = 4;
  auto classOf = [&](bool isSoftware) {
    return vulkan::deviceClassOf(features, isSoftware, limits);
  };
  EXPECT_EQ(classOf(/*isSoftware=*/true), "words");
  features.float16 = true;
  EXPECT_EQ(classOf(/*isSoftware=*/true), "software");
  EXPECT_EQ(classOf(/*isSoftware=*/false), "discrete");
  features.halfMatrices = true;
  EXPECT_EQ(classOf(/*isSoftware=*/true), "software");
  EXPECT_EQ(classOf(/*isSoftware=*/false), "cooperative-halves");
}

TEST_F(EngineTest, SaysWhatIsMissing) {
  auto none = Engine::open("/nonexistent/libvulkan.so.1");
  EXPECT_EQ(none.status().code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(none.status().message().find("there is no Vulkan: "), 0u);
  EXPECT_EQ(Engine::open(NNHAL_GPU_LIBRARY).status().message(),
            std::string("'") + NNHAL_GPU_LIBRARY +
                "' is no loader of Vulkan: it does not export "
                "vkGetInstanceProcAddr");
  fake->missing = "CreateInstance";
  EXPECT_EQ(refusal(), "the loader of Vulkan lacks vkCreateInstance");
  fake->missing = "CreateDevice";
  EXPECT_EQ(refusal(), "the instance of Vulkan lacks vkCreateDevice");
}

TEST_F(EngineTest, RefusesInstances) {
  fake->loaderVersion = VK_API_VERSION_1_2;
  EXPECT_EQ(refusal(),
            "the loader of Vulkan has version 1.2.0, 1.3.0 is needed");
  *fake = {};
  fake->createInstance = VK_ERROR_INCOMPATIBLE_DRIVER;
  EXPECT_EQ(refusal(), "there is no driver of Vulkan");
  fake->createInstance = VK_ERROR_INITIALIZATION_FAILED;
  EXPECT_EQ(refusal(), "vkCreateInstance returned VkResult -3");
  *fake = {};
  fake->enumerate = VK_ERROR_INITIALIZATION_FAILED;
  EXPECT_EQ(refusal(), "vkEnumeratePhysicalDevices returned VkResult -3");
}

TEST_F(EngineTest, RefusesDevices) {
  fake->deviceCount = 0;
  EXPECT_EQ(refusal(), "Vulkan has no device");
  *fake = {};
  fake->deviceCount = 2;
  fake->deviceVersion = VK_API_VERSION_1_1;
  EXPECT_EQ(refusal(),
            "no device of Vulkan suits: 'fake': it has version 1.1.0, 1.3.0 is "
            "needed; 'fake': it has version 1.1.0, 1.3.0 is needed");
  *fake = {};
  fake->bufferAlignment = 256;
  EXPECT_EQ(refusal(),
            "no device of Vulkan suits: 'fake': offsets of its buffers are "
            "multiples of 256, more than 64");
  *fake = {};
  fake->queueFlags = VK_QUEUE_TRANSFER_BIT;
  EXPECT_EQ(refusal(), "no device of Vulkan suits: 'fake': none of its 1 "
                       "families of queues computes");
  *fake = {};
  fake->createDevice = VK_ERROR_FEATURE_NOT_PRESENT;
  EXPECT_EQ(refusal(), "'fake (driver 0, Vulkan 1.3.0)': vkCreateDevice "
                       "returned VkResult -8");
}

TEST_F(EngineTest, LostDevicesStayLost) {
  auto opened = Engine::open(NNHAL_FAKE_VULKAN);
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  fake->submit = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  Status status = (*opened)->submit(VK_NULL_HANDLE, VK_NULL_HANDLE);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "vkQueueSubmit has no memory (VkResult -2)");
  fake->submit = VK_ERROR_UNKNOWN;
  status = (*opened)->submit(VK_NULL_HANDLE, VK_NULL_HANDLE);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "vkQueueSubmit returned VkResult -13");
  fake->submit = VK_ERROR_DEVICE_LOST;
  status = (*opened)->submit(VK_NULL_HANDLE, VK_NULL_HANDLE);
  EXPECT_EQ(status.code(), StatusCode::deadObject);
  EXPECT_EQ(status.message(), "vkQueueSubmit has lost the GPU");
  fake->submit = VK_SUCCESS;
  status = (*opened)->submit(VK_NULL_HANDLE, VK_NULL_HANDLE);
  EXPECT_EQ(status.code(), StatusCode::deadObject);
  EXPECT_EQ(status.message(), "the GPU was lost before");
}

} // namespace
