//===- KeptKernels.h - Kernels of earlier compilations ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_CPU_KEPTKERNELS_H
#define NNHAL_LIB_RUNTIME_DEVICES_CPU_KEPTKERNELS_H

#include "nnhal/Runtime/CompileOptions.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <memory>
#include <mutex>

namespace nnhal::rt {

namespace cache {
class KernelStore;
}

/// Lets the compilations of a device keep kernels in its state directory, where
/// the device has one that can be used.
///
/// Threads: any.
class KeptKernels {
public:
  KeptKernels(const DeviceServices &services,
              std::shared_ptr<LazyCompiler> compiler);
  ~KeptKernels();

  /// \p observer with the functions of kernels, for one compilation: when the
  /// result and its copies are gone, all kernels are kept.
  CompileObserver observe(CompileObserver observer);

private:
  Status openStore();
  void open();

  std::string directory;
  std::shared_ptr<const Log> log;
  std::shared_ptr<LazyCompiler> compiler;
  std::once_flag once;
  std::shared_ptr<cache::KernelStore> store;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_CPU_KEPTKERNELS_H
