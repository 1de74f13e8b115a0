//===- Engine.cpp - A device of Vulkan that computes ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <vector>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

static constexpr uint32_t neededVersion = VK_API_VERSION_1_3;

Status vulkan::toStatus(VkResult result, const char *function) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return outOfResources("{} has no memory (VkResult {})", function,
                          int(result));
  case VK_ERROR_DEVICE_LOST:
    return Status(StatusCode::deadObject,
                  fmt::format("{} has lost the GPU", function));
  default:
    return failure("{} returned VkResult {}", function, int(result));
  }
}

Status Engine::openLoader(const char *library) {
  // It stays open: drivers have threads of their own.
  void *loader = ::dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!loader) {
    const char *reason = ::dlerror();
    return deviceUnavailable("there is no Vulkan: {}",
                             reason ? reason : "unknown reason");
  }
  getProcAddress = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      ::dlsym(loader, "vkGetInstanceProcAddr"));
  if (!getProcAddress)
    return deviceUnavailable("'{}' is no loader of Vulkan: it does not export "
                             "vkGetInstanceProcAddr",
                             library);
  const char *missing = nullptr;
  auto find = [&](const char *name) {
    PFN_vkVoidFunction function = getProcAddress(nullptr, name);
    if (!function && !missing)
      missing = name;
    return function;
  };
#define NNHAL_VULKAN_GLOBAL(NAME)                                              \
  calls.NAME = reinterpret_cast<PFN_vk##NAME>(find("vk" #NAME));
#include "Functions.def"
  if (missing)
    return deviceUnavailable("the loader of Vulkan lacks {}", missing);
  return Status::ok();
}

static std::string versionText(uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version),
                     VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

Status Engine::createInstance() {
  uint32_t version = 0;
  calls.EnumerateInstanceVersion(&version);
  if (version < neededVersion)
    return deviceUnavailable(
        "the loader of Vulkan has version {}, {} is needed",
        versionText(version), versionText(neededVersion));
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "NNHal";
  application.apiVersion = neededVersion;
  VkInstanceCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  create.pApplicationInfo = &application;
  VkResult result = calls.CreateInstance(&create, nullptr, &instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return deviceUnavailable("there is no driver of Vulkan");
  if (result != VK_SUCCESS)
    return deviceUnavailable("vkCreateInstance returned VkResult {}",
                             int(result));
  const char *missing = nullptr;
  auto find = [&](const char *name) {
    PFN_vkVoidFunction function = getProcAddress(instance, name);
    if (!function && !missing)
      missing = name;
    return function;
  };
#define NNHAL_VULKAN_INSTANCE(NAME)                                            \
  calls.NAME = reinterpret_cast<PFN_vk##NAME>(find("vk" #NAME));
#include "Functions.def"
  if (missing)
    return deviceUnavailable("the instance of Vulkan lacks {}", missing);
  return Status::ok();
}

/// Those that compute fastest come first.
static constexpr uint32_t lastRank = 3;
static uint32_t rankOf(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 1;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  default:
    return lastRank;
  }
}

Status Engine::selectDevice() {
  uint32_t count = 0;
  calls.EnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> found(count);
  VkResult result =
      calls.EnumeratePhysicalDevices(instance, &count, found.data());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return deviceUnavailable("vkEnumeratePhysicalDevices returned VkResult {}",
                             int(result));
  found.resize(count);
  std::string reasons;
  for (uint32_t rank = 0; rank <= lastRank; ++rank)
    for (VkPhysicalDevice candidate : found) {
      VkPhysicalDeviceProperties properties;
      calls.GetPhysicalDeviceProperties(candidate, &properties);
      if (rankOf(properties.deviceType) != rank)
        continue;
      Status status = checkDevice(candidate, properties);
      if (status.isOk())
        return Status::ok();
      reasons += fmt::format("{}'{}': {}", reasons.empty() ? "" : "; ",
                             properties.deviceName, status.message());
    }
  if (reasons.empty())
    return deviceUnavailable("Vulkan has no device");
  return deviceUnavailable("no device of Vulkan suits: {}", reasons);
}

