//===- Settings.h - What a service is told to do ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SUPERVISOR_SETTINGS_H
#define NNHAL_LIB_SERVICE_SUPERVISOR_SETTINGS_H

#include "Service/Host/Quotas.h"

#include "nnhal/Runtime/Status.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::service {

/// Bounds of one compilation.
struct CompileLimits {
  /// Bytes of address space of a compile worker.
  uint64_t memory = uint64_t(16) << 30;
  uint64_t seconds = 600;
};

struct Settings {
  /// The path of the socket; empty where the process is given one.
  std::string socket;
  /// The permissions of the socket. Without a value: 0600, or 0666 where users
  /// are listed, since the service itself asks who they are.
  std::optional<uint32_t> socketMode;
  /// The devices that are offered; empty for all.
  std::vector<std::string> devices;
  /// Libraries with more devices.
  std::vector<std::string> plugins;
  std::string stateDirectory;
  /// The users who may connect, beside root and the service's own.
  std::vector<uint32_t> users;
  Quotas quotas;
  CompileLimits compile;
  uint64_t drainSeconds = 10;
  /// Start the devices' processes before anybody asks for them.
  bool startAtOnce = false;
};

/// A number among the settings, by the name that it has in options and files.
struct NamedNumber {
  std::string_view name;
  uint64_t &value;
};
/// The quotas in \p quotas, by their names.
std::vector<NamedNumber> numbersOf(Quotas &quotas);

/// Changes \p settings as the JSON object \p text says. Fails with
/// invalidArgument, which names the place, for a key that is unknown or comes
/// twice and for a value of the wrong type or out of range.
rt::Status applyConfig(std::string_view text, Settings &settings);
/// Applies the file \p path; its name precedes the message of a failure.
rt::Status applyConfigFile(const std::string &path, Settings &settings);

/// The number of user \p text, which is a number or a name. invalidArgument
/// when there is no such user.
rt::Result<uint32_t> parseUser(const std::string &text);

/// Permissions in octal, "0660" for example.
rt::Result<uint32_t> parseMode(std::string_view text);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SUPERVISOR_SETTINGS_H
