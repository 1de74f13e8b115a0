//===- FakeVulkan.cpp - A loader of Vulkan that a test controls -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeVulkan.h"

#include <cstring>
#include <string_view>
#include <unistd.h>

using namespace nnhal::rt::vulkan;

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
  VkPhysicalDeviceLimits &limits = properties->limits;
  limits.minStorageBufferOffsetAlignment = nnhalFakeVulkan.bufferAlignment;
  limits.maxComputeSharedMemorySize = nnhalFakeVulkan.sharedBytes;
  limits.maxPerStageDescriptorStorageBuffers = 8;
  limits.maxDescriptorSetStorageBuffers = 8;
  limits.maxComputeWorkGroupInvocations = 1024;
  limits.maxComputeWorkGroupSize[0] = 1024;
  limits.maxComputeWorkGroupCount[0] = 65535;
  limits.maxComputeWorkGroupCount[1] = 65535;
  limits.maxComputeWorkGroupCount[2] = 65535;
  limits.maxStorageBufferRange = 128 << 20;
}

/// Calls \p visit with each structure of the chain that \p next begins.
template <typename Visitor>
static void visitChain(const void *next, const Visitor &visit) {
  for (auto *each = static_cast<const VkBaseInStructure *>(next); each;
       each = each->pNext)
    visit(each);
}

static void getProperties2(VkPhysicalDevice device,
                           VkPhysicalDeviceProperties2 *properties) {
  getProperties(device, &properties->properties);
  const FakeVulkan &fake = nnhalFakeVulkan;
  visitChain(properties->pNext, [&](const VkBaseInStructure *each) {
    void *found = const_cast<VkBaseInStructure *>(each);
    if (each->sType ==
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
      auto *v11 = static_cast<VkPhysicalDeviceVulkan11Properties *>(found);
      v11->subgroupSupportedStages = fake.subgroupStages;
      v11->subgroupSupportedOperations = fake.subgroupOperations;
    }
    if (each->sType ==
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES) {
      auto *v13 = static_cast<VkPhysicalDeviceVulkan13Properties *>(found);
      v13->requiredSubgroupSizeStages = fake.subgroupSizeStages;
      v13->minSubgroupSize = fake.leastSubgroup;
      v13->maxSubgroupSize = fake.mostSubgroup;
      v13->maxComputeWorkgroupSubgroups = fake.subgroupsPerWorkgroup;
    }
  });
}

static void getFeatures2(VkPhysicalDevice,
                         VkPhysicalDeviceFeatures2 *features) {
  if (!nnhalFakeVulkan.hasFeatures)
    return;
  visitChain(features->pNext, [](const VkBaseInStructure *each) {
    void *found = const_cast<VkBaseInStructure *>(each);
    if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
      static_cast<VkPhysicalDeviceVulkan11Features *>(found)
          ->storageBuffer16BitAccess = VK_TRUE;
    if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
      auto *v12 = static_cast<VkPhysicalDeviceVulkan12Features *>(found);
      v12->shaderFloat16 = VK_TRUE;
      v12->vulkanMemoryModel = VK_TRUE;
      v12->vulkanMemoryModelDeviceScope = nnhalFakeVulkan.hasDeviceScope;
    }
    if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES) {
      auto *v13 = static_cast<VkPhysicalDeviceVulkan13Features *>(found);
      v13->subgroupSizeControl = VK_TRUE;
      v13->computeFullSubgroups = VK_TRUE;
    }
    if (each->sType == cooperativeMatrixFeaturesType)
      static_cast<CooperativeMatrixFeatures *>(found)->cooperativeMatrix =
          VK_TRUE;
  });
}

static VkResult getMatrices(VkPhysicalDevice, uint32_t *count,
                            CooperativeMatrixProperties *properties) {
  *count = nnhalFakeVulkan.matrixCount;
  for (uint32_t i = 0; properties && i < *count; ++i)
    properties[i] = nnhalFakeVulkan.matrices[i];
  return nnhalFakeVulkan.getMatrices;
}

static void getMemory(VkPhysicalDevice,
                      VkPhysicalDeviceMemoryProperties *memory) {
  *memory = {};
  memory->memoryTypeCount = 1;
  memory->memoryTypes[0].propertyFlags = nnhalFakeVulkan.memoryProperties;
}

static void getExternalFences(VkPhysicalDevice,
                              const VkPhysicalDeviceExternalFenceInfo *info,
                              VkExternalFenceProperties *properties) {
  if (info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)
    properties->externalFenceFeatures = nnhalFakeVulkan.fenceFeatures;
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
                                    uint32_t *count,
                                    VkExtensionProperties *properties) {
  *count = nnhalFakeVulkan.extension ? 1 : 0;
  if (properties && *count == 1)
    std::strcpy(properties->extensionName, nnhalFakeVulkan.extension);
  return VK_SUCCESS;
}

