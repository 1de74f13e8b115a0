// A device of one's own: it supports ADD, MUL and RELU of TENSOR_FLOAT32 and
// executes them in plain loops. The runtime adds everything else that the HAL
// promises of a device: validation, asynchronous and fenced executions,
// deadlines, queues, memory pools and buffers, timing.
//
//   nnhal-run model.tflite --plugin=./libexample-device.so
//   --device=example-loops

#include <nnhal/Backend/Backend.h>
#include <nnhal/Backend/DevicePlugin.h>
#include <nnhal/Backend/ModelCopy.h>
#include <nnhal/Backend/Signatures/Elementwise.h>

#include <algorithm>
#include <cstring>
#include <functional>

using namespace nnhal::rt;

namespace {
/// A float tensor of one execution.
struct Tensor {
  std::vector<int64_t> extents;
  std::vector<float> storage;
  const float *data = nullptr;

  int64_t size() const {
    int64_t product = 1;
    for (int64_t extent : extents)
      product *= extent;
    return product;
  }
};

/// One operation, with what its scalars say.
struct Step {
  OperationType type;
  std::vector<uint32_t> inputs;
  uint32_t output;
  FusedActivation activation = FusedActivation::none;
};

/// A model of the example device. Executions share nothing that they write.
class ExampleModel final : public LoadedModel {
public:
  ExampleModel(const AnnotatedModel &model) : face(interfaceOf(model)) {}

  static Result<std::unique_ptr<LoadedModel>> create(const AnnotatedModel &);
  const Interface &interface() const override { return face; }
  Status run(Invocation &invocation) const override;

private:
  Interface face;
  std::vector<Step> steps;
  /// One per operand of the main subgraph; what no constant is stays empty.
  std::vector<Tensor> constants;
  std::vector<uint32_t> inputs, outputs;
};
} // namespace

static bool isFloatTensor(const Model &model, uint32_t operand) {
  return model.main.operands[operand].type == OperandType::TENSOR_FLOAT32;
}

/// The operation as a step, or why this device does not execute it.
static Result<Step> readStep(const Model &model, const Operation &operation) {
  Step step = {operation.type, operation.inputs, operation.outputs[0]};
  bool isBinary = operation.type == OperationType::ADD ||
                  operation.type == OperationType::MUL;
  if (!isBinary && operation.type != OperationType::RELU)
    return Status(StatusCode::invalidArgument,
                  "example-loops does not execute " + nameOf(operation.type));
  step.inputs.resize(isBinary ? 2 : 1);
  for (uint32_t input : step.inputs)
    if (!isFloatTensor(model, input))
      return Status(StatusCode::invalidArgument, "example-loops executes " +
                                                     nameOf(operation.type) +
                                                     " of TENSOR_FLOAT32 only");
  if (!isBinary)
    return step;
  uint32_t activation = operation.inputs[2];
  if (!isConstant(model.main.operands[activation].lifetime))
    return Status(StatusCode::invalidArgument,
                  "example-loops needs a constant activation");
  NNHAL_ASSIGN_OR_RETURN(step.activation, decodeArithmetic(OperationView::of(
                                              model, model.main, operation)));
  return step;
}

Result<std::unique_ptr<LoadedModel>>
ExampleModel::create(const AnnotatedModel &source) {
  // The model and its pools are the caller's, and pools may be files.
  NNHAL_ASSIGN_OR_RETURN(Model model, ownedCopy(source.model));
  auto loaded = std::make_unique<ExampleModel>(source);
  loaded->inputs = model.main.inputIndexes;
  loaded->outputs = model.main.outputIndexes;
  for (const Operation &operation : model.main.operations) {
    NNHAL_ASSIGN_OR_RETURN(Step step, readStep(model, operation));
    loaded->steps.push_back(std::move(step));
  }
  loaded->constants.resize(model.main.operands.size());
  for (size_t i = 0; i < loaded->constants.size(); ++i) {
    const Operand &operand = model.main.operands[i];
    if (!isConstant(operand.lifetime) || !isFloatTensor(model, uint32_t(i)))
      continue;
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           constantBytes(model, operand));
    Tensor &tensor = loaded->constants[i];
    tensor.extents.assign(operand.dimensions.begin(), operand.dimensions.end());
    tensor.storage.resize(bytes.size() / sizeof(float));
    if (!bytes.empty())
      std::memcpy(tensor.storage.data(), bytes.data(), bytes.size());
    tensor.data = tensor.storage.data();
  }
  return std::unique_ptr<LoadedModel>(std::move(loaded));
}

/// The shape that \p a and \p b broadcast to. The runtime has validated the
/// model, not the extents that only this execution knows.
static Result<std::vector<int64_t>>
broadcastShape(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  std::vector<int64_t> shape(std::max(a.size(), b.size()));
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t x = d < a.size() ? a[a.size() - 1 - d] : 1;
    int64_t y = d < b.size() ? b[b.size() - 1 - d] : 1;
    if (x != y && x != 1 && y != 1)
      return Status(StatusCode::generalFailure,
                    "extents " + std::to_string(x) + " and " +
                        std::to_string(y) + " do not broadcast");
    shape[shape.size() - 1 - d] = x == 1 ? y : x;
  }
  // The HAL counts the bytes of a tensor in 32 bits.
  double bytes = sizeof(float);
  for (int64_t extent : shape)
    bytes *= double(extent);
  if (bytes > UINT32_MAX)
    return Status(StatusCode::generalFailure,
                  "a tensor of " + std::to_string(bytes) +
                      " bytes is larger than 4 GiB");
  return shape;
}

