//===- GpuSupportTest.cpp - Operations that GPUs take ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Gpu/Support/GpuSupport.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace nnhal::rt;

namespace {

/// A model of one operation; each operand is an input or output of it.
struct OneOperation {
  explicit OneOperation(OperationType type) {
    model.main.operations = {{type, {}, {}}};
  }

  Operand &add(OperandType type, std::vector<uint32_t> dimensions,
               OperandLifeTime lifetime) {
    auto index = uint32_t(model.main.operands.size());
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = lifetime;
    model.main.operands.push_back(operand);
    bool isOutput = lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
    Operation &operation = model.main.operations[0];
    (isOutput ? operation.outputs : operation.inputs).push_back(index);
    if (isOutput)
      model.main.outputIndexes.push_back(index);
    else if (lifetime == OperandLifeTime::SUBGRAPH_INPUT)
      model.main.inputIndexes.push_back(index);
    return model.main.operands.back();
  }
  Operand &input(std::vector<uint32_t> dimensions) {
    return add(OperandType::TENSOR_FLOAT32, std::move(dimensions),
               OperandLifeTime::SUBGRAPH_INPUT);
  }
  Operand &output(std::vector<uint32_t> dimensions) {
    return add(OperandType::TENSOR_FLOAT32, std::move(dimensions),
               OperandLifeTime::SUBGRAPH_OUTPUT);
  }

  std::string refusal(OpenExtents extents = OpenExtents::refused) const {
    CalledGraphs graphs(model);
    return refusalOf(model, graphs, model.main, model.main.operations[0],
                     extents)
        .message();
  }

