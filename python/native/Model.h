//===- Model.h - A loaded model and its arguments ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_PYTHON_NATIVE_MODEL_H
#define NNHAL_PYTHON_NATIVE_MODEL_H

#include "Tools/Execution/Engine.h"

#include <pybind11/numpy.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::python {

namespace py = pybind11;

/// Returns \p seconds of Python in nanoseconds. Throws for those that are no
/// time to wait.
uint64_t nanosecondsOf(double seconds);

/// Everything that one execution reads and writes. Objects are used again,
/// because their vectors keep their memory.
///
/// Threads: those who hold the interpreter lock, or the one that executes.
struct Call {
  rt::Request request;
  rt::ExecutionResult result;
  /// The arrays behind the inputs.
  std::vector<py::object> inputs;
  /// The arrays that the outputs are written to; null for a state of a stream.
  std::vector<py::object> outputs;
  /// The outputs whose arrays are the caller's.
  std::vector<bool> isGiven;
  /// Bytes that were copied because an argument could not be used as it is.
  uint64_t copiedBytes = 0;
};

/// The states of a stream: inputs of the next execution, and where it writes
/// those that follow.
struct States {
  std::vector<rt::AlignedBuffer> current;
  std::vector<rt::AlignedBuffer> next;
};

/// The counters of model.statistics.
struct Counters {
  uint64_t executions = 0;
  /// Bytes that this module copied, because an array was not contiguous, not
  /// aligned, of another byte order, or no array.
  uint64_t convertedBytes = 0;
  /// Bytes that the runtime copied: rt::ExecutionResult::copiedBytes.
  uint64_t stagedBytes = 0;
};

/// A prepared model with what Python asks of it.
///
/// Ownership: shared by executions and streams.
/// Threads:   the caller holds the interpreter lock unless a comment says
///            otherwise.
class Model : public std::enable_shared_from_this<Model> {
public:
  /// Reads \p file, and compiles and loads it. \p warnings receives what the
  /// load warns of. Takes no interpreter lock.
  static rt::Result<std::shared_ptr<Model>>
  load(const tools::EngineOptions &options, bool isTraced,
       tools::ModelFile file, std::vector<std::string> &warnings);

  /// Finds the element types in NumPy; once, after load().
  void findTypes();

  const rt::Interface &interface() const { return prepared->interface(); }
  const rt::PreparedModelRef &preparedModel() const { return prepared; }
  tools::Engine &engine() const { return *owner; }
  int64_t loadMicroseconds() const { return loadTime; }
  int64_t compileMicroseconds() const { return compileTime; }
  bool wasCached() const { return fromCache; }

  /// A call with the arguments \p args and \p keywords of Python. States that
  /// they leave out are those of \p states, or the initial ones without it.
  /// Throws when they do not fit the model.
  std::unique_ptr<Call> bind(const py::args &args, const py::kwargs &keywords,
                             States *states = nullptr);
  /// Executes \p call by \p execute, without the interpreter lock, and again
  /// with more room when an output was too small.
  template <typename Execute>
  void run(Call &call, const Execute &execute, States *states = nullptr) {
    while (true) {
      rt::Status status;
      {
        py::gil_scoped_release unlocked;
        status = execute(call.request, call.result);
      }
      if (!hasToGrow(call, status, states))
        return;
    }
  }
  /// Whether an execution ended with \p status because an output was too small:
  /// it has more room now. Throws for every other failure.
  bool hasToGrow(Call &call, const rt::Status &status, States *states);
  /// The outputs of \p call, whose memory it takes back.
  py::list take(std::unique_ptr<Call> call);
  /// Forgets \p call.
  void release(std::unique_ptr<Call> call);

  /// The states before the first execution.
  rt::Result<std::vector<rt::AlignedBuffer>> initialStates() const;
  /// State \p index of \p states as an array of its own.
  py::array stateArray(const States &states, size_t index) const;

  /// The answer to model.explain(); takes no interpreter lock.
  rt::Result<std::string> explain(bool asJson) const;

  /// The metadata of its file, which is read once; takes no interpreter lock.
  const rt::Result<tools::ModelMetadata> &metadata() const;

  /// The shape and the element type of a tensor for Python.
  py::tuple shapeOf(const rt::InterfaceTensor &tensor) const;
  static py::dtype typeOf(const rt::InterfaceTensor &tensor);
  /// Whether elements are bytes along one dimension more, because their type is
  /// of an extension that does not say what they are.
  static bool hasElementsOfBytes(const rt::InterfaceTensor &tensor);

  Counters counters;

private:
  /// What is known of an argument before it is bound.
  struct Slot {
    py::dtype type;
    int number = 0;
    /// Which state it is; -1 for none.
    int state = -1;
    /// See hasElementsOfBytes().
    bool isBytes = false;
    /// The shape of an output is known from the model.
    bool isFixed = true;
    uint64_t byteSize = 0;
  };

  void bindInput(Call &call, size_t index, py::handle value);
  py::array asArray(Call &call, const Slot &slot, size_t index,
                    py::handle value);
  py::handle bindMixed(Call &call, const py::args &args,
                       const py::kwargs &keywords, bool isNamed,
                       States *states);
  void bindByName(Call &call, const py::dict &arguments,
                  std::vector<bool> &isGiven);
  void bindMissing(Call &call, const std::vector<bool> &isGiven,
                   const States *states);
  void bindOutputs(Call &call, py::handle given, States *states);
  void checkTarget(size_t index, const py::array &array) const;
  void useOutput(Call &call, size_t index, const py::array &array);
  void makeOutput(Call &call, size_t index,
                  const std::vector<uint32_t> &dimensions);
  py::object asReported(Call &call, size_t index);
  std::string describe(const char *what, size_t index) const;
  Slot slotOf(const rt::InterfaceTensor &tensor) const;

  std::shared_ptr<tools::Engine> owner;
  tools::ModelFile source;
  mutable std::once_flag metadataOnce;
  mutable std::optional<rt::Result<tools::ModelMetadata>> readMetadata;
  rt::PreparedModelRef prepared;
  int64_t loadTime = 0;
  int64_t compileTime = 0;
  bool fromCache = false;
  /// The compiler's remarks on operations.
  std::vector<std::pair<uint32_t, std::string>> remarks;
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  std::vector<rt::AlignedBuffer> initial;
  /// The shapes that outputs had which only an execution knows.
  std::vector<std::vector<uint32_t>> lastShapes;
  std::vector<std::unique_ptr<Call>> idle;
};

} // namespace nnhal::python

#endif // NNHAL_PYTHON_NATIVE_MODEL_H
