//===- Library.cpp - What the process has one of --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include "AllowList.h"
#include "CallerState.h"
#include "RenamedDevice.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/Service.h"
#include "nnhal/Runtime/Trace.h"
#include "nnhal/Runtime/TraceFile.h"
#include "nnhal/Runtime/WorkPool.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::ndk;

// The process of the library, 0 before there is one; constant initialization,
// so that loading runs no code.
static std::atomic<pid_t> owner = 0;
static std::atomic<bool> forked = false;
static std::atomic<Library *> instance = nullptr;
static std::once_flag instanceOnce;

static void writeLine(std::string_view line) {
  std::string text = fmt::format("nnhal: {}\n", line);
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

bool Library::isForked() { return forked.load(std::memory_order_relaxed); }

/// Writes what was traced, when the process ends.
static void writeTraceAtExit() {
  Library *library = instance.load();
  if (!library || Library::isForked())
    return;
  try {
    std::string text = rt::writeTrace(*library->tracer());
    const std::string &path = library->settings().traceFile;
    rt::Status written =
        rt::writeFileAtomically(path, std::as_bytes(std::span(text)));
    if (!written.isOk())
      rt::writeError(library->log(), "cannot write the trace: {}",
                     written.message());
  } catch (const std::bad_alloc &) {
    // The process ends, and nobody waits for the trace.
    return;
  }
}

Library *Library::find() {
  if (Library *library = instance.load(std::memory_order_acquire))
    return isForked() ? nullptr : library;
  // A child that was forked while another thread made the library would wait
  // for that thread for ever.
  pid_t expected = 0;
  pid_t self = ::getpid();
  if (!owner.compare_exchange_strong(expected, self) && expected != self)
    return nullptr;
  std::call_once(instanceOnce, [] {
    ::pthread_atfork(nullptr, nullptr, [] { forked = true; });
    auto *library = new Library;
    instance.store(library, std::memory_order_release);
    if (library->tracer())
      std::atexit(writeTraceAtExit);
  });
  return instance.load(std::memory_order_acquire);
}

Library::Library() {
  auto complain = [](std::string_view sentence) {
    writeLine(fmt::format("error: {}", sentence));
  };
  given = Settings::read(getenv, complain);
  services.log = std::make_shared<rt::Log>(given.logMask, writeLine);
  if (!given.traceFile.empty())
    services.tracer = std::make_shared<rt::Tracer>();
  ownRecorder = rt::Recorder::fromEnvironment(getenv, services.log);
}

void Library::tryAdd(std::unique_ptr<rt::Device> device,
                     std::string_view origin) {
  rt::Status added = registry->add(std::move(device));
  // A device that breaks the rules is left out (C-084).
  if (!added.isOk())
    rt::writeError(log(), "{}: {}", origin, added.message());
}

void Library::tryAddAll(std::vector<std::unique_ptr<rt::Device>> devices,
                        std::string_view origin) {
  for (std::unique_ptr<rt::Device> &device : devices)
    tryAdd(std::move(device), origin);
}

std::vector<std::pair<std::string, rt::LoadedPlugin>> Library::loadPlugins() {
  std::vector<std::pair<std::string, rt::LoadedPlugin>> plugins;
  for (const std::string &path : rt::pluginPaths(given.plugins)) {
    std::string origin = fmt::format("plug-in '{}'", path);
    auto loaded = rt::loadPlugin(path, services);
    if (loaded.isOk())
      plugins.emplace_back(std::move(origin), *std::move(loaded));
    else
      rt::writeError(log(), "{}: {}", origin, loaded.status().message());
  }
  return plugins;
}

/// Extensions are for the programs of a list, where there is one (H-036,
/// H-042). A list that cannot be trusted allows nobody.
void Library::readAllowList() {
  const std::string &list =
      given.allowList.empty() ? systemAllowList : given.allowList;
  rt::Result<bool> allowed = allowsExtensions(list, thisExecutable());
  if (!allowed.isOk())
    rt::writeError(log(), "extensions are not supported: {}",
                   allowed.status().message());
  else if (!*allowed)
    rt::writeLog(log(), rt::LogTag::manager,
                 "extensions are not supported: '{}' does not list '{}'", list,
                 thisExecutable());
  if (!allowed.isOk() || !*allowed)
    knownExtensions.forbid();
}

void Library::registerDevices() {
  // Devices keep what they learn in files.
  WithoutFileSizeSignal unsignaled;
  auto workers = rt::WorkPool::create(0);
  if (workers.isOk())
    services.workers = *std::move(workers);
  services.measuredCapabilities = rt::keptCapabilities(getenv);
  if (auto directory = rt::stateDirectory(getenv); directory.isOk())
    services.stateDirectory = *std::move(directory);
  services = rt::completeServices(std::move(services));
  executions = rt::Scheduler::create({});
  registry = std::make_unique<rt::DeviceRegistry>(services.log);
  if (!given.service.empty()) {
    std::string origin = fmt::format("service '{}'", given.service);
    auto remote = rt::connectDevices(given.service, services);
    if (remote.isOk())
      tryAddAll(*std::move(remote), origin);
    else
      rt::writeError(log(), "{}: {}", origin, remote.status().message());
  }
  auto plugins = loadPlugins();
  // A service replaces the device of this process that has the same name.
  if (!registry->find("nnhal-cpu")) {
    rt::CpuDeviceOptions cpu;
    cpu.compiler = std::make_shared<rt::LazyCompiler>(
        given.compiler, rt::pluginPaths(given.plugins));
    cpu.services = services;
    cpu.services.extensions = rt::installedExtensions(services);
    for (const auto &[origin, plugin] : plugins)
      cpu.services.extensions.insert(cpu.services.extensions.end(),
                                     plugin.extensions.begin(),
                                     plugin.extensions.end());
    tryAdd(rt::createCpuDevice(std::move(cpu)), "nnhal-cpu");
  }
  for (auto &[origin, plugin] : plugins)
    tryAddAll(std::move(plugin.devices), origin);
  // Operations of extensions are never the reference device's (H-027).
  tryAdd(renameDevice(rt::createReferenceDevice({.services = services}),
                      "nnapi-reference"),
         "nnapi-reference");
  for (const auto &device : registry->devices()) {
    handles.push_back(std::make_unique<Device>(*device));
    knownExtensions.add(*device);
  }
  readAllowList();
  hasHandles.store(true, std::memory_order_release);
}

std::span<const std::unique_ptr<Device>> Library::devices() {
  std::call_once(devicesOnce, [this] { registerDevices(); });
  return handles;
}

static const Device *findHandle(std::span<const std::unique_ptr<Device>> all,
                                const ANeuralNetworksDevice *handle) {
  auto place = std::ranges::find(all, handle, &std::unique_ptr<Device>::get);
  return place == all.end() ? nullptr : place->get();
}

const Device *Library::lookUp(const ANeuralNetworksDevice *handle) {
  return findHandle(devices(), handle);
}

bool Library::isHandle(const ANeuralNetworksDevice *handle) {
  const Library *library = instance.load(std::memory_order_acquire);
  return library && library->hasHandles.load(std::memory_order_acquire) &&
         findHandle(library->handles, handle);
}

Extensions &Library::extensions() {
  (void)devices(); // They bring the extensions.
  return knownExtensions;
}

bool Library::mayUseExtensions() {
  const Library *library = instance.load(std::memory_order_acquire);
  return library && library->hasHandles.load(std::memory_order_acquire) &&
         !library->knownExtensions.areForbidden();
}

void Library::addBuffer(const rt::Device &device,
                        const std::shared_ptr<rt::Buffer> &buffer) {
  std::lock_guard lock(buffersMutex);
  std::erase_if(buffers,
                [](const auto &each) { return each.second.expired(); });
  buffers[{&device, buffer->token()}] = buffer;
}

std::shared_ptr<rt::Buffer> Library::findBuffer(const rt::Device &device,
                                                uint32_t token) {
  std::lock_guard lock(buffersMutex);
  auto found = buffers.find({&device, token});
  return found == buffers.end() ? nullptr : found->second.lock();
}
