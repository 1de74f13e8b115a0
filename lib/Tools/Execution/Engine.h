//===- Engine.h - The devices that models are loaded for --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_ENGINE_H
#define NNHAL_LIB_TOOLS_EXECUTION_ENGINE_H

#include "Devices.h"
#include "Load.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::tools {

/// The settings of a program that loads or compiles models.
struct EngineOptions {
  /// One device, or those among which the model is divided.
  std::vector<std::string> devices;
  /// Several devices: nnhal-reference does not step in.
  bool isRequired = false;
  uint64_t threads = 1;
  std::string cacheDirectory;
  std::string stateDirectory;
  std::string service;
  std::vector<std::string> plugins;
  NamedShapes shapes;
  /// TFLiteImportOptions::signature.
  std::string signature;
  std::string rounding = "double";
  std::string preference = "fast-single-answer";
  std::string priority = "medium";
  std::optional<uint64_t> compileAfter;
  std::string target;
  std::string targetTriple;
  std::string targetCpu;
  std::string targetFeatures;
};

/// The devices that models are loaded for, and the services that they report
/// to.
///
/// Ownership: shared by what was prepared on its devices.
/// Threads:   every member may be called from any thread.
class Engine {
public:
  /// Makes the devices that \p options name, which report to the log and the
  /// tracer of \p services, of which a log is there; threads, capabilities and
  /// the state directory are those of the options. The environment names the
  /// compiler and plug-ins beside those of the options. Fails with
  /// invalidArgument for what the options say wrong, otherwise like
  /// registerDevices().
  static rt::Result<std::shared_ptr<Engine>>
  create(const EngineOptions &options, rt::DeviceServices services);

  /// Reads \p model, and compiles and loads it as \p request says.
  rt::Result<LoadOutcome> load(const LoadRequest &request,
                               const ModelFile &model,
                               const LoadObserver &observer);

  /// How the devices divide \p source; nothing for one device.
  rt::Result<std::optional<rt::PartitionPlan>>
  plan(const rt::AnnotatedModel &source) const;

  const rt::Device &device() const { return *selected.device; }
  /// Null where nothing is traced.
  rt::Tracer *tracer() const { return devices.services.tracer.get(); }
  /// The compiler of the devices, opened when something has to be compiled.
  const std::shared_ptr<rt::LazyCompiler> &compiler() const {
    return devices.compiler;
  }
  /// The request that loads a model as the options say.
  const LoadRequest &request() const { return loading; }

private:
  Engine(const EngineOptions &options, rt::DeviceServices services);
  rt::Status open();
  rt::Status addGpus();
  rt::Status checkSelected() const;

  EngineOptions options;
  LoadRequest loading;
  DevicesRequest devices;
  std::unique_ptr<rt::DeviceRegistry> registry;
  SelectedDevice selected;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_ENGINE_H
