//===- FakeVulkan.h - A loader of Vulkan that a test controls ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_GPU_INPUTS_FAKEVULKAN_H
#define NNHAL_TEST_UNIT_GPU_INPUTS_FAKEVULKAN_H

#include "Runtime/Devices/Gpu/Vulkan/CooperativeMatrix.h"

#include <string>

/// The answers of the fake; its library exports `nnhalFakeVulkan`.
struct FakeVulkan {
  /// A function that is not there, without "vk"; null for none.
  const char *missing = nullptr;
  uint32_t loaderVersion = VK_API_VERSION_1_3;
  VkResult createInstance = VK_SUCCESS;
  VkResult enumerate = VK_SUCCESS;
  uint32_t deviceCount = 1;
  uint32_t deviceVersion = VK_API_VERSION_1_3;
  uint64_t bufferAlignment = 16;
  VkQueueFlags queueFlags = VK_QUEUE_COMPUTE_BIT;
  VkResult createDevice = VK_SUCCESS;
  VkResult submit = VK_SUCCESS;
  /// The result of vkCreatePipelineCache with data, and how many bytes of data
  /// the last one that was made began with.
  VkResult createPipelineCache = VK_SUCCESS;
  size_t pipelineBytes = 0;
  uint32_t driverVersion = 0;
  /// The only extension of devices; null for none.
  const char *extension = nullptr;
  /// Devices have every feature that the runtime asks for, in what they know.
  bool hasFeatures = false;
  /// Whether the memory model of Vulkan has the scope of the device there.
  bool hasDeviceScope = true;
  uint32_t sharedBytes = 32768;
  uint32_t leastSubgroup = 32;
  uint32_t mostSubgroup = 32;
  uint32_t subgroupsPerWorkgroup = 4;
  VkShaderStageFlags subgroupStages = VK_SHADER_STAGE_COMPUTE_BIT;
  VkShaderStageFlags subgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
  VkSubgroupFeatureFlags subgroupOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
  VkResult getMatrices = VK_SUCCESS;
  uint32_t matrixCount = 0;
  nnhal::rt::vulkan::CooperativeMatrixProperties matrices[2];
  VkMemoryPropertyFlags memoryProperties = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  /// Says whether fences can be exported or imported as sync_files.
  VkExternalFenceFeatureFlags fenceFeatures = 0;
  /// The result of vkGetFenceFdKHR, which gives duplicates of the descriptor;
  /// -1 says that the fence has signaled.
  VkResult getFence = VK_SUCCESS;
  int fenceDescriptor = -1;
  VkResult waitForFences = VK_SUCCESS;

  /// The last device was made with these.
  uint32_t extensionCount = 0;
  std::string enabledExtension;
  bool enablesMatrices = false;
  bool enablesMemoryModel = false;
  /// The model without the scope of the device, or the other way round.
  bool enablesHalfMemoryModel = false;
  bool enablesSubgroupSize = false;
  bool enablesFullSubgroups = false;
  /// The last pipeline was made with these; 0 where it says nothing.
  uint32_t subgroupSize = 0;
  VkPipelineShaderStageCreateFlags stageFlags = 0;
  /// Fences that were made to be exported, and descriptors that were given.
  uint32_t exportableFences = 0;
  uint32_t exportedFences = 0;
  /// Submissions of commands, and of none.
  uint32_t submissions = 0;
  uint32_t emptySubmissions = 0;
};

#endif // NNHAL_TEST_UNIT_GPU_INPUTS_FAKEVULKAN_H
