//===- OpenedDevice.cpp - The device of a run -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenedDevice.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/SplitAt.h"
#include "Tools/Report/Diagnostics.h"
#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/GpuDevice.h"
#include "nnhal/Runtime/WorkPool.h"

#include <algorithm>
#include <cstdlib>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::Status;

/// The drivers of GPUs are loaded when one is named.
static Status addGpus(const std::vector<std::string> &named,
                      OpenedDevice &opened) {
  if (std::ranges::none_of(named, rt::isGpuDevice))
    return Status::ok();
  Status missing;
  NNHAL_RETURN_IF_ERROR(
      registerGpus(opened.request, *opened.registry,
                   [&](std::string_view name, const Status &reason) {
                     if (std::ranges::find(named, name) != named.end())
                       missing = reason;
                   }));
  return missing;
}

static Status checkThreads(const rt::Device &device, uint64_t threads) {
  rt::DeviceTraits traits = device.traits();
  if (threads == 1 || (traits.usesThreads && !traits.isRemote))
    return Status::ok();
  return badData(
      "device {} executes on {}, and {} threads are asked for", device.name(),
      traits.isRemote ? "the threads of its service" : "one thread", threads);
}

rt::Result<OpenedDevice> tools::openDevice(const RunPlan &plan) {
  OpenedDevice opened;
  std::vector<std::string_view> parts = rt::splitAt(plan.name.device, '+');
  std::vector<std::string> names(parts.begin(), parts.end());
  const char *environment = std::getenv("NNHAL_PLUGINS");
  std::vector<std::string> plugins =
      rt::pluginPaths(environment ? environment : "");
  plugins.insert(plugins.end(), plan.plugins.begin(), plan.plugins.end());
  if (plan.way.isService) {
    std::vector<std::string> hosted = names;
    if (plan.name.device == allDevices)
      hosted.clear();
    NNHAL_ASSIGN_OR_RETURN(
        opened.service,
        ServiceProcess::start({std::move(hosted), plugins, plan.folder}));
    opened.request.service = opened.service.socket();
  } else {
    opened.request.plugins = plugins;
  }
  const char *compiler = std::getenv("NNHAL_COMPILER");
  opened.request.compiler =
      std::make_shared<rt::LazyCompiler>(compiler ? compiler : "", plugins);
  rt::DeviceServices &services = opened.request.services;
  services = makeServices({std::getenv("NNHAL_VLOG"), false});
  NNHAL_ASSIGN_OR_RETURN(services.workers,
                         rt::WorkPool::create(unsigned(plan.name.threads)));
  services.measuredCapabilities = rt::keptCapabilities(getenv);
  services.stateDirectory = plan.folder + "/state";
  opened.registry = std::make_unique<rt::DeviceRegistry>(services.log);
  NNHAL_ASSIGN_OR_RETURN(opened.extensions,
                         registerDevices(opened.request, *opened.registry));
  if (!plan.way.isService)
    NNHAL_RETURN_IF_ERROR(addGpus(names, opened));
  DeviceSelection selection;
  selection.device = plan.name.device;
  if (names.size() > 1)
    selection.several = names;
  rt::CompilationCache::Options cache;
  cache.directory = plan.folder + "/cache";
  cache.log = services.log;
  NNHAL_ASSIGN_OR_RETURN(
      opened.selected,
      selectDevice(*opened.registry, selection, services,
                   std::make_shared<rt::CompilationCache>(std::move(cache))));
  if (!opened.selected.members)
    NNHAL_RETURN_IF_ERROR(checkThreads(opened.device(), plan.name.threads));
  return opened;
}
