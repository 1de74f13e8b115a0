//===- HostMode.cpp - The process of one device ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"

#include "WorkerSource.h"

#include "Runtime/Support/Errors.h"
#include "Service/Host/DeviceHost.h"
#include "Service/Protocol/Channel.h"
#include "Service/Sandbox/Sandbox.h"
#include "Service/Supervisor/Child.h"
#include "nnhal/Runtime/BuiltInDevices.h"
#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/GpuDevice.h"
#include "nnhal/Runtime/WorkPool.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sys/resource.h>
#include <system_error>

using namespace nnhal;
using namespace nnhal::servicetool;
using rt::Result;
using rt::Status;

namespace {
using DeviceRef = std::unique_ptr<rt::Device>;

/// Makes the device of each client.
class DeviceFactory {
public:
  DeviceFactory(const Options &options,
                std::shared_ptr<rt::LazyCompiler> compiler)
      : name(options.hostedDevice), plugins(options.settings.plugins),
        compiler(std::move(compiler)) {}

  bool isGpu() const { return !rt::gpuTargetOf(name).empty(); }

  /// Opens the drivers of a GPU, which all devices share: later none can be.
  Status openDrivers() {
    NNHAL_ASSIGN_OR_RETURN(drivers, rt::openGpuDrivers());
    return Status::ok();
  }

  Result<DeviceRef> make(const rt::DeviceServices &services) const {
    std::vector<DeviceRef> devices;
    if (isGpu()) {
      rt::GpuDevicesOptions options;
      options.compiler = compiler;
      options.services = services;
      options.drivers = drivers;
      NNHAL_ASSIGN_OR_RETURN(devices, rt::createGpuDevices(options));
      if (DeviceRef device = take(devices))
        return device;
    }
    for (const std::string &path : plugins) {
      NNHAL_ASSIGN_OR_RETURN(rt::LoadedPlugin plugin,
                             rt::loadPlugin(path, services));
      std::ranges::move(plugin.devices, std::back_inserter(devices));
    }
    if (DeviceRef device = take(devices))
      return device;
    devices = rt::createBuiltInDevices({services, compiler});
    if (DeviceRef device = take(devices))
      return device;
    return rt::failure("there is no device '{}' any more", name);
  }

private:
  /// The device of the name; null when there is none.
  DeviceRef take(std::vector<DeviceRef> &devices) const {
    auto found = std::ranges::find(devices, name, &rt::Device::name);
    return found == devices.end() ? nullptr : std::move(*found);
  }

  const std::string name;
  const std::vector<std::string> plugins;
  const std::shared_ptr<rt::LazyCompiler> compiler;
  /// Null for devices that are not of a GPU.
  rt::GpuDriversRef drivers;
};
} // namespace

/// The extensions of the devices of the library, read now: later the files
/// cannot be.
static Result<std::vector<rt::InstalledExtension>>
loadExtensions(const std::vector<std::string> &plugins,
               const rt::DeviceServices &services) {
  std::vector<rt::InstalledExtension> extensions;
  for (const std::string &path : plugins) {
    NNHAL_ASSIGN_OR_RETURN(rt::LoadedPlugin plugin,
                           rt::loadPlugin(path, services));
    std::ranges::move(plugin.extensions, std::back_inserter(extensions));
  }
  std::ranges::move(rt::installedExtensions(services),
                    std::back_inserter(extensions));
  rt::openExtensions(extensions, services);
  return extensions;
}

/// The compiler of a host: the library decides what code it makes, and workers
/// run it. \p source is there before anything is compiled.
static std::shared_ptr<rt::LazyCompiler>
makeCompiler(const Options &options,
             const std::optional<WorkerSource> &source) {
  const char *library = std::getenv("NNHAL_COMPILER");
  auto identity = std::make_shared<std::string>();
  auto open = [&options, &source, identity](const std::string &,
                                            const std::vector<std::string> &) {
    auto &workers = const_cast<WorkerSource &>(*source);
    return service::createRemoteCompiler(
        {.startWorker = [&workers] { return workers.start(); },
         .identity = *identity,
         .seconds = options.settings.compile.seconds});
  };
  auto compiler = std::make_shared<rt::LazyCompiler>(
      library ? library : "", options.settings.plugins, std::move(open));
  // Now, while the library can be read. Without it nothing is cached.
  if (auto known = compiler->identity(); known.isOk())
    *identity = *known;
  return compiler;
}

