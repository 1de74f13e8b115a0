//===- Engine.h - Devices of a Python program -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_PYTHON_NATIVE_ENGINE_H
#define NNHAL_PYTHON_NATIVE_ENGINE_H

#include "Tools/Execution/Devices.h"
#include "Tools/Execution/Load.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::python {

/// What a program says when it loads or compiles a model.
struct LoadOptions {
  /// One device, or those among which the model is divided.
  std::vector<std::string> devices;
  /// Several devices: nnhal-reference does not step in.
  bool isRequired = false;
  uint64_t threads = 1;
  std::string cacheDirectory;
  std::string stateDirectory;
  std::string service;
  std::vector<std::string> plugins;
  bool isTraced = false;
  tools::NamedShapes shapes;
  std::string rounding = "double";
  std::string preference = "fast-single-answer";
  std::string priority = "medium";
  std::optional<uint64_t> compileAfter;
  std::string target;
  std::string targetTriple;
  std::string targetCpu;
  std::string targetFeatures;
};

/// The devices that one model was loaded for, and the services that they report
/// to.
///
/// Ownership: shared by what was prepared on its devices.
/// Threads:   every member may be called from any thread.
class Engine {
public:
  /// Makes the devices that \p options name. Fails with invalidArgument for
  /// what they say wrong, otherwise like registerDevices().
  static rt::Result<std::shared_ptr<Engine>> create(const LoadOptions &options);

  /// Reads \p model, and compiles and loads it as \p request says.
  rt::Result<tools::LoadOutcome> load(const tools::LoadRequest &request,
                                      const tools::ModelFile &model,
                                      const tools::LoadObserver &observer);

  /// How the devices divide \p source; nothing for one device.
  rt::Result<std::optional<rt::PartitionPlan>>
  plan(const rt::AnnotatedModel &source) const;

  const rt::Device &device() const { return *selected.device; }
  /// Null where nothing is traced.
  rt::Tracer *tracer() const { return devices.services.tracer.get(); }
  /// The request that loads a model as the options say.
  const tools::LoadRequest &request() const { return loading; }

private:
  explicit Engine(const LoadOptions &options) : options(options) {}
  rt::Status open();
  rt::Status addGpus();
  rt::Status checkSelected() const;

  LoadOptions options;
  tools::LoadRequest loading;
  tools::DevicesRequest devices;
  std::unique_ptr<rt::DeviceRegistry> registry;
  tools::SelectedDevice selected;
};

} // namespace nnhal::python

#endif // NNHAL_PYTHON_NATIVE_ENGINE_H