/// The index into \p operand of element \p index of a tensor of \p shape.
static int64_t broadcastIndex(int64_t index, const std::vector<int64_t> &shape,
                              const Tensor &operand) {
  int64_t result = 0, stride = 1;
  for (size_t d = 0; d < operand.extents.size(); ++d) {
    int64_t extent = operand.extents[operand.extents.size() - 1 - d];
    int64_t along = shape[shape.size() - 1 - d];
    result += extent == 1 ? 0 : index % along * stride;
    index /= along;
    stride *= extent;
  }
  return result;
}

/// The operations take tensors of up to four dimensions. Only an execution
/// tells the rank where the model leaves it open.
static Status checkRank(const Tensor &operand) {
  if (operand.extents.size() > 4)
    return Status(StatusCode::generalFailure,
                  "an input has rank " +
                      std::to_string(operand.extents.size()) +
                      ", expected at most 4");
  return Status::ok();
}

static Status execute(const Step &step, const std::vector<Tensor> &tensors,
                      Tensor &output) {
  const Tensor &lhs = tensors[step.inputs[0]];
  NNHAL_RETURN_IF_ERROR(checkRank(lhs));
  if (step.type == OperationType::RELU) {
    output.extents = lhs.extents;
    output.storage.resize(size_t(lhs.size()));
    std::transform(lhs.data, lhs.data + lhs.size(), output.storage.begin(),
                   [](float value) { return std::max(value, 0.0f); });
    return Status::ok();
  }
  const Tensor &rhs = tensors[step.inputs[1]];
  NNHAL_RETURN_IF_ERROR(checkRank(rhs));
  NNHAL_ASSIGN_OR_RETURN(output.extents,
                         broadcastShape(lhs.extents, rhs.extents));
  output.storage.resize(size_t(output.size()));
  auto compute = [&](float x, float y) {
    return applyActivation(step.activation,
                           step.type == OperationType::ADD ? x + y : x * y);
  };
  if (lhs.extents == rhs.extents) {
    std::transform(lhs.data, lhs.data + lhs.size(), rhs.data,
                   output.storage.begin(), compute);
    return Status::ok();
  }
  for (int64_t i = 0; i < output.size(); ++i)
    output.storage[size_t(i)] =
        compute(lhs.data[broadcastIndex(i, output.extents, lhs)],
                rhs.data[broadcastIndex(i, output.extents, rhs)]);
  return Status::ok();
}

/// Hands \p value to the caller, or says that it does not fit.
static Status deliver(size_t index, const Tensor &value,
                      InvocationArgument &output) {
  // The request may state extents, and those have to be right.
  auto differs = [](int64_t computed, int64_t stated) {
    return stated != 0 && computed != stated;
  };
  // A rank that neither the model nor the request states is 0.
  if (output.rank == 0) {
    if (value.extents.size() > maxOpenRank)
      return Status(StatusCode::generalFailure,
                    "an output has rank " +
                        std::to_string(value.extents.size()));
    output.rank = uint32_t(value.extents.size());
    std::ranges::fill(output.shape(), 0);
  }
  std::span<int64_t> stated = output.shape();
  if (stated.size() != value.extents.size())
    return Status(StatusCode::generalFailure,
                  "output " + std::to_string(index) + " has rank " +
                      std::to_string(value.extents.size()) +
                      ", the request states " + std::to_string(stated.size()));
  if (!std::ranges::equal(value.extents, stated, std::not_fn(differs)))
    return Status(StatusCode::generalFailure,
                  "an output has another shape than the request states");
  std::ranges::copy(value.extents, output.extents);
  size_t size = size_t(value.size()) * sizeof(float);
  output.isSufficient = output.size >= size;
  if (output.isSufficient && size != 0)
    std::memcpy(output.data, value.data, size);
  return Status::ok();
}

Status ExampleModel::run(Invocation &invocation) const {
  std::vector<Tensor> tensors(constants.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].extents = constants[i].extents;
    tensors[i].data = constants[i].data;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InvocationArgument &argument = invocation.inputs[i];
    Tensor &tensor = tensors[inputs[i]];
    tensor.extents.assign(argument.shape().begin(), argument.shape().end());
    tensor.data = reinterpret_cast<const float *>(argument.data);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (invocation.isCancelled())
      return Status(StatusCode::missedDeadlineTransient,
                    "the deadline passed while example-loops executed");
    OperationObserver *observer = invocation.operations;
    int64_t begin = observer ? observer->now() : 0;
    Tensor &output = tensors[steps[i].output];
    NNHAL_RETURN_IF_ERROR(execute(steps[i], tensors, output));
    output.data = output.storage.data();
    if (observer)
      observer->took(uint32_t(i), begin, observer->now());
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        deliver(i, tensors[outputs[i]], invocation.outputs[i]));
  return Status::ok();
}

namespace {
class ExampleBackend final : public Backend {
public:
  ExampleBackend() {
    description.name = "example-loops";
    description.version = "1.0";
    description.type = DeviceType::other;
    // Half as fast as the CPU device: a partitioner gives it little.
    description.capabilities = uniformCapabilities({1.0f, 1.0f});
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    std::vector<Status> answers;
    for (const Operation &operation : model.model.main.operations)
      answers.push_back(readStep(model.model, operation).status());
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &,
       const LoadObserver &) const override {
    return ExampleModel::create(model);
  }

private:
  DeviceInfo description;
};
} // namespace

static Result<Backends> createBackends(const DeviceServices &) {
  Backends backends;
  backends.push_back(std::make_unique<ExampleBackend>());
  return backends;
}

NNHAL_DEVICE_PLUGIN("example", createBackends)