static VkResult createDevice(VkPhysicalDevice, const VkDeviceCreateInfo *info,
                             const VkAllocationCallbacks *, VkDevice *device) {
  FakeVulkan &fake = nnhalFakeVulkan;
  fake.extensionCount = info->enabledExtensionCount;
  fake.enabledExtension =
      fake.extensionCount > 0 ? info->ppEnabledExtensionNames[0] : "";
  visitChain(info->pNext, [&](const VkBaseInStructure *each) {
    const void *found = each;
    if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
      auto *v12 = static_cast<const VkPhysicalDeviceVulkan12Features *>(found);
      fake.enablesMemoryModel =
          v12->vulkanMemoryModel && v12->vulkanMemoryModelDeviceScope;
      fake.enablesHalfMemoryModel =
          v12->vulkanMemoryModel != v12->vulkanMemoryModelDeviceScope;
    }
    if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES) {
      auto *v13 = static_cast<const VkPhysicalDeviceVulkan13Features *>(found);
      fake.enablesSubgroupSize = v13->subgroupSizeControl;
      fake.enablesFullSubgroups = v13->computeFullSubgroups;
    }
    if (each->sType == cooperativeMatrixFeaturesType)
      fake.enablesMatrices =
          static_cast<const CooperativeMatrixFeatures *>(found)
              ->cooperativeMatrix;
  });
  if (nnhalFakeVulkan.createDevice == VK_SUCCESS)
    *device = anyHandle<VkDevice>();
  return nnhalFakeVulkan.createDevice;
}

static void destroyDevice(VkDevice, const VkAllocationCallbacks *) {}

static void getQueue(VkDevice, uint32_t, uint32_t, VkQueue *queue) {
  *queue = anyHandle<VkQueue>();
}

