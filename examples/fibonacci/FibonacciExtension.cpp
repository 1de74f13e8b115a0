// The extension "com.example.fibonacci" for the devices nnhal-cpu and
// nnhal-reference: the same operation as FibonacciDevice.cpp has, without a
// device. Codes of the extension's own types and operations have the prefix
// ownExtensionPrefix here, whatever a model gives it.

#include "FibonacciNumbers.h"

#include <nnhal/Backend/DevicePlugin.h>
#include <nnhal/Backend/ExtensionBackend.h>

#include <span>
#include <string>
#include <vector>

using namespace nnhal::rt;

static Status refuse(std::string reason) {
  return Status(StatusCode::invalidArgument, std::move(reason));
}

static Status checkInput(const OperandView &input) {
  if (input.type.type != ownOperandType(FIBONACCI_INT64) &&
      input.type.type != OperandType::TENSOR_FLOAT32)
    return refuse("the input is neither INT64 nor TENSOR_FLOAT32");
  // The extents may be for executions to say.
  for (int64_t extent : input.type.dimensions)
    if (extent != unknownExtent && extent != 1)
      return refuse("the input has " + std::to_string(extent) +
                    " elements, expected 1");
  return Status::ok();
}

/// The quantization of the output; nothing for TENSOR_FLOAT32.
static Result<std::optional<FibonacciQuantization>>
quantizationOf(const OperandView &output) {
  if (output.type.type == OperandType::TENSOR_FLOAT32)
    return std::optional<FibonacciQuantization>();
  if (output.type.type != ownOperandType(FIBONACCI_TENSOR_QUANT64_ASYMM))
    return refuse("the output is neither TENSOR_QUANT64_ASYMM nor "
                  "TENSOR_FLOAT32");
  NNHAL_ASSIGN_OR_RETURN(FibonacciQuantization quantization,
                         fibonacci::readQuantization(output.extensionData));
  return std::optional(quantization);
}

static Result<int64_t> countOf(const OperandView &input) {
  return fibonacci::readCount(
      *input.value, input.type.type == ownOperandType(FIBONACCI_INT64));
}

namespace {
class FibonacciExtension final : public ExtensionBackend {
public:
  // Who lists an extension has all of its operations, and describes all of its
  // types: the number, whether it is a tensor, the bytes of an element, and,
  // for programs that show elements, what they are.
  FibonacciExtension()
      : description{FIBONACCI_EXTENSION,
                    {{FIBONACCI_INT64, /*isTensor=*/false, sizeof(int64_t),
                      ElementKind::int64},
                     {FIBONACCI_TENSOR_QUANT64_ASYMM, /*isTensor=*/true,
                      sizeof(int64_t), ElementKind::int64}}},
        customs{{"Fibonacci", FIBONACCI_OPERATION}} {}

  const Extension &extension() const override { return description; }

  // The operator of this name in TensorFlow Lite files becomes FIBONACCI.
  std::span<const CustomOperator> customOperators() const override {
    return customs;
  }

  Result<OperationFacts> check(const OperationView &view) const override {
    if (view.type != ownOperation(FIBONACCI_OPERATION))
      return refuse("there is no operation " +
                    std::to_string(uint16_t(view.type)));
    // A custom operator has its options as last input, of which there are none.
    size_t count = view.inputs.size();
    if (count == 2 && view.inputs[1].isOmitted)
      count = 1;
    if (count != 1)
      return refuse("FIBONACCI has 1 input, found " + std::to_string(count));
    if (view.outputs.size() != 1)
      return refuse("FIBONACCI has 1 output, found " +
                    std::to_string(view.outputs.size()));
    NNHAL_RETURN_IF_ERROR(checkInput(view.inputs[0]));
    NNHAL_RETURN_IF_ERROR(quantizationOf(view.outputs[0]).status());
    TensorType result = view.outputs[0].type;
    if (result.isRanked && result.rank() != 1)
      return refuse("the output has rank " + std::to_string(result.rank()) +
                    ", expected 1");
    // Often only an execution knows n.
    result.isRanked = true;
    result.dimensions = {unknownExtent};
    if (view.inputs[0].value)
      if (auto count = countOf(view.inputs[0]); count.isOk())
        result.dimensions = {*count};
    return OperationFacts{HalVersion::V1_2, {result}};
  }

  Status execute(const OperationView &view,
                 ExtensionOutputs &outputs) const override {
    NNHAL_ASSIGN_OR_RETURN(int64_t count, countOf(view.inputs[0]));
    NNHAL_ASSIGN_OR_RETURN(auto quantization, quantizationOf(view.outputs[0]));
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> elements,
                           outputs.allocate(0, {&count, 1}));
    return fibonacci::writeNumbers(quantization, elements);
  }

private:
  const Extension description;
  const std::vector<CustomOperator> customs;
};
} // namespace

static Result<ExtensionBackends> createExtensions() {
  ExtensionBackends extensions;
  extensions.push_back(std::make_unique<FibonacciExtension>());
  return extensions;
}

NNHAL_EXTENSION_PLUGIN("fibonacci", createExtensions)
