// A device that brings the extension "com.example.fibonacci": types and an
// operation that the HAL does not have (Fibonacci.h). It executes nothing else.
//
// The runtime makes sure that operands of the extension's types are as the
// device describes the types: whether they have dimensions, and how many bytes
// they have. Everything else about the operation is checked here, because
// nobody else knows its rules.

#include "FibonacciNumbers.h"

#include <nnhal/Backend/Backend.h>
#include <nnhal/Backend/DevicePlugin.h>
#include <nnhal/Backend/ModelCopy.h>
#include <nnhal/Runtime/JsonModel.h>

#include <algorithm>
#include <cstring>
#include <optional>

using namespace nnhal::rt;

namespace {
/// One operation of the model.
struct Step {
  uint32_t input;
  uint32_t output;
  bool hasIntegerInput;
  /// The quantization of the output; nothing for TENSOR_FLOAT32.
  std::optional<FibonacciQuantization> quantization;
};

/// A value during one execution.
struct Value {
  const std::byte *data = nullptr;
  size_t size = 0;
  std::vector<std::byte> storage;
};

/// A model of the device. Executions share nothing that they write.
class FibonacciModel final : public LoadedModel {
public:
  static Result<std::unique_ptr<LoadedModel>>
  create(const AnnotatedModel &source, const DeviceInfo &device);
  const Interface &interface() const override { return face; }
  Status run(Invocation &invocation) const override;

private:
  Interface face;
  Model model;
  std::vector<Step> steps;
};
} // namespace

static Status refuse(std::string reason) {
  return Status(StatusCode::invalidArgument, std::move(reason));
}

/// Returns the number within this extension of \p code, a type or an operation;
/// nothing for other codes. The prefix of an extension differs from model to
/// model.
static std::optional<uint32_t> numberOf(const Model &model, uint32_t code) {
  for (const ExtensionNameAndPrefix &entry : model.extensionNameToPrefix)
    if (entry.prefix == code >> 16 && entry.name == FIBONACCI_EXTENSION)
      return code & 0xFFFF;
  return std::nullopt;
}

static bool isOfType(const Model &model, const Operand &operand,
                     uint32_t number) {
  return numberOf(model, uint32_t(operand.type)) == number;
}

/// Extension data may have any length, and the device judges it.
static Result<FibonacciQuantization> readQuantization(const Operand &operand) {
  const auto *params = std::get_if<ExtensionParams>(&operand.extraParams);
  return fibonacci::readQuantization(params ? params->bytes
                                            : std::vector<uint8_t>());
}

/// The operation as a step, or why this device does not execute it.
static Result<Step> readStep(const Model &model, const Operation &operation) {
  if (numberOf(model, uint32_t(operation.type)) != FIBONACCI_OPERATION)
    return refuse("example-fibonacci does not execute " +
                  nameOf(operation.type));
  if (operation.inputs.size() != 1)
    return refuse("FIBONACCI has 1 input, found " +
                  std::to_string(operation.inputs.size()));
  if (operation.outputs.size() != 1)
    return refuse("FIBONACCI has 1 output, found " +
                  std::to_string(operation.outputs.size()));
  Step step = {operation.inputs[0], operation.outputs[0], false, {}};
  const Operand &input = model.main.operands[step.input];
  const Operand &output = model.main.operands[step.output];
  step.hasIntegerInput = isOfType(model, input, FIBONACCI_INT64);
  if (!step.hasIntegerInput && input.type != OperandType::TENSOR_FLOAT32)
    return refuse("the input is neither INT64 nor TENSOR_FLOAT32");
  // The extents may be for executions to say.
  for (uint32_t extent : input.dimensions)
    if (extent > 1)
      return refuse("the input has more than one element");
  if (isOfType(model, output, FIBONACCI_TENSOR_QUANT64_ASYMM)) {
    NNHAL_ASSIGN_OR_RETURN(step.quantization, readQuantization(output));
  } else if (output.type != OperandType::TENSOR_FLOAT32) {
    return refuse("the output is neither TENSOR_QUANT64_ASYMM nor "
                  "TENSOR_FLOAT32");
  }
  if (output.dimensions.size() > 1)
    return refuse("the output has rank " +
                  std::to_string(output.dimensions.size()) + ", expected 1");
  return step;
}

Result<std::unique_ptr<LoadedModel>>
FibonacciModel::create(const AnnotatedModel &source, const DeviceInfo &device) {
  auto loaded = std::make_unique<FibonacciModel>();
  loaded->face = interfaceOf(source, device.extensions);
  // The model and its pools are the caller's, and pools may be files.
  NNHAL_ASSIGN_OR_RETURN(loaded->model, ownedCopy(source.model));
  for (const Operation &operation : loaded->model.main.operations) {
    NNHAL_ASSIGN_OR_RETURN(Step step, readStep(loaded->model, operation));
    loaded->steps.push_back(step);
  }
  return std::unique_ptr<LoadedModel>(std::move(loaded));
}

