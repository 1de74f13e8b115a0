// Five devices that differ in what they support and how fast they say they are,
// for trying how models are divided among devices. All of them compute like
// nnhal-reference.
//
//   NNHAL_PLUGINS=./libsample-devices.so nnhal-run model.tflite --device=auto
//
// NNHAL_SAMPLE_HAL=1.0, 1.1 or 1.2 makes them devices of that HAL version.
// NNHAL_SAMPLE_SUPPORTED=ADD,CONV_2D lets each take these operations, where its
// engine supports them, and no others; an empty list lets it take none.

#include <nnhal/Backend/Backend.h>
#include <nnhal/Backend/DevicePlugin.h>
#include <nnhal/Runtime/ReferenceDevice.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

using namespace nnhal::rt;

namespace {

/// Whether a sample device takes an operation that its engine supports.
using Filter = bool (*)(const Model &model, const Operation &operation);

/// The description of one sample device.
struct Sample {
  const char *name;
  Filter takes;
  Capabilities capabilities;
};

/// An engine that is asked for less than it can.
class SampleBackend final : public Backend {
public:
  SampleBackend(Sample sample, HalVersion version, const char *supported)
      : takes(sample.takes), engine(createReferenceBackend()) {
    if (supported)
      listed = "," + std::string(supported) + ",";
    description.name = sample.name;
    description.version = "JUST_AN_EXAMPLE";
    description.type = DeviceType::cpu;
    description.halVersion = version;
    description.capabilities = std::move(sample.capabilities);
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           engine->supportedOperations(model));
    const std::vector<Operation> &operations = model.model.main.operations;
    for (size_t i = 0; i < answers.size(); ++i)
      if (answers[i].isOk() && !doesTake(model.model, operations[i]))
        answers[i] = Status(StatusCode::invalidArgument,
                            description.name + " does not execute this " +
                                nameOf(operations[i].type));
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const override {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           supportedOperations(model));
    for (const Status &answer : answers)
      NNHAL_RETURN_IF_ERROR(answer);
    return engine->load(model, options, observer);
  }

private:
  bool doesTake(const Model &model, const Operation &operation) const {
    if (!listed)
      return takes(model, operation);
    std::string name(nameOf(operation.type));
    return listed->find("," + name + ",") != std::string::npos;
  }

  DeviceInfo description;
  const Filter takes;
  /// The names of the operations in place of those of the filter, between
  /// commas.
  std::optional<std::string> listed;
  const std::unique_ptr<Backend> engine;
};

} // namespace

static OperandType firstType(const Model &model, const Operation &operation) {
  // The runtime has validated the model: every operation has an input.
  return model.main.operands[operation.inputs[0]].type;
}

static bool takesAll(const Model &, const Operation &operation) {
  return !isExtension(operation.type) &&
         operation.type != OperationType::OEM_OPERATION;
}

static bool takesFloat(const Model &model, const Operation &operation) {
  return takesAll(model, operation) &&
         firstType(model, operation) == OperandType::TENSOR_FLOAT32;
}

static bool takesLittle(const Model &model, const Operation &operation) {
  return takesFloat(model, operation) &&
         (operation.type == OperationType::ADD ||
          operation.type == OperationType::CONCATENATION ||
          operation.type == OperationType::CONV_2D);
}

static bool takesQuantized(const Model &model, const Operation &operation) {
  if (!takesAll(model, operation))
    return false;
  // The first input of SELECT is a condition.
  if (operation.type == OperationType::SELECT)
    return isQuantized(model.main.operands[operation.inputs[1]].type);
  return isQuantized(firstType(model, operation));
}

/// \p usual for everything but float32, which has \p strict and \p relaxed.
static Capabilities floatCapabilities(PerformanceInfo usual,
                                      PerformanceInfo strict,
                                      PerformanceInfo relaxed) {
  Capabilities capabilities = uniformCapabilities(usual);
  for (OperandType type : {OperandType::FLOAT32, OperandType::TENSOR_FLOAT32})
    update(capabilities.operandPerformance, type, strict);
  capabilities.relaxedFloat32toFloat16PerformanceScalar = relaxed;
  capabilities.relaxedFloat32toFloat16PerformanceTensor = relaxed;
  return capabilities;
}

static Result<Backends> createBackends(const DeviceServices &) {
  HalVersion version = HalVersion::V1_3;
  if (const char *text = std::getenv("NNHAL_SAMPLE_HAL")) {
    std::optional<HalVersion> parsed = parseHalVersion(text);
    if (!parsed)
      return Status(StatusCode::invalidArgument,
                    std::string("NNHAL_SAMPLE_HAL is '") + text +
                        "', expected 1.0 to 1.3");
    version = *parsed;
  }
  Sample samples[] = {
      {"nnapi-sample_all", takesAll, uniformCapabilities({0.9f, 0.9f})},
      {"nnapi-sample_minimal", takesLittle,
       floatCapabilities({1.0f, 1.0f}, {0.8f, 0.8f}, {0.8f, 0.8f})},
      {"nnapi-sample_float_fast", takesFloat,
       floatCapabilities({1.0f, 1.0f}, {0.8f, 1.2f}, {0.7f, 1.1f})},
      {"nnapi-sample_float_slow", takesFloat,
       floatCapabilities({1.0f, 1.0f}, {1.3f, 0.7f}, {1.2f, 0.6f})},
      {"nnapi-sample_quant", takesQuantized,
       uniformCapabilities({50.0f, 1.0f})}};
  Backends backends;
  for (Sample &sample : samples)
    backends.push_back(std::make_unique<SampleBackend>(
        std::move(sample), version, std::getenv("NNHAL_SAMPLE_SUPPORTED")));
  return backends;
}

NNHAL_DEVICE_PLUGIN("sample devices", createBackends)
