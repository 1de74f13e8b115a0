//===- GpuBuffer.cpp - Memory that kernels reach --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuBuffer.h"

#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

/// Kernels that use words for bytes touch the rest of the last one.
static constexpr uint64_t sizeAlignment = 16;

static constexpr VkExternalMemoryHandleTypeFlagBits hostAllocation =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

static constexpr VkMemoryPropertyFlags isVisible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

Status GpuBuffer::create(const EngineRef &engine, uint64_t size,
                         bool isImported) {
  VkExternalMemoryBufferCreateInfo external = {};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = hostAllocation;
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = isImported ? &external : nullptr;
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer made = VK_NULL_HANDLE;
  NNHAL_RETURN_IF_ERROR(engine->check(
      engine->functions().CreateBuffer(engine->device(), &info, nullptr, &made),
      "vkCreateBuffer"));
  buffer = OwnedBuffer(engine, made);
  byteSize = size;
  return Status::ok();
}

Status GpuBuffer::bind(const EngineRef &engine,
                       const VkMemoryAllocateInfo &info) {
  const Functions &call = engine->functions();
  VkDeviceMemory made = VK_NULL_HANDLE;
  NNHAL_RETURN_IF_ERROR(engine->check(
      call.AllocateMemory(engine->device(), &info, nullptr, &made),
      "vkAllocateMemory"));
  memory = OwnedMemory(engine, made);
  return engine->check(
      call.BindBufferMemory(engine->device(), buffer.get(), made, 0),
      "vkBindBufferMemory");
}

static VkMemoryPropertyFlags neededFor(Place place) {
  return place == Place::device ? 0 : isVisible;
}

static VkMemoryPropertyFlags wishedFor(Place place) {
  return place == Place::readback ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT
                                  : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
}

Result<GpuBuffer> GpuBuffer::allocate(const EngineRef &engine, uint64_t size,
                                      Place place) {
  const Functions &call = engine->functions();
  GpuBuffer result;
  NNHAL_RETURN_IF_ERROR(result.create(
      engine, (size + sizeAlignment - 1) / sizeAlignment * sizeAlignment,
      /*isImported=*/false));
  VkMemoryRequirements needs;
  call.GetBufferMemoryRequirements(engine->device(), result.handle(), &needs);
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  NNHAL_ASSIGN_OR_RETURN(info.memoryTypeIndex,
                         engine->findMemory(needs.memoryTypeBits,
                                            neededFor(place),
                                            wishedFor(place)));
  NNHAL_RETURN_IF_ERROR(result.bind(engine, info));
  VkMemoryPropertyFlags has = engine->memoryProperties(info.memoryTypeIndex);
  if ((has & isVisible) != isVisible)
    return result;
  void *bytes = nullptr;
  NNHAL_RETURN_IF_ERROR(
      engine->check(call.MapMemory(engine->device(), result.memory.get(), 0,
                                   VK_WHOLE_SIZE, 0, &bytes),
                    "vkMapMemory"));
  result.mapped = static_cast<std::byte *>(bytes);
  return result;
}

/// Pages as the kernel maps them.
static uintptr_t pageSize() {
  static const auto size = uintptr_t(::sysconf(_SC_PAGESIZE));
  return size;
}

static uintptr_t roundDown(uintptr_t value, uintptr_t alignment) {
  return value / alignment * alignment;
}

static uintptr_t roundUp(uintptr_t value, uintptr_t alignment) {
  return roundDown(value + alignment - 1, alignment);
}

std::span<std::byte> GpuBuffer::pagesOf(std::span<std::byte> mapping,
                                        uint64_t alignment) {
  auto first = reinterpret_cast<uintptr_t>(mapping.data());
  uintptr_t end = first + mapping.size();
  uintptr_t begin = roundDown(first, pageSize());
  if (begin % alignment != 0 ||
      roundUp(end, pageSize()) != roundUp(end, alignment))
    return {};
  return {mapping.data() - (first - begin), roundUp(end, alignment) - begin};
}

Result<GpuBuffer> GpuBuffer::import(const EngineRef &engine,
                                    std::span<std::byte> bytes) {
  const Functions &call = engine->functions();
  GpuBuffer result;
  VkMemoryHostPointerPropertiesEXT pointer = {};
  pointer.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  NNHAL_RETURN_IF_ERROR(engine->check(
      call.GetMemoryHostPointerPropertiesEXT(engine->device(), hostAllocation,
                                             bytes.data(), &pointer),
      "vkGetMemoryHostPointerPropertiesEXT"));
  NNHAL_RETURN_IF_ERROR(
      result.create(engine, bytes.size(), /*isImported=*/true));
  VkMemoryRequirements needs;
  call.GetBufferMemoryRequirements(engine->device(), result.handle(), &needs);
  if (needs.size > bytes.size())
    return toStatus(VK_ERROR_INVALID_EXTERNAL_HANDLE,
                    "vkGetBufferMemoryRequirements");
  VkImportMemoryHostPointerInfoEXT import = {
      VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
      hostAllocation, bytes.data()};
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &import;
  info.allocationSize = bytes.size();
  NNHAL_ASSIGN_OR_RETURN(
      info.memoryTypeIndex,
      engine->findMemory(needs.memoryTypeBits & pointer.memoryTypeBits,
                         isVisible, 0));
  NNHAL_RETURN_IF_ERROR(result.bind(engine, info));
  result.mapped = bytes.data();
  return result;
}
