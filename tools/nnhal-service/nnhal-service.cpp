//===- nnhal-service.cpp - Devices for other processes --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"
#include "Options.h"

#include "Runtime/Support/Errors.h"
#include "Service/Supervisor/Listener.h"
#include "Service/Supervisor/Offer.h"
#include "Service/Supervisor/Supervisor.h"
#include "Tools/Process/Process.h"
#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/GpuDevice.h"
#include "nnhal/Runtime/Version.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::servicetool;
using rt::Result;
using rt::Status;
using service::ChildProgram;
using service::Settings;

/// One write per line: processes share the stream.
static void writeLogLine(std::string_view line) {
  std::string text = std::string(line) + "\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

/// The acts of the service itself are always logged; NNHAL_VLOG adds more.
static std::shared_ptr<const rt::Log> makeLog() {
  const char *tags = std::getenv("NNHAL_VLOG");
  uint32_t mask = rt::parseLogMask(tags ? tags : "", writeLogLine) |
                  rt::maskOf(rt::LogTag::manager);
  return std::make_shared<rt::Log>(mask, writeLogLine);
}

/// Makes \p folder, and those above it, for this user alone.
static Status makeFolder(const std::string &folder) {
  std::error_code error;
  std::filesystem::path path(folder);
  if (path.has_parent_path())
    std::filesystem::create_directories(path.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return rt::failure("cannot make the folder '{}': {}", folder,
                       std::generic_category().message(errno));
  return Status::ok();
}

static Result<std::string> stateDirectoryOf(const Settings &settings) {
  if (!settings.stateDirectory.empty())
    return settings.stateDirectory;
  NNHAL_ASSIGN_OR_RETURN(std::string own, rt::stateDirectory(getenv));
  return own + "/service";
}

namespace {
/// A folder for the files of compile workers, which goes with its owner.
class TemporaryFolder {
public:
  static Result<TemporaryFolder> make() {
    const char *given = std::getenv("TMPDIR");
    std::string base = given && *given ? given : "/tmp";
    std::string name = base + "/nnhal-service-XXXXXX";
    if (!::mkdtemp(name.data()))
      return rt::failure("cannot make a folder in '{}': {}", base,
                         std::generic_category().message(errno));
    return TemporaryFolder(name);
  }
  TemporaryFolder(TemporaryFolder &&other) noexcept
      : folder(std::exchange(other.folder, {})) {}
  TemporaryFolder &operator=(TemporaryFolder &&other) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!folder.empty())
      std::filesystem::remove_all(folder, error);
  }

  const std::string &path() const { return folder; }

private:
  explicit TemporaryFolder(std::string folder) : folder(std::move(folder)) {}
  std::string folder;
};
} // namespace

/// \p inherited, or the socket that \p settings name.
static Result<service::Listener> makeListener(service::Listener inherited,
                                              const Settings &settings) {
  if (inherited.isThere())
    return inherited;
  uint32_t usual = settings.users.empty() ? 0600 : 0666;
  return service::Listener::create(settings.socket,
                                   settings.socketMode.value_or(usual));
}

/// The process of \p device, with a state directory of its own: what one device
/// has recorded is nothing to another.
static Result<service::OfferedDevice> offer(const service::FoundDevice &device,
                                            const Settings &settings,
                                            const std::string &stateDirectory) {
  std::string state = fmt::format("{}/{}", stateDirectory, device.name);
  NNHAL_RETURN_IF_ERROR(makeFolder(state));
  ChildProgram host = {argumentsOf(settings), service::inheritedEnvironment()};
  host.arguments.push_back("--host=" + device.name);
  host.arguments.push_back("--state-dir=" + state);
  for (const std::string &plugin : device.plugins)
    host.arguments.push_back("--plugin=" + plugin);
  // The sandbox has no folder for what Mesa would keep.
  if (!rt::gpuTargetOf(device.name).empty())
    host.environment.emplace_back("MESA_SHADER_CACHE_DISABLE=true");
  return service::OfferedDevice{device.name, std::move(host)};
}

