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

/// What the devices of GPUs need of the program: its compiler, and the rules of
/// all operations, which are half a megabyte. Functions, since they are called
/// by a library with a runtime of its own.
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
      OpenShapeModel::CodeMaker, const CompileObserver &)>
      createOpenShapeModel = &OpenShapeModel::create;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_GPULOADER_GPUBACKENDOPTIONS_H
