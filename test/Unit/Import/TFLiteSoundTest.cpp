//===- TFLiteSoundTest.cpp - Custom operators with states -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Extensions/TFLite/TFLiteExtension.h"
#include "Extensions/TFLiteCustom/CustomExtension.h"
#include "Runtime/Artifact/RoutineSignature.h"
#include "Runtime/Routines/RoutineTable.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <flatbuffers/flexbuffers.h>

#include <algorithm>

namespace nnhal::rt {
namespace {

std::vector<InstalledExtension> soundExtensions() {
  return {{nnhal::tflite::createTFLiteExtension(), "test"},
          {tflite_custom::createCustomExtension(), "test"}};
}

TFLiteImportOptions soundOptions() {
  static const std::vector<InstalledExtension> extensions = soundExtensions();
  TFLiteImportOptions options;
  options.extensions = extensions;
  return options;
}

/// Numbers of [-9000, 9000].
std::vector<Numbers> randomSound(size_t executions) {
  std::vector<Numbers> sound(executions);
  uint32_t state = 5;
  for (Numbers &samples : sound)
    for (int i = 0; i < 16; ++i) {
      state = state * 1664525u + 1013904223u;
      samples.push_back(double(state / 256 % 18001) - 9000);
    }
  return sound;
}

// The model that the tests of nnhal-run execute. Python computes the same from
// the definitions of the operators.
TEST(TFLiteSoundTest, stream) {
  std::vector<std::byte> bytes = writeSoundFrontEnd();
  AnnotatedModel model = importBytes(bytes, soundOptions());
  EXPECT_EQ(model.inputNames,
            (std::vector<std::string>{"samples", "frames/state0",
                                      "frames/state1", "clean/state0",
                                      "stack/state0", "stack/state1"}));
  ASSERT_EQ(model.statePairs.size(), 5u);
  const Numbers silence(8);
  const std::vector<Numbers> expected = {
      {858, 848, 837, 812, 858, 848, 837, 812},
      silence,
      {841, 822, 831, 811, 817, 781, 873, 817},
      silence};
  std::vector<Numbers> inputs(6);
  size_t execution = 0;
  for (Numbers &samples : randomSound(expected.size())) {
    inputs[0] = std::move(samples);
    std::vector<Numbers> results = runFile(bytes, inputs, soundExtensions());
    ASSERT_EQ(results.size(), 8u);
    EXPECT_EQ(results[0], expected[execution]);
    EXPECT_EQ(results[1], Numbers{execution % 2 == 0 ? 1.0 : 0.0});
    EXPECT_EQ(results[2], Numbers{1});
    for (auto [output, input] : model.statePairs)
      inputs[input] = results[output];
    ++execution;
  }
}

/// A file with one custom operator.
std::vector<std::byte> customFile(const char *name,
                                  const std::vector<TestInput> &inputs,
                                  const std::vector<TensorSpec> &outputs,
                                  const char *option, int value) {
  flexbuffers::Builder options;
  options.Map([&] { options.Int(option, value); });
  options.Finish();
  return operatorFile(Code::CUSTOM, inputs, outputs, {},
                      {.custom = name, .customOptions = options.GetBuffer()});
}

std::vector<std::byte> delayFile(const TensorSpec &spec, int delay = 3) {
  return customFile("SignalDelay", {{spec, {}}}, {spec}, "delay_length", delay);
}

// A state has the type that the extension wants and the prefix of the model.
TEST(TFLiteSoundTest, states) {
  AnnotatedModel model =
      importBytes(delayFile({{2, 4}, Type::INT16}), soundOptions());
  const Subgraph &main = model.model.main;
  EXPECT_EQ(model.statePairs, (std::vector<StatePair>{{1, 1}}));
  EXPECT_EQ(model.outputNames, (std::vector<std::string>{"t1", "t1/state0"}));
  const Operand &state = main.operands[main.inputIndexes[1]];
  EXPECT_EQ(state.type, OperandType::TENSOR_QUANT16_SYMM);
  EXPECT_EQ(state.scale, 1.0f);
  EXPECT_EQ(state.dimensions, (std::vector<uint32_t>{2, 3}));
  ASSERT_EQ(main.operations.size(), 1u);
  EXPECT_EQ(main.operations[0].inputs.size(), 3u);
  EXPECT_EQ(main.operations[0].outputs.size(), 2u);
}

TEST(TFLiteSoundTest, errors) {
  auto error = [](const std::vector<std::byte> &file) {
    constexpr std::string_view where = "operator 0 (CUSTOM 'SignalDelay'): ";
    std::string message = importError(file, soundOptions());
    return message.starts_with(where) ? message.substr(where.size()) : message;
  };
  EXPECT_EQ(error(delayFile({{2, 4}, Type::INT16})), "imported");
  EXPECT_EQ(error(delayFile({{4}})),
            "SignalDelay: samples have type TENSOR_FLOAT32, expected "
            "TENSOR_QUANT16_SYMM");
  EXPECT_EQ(error(delayFile({{4}, Type::UINT32})),
            "SignalDelay: samples have type UINT32, expected "
            "TENSOR_QUANT16_SYMM");
  EXPECT_EQ(error(delayFile({{4}, Type::UINT16})),
            "the extension nnhal.tflite_custom does not take input 0 of type "
            "UINT16");
  EXPECT_EQ(error(delayFile({{65536, 4}, Type::INT16}, 1 << 20)),
            "state 0: shape 65536x1048576 has more than 4294967295 elements");
}

/// Why nnhal-reference does not execute \p model, of the file of a delay, when
/// the request omits the state.
std::string failureWithoutState(const AnnotatedModel &model) {
  DeviceServices services;
  services.extensions = soundExtensions();
  auto prepared =
      createReferenceDevice({.services = services})->prepareModel(model);
  if (!prepared.isOk())
    return prepared.status().message();
  std::vector<std::byte> samples(8), delayed(8), state(6);
  Request request;
  request.inputs.resize(model.model.main.inputIndexes.size());
  request.inputs[0].memory = Memory::borrow(samples);
  request.outputs.push_back({OutputMemory::borrow(delayed), {}});
  request.outputs.push_back({OutputMemory::borrow(state), {}});
  ExecutionResult result;
  return (*prepared)->execute(request, result).message();
}

TEST(TFLiteSoundTest, omittedStates) {
  AnnotatedModel model =
      importBytes(delayFile({{4}, Type::INT16}), soundOptions());
  EXPECT_EQ(
      failureWithoutState(model),
      "operation 0 (nnhal.tflite_custom:14): SignalDelay: state 0 is omitted");
  Subgraph &main = model.model.main;
  main.operands[main.inputIndexes[1]].lifetime = OperandLifeTime::NO_VALUE;
  main.inputIndexes.pop_back();
  model.inputNames.clear();
  model.statePairs.clear();
  EXPECT_EQ(failureWithoutState(model),
            "nnhal.tflite_custom:14: SignalDelay: state 0 is omitted");
}

// Compiled code passes a null pointer for what a request omits.
TEST(TFLiteSoundTest, omittedStatesOfCompiledCode) {
  flexbuffers::Builder options;
  options.Map([&] { options.Int("delay_length", 3); });
  options.Finish();
  auto operand = [](OperandType type, int64_t extent) {
    OperandView view;
    view.type.type = type;
    view.type.dimensions = {extent};
    view.type.scale = 1.0f;
    return view;
  };
  constexpr OperandType samplesType = OperandType::TENSOR_QUANT16_SYMM;
  OperationView view;
  const std::vector<InstalledExtension> extensions = soundExtensions();
  const ExtensionBackend &backend = *extensions[1].backend;
  view.type =
      ownOperation(std::ranges::find(backend.customOperators(), "SignalDelay",
                                     &CustomOperator::name)
                       ->operation);
  std::vector<uint8_t> bytes = options.GetBuffer();
  view.inputs = {
      operand(samplesType, 4),
      operand(OperandType::TENSOR_QUANT8_ASYMM, int64_t(bytes.size())),
      operand(samplesType, 3)};
  view.outputs = {operand(samplesType, 4), operand(samplesType, 3)};
  const std::string names[] = {backend.extension().name};
  std::vector<uint8_t> signature = writeRoutineSignature(view, names);
  std::string message;
  NNHalExecutionContext context = {};
  context.extensions = &extensions;
  context.report = [](void *self, const char *text) {
    *static_cast<std::string *>(self) = text;
  };
  context.reportContext = &message;
  std::vector<int16_t> samples(4);
  int64_t extents[] = {4, int64_t(bytes.size()), 3}, results[2];
  NNHalRoutineTensor inputs[] = {{samples.data(), &extents[0], 1, 0},
                                 {bytes.data(), &extents[1], 1, 0},
                                 {nullptr, &extents[2], 1, 0}};
  NNHalRoutineTensor outputs[] = {{nullptr, &results[0], 1, 0},
                                  {nullptr, &results[1], 1, 0}};
  EXPECT_EQ(
      routineTable().routines[extensionRoutineSlot](
          &context, signature.data(), signature.size(), inputs, 3, outputs, 2),
      int32_t(StatusCode::generalFailure));
  EXPECT_EQ(message, "SignalDelay: state 0 is omitted");
}

// States are inputs and outputs of the model, so that an operator that has some
// cannot stand in a subgraph that another operator calls.
TEST(TFLiteSoundTest, statesBelongToTheMainSubgraph) {
  flexbuffers::Builder options;
  options.Map([&] { options.Int("delay_length", 3); });
  options.Finish();
  TFLiteWriter file;
  TensorSpec spec = {{4}, Type::INT16};
  int32_t x = file.tensor(spec), y = file.tensor(spec);
  file.add(Code::CALL, {x}, {y}, schema::CreateCallOptions(file.builder, 1));
  file.endSubgraph({x}, {y});
  x = file.tensor(spec), y = file.tensor(spec);
  file.add(Code::CUSTOM, {x}, {y}, schema::BuiltinOptions::NONE, 0,
           {.custom = "SignalDelay", .customOptions = options.GetBuffer()});
  EXPECT_NE(importError(file.finish({x}, {y}), soundOptions())
                .find("'t1/state0' is a state, which only the main subgraph "
                      "can have"),
            std::string::npos);
}

} // namespace
} // namespace nnhal::rt
