//===- RunTesting.cpp - Imports small files and runs them -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Extensions/TFLite/TFLiteExtension.h"
#include "Runtime/Support/Float16.h"
#include "nnhal/Backend/ExtensionBackend.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <algorithm>
#include <cmath>

namespace nnhal::rt {

template <typename T> static std::vector<T> narrowed(const Numbers &values) {
  std::vector<T> result;
  for (double value : values)
    result.push_back(static_cast<T>(value));
  return result;
}

template <typename T>
static std::vector<std::byte> bytesOf(const Numbers &values) {
  std::vector<T> elements = narrowed<T>(values);
  const auto *data = reinterpret_cast<const std::byte *>(elements.data());
  return {data, data + elements.size() * sizeof(T)};
}

template <typename T>
static Numbers numbersOf(const std::vector<std::byte> &bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return {elements.begin(), elements.end()};
}

/// The kind of elements that only an extension has a type for.
static ElementKind kindOf(const InterfaceTensor &tensor) {
  return tensor.extension ? tensor.extension->kind : ElementKind::opaque;
}

static std::vector<std::byte> toBytes(const InterfaceTensor &tensor,
                                      const Numbers &values) {
  switch (kindOf(tensor)) {
  case ElementKind::uint32:
    return bytesOf<uint32_t>(values);
  case ElementKind::int64:
    return bytesOf<int64_t>(values);
  case ElementKind::uint64:
    return bytesOf<uint64_t>(values);
  case ElementKind::uint16:
    return bytesOf<uint16_t>(values);
  case ElementKind::float64:
    return bytesOf<double>(values);
  default:
    break;
  }
  switch (tensor.type) {
  case OperandType::TENSOR_INT32:
    return bytesOf<int32_t>(values);
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
  case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
    return bytesOf<int8_t>(values);
  case OperandType::TENSOR_QUANT8_ASYMM:
  case OperandType::TENSOR_BOOL8:
    return bytesOf<uint8_t>(values);
  case OperandType::TENSOR_QUANT16_SYMM:
    return bytesOf<int16_t>(values);
  case OperandType::TENSOR_QUANT16_ASYMM:
    return bytesOf<uint16_t>(values);
  case OperandType::TENSOR_FLOAT16: {
    Numbers halves;
    for (double value : values)
      halves.push_back(float16FromDouble(value));
    return bytesOf<uint16_t>(halves);
  }
  default:
    return bytesOf<float>(values);
  }
}

static Numbers fromBytes(const InterfaceTensor &tensor,
                         const std::vector<std::byte> &bytes) {
  switch (kindOf(tensor)) {
  case ElementKind::uint32:
    return numbersOf<uint32_t>(bytes);
  case ElementKind::int64:
    return numbersOf<int64_t>(bytes);
  case ElementKind::uint64:
    return numbersOf<uint64_t>(bytes);
  case ElementKind::uint16:
    return numbersOf<uint16_t>(bytes);
  case ElementKind::float64:
    return numbersOf<double>(bytes);
  default:
    break;
  }
  switch (tensor.type) {
  case OperandType::TENSOR_INT32:
    return numbersOf<int32_t>(bytes);
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    return numbersOf<int8_t>(bytes);
  case OperandType::TENSOR_QUANT8_ASYMM:
  case OperandType::TENSOR_BOOL8:
    return numbersOf<uint8_t>(bytes);
  case OperandType::TENSOR_QUANT16_SYMM:
    return numbersOf<int16_t>(bytes);
  case OperandType::TENSOR_QUANT16_ASYMM:
    return numbersOf<uint16_t>(bytes);
  case OperandType::TENSOR_FLOAT16: {
    Numbers values;
    for (double half : numbersOf<uint16_t>(bytes))
      values.push_back(floatFromFloat16(static_cast<uint16_t>(half)));
    return values;
  }
  default:
    return numbersOf<float>(bytes);
  }
}

std::vector<Numbers>
runFile(const std::vector<std::byte> &bytes, const std::vector<Numbers> &inputs,
        const std::vector<InstalledExtension> &extensions) {
  TFLiteImportOptions options;
  options.extensions = extensions;
  AnnotatedModel model = importBytes(bytes, options);
  DeviceServices services;
  services.extensions = extensions;
  std::vector<Extension> descriptions;
  descriptions.reserve(extensions.size());
  for (const InstalledExtension &one : extensions)
    descriptions.push_back(one.backend->extension());
  const Interface interface = interfaceOf(model, descriptions);
  Result<PreparedModelRef> prepared =
      createReferenceDevice({.services = services})->prepareModel(model);
  EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
  if (!prepared.isOk())
    return {};
  std::vector<std::vector<std::byte>> given, results;
  for (size_t i = 0; i < interface.inputs.size(); ++i) {
    const InterfaceTensor &tensor = interface.inputs[i];
    given.push_back(i < inputs.size() ? toBytes(tensor, inputs[i])
                                      : std::vector<std::byte>());
    given.back().resize(*byteSizeOf(tensor));
  }
  for (const InterfaceTensor &tensor : interface.outputs)
    results.emplace_back(*byteSizeOf(tensor));
  Request request;
  for (const auto &input : given)
    request.inputs.push_back({Memory::borrow(input), {}});
  for (auto &result : results)
    request.outputs.push_back({OutputMemory::borrow(result), {}});
  ExecutionResult executed;
  Status status = (*prepared)->execute(request, executed);
  EXPECT_TRUE(status.isOk()) << status.message();
  std::vector<Numbers> numbers;
  numbers.reserve(results.size());
  for (size_t i = 0; i < results.size(); ++i)
    numbers.push_back(fromBytes(interface.outputs[i], results[i]));
  return numbers;
}

std::vector<Numbers> runExtended(const std::vector<std::byte> &bytes,
                                 const std::vector<Numbers> &inputs) {
  return runFile(bytes, inputs,
                 {{nnhal::tflite::createTFLiteExtension(), "test"}});
}

std::vector<std::string> operationsOf(const std::vector<std::byte> &bytes) {
  std::vector<std::string> names;
  for (const Operation &operation : importBytes(bytes).model.main.operations)
    names.push_back(nameOf(operation.type));
  return names;
}

static int32_t addConstant(TFLiteWriter &file, const TestInput &input) {
  switch (input.spec.type) {
  case Type::INT32:
    return file.constant(input.spec, narrowed<int32_t>(input.values));
  case Type::INT64:
    return file.constant(input.spec, narrowed<int64_t>(input.values));
  case Type::INT8:
    return file.constant(input.spec, narrowed<int8_t>(input.values));
  case Type::UINT8:
  case Type::BOOL:
    return file.constant(input.spec, narrowed<uint8_t>(input.values));
  case Type::INT16:
    return file.constant(input.spec, narrowed<int16_t>(input.values));
  default:
    return file.constant(input.spec, narrowed<float>(input.values));
  }
}

std::vector<std::byte> operatorFile(Code code,
                                    const std::vector<TestInput> &inputs,
                                    const std::vector<TensorSpec> &outputs,
                                    const Options &options,
                                    const OperatorExtras &extras) {
  TFLiteWriter file;
  std::vector<int32_t> operands, fed, results;
  for (const TestInput &input : inputs) {
    if (input.isConstant) {
      operands.push_back(addConstant(file, input));
      continue;
    }
    operands.push_back(file.tensor(input.spec));
    if (!input.spec.isVariable)
      fed.push_back(operands.back());
  }
  for (const TensorSpec &output : outputs)
    results.push_back(file.tensor(output));
  std::pair made(schema::BuiltinOptions::NONE, flatbuffers::Offset<void>());
  if (options)
    made = options(file.builder);
  file.add(code, operands, results, made.first, made.second, extras);
  return file.finish(fed, results);
}

std::vector<Numbers> runOperator(Code code,
                                 const std::vector<TestInput> &inputs,
                                 const std::vector<TensorSpec> &outputs,
                                 const Options &options,
                                 const OperatorExtras &extras) {
  std::vector<Numbers> values;
  for (const TestInput &input : inputs)
    if (!input.isConstant && !input.spec.isVariable)
      values.push_back(input.values);
  std::vector<Numbers> results =
      runFile(operatorFile(code, inputs, outputs, options, extras), values);
  if (results.size() < outputs.size())
    results.resize(outputs.size());
  return results;
}

std::string operatorError(Code code, const std::vector<TestInput> &inputs,
                          const std::vector<TensorSpec> &outputs,
                          const Options &options,
                          const OperatorExtras &extras) {
  std::string message =
      halImportError(operatorFile(code, inputs, outputs, options, extras));
  std::string prefix =
      std::string("operator 0 (") + schema::EnumNameBuiltinOperator(code);
  if (extras.custom)
    prefix += std::string(" '") + extras.custom + "'";
  prefix += "): ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

size_t countOf(const std::vector<int32_t> &shape) {
  size_t count = 1;
  for (int32_t dimension : shape)
    count *= dimension;
  return count;
}

Numbers run(Code code, const std::vector<TestInput> &inputs,
            const TensorSpec &output, const Options &made) {
  return runOperator(code, inputs, {output}, made)[0];
}

Numbers extended(Code code, const std::vector<TestInput> &inputs,
                 const TensorSpec &output, const Options &made) {
  std::vector<Numbers> values;
  for (const TestInput &input : inputs)
    if (!input.isConstant)
      values.push_back(input.values);
  return runExtended(operatorFile(code, inputs, {output}, made), values).at(0);
}

TestInput constant(TestInput input) {
  input.isConstant = true;
  return input;
}

TestInput reals(std::vector<int32_t> shape, Numbers values) {
  return {{std::move(shape)}, std::move(values)};
}

TestInput integersInput(std::vector<int32_t> values,
                        std::vector<int32_t> shape) {
  if (shape == std::vector<int32_t>{-1})
    shape = {int32_t(values.size())};
  return {{shape, Type::INT32}, {values.begin(), values.end()}, true};
}

Numbers randomReals(std::mt19937 &random, size_t count) {
  Numbers values = randomWhole(random, count, -64, 64);
  for (double &value : values)
    value /= 16;
  return values;
}

Numbers randomWhole(std::mt19937 &random, size_t count, int low, int high) {
  // Not a standard distribution: those differ between libraries.
  Numbers values(count);
  for (double &value : values)
    value = low + int(random() % unsigned(high - low + 1));
  return values;
}

Numbers dequantized(const Numbers &values, const TensorSpec &spec) {
  Numbers result;
  for (double value : values)
    result.push_back((value - double(spec.zeroPoints[0])) * spec.scales[0]);
  return result;
}

Numbers quantized(const Numbers &real, const TensorSpec &spec) {
  double low = spec.type == Type::INT8 ? -128 : 0;
  Numbers result;
  for (double value : real)
    result.push_back(std::clamp(std::round(value / spec.scales[0]) +
                                    double(spec.zeroPoints[0]),
                                low, low + 255));
  return result;
}

void expectNear(const Numbers &actual, const Numbers &expected,
                double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

} // namespace nnhal::rt
