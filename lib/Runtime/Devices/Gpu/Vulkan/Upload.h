//===- Upload.h - Constants on their way to a device ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_UPLOAD_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_UPLOAD_H

#include "GpuBuffer.h"

namespace nnhal::rt::vulkan {

/// Bytes that are staged at a time.
inline constexpr uint64_t uploadPart = uint64_t(64) << 20;

/// Copies the first bytes of \p source to \p bytes, \p partSize at a time.
/// Fails like uploadParts().
Status downloadParts(const EngineRef &engine, const GpuBuffer &source,
                     std::span<std::byte> bytes, uint64_t partSize);

/// A buffer of the device with \p bytes; an empty one for none. Fails like
/// GpuBuffer::allocate() and Engine::submit().
Result<GpuBuffer> uploadConstants(const EngineRef &engine,
                                  std::span<const std::byte> bytes);

/// Copies \p bytes to \p target, \p partSize of them at a time, without the
/// help of a mapping of \p target.
Status uploadParts(const EngineRef &engine, std::span<const std::byte> bytes,
                   const GpuBuffer &target, uint64_t partSize);

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_UPLOAD_H
