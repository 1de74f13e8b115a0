//===- PrepareOptions.h - Options of a preparation --------------*- C++ -*-===//
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

/// The HAL's ExecutionPreference, which may change speed and power and never
/// changes results (C-054). nnhal-cpu and nnhal-reference do the same for each;
/// compilation caches keep an entry for each (E-016).
enum class ExecutionPreference : uint32_t {
  lowPower = 0,
  fastSingleAnswer = 1,
  sustainedSpeed = 2
};

/// The options of a preparation: values and descriptors only, so that they can
/// be sent to another process (decisions 19). A PrepareObserver receives its
/// reports.
struct PrepareOptions {
  CompileOptions compile;
  /// The number of executions before the model is compiled. Until then, and
  /// while a thread of the device compiles, the model is executed by slower
  /// means; results differ as they do between devices. The value 0 compiles at
  /// once, without anybody waiting. Without a value the preparation waits for
  /// the compilation.
  ///
  /// The deadline is that of the preparation alone. PrepareObserver::compile
  /// hears nothing of a compilation in the background; keepArtifact is called
  /// on its thread.
  std::optional<uint64_t> compileAfter;
  ExecutionPreference preference = ExecutionPreference::fastSingleAnswer;
  /// The priority of the preparation and of every execution, among those of one
  /// client (C-053).
  Priority priority = Priority::medium;
  /// The deadline of the preparation.
  Deadline deadline = noDeadline;
  /// The client that the work is for: clients take turns, whatever their
  /// priorities.
  uint64_t client = 0;
  /// The files where prepareModel() and prepareModelAsync() leave the compiled
  /// entry, if any. Nothing that is wrong with them fails a preparation
  /// (E-033). They are borrowed for the length of the call, also of
  /// prepareModelAsync(): handles that are needed later are duplicated.
  CacheHandles cache;
  /// The token that the entry belongs to.
  CacheToken token = {};
  /// The digest of everything that the entry is made from (contentKeyOf()). It
  /// is stored with the entry, and compared by prepareModelFromCache() where it
  /// is given: tokens are the client's promise, this is a check. It is not part
  /// of the HAL.
  std::optional<ContentKey> contentKey;
  bool operator==(const PrepareOptions &) const = default;
};

/// The functions through which a preparation tells about itself. Each function
/// may be empty. A device of another process tells nothing of progress and no
/// remarks (DeviceTraits::isRemote).
struct PrepareObserver {
  /// Hears of the compilation, on the thread of the preparation.
  CompileObserver compile;
  /// Is called once when a compilation in the background ends, on its thread:
  /// with success when its code has taken over, otherwise with the reason why
  /// not. It is not called for a compilation that never begins.
  std::function<void(const Status &)> compileEnded;
  /// Receives the artifact before it is loaded, so that a file can keep it. A
  /// failure that it returns fails the preparation.
  std::function<Status(const CompiledModel &)> keepArtifact;
  /// Hears how prepareModelFromCache() went, and why prepareModel() left
  /// nothing in the files.
  CacheObserver cacheObserver;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_PREPAREOPTIONS_H