static Status failed(std::string reason) {
  return Status(StatusCode::generalFailure, std::move(reason));
}

static Status execute(const Step &step, const Value &input, Value &output) {
  NNHAL_ASSIGN_OR_RETURN(
      int64_t count,
      fibonacci::readCount({input.data, input.size}, step.hasIntegerInput));
  size_t elementSize = step.quantization ? sizeof(int64_t) : sizeof(float);
  output.storage.resize(size_t(count) * elementSize);
  output.data = output.storage.data();
  output.size = output.storage.size();
  return fibonacci::writeNumbers(step.quantization, output.storage);
}

/// Hands \p value to the caller, or says that it does not fit.
static Status deliver(const Value &value, uint32_t elementSize,
                      InvocationArgument &output) {
  // A rank that neither the model nor the request states is 0, an extent that
  // they do not state, too.
  if (output.rank == 0) {
    output.rank = 1;
    output.extents[0] = 0;
  }
  auto count = int64_t(value.size / elementSize);
  if (output.rank != 1 ||
      (output.extents[0] != 0 && output.extents[0] != count))
    return failed("the output has " + std::to_string(count) +
                  " elements, not as many as stated");
  output.extents[0] = count;
  output.isSufficient = output.size >= value.size;
  if (output.isSufficient)
    std::memcpy(output.data, value.data, value.size);
  return Status::ok();
}

Status FibonacciModel::run(Invocation &invocation) const {
  std::vector<Value> values(model.main.operands.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!isConstant(model.main.operands[i].lifetime))
      continue;
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           constantBytes(model, model.main.operands[i]));
    values[i] = {bytes.data(), bytes.size(), {}};
  }
  for (size_t i = 0; i < invocation.inputs.size(); ++i) {
    const InvocationArgument &argument = invocation.inputs[i];
    values[model.main.inputIndexes[i]] = {
        argument.data, argument.isPresent ? size_t(argument.size) : 0, {}};
  }
  for (const Step &step : steps) {
    if (invocation.isCancelled())
      return Status(StatusCode::missedDeadlineTransient,
                    "the deadline passed while example-fibonacci executed");
    NNHAL_RETURN_IF_ERROR(
        execute(step, values[step.input], values[step.output]));
  }
  for (size_t i = 0; i < invocation.outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(deliver(values[model.main.outputIndexes[i]],
                                  elementSizeOf(face.outputs[i]),
                                  invocation.outputs[i]));
  return Status::ok();
}

namespace {
class FibonacciBackend final : public Backend {
public:
  FibonacciBackend() {
    description.name = "example-fibonacci";
    description.version = "1.0";
    description.type = DeviceType::other;
    description.capabilities = uniformCapabilities({1.0f, 1.0f});
    // Who lists an extension has all of its operations, and describes all of
    // its types: the number, whether it is a tensor, the bytes of an element.
    description.extensions = {
        {FIBONACCI_EXTENSION,
         {{FIBONACCI_INT64, /*isTensor=*/false, sizeof(int64_t)},
          {FIBONACCI_TENSOR_QUANT64_ASYMM, /*isTensor=*/true,
           sizeof(int64_t)}}}};
    description.cacheFiles = {.modelCache = 1, .dataCache = 0};
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    std::vector<Status> answers;
    answers.reserve(model.model.main.operations.size());
    for (const Operation &operation : model.model.main.operations)
      answers.push_back(readStep(model.model, operation).status());
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &,
       const LoadObserver &observer) const override {
    NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> loaded,
                           FibonacciModel::create(model, description));
    // Nothing is compiled: the entry of the cache is the model itself. The
    // runtime knows the entry by this library's build, so that another build
    // never gets it.
    if (observer.keepEntry) {
      NNHAL_ASSIGN_OR_RETURN(std::string text, writeJsonModel(model.model));
      observer.keepEntry({{Memory::copy(std::as_bytes(std::span(text)))}, {}});
    }
    return loaded;
  }

  Result<std::unique_ptr<LoadedModel>>
  loadFromCache(const CacheContents &contents) const override {
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           contents.modelCache.front().bytes());
    AnnotatedModel model;
    NNHAL_ASSIGN_OR_RETURN(
        model.model,
        readJsonModel(
            {reinterpret_cast<const char *>(bytes.data()), bytes.size()}));
    return FibonacciModel::create(model, description);
  }

private:
  DeviceInfo description;
};
} // namespace

static Result<Backends> createBackends(const DeviceServices &) {
  Backends backends;
  backends.push_back(std::make_unique<FibonacciBackend>());
  return backends;
}

NNHAL_DEVICE_PLUGIN("fibonacci", createBackends)
