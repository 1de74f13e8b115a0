//===- Executions.h - Executions beside a plain call ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_PYTHON_NATIVE_EXECUTIONS_H
#define NNHAL_PYTHON_NATIVE_EXECUTIONS_H

#include "Model.h"

#include "nnhal/Runtime/Burst.h"
#include "nnhal/Runtime/Fence.h"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace nnhal::python {

/// An execution on a thread of the device, and its arrays.
///
/// No thread of the device takes the interpreter lock: the end of the execution
/// signals a fence, which Python waits for or polls.
/// Ownership: of its caller; the destructor waits for the end.
class Execution {
public:
  /// Launches \p call on a thread of the device.
  static std::unique_ptr<Execution> launch(std::shared_ptr<Model> model,
                                           std::unique_ptr<Call> call);
  /// Launches \p call after all of \p waitFor have signaled. \p seconds bound
  /// the time from then on.
  static std::unique_ptr<Execution>
  launchFenced(std::shared_ptr<Model> model, std::unique_ptr<Call> call,
               std::vector<rt::FenceRef> waitFor,
               std::optional<double> seconds);
  ~Execution();
  Execution(const Execution &) = delete;
  Execution &operator=(const Execution &) = delete;

  /// Signals when the execution has ended; null when it has.
  rt::FenceRef fence() const { return ended; }
  bool isDone() const { return !ended || ended->outcome().has_value(); }
  /// Whether it was launched again, after its end, with more room for its
  /// outputs. Throws when it has failed, and with another fence than before.
  bool relaunch();
  /// The outputs, once, after relaunch() has returned false.
  py::list take();
  /// Waits for the end and returns the outputs, once.
  py::list result();

private:
  /// What the device writes at the end.
  struct Outcome {
    rt::Status status;
    rt::ExecutionResult result;
  };

  Execution(std::shared_ptr<Model> model, std::unique_ptr<Call> call)
      : model(std::move(model)), call(std::move(call)) {}
  void start();
  void wait() const;

  std::shared_ptr<Model> model;
  std::unique_ptr<Call> call;
  rt::FenceRef ended;
  std::shared_ptr<Outcome> outcome;
  std::shared_ptr<rt::FencedExecution> fenced;
};

/// Executions of a model that keeps its states from one to the next.
///
/// Threads: one at a time; another one gets an exception.
class Stream {
public:
  explicit Stream(std::shared_ptr<Model> model);

  py::list execute(const py::args &args, const py::kwargs &keywords);
  void reset();
  /// The states by the names of their inputs, as copies.
  py::dict states() const;
  /// Sets the states that \p values names.
  void setStates(const py::dict &values);

private:
  std::shared_ptr<Model> model;
  States held;
  bool isBusy = false;
};

/// Executions over the queues of a burst, until it is closed.
class BurstSession {
public:
  explicit BurstSession(std::shared_ptr<Model> model);

  py::list execute(const py::args &args, const py::kwargs &keywords);
  /// How many executions did not go over the queues.
  uint64_t ordinaryExecutions() const;
  void close();

private:
  std::shared_ptr<Model> model;
  std::shared_ptr<rt::Burst> burst;
};

} // namespace nnhal::python

#endif // NNHAL_PYTHON_NATIVE_EXECUTIONS_H
