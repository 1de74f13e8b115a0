//===- PreparedModel.h - A model that a device can execute ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_PREPAREDMODEL_H
#define NNHAL_RUNTIME_PREPAREDMODEL_H

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/ModelCache.h"

#include <vector>

namespace nnhal::rt {

/// What a prepared model looks like from outside.
struct Interface {
  std::vector<InterfaceTensor> inputs;
  std::vector<InterfaceTensor> outputs;
  std::vector<StatePair> statePairs;
};

/// The interface of \p model, which is valid.
Interface interfaceOf(const AnnotatedModel &model);

/// A model that a device has made ready.
///
/// Ownership: shared; independent of the device and the model that it came
///            from.
/// Threads:   every member may be called from any number of threads at once.
/// Blocking:  execute() returns when the execution has ended.
class PreparedModel {
public:
  virtual ~PreparedModel() = default;

  virtual const Interface &interface() const = 0;

  /// Executes once, writing outputs and \p result.
  ///
  /// invalidArgument when an argument does not match the interface: the message
  /// names it, the found value and the bound. outputInsufficientSize with the
  /// needed shapes when an output's memory is too small; the contents of the
  /// outputs are then unspecified. missedDeadlineTransient when the deadline
  /// passed. resourceExhaustedTransient when there is no memory.
  virtual Status execute(const Request &request,
                         ExecutionResult &result) const = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_PREPAREDMODEL_H
