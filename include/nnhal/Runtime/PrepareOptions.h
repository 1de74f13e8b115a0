//===- PrepareOptions.h - What a preparation is asked for -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_PREPAREOPTIONS_H
#define NNHAL_RUNTIME_PREPAREOPTIONS_H

#include "nnhal/Runtime/CacheHandles.h"
#include "nnhal/Runtime/CompileOptions.h"
#include "nnhal/Runtime/Execution.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace nnhal::rt {

struct CompiledModel;

/// The HAL's ExecutionPreference. Never changes results (C-054).
enum class ExecutionPreference : uint32_t {
  lowPower = 0,
  fastSingleAnswer = 1,
  sustainedSpeed = 2
};

/// What a preparation is asked for: values and descriptors only, so that they
/// can be sent to another process (decisions 19). Whom it tells is a
/// PrepareObserver.
struct PrepareOptions {
  CompileOptions compile;
  /// Executions before the model is compiled. Until then, and while a thread of
  /// the device compiles, the model is executed by slower means; results differ
  /// as they do between devices. 0 compiles at once, without anybody waiting.
  /// Absent: the preparation waits for the compilation.
  ///
  /// The deadline is that of the preparation alone. PrepareObserver::compile
  /// hears nothing of a compilation in the background; keepArtifact is called
  /// on its thread.
  std::optional<uint64_t> compileAfter;
  ExecutionPreference preference = ExecutionPreference::fastSingleAnswer;
  /// Of the preparation and of every execution, among those of one client
  /// (C-053).
  Priority priority = Priority::medium;
  /// Of the preparation.
  Deadline deadline = noDeadline;
  /// Whose work it is: clients take turns, whatever their priorities.
  uint64_t client = 0;
  /// Where prepareModel() and prepareModelAsync() leave what they compiled;
  /// empty: nowhere. Nothing that is wrong with them, or with the files, fails
  /// a preparation (E-033). Borrowed for the length of the call, also of
  /// prepareModelAsync(): what is needed later is duplicated.
  CacheHandles cache;
  /// Whose entry that is.
  CacheToken token = {};
  /// What the entry is made from (contentKeyOf()). Stored with it, and compared
  /// by prepareModelFromCache() where it is given: tokens are the client's
  /// promise, this is a check. Not part of the HAL.
  std::optional<ContentKey> contentKey;
  bool operator==(const PrepareOptions &) const = default;
};

/// Whom a preparation tells about itself. Each function may be empty. A device
/// of another process calls none while it compiles (DeviceTraits::isRemote).
struct PrepareObserver {
  /// Told of the compilation, on the thread of the preparation.
  CompileObserver compile;
  /// Told once what became of a compilation in the background, on its thread:
  /// success when its code has taken over, otherwise why it has not. A
  /// compilation that never begins is not told.
  std::function<void(const Status &)> compileEnded;
  /// Receives the artifact before it is loaded, so that a file can keep it. A
  /// failure that it returns fails the preparation.
  std::function<Status(const CompiledModel &)> keepArtifact;
  /// Told how prepareModelFromCache() went, and why prepareModel() left nothing
  /// in the files.
  CacheObserver cacheObserver;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_PREPAREOPTIONS_H
