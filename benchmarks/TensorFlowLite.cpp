//===- TensorFlowLite.cpp - TensorFlow Lite's library ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorFlowLite.h"

#include "Runtime/Support/Errors.h"

#include <dlfcn.h>

using namespace nnhal;
using namespace nnhal::benchmarks;

namespace {

// The types of TensorFlow Lite's C interface, of which only pointers are held.
struct TfLiteModel;
struct TfLiteOptions;
struct TfLiteInterpreter;
struct TfLiteTensor;
struct TfLiteDelegate;

/// TfLiteXNNPackDelegateOptions: the members that all versions begin with, and
/// room for those of later ones, for which 0 is the default.
struct XnnpackOptions {
  int32_t threads = 1;
  /// int8 and uint8, which are not taken by default.
  uint32_t flags = 1 | 2;
  void *later[16] = {};
};

/// The functions of the library, by their names there without the prefix.
struct Functions {
  const char *(*version)();
  TfLiteModel *(*createModel)(const char *path);
  void (*deleteModel)(TfLiteModel *);
  TfLiteOptions *(*createOptions)();
  void (*deleteOptions)(TfLiteOptions *);
  void (*setThreads)(TfLiteOptions *, int32_t);
  void (*setErrorReporter)(TfLiteOptions *,
                           void (*)(void *, const char *, va_list), void *);
  TfLiteInterpreter *(*createInterpreter)(const TfLiteModel *,
                                          const TfLiteOptions *);
  void (*deleteInterpreter)(TfLiteInterpreter *);
  int (*allocateTensors)(TfLiteInterpreter *);
  int (*modifyGraph)(TfLiteInterpreter *, TfLiteDelegate *);
  int (*invoke)(TfLiteInterpreter *);
  int32_t (*inputCount)(const TfLiteInterpreter *);
  int32_t (*outputCount)(const TfLiteInterpreter *);
  TfLiteTensor *(*input)(const TfLiteInterpreter *, int32_t);
  const TfLiteTensor *(*output)(const TfLiteInterpreter *, int32_t);
  size_t (*byteSize)(const TfLiteTensor *);
  void *(*data)(const TfLiteTensor *);
  TfLiteDelegate *(*createDelegate)(const XnnpackOptions *);
  void (*deleteDelegate)(TfLiteDelegate *);
};

rt::Result<Functions> openLibrary(const std::string &path) {
  // The library stays open: its threads and tables are those of the process.
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return rt::failure("cannot open '{}': {}", path, dlerror());
  Functions functions = {};
  std::string missing;
  auto find = [&]<typename Function>(Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(dlsym(handle, name));
    if (!function && missing.empty())
      missing = name;
  };
  find(functions.version, "TfLiteVersion");
  find(functions.createModel, "TfLiteModelCreateFromFile");
  find(functions.deleteModel, "TfLiteModelDelete");
  find(functions.createOptions, "TfLiteInterpreterOptionsCreate");
  find(functions.deleteOptions, "TfLiteInterpreterOptionsDelete");
  find(functions.setThreads, "TfLiteInterpreterOptionsSetNumThreads");
  find(functions.setErrorReporter, "TfLiteInterpreterOptionsSetErrorReporter");
  find(functions.createInterpreter, "TfLiteInterpreterCreate");
  find(functions.deleteInterpreter, "TfLiteInterpreterDelete");
  find(functions.allocateTensors, "TfLiteInterpreterAllocateTensors");
  find(functions.modifyGraph, "TfLiteInterpreterModifyGraphWithDelegate");
  find(functions.invoke, "TfLiteInterpreterInvoke");
  find(functions.inputCount, "TfLiteInterpreterGetInputTensorCount");
  find(functions.outputCount, "TfLiteInterpreterGetOutputTensorCount");
  find(functions.input, "TfLiteInterpreterGetInputTensor");
  find(functions.output, "TfLiteInterpreterGetOutputTensor");
  find(functions.byteSize, "TfLiteTensorByteSize");
  find(functions.data, "TfLiteTensorData");
  find(functions.createDelegate, "TfLiteXNNPackDelegateCreate");
  find(functions.deleteDelegate, "TfLiteXNNPackDelegateDelete");
  if (!missing.empty())
    return rt::failure("'{}' has no function {}", path, missing);
  return functions;
}

/// TensorFlow Lite tells there why a delegate was refused, which isDelegated()
/// says.
void drop(void *, const char *, va_list) {}

} // namespace

