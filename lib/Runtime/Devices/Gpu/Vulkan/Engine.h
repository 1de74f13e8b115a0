//===- Engine.h - A device of Vulkan that computes --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_ENGINE_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_ENGINE_H

#include "CooperativeMatrix.h"

#include "Runtime/Artifact/GpuMatrices.h"
#include "Runtime/Devices/Gpu/OwnedHandle.h"
#include "nnhal/Runtime/Status.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace nnhal::rt::vulkan {

/// Pointers to the functions of Functions.def, with their names.
struct Functions {
#define NNHAL_VULKAN_GLOBAL(NAME) PFN_vk##NAME NAME = nullptr;
#define NNHAL_VULKAN_INSTANCE(NAME) PFN_vk##NAME NAME = nullptr;
#define NNHAL_VULKAN_DEVICE(NAME) PFN_vk##NAME NAME = nullptr;
#include "Functions.def"
};

/// The status for \p result of the function \p function, not a success:
/// resourceExhaustedTransient without memory, deadObject when the device is
/// lost, otherwise generalFailure.
Status toStatus(VkResult result, const char *function);

/// The bounds that programs of kernels and their buffers have to fit.
struct Limits {
  uint64_t bufferAlignment = 0;
  uint64_t bindingSize = 0;
  uint32_t bindingsPerKernel = 0;
  uint32_t workgroupSize = 0;
  std::array<uint32_t, 3> groups = {};
  /// Bytes that a workgroup shares.
  uint32_t sharedBytes = 0;
  /// Subgroups of a workgroup whose kernel tells them apart.
  uint32_t subgroups = 0;
  /// The alignment of imported memory; 0 where the driver imports none.
  uint64_t importAlignment = 0;
  /// Nanoseconds of one unit of a timestamp; 0 where there are none.
  double timestampPeriod = 0;
  uint64_t timestampMask = 0;
  /// Whether fences can be exported as sync_files.
  bool hasSyncFiles = false;
};

/// The features of modules that were turned on, because the device has them.
struct Features {
  bool int8 = false;
  bool int16 = false;
  bool int64 = false;
  bool float16 = false;
  bool float64 = false;
  bool storage8 = false;
  bool uniformAndStorage8 = false;
  bool storage16 = false;
  bool uniformAndStorage16 = false;
  bool dotProduct = false;
  /// The memory model of Vulkan.
  bool memoryModel = false;
  /// Kernels tell subgroups of gpuSubgroupSize invocations apart.
  bool subgroups = false;
  /// Subgroups multiply matrices of f16, and of i8.
  bool halfMatrices = false;
  bool byteMatrices = false;
};

/// The compiler's name for devices with \p features (`device_class`), by which
/// it divides kernels. A device of class "words" has no f16 in memory, one of
/// "cooperative-halves" multiplies matrices of f16 and one of
/// "cooperative-matrices" those of bytes, too, where \p limits are enough for
/// the workgroups of such kernels.
constexpr std::string_view
deviceClassOf(const Features &features, bool isSoftware, const Limits &limits) {
  if (!features.storage16 || !features.float16)
    return "words";
  if (isSoftware)
    return "software";
  if (!features.halfMatrices || limits.sharedBytes < maxGpuMatrixSharedSize ||
      limits.subgroups < gpuMatrixSubgroups)
    return "discrete";
  return features.byteMatrices ? "cooperative-matrices" : "cooperative-halves";
}

/// Says whether a driver can use what it has compiled before.
struct DriverIdentity {
  uint32_t vendor = 0;
  uint32_t device = 0;
  uint32_t version = 0;
  std::array<uint8_t, VK_UUID_SIZE> cacheUuid = {};
  bool operator==(const DriverIdentity &) const = default;
};

/// An instance of Vulkan with the first of its devices that can compute, and
/// one queue of that.
///
/// Ownership: shared with everything that was made with it.
/// Threads:   every member may be called from any thread; submit() takes turns.
class Engine {
public:
  /// Opens \p library, the loader of Vulkan. Fails with deviceUnavailable,
  /// which says why, when there is no loader or no device that suits.
  static Result<std::shared_ptr<Engine>>
  open(const char *library = "libvulkan.so.1");
  ~Engine();
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  /// The name that the driver gives the device, and the driver's version.
  const std::string &description() const { return deviceText; }
  const DriverIdentity &driver() const { return driverIdentity; }
  std::string_view deviceClass() const {
    return deviceClassOf(enabled, isSoftware, bounds);
  }
  const Functions &functions() const { return calls; }
  VkDevice device() const { return logical; }
  uint32_t queueFamily() const { return family; }
  const Limits &limits() const { return bounds; }
  const Features &features() const { return enabled; }

  /// The first type of memory among \p allowed (a bit each) that has all
  /// properties of \p needed, rather one with those of \p wished, too. Fails
  /// with generalFailure when there is none.
  Result<uint32_t> findMemory(uint32_t allowed, VkMemoryPropertyFlags needed,
                              VkMemoryPropertyFlags wished) const;
  /// The properties of the memory type \p index.
  VkMemoryPropertyFlags memoryProperties(uint32_t index) const {
    return memories.memoryTypes[index].propertyFlags;
  }

  /// Submits \p commands, or null: \p fence then signals after all submissions
  /// before. Fails like toStatus(); with deadObject from the first loss on.
  Status submit(VkCommandBuffer commands, VkFence fence);
  /// toStatus(), which notes that the device is lost.
  Status check(VkResult result, const char *function);
  /// Destroys \p handle by the function \p Destroy of the driver.
  template <auto Destroy, typename Handle> void destroy(Handle handle) const {
    (calls.*Destroy)(logical, handle, nullptr);
  }

private:
  Engine() = default;

  Status openLoader(const char *library);
  Status createInstance();
  Status selectDevice();
  Status checkDevice(VkPhysicalDevice candidate,
                     const VkPhysicalDeviceProperties &properties);
  Status createDevice();
  void readLimits();
  MatrixProducts readProducts() const;
  bool hasExtension(const char *name) const;
  bool canExportFences() const;

  Functions calls;
  PFN_vkGetInstanceProcAddr getProcAddress = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice logical = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t family = 0;
  std::string deviceText;
  DriverIdentity driverIdentity;
  bool isSoftware = false;
  VkPhysicalDeviceMemoryProperties memories = {};
  Limits bounds;
  Features enabled;
  /// Whether subgroups can be made to have gpuSubgroupSize invocations.
  bool hasSubgroupSize = false;
  std::mutex queueMutex;
  std::atomic<bool> isLost = false;
};

using EngineRef = std::shared_ptr<Engine>;

/// An object of the driver that destroys itself. Move-only.
template <typename Handle, auto Destroy>
using Owned = OwnedHandle<Engine, Handle, Destroy>;

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_ENGINE_H
