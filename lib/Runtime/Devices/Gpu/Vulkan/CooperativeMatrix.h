//===- CooperativeMatrix.h - Matrices that subgroups multiply ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of VK_KHR_cooperative_matrix that are used. Headers of Vulkan have
// them since 1.3.255: older ones build the runtime, too.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_COOPERATIVEMATRIX_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_COOPERATIVEMATRIX_H

#include "nnhal/Runtime/Status.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <cstdint>

namespace nnhal::rt::vulkan {

inline constexpr const char *cooperativeMatrixExtension =
    "VK_KHR_cooperative_matrix";
inline constexpr const char *cooperativeMatrixFunction =
    "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";

// Numbers of the extension's specification.
inline constexpr auto cooperativeMatrixFeaturesType =
    VkStructureType(1000506000);
inline constexpr auto cooperativeMatrixPropertiesType =
    VkStructureType(1000506001);

/// VkComponentTypeKHR.
enum class MatrixComponent : uint32_t {
  float16 = 0,
  float32 = 1,
  sint8 = 3,
  sint32 = 5,
};

/// VkScopeKHR.
enum class MatrixScope : uint32_t { device = 1, workgroup = 2, subgroup = 3 };

/// VkPhysicalDeviceCooperativeMatrixFeaturesKHR.
struct CooperativeMatrixFeatures {
  VkStructureType sType = cooperativeMatrixFeaturesType;
  void *pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE;
  /// Bounds checks for matrices that are loaded from buffers, which those of
  /// kernels are not.
  VkBool32 cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

/// VkCooperativeMatrixPropertiesKHR: a product of MSize x KSize and
/// KSize x NSize elements.
struct CooperativeMatrixProperties {
  VkStructureType sType = cooperativeMatrixPropertiesType;
  void *pNext = nullptr;
  uint32_t mSize = 0;
  uint32_t nSize = 0;
  uint32_t kSize = 0;
  MatrixComponent a = {};
  MatrixComponent b = {};
  MatrixComponent c = {};
  MatrixComponent result = {};
  VkBool32 saturatingAccumulation = VK_FALSE;
  MatrixScope scope = MatrixScope::device;
};

/// PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR.
using GetCooperativeMatrixProperties =
    VkResult(VKAPI_PTR *)(VkPhysicalDevice device, uint32_t *count,
                          CooperativeMatrixProperties *properties);

/// Which products of the compiler's matrices subgroups of a device compute.
struct MatrixProducts {
  /// f16 by f16 to f32.
  bool ofHalves = false;
  /// Signed i8 by signed i8 to i32.
  bool ofBytes = false;
};

/// The products of \p device, which \p get tells. A driver that fails has none.
MatrixProducts findProducts(GetCooperativeMatrixProperties get,
                            VkPhysicalDevice device);

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_COOPERATIVEMATRIX_H
