//===- Fallback.h - Another device for what has failed ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_FALLBACK_H
#define NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_FALLBACK_H

#include "nnhal/Runtime/Partition.h"

#include <atomic>
#include <map>
#include <mutex>

namespace nnhal::rt::partition {

/// The fallback device with the models of steps, and the whole one, that it had
/// to take over. They are prepared when they are first needed, and kept.
///
/// Threads: any.
class Fallback {
public:
  /// Without \p device there is no fallback (I-052).
  Fallback(std::shared_ptr<const AnnotatedModel> model, const Device *device,
           const PartitionOptions &options);

  bool isAllowed() const { return device != nullptr; }
  bool isOn(const Device *other) const { return device == other; }
  const Device &target() const { return *device; }

  /// Prepares the model of a step of \p plan (I-042). Null, with an error in
  /// the log, when that fails.
  PreparedModelRef stepModel(const PartitionPlan &plan, uint32_t step);
  /// Prepares the whole model (I-043). Null when that fails, and for a model of
  /// extensions or the OEM, which no fallback device knows (I-018, I-038).
  PreparedModelRef wholeModel();

  /// Note what has happened; the first event is logged, all are traced.
  void notePreparation(const Status &cause);
  void noteStep(std::string_view failed, const Status &cause);
  void noteModel(const Status &cause);

  FallbackReport report() const;
  Tracer *tracer() const { return trace.get(); }

private:
  PreparedModelRef prepare(const AnnotatedModel &prepared);
  void note(std::string_view event, const Status &cause);

  std::shared_ptr<const AnnotatedModel> model;
  const Device *device;
  PrepareOptions options;
  std::shared_ptr<const Log> log;
  std::shared_ptr<Tracer> trace;

  mutable std::mutex mutex;
  std::map<uint32_t, PreparedModelRef> steps;
  PreparedModelRef whole;
  FallbackReport events;
};

/// The fallback device that \p options allow, or null.
const Device *allowedFallback(std::span<const Device *const> devices,
                              const Device *fallback,
                              const PartitionOptions &options);

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_FALLBACK_H