static VkResult submit(VkQueue, uint32_t, const VkSubmitInfo *info, VkFence) {
  ++(info->commandBufferCount > 0 ? nnhalFakeVulkan.submissions
                                  : nnhalFakeVulkan.emptySubmissions);
  return nnhalFakeVulkan.submit;
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static VkResult createFence(VkDevice, const VkFenceCreateInfo *info,
                            const VkAllocationCallbacks *, VkFence *fence) {
  visitChain(info->pNext, [](const VkBaseInStructure *each) {
    const void *found = each;
    if (each->sType == VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO &&
        static_cast<const VkExportFenceCreateInfo *>(found)->handleTypes ==
            VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)
      ++nnhalFakeVulkan.exportableFences;
  });
  *fence = anyHandle<VkFence>();
  return VK_SUCCESS;
}

static VkResult resetFences(VkDevice, uint32_t, const VkFence *) {
  return VK_SUCCESS;
}

static VkResult waitForFences(VkDevice, uint32_t, const VkFence *, VkBool32,
                              uint64_t) {
  return nnhalFakeVulkan.waitForFences;
}

static VkResult getFence(VkDevice, const VkFenceGetFdInfoKHR *info,
                         int *descriptor) {
  FakeVulkan &fake = nnhalFakeVulkan;
  if (fake.getFence != VK_SUCCESS)
    return fake.getFence;
  if (info->handleType != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  ++fake.exportedFences;
  *descriptor = fake.fenceDescriptor < 0 ? -1 : ::dup(fake.fenceDescriptor);
  return VK_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Memory and commands, which nobody executes
//===----------------------------------------------------------------------===//

static VkResult createBuffer(VkDevice, const VkBufferCreateInfo *,
                             const VkAllocationCallbacks *, VkBuffer *buffer) {
  *buffer = anyHandle<VkBuffer>();
  return VK_SUCCESS;
}

static void getRequirements(VkDevice, VkBuffer, VkMemoryRequirements *needs) {
  *needs = {1 << 12, 16, 1};
}

static VkResult allocateMemory(VkDevice, const VkMemoryAllocateInfo *,
                               const VkAllocationCallbacks *,
                               VkDeviceMemory *memory) {
  *memory = anyHandle<VkDeviceMemory>();
  return VK_SUCCESS;
}

static VkResult bindMemory(VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize) {
  return VK_SUCCESS;
}

static VkResult mapMemory(VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize,
                          VkMemoryMapFlags, void **data) {
  alignas(64) static char shared[1 << 12];
  *data = shared;
  return VK_SUCCESS;
}

static VkResult createCommandPool(VkDevice, const VkCommandPoolCreateInfo *,
                                  const VkAllocationCallbacks *,
                                  VkCommandPool *pool) {
  *pool = anyHandle<VkCommandPool>();
  return VK_SUCCESS;
}

static VkResult resetCommandPool(VkDevice, VkCommandPool,
                                 VkCommandPoolResetFlags) {
  return VK_SUCCESS;
}

static VkResult allocateCommands(VkDevice, const VkCommandBufferAllocateInfo *,
                                 VkCommandBuffer *commands) {
  *commands = anyHandle<VkCommandBuffer>();
  return VK_SUCCESS;
}

static VkResult beginCommands(VkCommandBuffer,
                              const VkCommandBufferBeginInfo *) {
  return VK_SUCCESS;
}

static VkResult endCommands(VkCommandBuffer) { return VK_SUCCESS; }

static void addBarrier(VkCommandBuffer, VkPipelineStageFlags,
                       VkPipelineStageFlags, VkDependencyFlags, uint32_t,
                       const VkMemoryBarrier *, uint32_t,
                       const VkBufferMemoryBarrier *, uint32_t,
                       const VkImageMemoryBarrier *) {}

static void copyBuffer(VkCommandBuffer, VkBuffer, VkBuffer, uint32_t,
                       const VkBufferCopy *) {}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

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

static VkResult createShaderModule(VkDevice, const VkShaderModuleCreateInfo *,
                                   const VkAllocationCallbacks *,
                                   VkShaderModule *module) {
  *module = anyHandle<VkShaderModule>();
  return VK_SUCCESS;
}

static VkResult createSetLayout(VkDevice,
                                const VkDescriptorSetLayoutCreateInfo *,
                                const VkAllocationCallbacks *,
                                VkDescriptorSetLayout *layout) {
  *layout = anyHandle<VkDescriptorSetLayout>();
  return VK_SUCCESS;
}

static VkResult createPipelineLayout(VkDevice,
                                     const VkPipelineLayoutCreateInfo *,
                                     const VkAllocationCallbacks *,
                                     VkPipelineLayout *layout) {
  *layout = anyHandle<VkPipelineLayout>();
  return VK_SUCCESS;
}

static VkResult createPipelines(VkDevice, VkPipelineCache, uint32_t,
                                const VkComputePipelineCreateInfo *info,
                                const VkAllocationCallbacks *,
                                VkPipeline *pipeline) {
  FakeVulkan &fake = nnhalFakeVulkan;
  fake.stageFlags = info->stage.flags;
  fake.subgroupSize = 0;
  if (auto *size = static_cast<
          const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *>(
          info->stage.pNext))
    fake.subgroupSize = size->requiredSubgroupSize;
  *pipeline = anyHandle<VkPipeline>();
  return VK_SUCCESS;
}

template <typename Handle>
static void destroy(VkDevice, Handle, const VkAllocationCallbacks *) {}

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
      row("GetPhysicalDeviceCooperativeMatrixPropertiesKHR", getMatrices),
      row("CreateShaderModule", createShaderModule),
      row("DestroyShaderModule", destroy<VkShaderModule>),
      row("CreateDescriptorSetLayout", createSetLayout),
      row("DestroyDescriptorSetLayout", destroy<VkDescriptorSetLayout>),
      row("CreatePipelineLayout", createPipelineLayout),
      row("DestroyPipelineLayout", destroy<VkPipelineLayout>),
      row("CreateComputePipelines", createPipelines),
      row("DestroyPipeline", destroy<VkPipeline>),
      row("GetPhysicalDeviceExternalFenceProperties", getExternalFences),
      row("CreateFence", createFence),
      row("DestroyFence", destroy<VkFence>),
      row("ResetFences", resetFences),
      row("WaitForFences", waitForFences),
      row("GetFenceFdKHR", getFence),
      row("CreateBuffer", createBuffer),
      row("DestroyBuffer", destroy<VkBuffer>),
      row("GetBufferMemoryRequirements", getRequirements),
      row("AllocateMemory", allocateMemory),
      row("FreeMemory", destroy<VkDeviceMemory>),
      row("BindBufferMemory", bindMemory),
      row("MapMemory", mapMemory),
      row("CreateCommandPool", createCommandPool),
      row("ResetCommandPool", resetCommandPool),
      row("DestroyCommandPool", destroy<VkCommandPool>),
      row("AllocateCommandBuffers", allocateCommands),
      row("BeginCommandBuffer", beginCommands),
      row("EndCommandBuffer", endCommands),
      row("CmdPipelineBarrier", addBarrier),
      row("CmdCopyBuffer", copyBuffer),
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
