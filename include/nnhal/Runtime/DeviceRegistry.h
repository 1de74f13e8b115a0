//===- DeviceRegistry.h - The devices of a program --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_DEVICEREGISTRY_H
#define NNHAL_RUNTIME_DEVICEREGISTRY_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Log.h"

#include <memory>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// A list of devices, which keeps the order of their registration (C-091).
///
/// Ownership: the program owns the registry, the registry its devices.
/// Threads:   add() runs on one thread before other threads use the registry.
class NNHAL_API DeviceRegistry {
public:
  /// \p log, which may be null, receives a line about each device that is
  /// registered or refused.
  explicit DeviceRegistry(std::shared_ptr<const Log> log = nullptr)
      : log(std::move(log)) {}

  /// Takes over \p device. invalidArgument when it is null, or names the rule
  /// that it breaks: its name (C-012, C-013), its version (C-010), its type
  /// (C-011), its extensions (C-014), the number of its cache files (C-015) or
  /// its capabilities (C-020, C-021). The registry then stays as it was.
  Status add(std::unique_ptr<Device> device);

  /// Returns the device of that name, or null when there is none.
  Device *find(std::string_view name) const;

  const std::vector<std::unique_ptr<Device>> &devices() const { return list; }

private:
  std::shared_ptr<const Log> log;
  std::vector<std::unique_ptr<Device>> list;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_DEVICEREGISTRY_H