static Status serve(const Options &options, service::Listener inherited,
                    const std::shared_ptr<const rt::Log> &log) {
  const Settings &settings = options.settings;
  NNHAL_ASSIGN_OR_RETURN(service::Listener listener,
                         makeListener(std::move(inherited), settings));
  ChildProgram lister = {{"--list"}, service::inheritedEnvironment()};
  for (const std::string &plugin : settings.plugins)
    lister.arguments.push_back("--plugin=" + plugin);
  for (const std::string &device : settings.devices)
    lister.arguments.push_back("--device=" + device);
  NNHAL_ASSIGN_OR_RETURN(std::vector<service::FoundDevice> found,
                         service::findDevices(lister));
  // A worker opens the halves of extensions beside those plug-ins alone whose
  // halves are part of the identity that the hosts give to caches.
  auto compiling =
      std::ranges::find(found, "nnhal-cpu", &service::FoundDevice::name);
  std::vector<std::string> compiled;
  if (compiling != found.end())
    compiled = compiling->plugins;
  NNHAL_ASSIGN_OR_RETURN(
      found, service::selectDevices(std::move(found), settings.devices));
  NNHAL_ASSIGN_OR_RETURN(std::string state, stateDirectoryOf(settings));
  NNHAL_RETURN_IF_ERROR(makeFolder(state));
  NNHAL_ASSIGN_OR_RETURN(TemporaryFolder temporary, TemporaryFolder::make());

  service::SupervisorOptions supervisor;
  supervisor.settings = settings;
  supervisor.log = log;
  for (const service::FoundDevice &device : found) {
    NNHAL_ASSIGN_OR_RETURN(supervisor.devices.emplace_back(),
                           offer(device, settings, state));
  }
  supervisor.compileWorker = {argumentsOf(settings),
                              service::inheritedEnvironment()};
  supervisor.compileWorker.arguments.emplace_back("--compile-worker");
  for (const std::string &plugin : compiled)
    supervisor.compileWorker.arguments.push_back("--plugin=" + plugin);
  supervisor.compileWorker.environment.push_back("TMPDIR=" + temporary.path());
  return service::runSupervisor(listener, std::move(supervisor));
}

static Status printStatus(const Options &options) {
  NNHAL_ASSIGN_OR_RETURN(std::string report,
                         service::fetchReport(options.settings.socket));
  NNHAL_ASSIGN_OR_RETURN(std::string text,
                         service::renderReport(report, options.format));
  fmt::print("{}", text);
  return Status::ok();
}

/// Whether \p options name no socket, which is wrong usage.
static bool lacksSocket(const Options &options) {
  return options.settings.socket.empty();
}

static int failWithoutSocket() {
  return tools::fail(rt::badData("no socket; try --help"), tools::exitUsage);
}

static int runService(const Options &options) {
  auto inherited = service::Listener::inherit();
  if (!inherited.isOk())
    return tools::fail(inherited.status(), tools::exitFailure);
  if (!inherited->isThere() && lacksSocket(options))
    return failWithoutSocket();
  return tools::finish(serve(options, *std::move(inherited), makeLog()));
}

static int run(const Options &options) {
  switch (options.mode) {
  case Mode::help:
    fmt::print("{}", helpText());
    break;
  case Mode::version:
    fmt::print("nnhal-service {}\n", NNHAL_VERSION);
    break;
  case Mode::status:
    return lacksSocket(options) ? failWithoutSocket()
                                : tools::finish(printStatus(options));
  case Mode::serve:
    return runService(options);
  case Mode::list:
    return tools::finish(
        service::tellDevices(options.settings.plugins, options.settings.devices,
                             rt::UniqueFd(service::childChannel)));
  case Mode::host:
    return tools::finish(runHost(options, makeLog()));
  case Mode::compileWorker:
    return tools::finish(runCompileWorker(options, makeLog()));
  }
  return tools::finish(Status::ok());
}

static int runTool(std::span<const std::string_view> arguments) {
  auto options = parseOptions(arguments);
  if (!options.isOk())
    return tools::fail(options.status(), tools::exitUsage);
  int status = run(*options);
  // A compile worker whose host is gone may be compiling still, and a host may
  // be executing: nobody waits for them.
  if (options->mode == Mode::host || options->mode == Mode::compileWorker)
    ::_exit(status);
  return status;
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
