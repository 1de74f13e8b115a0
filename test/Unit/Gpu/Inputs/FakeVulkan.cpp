//===- FakeVulkan.cpp - A loader of Vulkan that a test controls -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeVulkan.h"

#include <cstring>
#include <string_view>

extern "C" [[gnu::visibility("default")]] FakeVulkan nnhalFakeVulkan;
FakeVulkan nnhalFakeVulkan;

/// Handles are not looked into.
template <typename Handle> static Handle anyHandle() {
  static int place;
  return reinterpret_cast<Handle>(&place);
}

static VkResult enumerateInstanceVersion(uint32_t *version) {
  *version = nnhalFakeVulkan.loaderVersion;
  return VK_SUCCESS;
}

static VkResult createInstance(const VkInstanceCreateInfo *,
                               const VkAllocationCallbacks *,
                               VkInstance *instance) {
  *instance = anyHandle<VkInstance>();
  return nnhalFakeVulkan.createInstance;
}

static void destroyInstance(VkInstance, const VkAllocationCallbacks *) {}

static VkResult enumeratePhysicalDevices(VkInstance, uint32_t *count,
                                         VkPhysicalDevice *devices) {
  *count = nnhalFakeVulkan.deviceCount;
  for (uint32_t i = 0; devices && i < *count; ++i)
    devices[i] = anyHandle<VkPhysicalDevice>();
  return nnhalFakeVulkan.enumerate;
}

static void getProperties(VkPhysicalDevice,
                          VkPhysicalDeviceProperties *properties) {
  *properties = {};
  properties->driverVersion = nnhalFakeVulkan.driverVersion;
  properties->apiVersion = nnhalFakeVulkan.deviceVersion;
  std::strcpy(properties->deviceName, "fake");
  properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  properties->limits.minStorageBufferOffsetAlignment =
      nnhalFakeVulkan.bufferAlignment;
}

static void getProperties2(VkPhysicalDevice device,
                           VkPhysicalDeviceProperties2 *properties) {
  getProperties(device, &properties->properties);
}

static void getFeatures2(VkPhysicalDevice, VkPhysicalDeviceFeatures2 *) {}

static void getMemory(VkPhysicalDevice,
                      VkPhysicalDeviceMemoryProperties *memory) {
  *memory = {};
  memory->memoryTypeCount = 1;
  memory->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
}

static void getQueues(VkPhysicalDevice, uint32_t *count,
                      VkQueueFamilyProperties *families) {
  *count = 1;
  if (!families)
    return;
  *families = {};
  families->queueFlags = nnhalFakeVulkan.queueFlags;
  families->queueCount = 1;
}

static VkResult enumerateExtensions(VkPhysicalDevice, const char *,
                                    uint32_t *count, VkExtensionProperties *) {
  *count = 0;
  return VK_SUCCESS;
}

static VkResult createDevice(VkPhysicalDevice, const VkDeviceCreateInfo *,
                             const VkAllocationCallbacks *, VkDevice *device) {
  if (nnhalFakeVulkan.createDevice == VK_SUCCESS)
    *device = anyHandle<VkDevice>();
  return nnhalFakeVulkan.createDevice;
}

static void destroyDevice(VkDevice, const VkAllocationCallbacks *) {}

static void getQueue(VkDevice, uint32_t, uint32_t, VkQueue *queue) {
  *queue = anyHandle<VkQueue>();
}

static VkResult submit(VkQueue, uint32_t, const VkSubmitInfo *, VkFence) {
  return nnhalFakeVulkan.submit;
}

static VkResult createPipelineCache(VkDevice,
                                    const VkPipelineCacheCreateInfo *info,
                                    const VkAllocationCallbacks *,
                                    VkPipelineCache *cache) {
  if (info->initialDataSize > 0 &&
      nnhalFakeVulkan.createPipelineCache != VK_SUCCESS)
    return nnhalFakeVulkan.createPipelineCache;
  nnhalFakeVulkan.pipelineBytes = info->initialDataSize;
  *cache = anyHandle<VkPipelineCache>();
  return VK_SUCCESS;
}

static void destroyPipelineCache(VkDevice, VkPipelineCache,
                                 const VkAllocationCallbacks *) {}

static VkResult getPipelineData(VkDevice, VkPipelineCache, size_t *size,
                                void *data) {
  *size = 40;
  if (data)
    std::memset(data, 7, *size);
  return VK_SUCCESS;
}

static PFN_vkVoidFunction find(std::string_view name);

static PFN_vkVoidFunction getDeviceAddress(VkDevice, const char *name) {
  return find(name);
}

static PFN_vkVoidFunction find(std::string_view name) {
  struct Row {
    std::string_view name;
    PFN_vkVoidFunction function;
  };
  auto row = [](std::string_view name, auto *function) {
    return Row{name, reinterpret_cast<PFN_vkVoidFunction>(function)};
  };
  const Row rows[] = {
      row("EnumerateInstanceVersion", enumerateInstanceVersion),
      row("CreateInstance", createInstance),
      row("DestroyInstance", destroyInstance),
      row("EnumeratePhysicalDevices", enumeratePhysicalDevices),
      row("GetPhysicalDeviceProperties", getProperties),
      row("GetPhysicalDeviceProperties2", getProperties2),
      row("GetPhysicalDeviceFeatures2", getFeatures2),
      row("GetPhysicalDeviceMemoryProperties", getMemory),
      row("GetPhysicalDeviceQueueFamilyProperties", getQueues),
      row("EnumerateDeviceExtensionProperties", enumerateExtensions),
      row("CreateDevice", createDevice),
      row("GetDeviceProcAddr", getDeviceAddress),
      row("DestroyDevice", destroyDevice),
      row("GetDeviceQueue", getQueue),
      row("CreatePipelineCache", createPipelineCache),
      row("DestroyPipelineCache", destroyPipelineCache),
      row("GetPipelineCacheData", getPipelineData),
      row("QueueSubmit", submit)};
  name.remove_prefix(2);
  if (nnhalFakeVulkan.missing && name == nnhalFakeVulkan.missing)
    return nullptr;
  for (const Row &each : rows)
    if (each.name == name)
      return each.function;
  return nullptr;
}

extern "C" [[gnu::visibility("default")]] PFN_vkVoidFunction
vkGetInstanceProcAddr(VkInstance, const char *name) {
  return find(name);
}