/// Reads the measured capabilities of the devices now: later the files cannot
/// be read.
static void keepCapabilities(const rt::Device &device,
                             rt::DeviceServices &services) {
  auto read = rt::keptCapabilities(getenv);
  services.measuredCapabilities = [kept = read(device.name(), device.version()),
                                   own = std::string(device.name())](
                                      std::string_view name, std::string_view) {
    return name == own ? kept : std::nullopt;
  };
}

/// Clients have descriptors by the hundred.
static void raiseDescriptorLimit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The device nodes of GPUs that this machine has.
static std::vector<std::string> gpuNodes() {
  std::vector<std::string> nodes;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator("/dev", error)) {
    std::string name = entry.path().filename().string();
    if (name == "dri" || name == "kfd" || name.starts_with("nvidia"))
      nodes.push_back(entry.path().string());
  }
  return nodes;
}

/// Drivers start threads when they are opened, and need the files of the system
/// for it, which they may read; no more than what \p rules allow later can be
/// changed.
static Status confineDrivers(service::SandboxRules rules) {
  rules.readable = {"/"};
  rules.needs.deviceNodes = gpuNodes();
  return service::beginSandbox(rules);
}

/// The threads of this process, which has one at least.
static size_t countThreads() {
  std::error_code error;
  std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return std::max<size_t>(size_t(std::distance(begin(tasks), end(tasks))), 1);
}

static Status serveClients(const Options &options,
                           service::DeviceHostOptions host,
                           std::optional<WorkerSource> &source) {
  kj::AsyncIoContext io = kj::setupAsyncIo();
  auto released = kj::defer([&source] { source.reset(); });
  host.quotas = options.settings.quotas;
  host.polling = std::make_shared<service::LoopPolling>(io.waitScope);
  NNHAL_ASSIGN_OR_RETURN(
      auto served,
      service::DeviceHost::create(std::move(host), *io.lowLevelProvider));
  service::Channel supervisor(
      service::wrapSocket(*io.lowLevelProvider,
                          rt::UniqueFd(service::childChannel)),
      service::Channel::End::acceptor, served->supervisor(),
      service::ChannelLimits());
  source.emplace(supervisor.peer().castAs<service::wire::Supervisor>());
  supervisor.onDisconnect().wait(io.waitScope);
  // Clients are served no longer: what is under way goes with the process.
  ::_exit(0);
}

Status servicetool::runHost(const Options &options,
                            const std::shared_ptr<const rt::Log> &log) {
  std::optional<WorkerSource> source;
  DeviceFactory factory(options, makeCompiler(options, source));
  rt::DeviceServices services;
  services.log = log;
  services.stateDirectory = options.settings.stateDirectory;
  NNHAL_ASSIGN_OR_RETURN(services.extensions,
                         loadExtensions(options.settings.plugins, services));

  service::SandboxRules rules;
  rules.folders = {options.settings.stateDirectory};
  if (factory.isGpu()) {
    NNHAL_RETURN_IF_ERROR(confineDrivers(rules));
    NNHAL_RETURN_IF_ERROR(factory.openDrivers());
  }
  {
    // This device ends before the sandbox, which its threads would escape.
    NNHAL_ASSIGN_OR_RETURN(DeviceRef device, factory.make(services));
    rules.needs = device->traits().needs;
    keepCapabilities(*device, services);
  }
  raiseDescriptorLimit();
  size_t threads = countThreads();
  service::DeviceHostOptions host;
  NNHAL_ASSIGN_OR_RETURN(host.sandbox, service::enterSandbox(rules));
  if (threads > 1)
    host.sandbox.push_back(
        fmt::format("{} threads of drivers, which may read files and open "
                    "device nodes",
                    threads - 1));

  NNHAL_ASSIGN_OR_RETURN(services.workers, rt::WorkPool::create(0));
  host.services = std::move(services);
  host.makeDevice = [&factory](const rt::DeviceServices &given) {
    return factory.make(given);
  };
  try {
    return serveClients(options, std::move(host), source);
  } catch (const kj::Exception &exception) {
    return rt::failure("the host of '{}' cannot go on: {}",
                       options.hostedDevice, exception.getDescription().cStr());
  }
}