/// The family of queues that is best to compute with; as many as there are when
/// none does. Rather one that does nothing else.
static size_t findFamily(const std::vector<VkQueueFamilyProperties> &families) {
  auto isCompute = [](const VkQueueFamilyProperties &each) {
    return (each.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
  };
  auto isComputeAlone = [&](const VkQueueFamilyProperties &each) {
    return isCompute(each) && (each.queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0;
  };
  auto chosen = std::ranges::find_if(families, isComputeAlone);
  if (chosen == families.end())
    chosen = std::ranges::find_if(families, isCompute);
  return size_t(chosen - families.begin());
}

static uint64_t maskOf(uint32_t bits) {
  return bits >= 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
}

Status Engine::checkDevice(VkPhysicalDevice candidate,
                           const VkPhysicalDeviceProperties &properties) {
  if (properties.apiVersion < neededVersion)
    return deviceUnavailable("it has version {}, {} is needed",
                             versionText(properties.apiVersion),
                             versionText(neededVersion));
  uint64_t alignment = properties.limits.minStorageBufferOffsetAlignment;
  if (alignment > constantAlignment)
    return deviceUnavailable(
        "offsets of its buffers are multiples of {}, more than {}", alignment,
        constantAlignment);
  uint32_t count = 0;
  calls.GetPhysicalDeviceQueueFamilyProperties(candidate, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  calls.GetPhysicalDeviceQueueFamilyProperties(candidate, &count,
                                               families.data());
  family = uint32_t(findFamily(families));
  if (family == count)
    return deviceUnavailable("none of its {} families of queues computes",
                             count);
  physical = candidate;
  isSoftware = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  driverIdentity.vendor = properties.vendorID;
  driverIdentity.device = properties.deviceID;
  driverIdentity.version = properties.driverVersion;
  std::ranges::copy(properties.pipelineCacheUUID,
                    driverIdentity.cacheUuid.begin());
  bounds.timestampMask = maskOf(families[family].timestampValidBits);
  deviceText =
      fmt::format("{} (driver {}, Vulkan {})", properties.deviceName,
                  properties.driverVersion, versionText(properties.apiVersion));
  return Status::ok();
}

bool Engine::hasExtension(const char *name) const {
  uint32_t count = 0;
  calls.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> found(count);
  calls.EnumerateDeviceExtensionProperties(physical, nullptr, &count,
                                           found.data());
  return std::ranges::any_of(found, [&](const VkExtensionProperties &each) {
    return std::strcmp(each.extensionName, name) == 0;
  });
}

/// Whether subgroups of compute kernels can be made to have gpuSubgroupSize
/// invocations, and know their numbers.
static bool hasSubgroups(const VkPhysicalDeviceVulkan11Properties &v11,
                         const VkPhysicalDeviceVulkan13Properties &v13) {
  return (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
         (v11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_BASIC_BIT) !=
             0 &&
         (v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
         v13.minSubgroupSize <= gpuSubgroupSize &&
         gpuSubgroupSize <= v13.maxSubgroupSize;
}

/// Whether the driver exports fences as sync_files.
bool Engine::canExportFences() const {
  if (!hasExtension(VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME))
    return false;
  const VkPhysicalDeviceExternalFenceInfo info = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO, nullptr,
      VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
  VkExternalFenceProperties fences = {};
  fences.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES;
  calls.GetPhysicalDeviceExternalFenceProperties(physical, &info, &fences);
  return (fences.externalFenceFeatures &
          VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT) != 0;
}

void Engine::readLimits() {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {};
  host.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  bool canImport = hasExtension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  VkPhysicalDeviceVulkan11Properties v11 = {};
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  VkPhysicalDeviceVulkan13Properties v13 = {};
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  properties.pNext = &v11;
  v11.pNext = &v13;
  if (canImport)
    v13.pNext = &host;
  calls.GetPhysicalDeviceProperties2(physical, &properties);
  const VkPhysicalDeviceLimits &limits = properties.properties.limits;
  bounds.bufferAlignment = limits.minStorageBufferOffsetAlignment;
  bounds.bindingSize = limits.maxStorageBufferRange;
  bounds.bindingsPerKernel =
      std::min(limits.maxPerStageDescriptorStorageBuffers,
               limits.maxDescriptorSetStorageBuffers);
  bounds.workgroupSize = std::min(limits.maxComputeWorkGroupSize[0],
                                  limits.maxComputeWorkGroupInvocations);
  std::ranges::copy(limits.maxComputeWorkGroupCount, bounds.groups.begin());
  bounds.sharedBytes = limits.maxComputeSharedMemorySize;
  bounds.subgroups = v13.maxComputeWorkgroupSubgroups;
  hasSubgroupSize = hasSubgroups(v11, v13);
  bounds.importAlignment =
      canImport ? uint64_t(host.minImportedHostPointerAlignment) : 0;
  bounds.hasSyncFiles = canExportFences();
  if (bounds.timestampMask != 0)
    bounds.timestampPeriod = limits.timestampPeriod;
  calls.GetPhysicalDeviceMemoryProperties(physical, &memories);
}

namespace {
/// The features of a device as Vulkan wants them: a chain.
struct FeatureChain {
  FeatureChain() {
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    core.pNext = &v11;
    v11.pNext = &v12;
    v12.pNext = &v13;
  }
  FeatureChain(const FeatureChain &) = delete;
  FeatureChain &operator=(const FeatureChain &) = delete;

  VkPhysicalDeviceFeatures2 core = {};
  VkPhysicalDeviceVulkan11Features v11 = {};
  VkPhysicalDeviceVulkan12Features v12 = {};
  VkPhysicalDeviceVulkan13Features v13 = {};
  /// Part of the chain by addMatrices() alone: the device has to know it.
  CooperativeMatrixFeatures matrices;

  void addMatrices() { v13.pNext = &matrices; }
};
} // namespace

/// Turns on in \p wanted what matrices need of what \p has has, if it has all
/// of that, and notes in \p features what subgroups multiply then.
static void chooseMatrices(const FeatureChain &has, FeatureChain &wanted,
                           bool hasSubgroupSize, MatrixProducts products,
                           Features &features) {
  // Where the model of Vulkan is on, kernels without it may count failed checks
  // in the scope of the device with this alone.
  features.memoryModel =
      has.v12.vulkanMemoryModel && has.v12.vulkanMemoryModelDeviceScope;
  wanted.v12.vulkanMemoryModel = features.memoryModel;
  wanted.v12.vulkanMemoryModelDeviceScope = features.memoryModel;
  features.subgroups = hasSubgroupSize && has.v13.subgroupSizeControl &&
                       has.v13.computeFullSubgroups;
  if (features.subgroups) {
    wanted.v13.subgroupSizeControl = VK_TRUE;
    wanted.v13.computeFullSubgroups = VK_TRUE;
  }
  if (!has.matrices.cooperativeMatrix || !features.memoryModel ||
      !features.subgroups || !products.ofHalves)
    return;
  wanted.addMatrices();
  wanted.matrices.cooperativeMatrix = VK_TRUE;
  features.halfMatrices = true;
  features.byteMatrices = products.ofBytes;
}

/// Turns on in \p wanted what kernels use of what \p has has.
static Features chooseFeatures(const FeatureChain &has, FeatureChain &wanted) {
  wanted.core.features.robustBufferAccess = VK_TRUE; // Every device has it.
  wanted.core.features.shaderInt16 = has.core.features.shaderInt16;
  wanted.core.features.shaderInt64 = has.core.features.shaderInt64;
  wanted.core.features.shaderFloat64 = has.core.features.shaderFloat64;
  wanted.v11.storageBuffer16BitAccess = has.v11.storageBuffer16BitAccess;
  wanted.v11.uniformAndStorageBuffer16BitAccess =
      has.v11.uniformAndStorageBuffer16BitAccess;
  wanted.v12.shaderInt8 = has.v12.shaderInt8;
  wanted.v12.shaderFloat16 = has.v12.shaderFloat16;
  wanted.v12.storageBuffer8BitAccess = has.v12.storageBuffer8BitAccess;
  wanted.v12.uniformAndStorageBuffer8BitAccess =
      has.v12.uniformAndStorageBuffer8BitAccess;
  wanted.v13.shaderIntegerDotProduct = has.v13.shaderIntegerDotProduct;
  Features features;
  features.int8 = has.v12.shaderInt8;
  features.int16 = has.core.features.shaderInt16;
  features.int64 = has.core.features.shaderInt64;
  features.float16 = has.v12.shaderFloat16;
  features.float64 = has.core.features.shaderFloat64;
  features.storage8 = has.v12.storageBuffer8BitAccess;
  features.uniformAndStorage8 = has.v12.uniformAndStorageBuffer8BitAccess;
  features.storage16 = has.v11.storageBuffer16BitAccess;
  features.uniformAndStorage16 = has.v11.uniformAndStorageBuffer16BitAccess;
  features.dotProduct = has.v13.shaderIntegerDotProduct;
  return features;
}

/// The products that subgroups compute; nothing where the extension is not
/// there.
MatrixProducts Engine::readProducts() const {
  auto get = reinterpret_cast<GetCooperativeMatrixProperties>(
      getProcAddress(instance, cooperativeMatrixFunction));
  return get ? findProducts(get, physical) : MatrixProducts();
}

Status Engine::createDevice() {
  FeatureChain has;
  MatrixProducts products;
  if (hasExtension(cooperativeMatrixExtension)) {
    has.addMatrices();
    products = readProducts();
  }
  calls.GetPhysicalDeviceFeatures2(physical, &has.core);
  FeatureChain wanted;
  enabled = chooseFeatures(has, wanted);
  chooseMatrices(has, wanted, hasSubgroupSize, products, enabled);
  std::vector<const char *> extensions;
  if (bounds.importAlignment)
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (enabled.halfMatrices)
    extensions.push_back(cooperativeMatrixExtension);
  if (bounds.hasSyncFiles)
    extensions.push_back(VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME);
  float priority = 1.0f;
  VkDeviceQueueCreateInfo queues = {};
  queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues.queueFamilyIndex = family;
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  VkDeviceCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = &wanted.core;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queues;
  create.enabledExtensionCount = uint32_t(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  VkResult result = calls.CreateDevice(physical, &create, nullptr, &logical);
  if (result != VK_SUCCESS)
    return deviceUnavailable("'{}': vkCreateDevice returned VkResult {}",
                             deviceText, int(result));
#define NNHAL_VULKAN_DEVICE(NAME)                                              \
  calls.NAME = reinterpret_cast<PFN_vk##NAME>(                                 \
      calls.GetDeviceProcAddr(logical, "vk" #NAME));
#include "Functions.def"
  if (!calls.GetMemoryHostPointerPropertiesEXT)
    bounds.importAlignment = 0;
  bounds.hasSyncFiles &= calls.GetFenceFdKHR != nullptr;
  calls.GetDeviceQueue(logical, family, 0, &queue);
  return Status::ok();
}

Result<std::shared_ptr<Engine>> Engine::open(const char *library) {
  std::shared_ptr<Engine> engine(new Engine);
  NNHAL_RETURN_IF_ERROR(engine->openLoader(library));
  NNHAL_RETURN_IF_ERROR(engine->createInstance());
  NNHAL_RETURN_IF_ERROR(engine->selectDevice());
  engine->readLimits();
  NNHAL_RETURN_IF_ERROR(engine->createDevice());
  return engine;
}

Engine::~Engine() {
  if (logical)
    calls.DestroyDevice(logical, nullptr);
  if (instance && calls.DestroyInstance)
    calls.DestroyInstance(instance, nullptr);
}

Result<uint32_t> Engine::findMemory(uint32_t allowed,
                                    VkMemoryPropertyFlags needed,
                                    VkMemoryPropertyFlags wished) const {
  for (VkMemoryPropertyFlags flags : {needed | wished, needed})
    for (uint32_t i = 0; i < memories.memoryTypeCount; ++i)
      if ((allowed >> i & 1) != 0 &&
          (memories.memoryTypes[i].propertyFlags & flags) == flags)
        return i;
  return failure("none of {} types of memory has the properties {:#x}",
                 memories.memoryTypeCount, uint32_t(needed));
}

Status Engine::check(VkResult result, const char *function) {
  if (result == VK_SUCCESS)
    return Status::ok();
  if (result == VK_ERROR_DEVICE_LOST)
    isLost.store(true, std::memory_order_relaxed);
  return toStatus(result, function);
}

Status Engine::submit(VkCommandBuffer commands, VkFence fence) {
  if (isLost.load(std::memory_order_relaxed))
    return Status(StatusCode::deadObject, "the GPU was lost before");
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = commands ? 1 : 0;
  info.pCommandBuffers = &commands;
  std::lock_guard lock(queueMutex);
  return check(calls.QueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
}
