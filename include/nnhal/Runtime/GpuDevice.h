//===- GpuDevice.h - The devices of GPUs ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_GPUDEVICE_H
#define NNHAL_RUNTIME_GPUDEVICE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The drivers of the GPUs of this machine, which are loaded and opened.
/// Devices that are made with the same ones share them: a lost GPU is lost to
/// all.
class GpuDrivers;
using GpuDriversRef = std::shared_ptr<const GpuDrivers>;

/// Opens \p library, libNNHalGpu.so, and the drivers; when it is empty, the one
/// beside this library or program. The drivers are loaded into this process and
/// stay. Fails with deviceUnavailable, which says why, where there is no
/// library, with generalFailure when it is of another version.
NNHAL_API Result<GpuDriversRef> openGpuDrivers(const std::string &library = {});

struct GpuDevicesOptions {
  /// The compiler, which only prepareModel() asks. The pointer is never null.
  std::shared_ptr<LazyCompiler> compiler = std::make_shared<LazyCompiler>();
  DeviceServices services;
  /// The file of libNNHalGpu.so; when it is empty, the one beside this library
  /// or program.
  std::string library;
  /// Told why a device is not there, where another one is. May be empty.
  std::function<void(std::string_view device, const Status &reason)> absent;
  /// The drivers of the devices, in place of those of `library`. When the
  /// pointer is null they are opened, for these devices alone.
  GpuDriversRef drivers = nullptr;
};

/// Programs that let their user choose a device by name take this one for the
/// first device of a GPU that there is.
inline constexpr std::string_view anyGpuDevice = "nnhal-gpu";

/// Whether createGpuDevices() may make a device \p name, or one that
/// anyGpuDevice stands for.
NNHAL_API bool isGpuDevice(std::string_view name);

/// The CompileOptions::target of code for the device \p name; empty where that
/// is no device of createGpuDevices().
NNHAL_API std::string_view gpuTargetOf(std::string_view name);

/// Opens libNNHalGpu.so and makes its devices, the best one first: "nnhal-cuda"
/// and "nnhal-vulkan", which execute on the first GPU that CUDA or Vulkan
/// offers (docs/Devices/Gpu.md). DeviceTraits::needs has the device nodes that
/// the drivers have opened.
///
/// Fails like openGpuDrivers(), and with deviceUnavailable, which says why,
/// where there is no driver or no GPU that suits.
NNHAL_API Result<std::vector<std::unique_ptr<Device>>>
createGpuDevices(const GpuDevicesOptions &options = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_GPUDEVICE_H