struct TensorFlowLiteModel::State {
  explicit State(const Functions &functions) : call(functions) {}
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State() {
    if (interpreter)
      call.deleteInterpreter(interpreter);
    if (delegate)
      call.deleteDelegate(delegate);
    if (model)
      call.deleteModel(model);
  }

  /// An interpreter with room for tensors; null where there is none.
  TfLiteInterpreter *makeInterpreter(int32_t threads) const {
    TfLiteOptions *options = call.createOptions();
    call.setThreads(options, threads);
    call.setErrorReporter(options, drop, nullptr);
    TfLiteInterpreter *made = call.createInterpreter(model, options);
    call.deleteOptions(options);
    return made;
  }

  Functions call;
  std::string version;
  TfLiteModel *model = nullptr;
  TfLiteDelegate *delegate = nullptr;
  TfLiteInterpreter *interpreter = nullptr;
  bool isDelegated = false;
};

rt::Result<TensorFlowLiteModel>
TensorFlowLiteModel::open(const std::string &library, const std::string &model,
                          int32_t threads) {
  NNHAL_ASSIGN_OR_RETURN(Functions functions, openLibrary(library));
  auto state = std::make_unique<State>(functions);
  const Functions &call = state->call;
  state->version = call.version();
  state->model = call.createModel(model.c_str());
  if (!state->model)
    return rt::failure("TensorFlow Lite {} does not read '{}'", state->version,
                       model);
  XnnpackOptions options;
  options.threads = threads;
  state->delegate = call.createDelegate(&options);
  for (bool delegates : {true, false}) {
    if (state->interpreter)
      call.deleteInterpreter(state->interpreter);
    state->interpreter = state->makeInterpreter(threads);
    if (!state->interpreter)
      return rt::failure("TensorFlow Lite {} does not know an operator of '{}'",
                         state->version, model);
    state->isDelegated =
        delegates && state->delegate &&
        call.modifyGraph(state->interpreter, state->delegate) == 0;
    if (delegates != state->isDelegated)
      continue;
    if (call.allocateTensors(state->interpreter) == 0)
      return TensorFlowLiteModel(std::move(state));
  }
  return rt::failure("TensorFlow Lite {} cannot prepare '{}'", state->version,
                     model);
}

TensorFlowLiteModel::TensorFlowLiteModel(std::unique_ptr<State> state)
    : state(std::move(state)) {}
TensorFlowLiteModel::TensorFlowLiteModel(TensorFlowLiteModel &&) = default;
TensorFlowLiteModel &
TensorFlowLiteModel::operator=(TensorFlowLiteModel &&) = default;
TensorFlowLiteModel::~TensorFlowLiteModel() = default;

std::vector<std::span<std::byte>> TensorFlowLiteModel::inputs() const {
  const Functions &call = state->call;
  std::vector<std::span<std::byte>> result;
  for (int32_t i = 0; i < call.inputCount(state->interpreter); ++i) {
    const TfLiteTensor *tensor = call.input(state->interpreter, i);
    result.emplace_back(static_cast<std::byte *>(call.data(tensor)),
                        call.byteSize(tensor));
  }
  return result;
}

std::vector<std::span<const std::byte>> TensorFlowLiteModel::outputs() const {
  const Functions &call = state->call;
  std::vector<std::span<const std::byte>> result;
  for (int32_t i = 0; i < call.outputCount(state->interpreter); ++i) {
    const TfLiteTensor *tensor = call.output(state->interpreter, i);
    result.emplace_back(static_cast<const std::byte *>(call.data(tensor)),
                        call.byteSize(tensor));
  }
  return result;
}

rt::Status TensorFlowLiteModel::execute() {
  if (state->call.invoke(state->interpreter) != 0)
    return rt::failure("TensorFlow Lite {} fails to execute the model",
                       state->version);
  return rt::Status::ok();
}

const std::string &TensorFlowLiteModel::version() const {
  return state->version;
}

bool TensorFlowLiteModel::isDelegated() const { return state->isDelegated; }