  Model model;
};

TEST(GpuSupportTest, TakesKnownExtents) {
  OneOperation relu(OperationType::RELU);
  relu.input({2, 3});
  relu.output({2, 3});
  EXPECT_EQ(relu.refusal(), "");
  EXPECT_TRUE(checkGpuInterface(relu.model, OpenExtents::refused).isOk());
}

TEST(GpuSupportTest, RefusesRoutines) {
  OneOperation random(OperationType::RANDOM_MULTINOMIAL);
  random.input({2, 3});
  random.output({2, 1});
  EXPECT_EQ(random.refusal(), "RANDOM_MULTINOMIAL: it is a routine of the "
                              "runtime, which GPUs do not call");
  EXPECT_EQ(checkGpuModel(random.model, OpenExtents::refused).message(),
            "operation 0 RANDOM_MULTINOMIAL: it is a routine of the runtime, "
            "which GPUs do not call");
}

TEST(GpuSupportTest, BoundsSearches) {
  OneOperation topk(OperationType::TOPK_V2);
  topk.input({2, 32768});
  topk.output({2, 1});
  EXPECT_EQ(topk.refusal(), "");
  topk.model.main.operands[0].dimensions[1] = 32769;
  EXPECT_EQ(topk.refusal(), "TOPK_V2: one invocation would go through 32769 "
                            "elements, GPUs take up to 32768");
  OneOperation hash(OperationType::LSH_PROJECTION);
  hash.input({4, 2});
  hash.input({3, 2, 5});
  hash.output({8});
  EXPECT_EQ(hash.refusal(), "");
  hash.model.main.operands[1].dimensions = {32769, 2};
  EXPECT_EQ(hash.refusal(), "LSH_PROJECTION: one invocation would go through "
                            "32769 rows, GPUs take up to 32768");
  hash.model.main.operands[1].dimensions = {2, 32768, 17};
  EXPECT_EQ(hash.refusal(),
            "LSH_PROJECTION: one invocation would go through 34816 parts of a "
            "row, GPUs take up to 32768");
}

TEST(GpuSupportTest, BoundsSuppression) {
  OneOperation limit(OperationType::BOX_WITH_NMS_LIMIT);
  limit.input({1024, 4});
  limit.output({10});
  EXPECT_EQ(limit.refusal(), "");
  Operand &scores = limit.model.main.operands[0];
  scores.dimensions = {1024, 5};
  EXPECT_EQ(limit.refusal(),
            "BOX_WITH_NMS_LIMIT: suppressing 1024 boxes in 5 classes takes "
            "5242880 steps of one invocation, GPUs take up to 4194304");
  scores.dimensions = {40000, 2};
  EXPECT_EQ(limit.refusal(), "BOX_WITH_NMS_LIMIT: one invocation would go "
                             "through 40000 boxes, GPUs take up to 32768");
  scores.dimensions = {1, 32769};
  EXPECT_EQ(limit.refusal(), "BOX_WITH_NMS_LIMIT: one invocation would go "
                             "through 32769 classes, GPUs take up to 32768");
}

/// A DETECTION_POSTPROCESSING of one image of 1917 boxes and 91 classes.
OneOperation postprocessing(bool isRegular, int32_t most) {
  OneOperation detect(OperationType::DETECTION_POSTPROCESSING);
  detect.input({1, 1917, 91});
  detect.input({1, 1917, 4});
  detect.input({1917, 4});
  std::vector<uint8_t> &values = detect.model.operandValues;
  auto add = [&](OperandType type, const auto &value) {
    DataLocation location;
    location.offset = uint32_t(values.size());
    location.length = sizeof(value);
    values.resize(values.size() + 4);
    std::memcpy(&values[location.offset], &value, sizeof(value));
    detect.add(type, {}, OperandLifeTime::CONSTANT_COPY).location = location;
  };
  for (int i = 0; i < 4; ++i)
    add(OperandType::FLOAT32, 10.0f);
  add(OperandType::BOOL, isRegular);
  for (int i = 0; i < 3; ++i)
    add(OperandType::INT32, most);
  for (int i = 0; i < 2; ++i)
    add(OperandType::FLOAT32, 0.5f);
  add(OperandType::BOOL, false);
  detect.output({1, 100});
  return detect;
}

TEST(GpuSupportTest, BoundsDetections) {
  EXPECT_EQ(postprocessing(false, 100).refusal(), "");
  EXPECT_EQ(postprocessing(true, 10).refusal(), "");
  EXPECT_EQ(postprocessing(true, 100).refusal(),
            "DETECTION_POSTPROCESSING: suppressing 1917 boxes in 91 classes "
            "takes 17444700 steps of one invocation, GPUs take up to 4194304");
  OneOperation many = postprocessing(false, 1);
  many.model.main.operands[0].dimensions[0] = 18;
  EXPECT_EQ(many.refusal(),
            "DETECTION_POSTPROCESSING: one invocation would go through 34506 "
            "boxes, GPUs take up to 32768");
}

TEST(GpuSupportTest, RefusesUnknownExtents) {
  OneOperation relu(OperationType::RELU);
  relu.input({0, 3});
  relu.output({2, 3});
  EXPECT_EQ(relu.refusal(), "RELU: input 0 of shape [0,3] has extents that "
                            "only an execution knows");
  EXPECT_EQ(checkGpuInterface(relu.model, OpenExtents::refused).message(),
            "the model: input 0 of shape [0,3] has extents that only an "
            "execution knows");
  relu.model.main.operands[0].dimensions = {2, 3};
  relu.model.main.operands[1].dimensions = {};
  EXPECT_EQ(relu.refusal(),
            "RELU: output 0 has a rank that only an execution knows");
  EXPECT_EQ(checkGpuInterface(relu.model, OpenExtents::refused).message(),
            "the model: output 0 has a rank that only an execution knows");
}

TEST(GpuSupportTest, TakesExtentsThatExecutionsTell) {
  OneOperation relu(OperationType::RELU);
  relu.input({0, 3});
  relu.output({});
  EXPECT_EQ(relu.refusal(OpenExtents::follow), "");
  EXPECT_TRUE(checkGpuInterface(relu.model, OpenExtents::follow).isOk());
  EXPECT_TRUE(checkGpuModel(relu.model, OpenExtents::follow).isOk());
  // A row of unknown length passes; bounds of work are checked for known ones.
  OneOperation topk(OperationType::TOPK_V2);
  topk.input({2, 0});
  topk.add(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY);
  topk.output({2, 3});
  topk.add(OperandType::TENSOR_INT32, {2, 3}, OperandLifeTime::SUBGRAPH_OUTPUT);
  EXPECT_EQ(topk.refusal(OpenExtents::follow), "");
  topk.model.main.operands[0].dimensions = {2, 32769};
  EXPECT_EQ(topk.refusal(OpenExtents::follow),
            "TOPK_V2: one invocation would go through 32769 elements, GPUs "
            "take up to 32768");
}

TEST(GpuSupportTest, TellsWhatIsOpen) {
  OneOperation transpose(OperationType::TRANSPOSE);
  transpose.input({2, 3});
  transpose.add(OperandType::TENSOR_INT32, {0},
                OperandLifeTime::SUBGRAPH_INPUT);
  transpose.output({3, 2});
  EXPECT_EQ(openPartsOf(transpose.model), OpenParts::none);
  EXPECT_EQ(openParametersOf(transpose.model), OpenParameters::inputs);
  transpose.model.main.operands[2].dimensions = {};
  EXPECT_EQ(openPartsOf(transpose.model), OpenParts::results);
  transpose.model.main.operands[0].dimensions = {2, 0};
  EXPECT_EQ(openPartsOf(transpose.model), OpenParts::inputs);
}

TEST(GpuSupportTest, RefusesExtentsThatKernelsCompute) {
  OneOperation suppress(OperationType::BOX_WITH_NMS_LIMIT);
  suppress.input({0, 2});
  suppress.output({0});
  EXPECT_EQ(suppress.refusal(OpenExtents::follow),
            "BOX_WITH_NMS_LIMIT: output 0 of shape [0] has no elements, or "
            "extents that only an execution knows");
  // The scratch output depends on whether there is an input gate.
  OneOperation lstm(OperationType::LSTM);
  for (int i = 0; i < 20; ++i)
    lstm.input({0, 2});
  lstm.output({0, 0});
  EXPECT_EQ(
      lstm.refusal(OpenExtents::follow),
      "LSTM: output 0 of shape [0,0] has no elements, or extents that only "
      "an execution knows");
  lstm.model.main.operands[1].lifetime = OperandLifeTime::NO_VALUE;
  EXPECT_EQ(lstm.refusal(OpenExtents::follow), "");
}

TEST(GpuSupportTest, TakesUnknownExtentsThatAreOmitted) {
  OneOperation filter(OperationType::SVDF);
  filter.input({1, 2});
  filter.input({4, 2});
  filter.input({4, 3});
  filter.input({0});
  filter.input({1, 12});
  filter.add(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY);
  filter.add(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY);
  filter.output({1, 12});
  filter.output({1, 4});
  EXPECT_EQ(filter.refusal(), "");
  EXPECT_TRUE(checkGpuInterface(filter.model, OpenExtents::refused).isOk());
  Operand &bias = filter.model.main.operands[3];
  bias.dimensions = {};
  EXPECT_EQ(filter.refusal(), "");
  EXPECT_TRUE(checkGpuInterface(filter.model, OpenExtents::refused).isOk());
  bias.dimensions = {0};
  bias.lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  EXPECT_EQ(filter.refusal(), "SVDF: input 3 of shape [0] has no elements, "
                              "or extents that only an execution knows");
}

// The host looks at each request for a parameter, whatever its extents.
TEST(GpuSupportTest, TakesParametersThatARequestMayOmit) {
  for (std::vector<uint32_t> extents : {std::vector<uint32_t>{2, 3}, {2, 0}}) {
    OneOperation transpose(OperationType::TRANSPOSE);
    transpose.input(extents);
    transpose.add(OperandType::TENSOR_INT32, {0},
                  OperandLifeTime::SUBGRAPH_INPUT);
    transpose.output({extents[1], extents[0]});
    const Model &model = transpose.model;
    EXPECT_EQ(transpose.refusal(OpenExtents::follow), "");
    EXPECT_EQ(openParametersOf(model), OpenParameters::inputs);
    EXPECT_EQ(openParametersOf(model, model.main, model.main.operations[0]),
              std::vector<uint32_t>{1});
    EXPECT_EQ(parameterInputsOf(model), (std::vector{false, true}));
    transpose.model.main.operands[1].dimensions = {2};
    EXPECT_EQ(openParametersOf(model), OpenParameters::inputs);
  }
}

// Code is made for the value, or for a request without one.
TEST(GpuSupportTest, RefusesParametersWithoutAValue) {
  OneOperation transpose(OperationType::TRANSPOSE);
  transpose.input({2, 3});
  transpose.add(OperandType::TENSOR_INT32, {0},
                OperandLifeTime::SUBGRAPH_INPUT);
  transpose.output({3, 2});
  EXPECT_EQ(transpose.refusal(),
            "TRANSPOSE: input 1 of shape [0] has extents that only an "
            "execution knows");
  transpose.model.main.operands[1].dimensions = {2};
  EXPECT_EQ(transpose.refusal(),
            "TRANSPOSE: input 1 is not a constant but a SUBGRAPH_INPUT");
}

TEST(GpuSupportTest, RefusesUnknownExtentsThatAreRead) {
  OneOperation transpose(OperationType::TRANSPOSE);
  transpose.input({2, 3});
  transpose.add(OperandType::TENSOR_INT32, {0},
                OperandLifeTime::SUBGRAPH_INPUT);
  transpose.output({3, 2});
  // Another operation needs the same input.
  transpose.model.main.operations.push_back({OperationType::ABS, {1}, {2}});
  const std::string message = "the model: input 1 of shape [0] has extents "
                              "that only an execution knows";
  EXPECT_EQ(checkGpuInterface(transpose.model, OpenExtents::refused).message(),
            message);
  // Nobody reads it: what a request may leave out is not known.
  transpose.model.main.operations = {{OperationType::ABS, {0}, {2}}};
  EXPECT_EQ(checkGpuInterface(transpose.model, OpenExtents::refused).message(),
            message);
}

TEST(GpuSupportTest, RefusesLargeBuffers) {
  OneOperation relu(OperationType::RELU);
  relu.input({32, 1024, 1024});
  relu.output({32, 1024, 1024});
  EXPECT_EQ(relu.refusal(), "");
  relu.model.main.operands[1].dimensions[0] = 33;
  EXPECT_EQ(relu.refusal(), "RELU: output 0 has 138412032 bytes, buffers of "
                            "GPUs up to 134217728");
}

TEST(GpuSupportTest, RefusesComputedParameters) {
  OneOperation reshape(OperationType::RESHAPE);
  reshape.input({6});
  reshape.add(OperandType::TENSOR_INT32, {2}, OperandLifeTime::SUBGRAPH_INPUT);
  reshape.output({2, 3});
  EXPECT_EQ(reshape.refusal(),
            "RESHAPE: input 1 is not a constant but a SUBGRAPH_INPUT");
  OneOperation add(OperationType::ADD);
  add.input({2});
  add.input({2});
  add.add(OperandType::INT32, {}, OperandLifeTime::SUBGRAPH_INPUT);
  add.output({2});
  EXPECT_EQ(add.refusal(),
            "ADD: input 2 is not a constant but a SUBGRAPH_INPUT");
}

TEST(GpuSupportTest, TellsWhichParametersAreOpen) {
  OneOperation reshape(OperationType::RESHAPE);
  reshape.input({6});
  reshape.add(OperandType::TENSOR_INT32, {2}, OperandLifeTime::SUBGRAPH_INPUT);
  reshape.output({2, 3});
  EXPECT_EQ(openParametersOf(reshape.model), OpenParameters::inputs);
  EXPECT_EQ(parameterInputsOf(reshape.model), (std::vector{false, true}));
  EXPECT_EQ(reshape.refusal(OpenExtents::follow), "");
  Operand &list = reshape.model.main.operands[1];
  list.lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  EXPECT_EQ(openParametersOf(reshape.model), OpenParameters::computed);
  list.lifetime = OperandLifeTime::CONSTANT_COPY;
  EXPECT_EQ(openParametersOf(reshape.model), OpenParameters::none);
  // A graph reads what is passed to it.
  list.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  Model model;
  model.referenced = {reshape.model.main};
  EXPECT_EQ(openParametersOf(model), OpenParameters::computed);
  // Work that a parameter bounds is judged when its value is known.
  OneOperation detect = postprocessing(true, 100);
  detect.model.main.operands[8].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  EXPECT_EQ(detect.refusal(OpenExtents::follow), "");
  OneOperation vendor(OperationType(0x00010002));
  vendor.add(OperandType::INT32, {}, OperandLifeTime::SUBGRAPH_INPUT);
  EXPECT_EQ(openParametersOf(vendor.model), OpenParameters::none);
}

/// An IF of two graphs with one operation each, which has \p type in the second
/// one.
OneOperation ifOf(OperationType type) {
  OneOperation chooses(OperationType::IF);
  chooses.add(OperandType::TENSOR_BOOL8, {1}, OperandLifeTime::SUBGRAPH_INPUT);
  for (uint32_t graph : {0u, 1u})
    chooses.add(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH)
        .location.offset = graph;
  chooses.input({2, 3});
  chooses.output({2, 3});
  for (OperationType inner : {OperationType::ABS, type}) {
    OneOperation graph(inner);
    graph.input({2, 3});
    graph.output({2, 3});
    chooses.model.referenced.push_back(graph.model.main);
  }
  return chooses;
}

TEST(GpuSupportTest, TakesGraphsOfWhatItTakes) {
  EXPECT_EQ(ifOf(OperationType::NEG).refusal(), "");
  EXPECT_EQ(ifOf(OperationType::NEG).refusal(OpenExtents::follow), "");
  EXPECT_EQ(ifOf(OperationType::RANDOM_MULTINOMIAL).refusal(),
            "IF: referenced[1]: RANDOM_MULTINOMIAL: it is a routine of the "
            "runtime, which GPUs do not call");
  // An IF in a branch of an IF.
  OneOperation outer = ifOf(OperationType::IF);
  const OneOperation inner = ifOf(OperationType::OEM_OPERATION);
  outer.model.referenced[1] = inner.model.main;
  outer.model.referenced[1].operands[1].location.offset = 2;
  outer.model.referenced[1].operands[2].location.offset = 3;
  outer.model.referenced.push_back(inner.model.referenced[0]);
  outer.model.referenced.push_back(inner.model.referenced[1]);
  EXPECT_EQ(outer.refusal(), "IF: referenced[1]: IF: referenced[3]: "
                             "OEM_OPERATION: it is not compiled for GPUs");
}

TEST(GpuSupportTest, GraphsHaveKnownExtents) {
  OneOperation chooses = ifOf(OperationType::NEG);
  Model &model = chooses.model;
  model.referenced[1].operands[0].dimensions = {0, 3};
  EXPECT_EQ(openPartsOf(model), OpenParts::results);
  EXPECT_EQ(chooses.refusal(OpenExtents::follow), "");
  EXPECT_EQ(chooses.refusal(OpenExtents::refused),
            "IF: referenced[1]: input 0 of shape [0,3] has extents that only "
            "an execution knows");
  model.referenced[1].operands[1].dimensions = {};
  EXPECT_EQ(chooses.refusal(OpenExtents::follow), "");
  model.referenced[1].operands[0].dimensions = {2, 3};
  EXPECT_EQ(chooses.refusal(OpenExtents::refused),
            "IF: referenced[1]: output 0 has a "
            "rank that only an execution knows");
  model.main.operands[4].dimensions = {2, 0};
  EXPECT_EQ(chooses.refusal(OpenExtents::refused),
            "IF: output 0 of shape [2,0] has no elements, or extents that only "
            "an execution knows");
  model.main.operands[3].dimensions = {2, 0};
  EXPECT_EQ(chooses.refusal(OpenExtents::refused),
            "IF: input 3 of shape [2,0] has extents that only an execution "
            "knows");
  model.main.operands[3].type = OperandType::INT32;
  EXPECT_EQ(chooses.refusal(OpenExtents::refused),
            "IF: input 3 is not a constant but a SUBGRAPH_INPUT");
  EXPECT_EQ(chooses.refusal(OpenExtents::follow), "");
  EXPECT_EQ(openParametersOf(model), OpenParameters::computed);
}

TEST(GpuSupportTest, RefusesOem) {
  OneOperation oem(OperationType::OEM_OPERATION);
  EXPECT_EQ(oem.refusal(), "OEM_OPERATION: it is not compiled for GPUs");
}

TEST(GpuSupportTest, RefusesExtensions) {
  OneOperation vendor(OperationType(0x00010002));
  vendor.model.extensionNameToPrefix = {{"com.example.ext", 1}};
  std::string message = vendor.refusal();
  EXPECT_NE(message.find(" is of an extension, which is not compiled for GPUs"),
            std::string::npos)
      << message;
  OneOperation oem(OperationType::RELU);
  oem.add(OperandType::TENSOR_OEM_BYTE, {4}, OperandLifeTime::SUBGRAPH_INPUT);
  EXPECT_EQ(oem.refusal(), "RELU: input 0 is TENSOR_OEM_BYTE, which is not "
                           "compiled for GPUs");
}

} // namespace
