//===- GpuBackendOptions.h - What GPUs need of a program --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_GPULOADER_GPUBACKENDOPTIONS_H
#define NNHAL_LIB_RUNTIME_GPULOADER_GPUBACKENDOPTIONS_H

#include "Runtime/OpenShapes/OpenShapeModel.h"
#include "nnhal/Runtime/Compiler.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace nnhal::rt {

/// Functions of the program that the devices of GPUs call: those of its
/// compiler, and those that need the rules of all operations, half a megabyte
/// that libNNHalGpu, which has a runtime of its own, does without.
struct GpuBackendOptions {
  /// LazyCompiler::get().
  std::function<Result<std::shared_ptr<const Compiler>>()> compiler;
  /// LazyCompiler::identity().
  std::function<Result<std::string>()> compilerIdentity;
  /// GpuDevicesOptions::absent; may be empty.
  std::function<void(std::string_view device, const Status &reason)> absent;
  /// The function of that name, of the program that makes these options.
  std::function<Result<AnnotatedModel>(const AnnotatedModel &,
                                       const KnownShapes &, ShapeNeed)>
      withKnownShapes = &nnhal::rt::withKnownShapes;
  /// OpenShapeModel::create() of the program that makes these options.
  std::function<Result<std::unique_ptr<LoadedModel>>(
      const AnnotatedModel &, const std::vector<InputShapes> &,
      OpenShapeModel::CodeMaker, const LoadObserver &)>
      createOpenShapeModel = &OpenShapeModel::create;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_GPULOADER_GPUBACKENDOPTIONS_H
