//===- Library.h - What the process has one of ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_LIBRARY_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_LIBRARY_H

#include "Device.h"
#include "Extension.h"
#include "Settings.h"

#include "nnhal/Runtime/Buffer.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/DeviceRegistry.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Recorder.h"
#include "nnhal/Runtime/Scheduler.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace nnhal::ndk {

/// Settings, log, trace, extensions and devices, of which the C interface has
/// one each per process. All are made by their first use, so that loading the
/// library costs nothing, and live as long as the process: handles of devices
/// are never freed (J-002), and threads of devices may run when it ends.
///
/// Threads: any.
class Library {
public:
  /// Returns the library, or null in a child of the process that made it: the
  /// threads of its devices are not there.
  static Library *find();
  /// Whether this is such a child. Costs one load.
  static bool isForked();

  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  const Settings &settings() const { return given; }
  const rt::Log &log() const { return *services.log; }
  rt::Tracer *tracer() const { return services.tracer.get(); }
  /// Records what clients ask for; null unless NNHAL_RECORD says so.
  rt::Recorder *recorder() const { return ownRecorder.get(); }
  const rt::DeviceServices &deviceServices() const { return services; }

  /// Threads for executions of models that are divided among devices.
  const std::shared_ptr<rt::Scheduler> &dividedExecutions() const {
    return executions;
  }

  /// The devices in the order of their indices, nnapi-reference last (C-090).
  std::span<const std::unique_ptr<Device>> devices();
  /// The device nnapi-reference.
  const Device &reference() { return *devices().back(); }
  /// The device of that handle, or null for a pointer that is none.
  const Device *lookUp(const ANeuralNetworksDevice *handle);
  /// Whether \p handle is one that clients have got. Makes no devices, and
  /// holds in a child of the process, too, which may read names (J-003).
  static bool isHandle(const ANeuralNetworksDevice *handle);

  Extensions &extensions();
  /// Whether the program may use extensions, once there are devices. Holds in a
  /// child of the process, too, as isHandle() does.
  static bool mayUseExtensions();

  /// Buffers that memories of this process have, by device and token.
  void addBuffer(const rt::Device &device,
                 const std::shared_ptr<rt::Buffer> &buffer);
  std::shared_ptr<rt::Buffer> findBuffer(const rt::Device &device,
                                         uint32_t token);

private:
  Library();
  void registerDevices();
  void readAllowList();
  /// The plug-ins that can be loaded, each with what messages call it.
  std::vector<std::pair<std::string, rt::LoadedPlugin>> loadPlugins();
  void tryAddAll(std::vector<std::unique_ptr<rt::Device>> devices,
                 std::string_view origin);
  void tryAdd(std::unique_ptr<rt::Device> device, std::string_view origin);

  Settings given;
  rt::DeviceServices services;
  std::unique_ptr<rt::Recorder> ownRecorder;
  std::shared_ptr<rt::Scheduler> executions;
  std::once_flag devicesOnce;
  std::unique_ptr<rt::DeviceRegistry> registry;
  std::vector<std::unique_ptr<Device>> handles;
  /// Set when the handles are complete.
  std::atomic<bool> hasHandles = false;
  Extensions knownExtensions;
  std::mutex buffersMutex;
  std::map<std::pair<const rt::Device *, uint32_t>, std::weak_ptr<rt::Buffer>>
      buffers;
};

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_LIBRARY_H
