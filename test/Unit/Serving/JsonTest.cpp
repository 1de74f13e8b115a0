//===- JsonTest.cpp - Requests and responses in JSON ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serving/Http/Elements.h"
#include "Serving/Http/RequestJson.h"
#include "Serving/Http/ResponseJson.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

using namespace nnhal;
using namespace nnhal::serving;

namespace {

/// Why \p json, with \p size bytes behind it, is no request.
std::string problemOf(std::string_view json, size_t size = 0) {
  std::vector<std::byte> tensors(size);
  ParsedRequest parsed;
  Outcome outcome = parseRequest(json, tensors, parsed);
  EXPECT_TRUE(outcome.isOk() || outcome.code() == OutcomeCode::invalidArgument);
  return outcome.message();
}

std::string inInput(std::string_view members) {
  return problemOf(fmt::format(R"({{"inputs": [{{{}}}]}})", members));
}

template <typename Element>
std::vector<Element> elementsOf(const RequestTensor &tensor) {
  std::vector<Element> elements(tensor.data.size() / sizeof(Element));
  std::memcpy(elements.data(), tensor.data.data(), tensor.data.size());
  return elements;
}

TEST(RequestJsonTest, EverythingThatTheProtocolHas) {
  ParsedRequest parsed;
  std::vector<std::byte> tensors(4);
  Outcome outcome = parseRequest(
      R"({"id": "7", "parameters": {"timeout": 1000000, "priority": 1,
           "other": {"a": [1]}, "binary_data_output": true},
          "inputs": [{"name": "a", "shape": [2, 2], "datatype": "FP32",
                      "data": [[1, 2.5], [-3, 1e3]]},
                     {"name": "b", "shape": [4], "datatype": "UINT8",
                      "parameters": {"binary_data_size": 4}}],
          "outputs": [{"name": "y"},
                      {"name": "z", "parameters": {"binary_data": false}}],
          "more": [{"inputs": 1}]})",
      tensors, parsed);
  ASSERT_TRUE(outcome.isOk()) << outcome.message();
  const InferenceRequest &request = parsed.request;
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.priority, rt::Priority::high);
  EXPECT_NE(request.deadline, rt::noDeadline);
  ASSERT_EQ(request.inputs.size(), 2u);
  EXPECT_EQ(request.inputs[0].shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(elementsOf<float>(request.inputs[0]),
            (std::vector<float>{1, 2.5, -3, 1000}));
  EXPECT_EQ(request.inputs[1].data.data(), tensors.data());
  EXPECT_EQ(request.outputs, (std::vector<std::string>{"y", "z"}));
  EXPECT_EQ(parsed.isBinary, (std::vector<bool>{true, false}));
}

TEST(RequestJsonTest, DataBeforeItsType) {
  ParsedRequest parsed;
  Outcome outcome = parseRequest(
      R"({"inputs": [{"data": [1, 2], "name": "a", "datatype": "INT64",
                      "shape": [2]}]})",
      {}, parsed);
  ASSERT_TRUE(outcome.isOk()) << outcome.message();
  EXPECT_EQ(elementsOf<int64_t>(parsed.request.inputs[0]),
            (std::vector<int64_t>{1, 2}));
}

TEST(RequestJsonTest, NoJson) {
  EXPECT_EQ(problemOf("{\"a\" 1}"), "the request is no JSON at byte 6: '1'");
  EXPECT_NE(problemOf(""), "");
  EXPECT_NE(problemOf("{\"a\": 1} x"), "");
  EXPECT_NE(problemOf("\xff"), "");
  EXPECT_EQ(problemOf("[]"), "'' of the request cannot be a list of lists");
  EXPECT_EQ(problemOf("1"), "'' of the request cannot be a list with 1");
  std::string deep(100000, '[');
  EXPECT_EQ(problemOf("{\"a\": " + deep),
            "the request has more than 64 levels");
  EXPECT_EQ(inInput("\"datatype\": \"FP32\", \"data\": " + deep),
            "the request has more than 64 levels");
}

TEST(RequestJsonTest, ValuesInTheWrongPlace) {
  EXPECT_EQ(problemOf(R"({"id": 1})"), "'id' of the request cannot be 1");
  EXPECT_EQ(problemOf(R"({"id": []})"), "'id' of the request cannot be a list");
  EXPECT_EQ(problemOf(R"({"inputs": {}})"),
            "'inputs' of the request cannot be an object");
  EXPECT_EQ(problemOf(R"({"inputs": [null]})"),
            "'inputs' of the request cannot be a list with null");
  EXPECT_EQ(problemOf(R"({"inputs": true})"),
            "'inputs' of the request cannot be true");
  EXPECT_EQ(inInput(R"("name": 1.5)"), "'name' of input 0 cannot be 1.5");
  EXPECT_EQ(inInput(R"("shape": "x")"), "'shape' of input 0 cannot be 'x'");
  EXPECT_EQ(inInput(R"("shape": [1.5])"),
            "'shape' of input 0 cannot be a list with 1.5");
  EXPECT_EQ(inInput(R"("data": [{}])"),
            "'data' of input 0 cannot be a list of objects");
  EXPECT_EQ(problemOf(R"({"outputs": [{"name": []}]})"),
            "'name' of output 0 cannot be a list");
  EXPECT_EQ(inInput(R"("parameters": {"binary_data_size": -1})"),
            "'binary_data_size' of input 0 cannot be -1");
}

TEST(RequestJsonTest, NullIsWhatIsLeftOut) {
  ParsedRequest parsed;
  std::vector<std::byte> tensors(4);
  Outcome outcome = parseRequest(
      R"({"id": null, "parameters": null, "outputs": null,
          "inputs": [{"name": "a", "shape": [1], "datatype": "FP32",
                      "data": [1], "parameters": null},
                     {"name": "b", "shape": [1], "datatype": "FP32",
                      "data": null, "parameters": {"binary_data_size": 4,
                        "shared_memory_region": null}}]})",
      tensors, parsed);
  ASSERT_TRUE(outcome.isOk()) << outcome.message();
  EXPECT_EQ(parsed.request.id, "");
  EXPECT_EQ(parsed.request.outputs.size(), 0u);
  EXPECT_EQ(problemOf(R"({"parameters": {"priority": null, "timeout": null},
                          "outputs": [{"name": "y", "parameters": null}]})"),
            "");
  EXPECT_EQ(inInput(R"("name": null)"), "'name' of input 0 cannot be null");
}

TEST(RequestJsonTest, ExtensionsThatAreNotOffered) {
  EXPECT_EQ(problemOf(R"({"outputs": [{"name": "y"}, {"name": "z",
                          "parameters": {"classification": 3}}]})"),
            "parameter 'classification' of output 1 is not supported: this "
            "extension of Triton is not offered");
  EXPECT_EQ(problemOf(R"({"outputs": [{"name": "y",
                          "parameters": {"shared_memory_region": "r"}}]})"),
            "parameter 'shared_memory_region' of output 0 is not supported: "
            "this extension of Triton is not offered");
  for (const char *value : {"8", "[8]", "{}"})
    EXPECT_EQ(inInput(fmt::format(R"("name": "a", "parameters":
                                     {{"shared_memory_byte_size": {}}})",
                                  value)),
              "parameter 'shared_memory_byte_size' of input 0 is not "
              "supported: this extension of Triton is not offered");
  EXPECT_EQ(problemOf(R"({"parameters": {"classification": 3}})"), "");
}

TEST(RequestJsonTest, WhatIsMissing) {
  EXPECT_EQ(inInput(""), "input 0 has no 'name'");
  EXPECT_EQ(inInput(R"("name": "a")"), "input 'a' has no 'datatype'");
  EXPECT_EQ(inInput(R"("name": "a", "datatype": "FP32")"),
            "input 'a' has no 'shape'");
  EXPECT_EQ(
      inInput(R"("name": "a", "datatype": "FP32", "shape": [1])"),
      "input 'a' has neither 'data' nor the parameter 'binary_data_size'");
  EXPECT_EQ(problemOf(R"({"outputs": [{}]})"), "output 0 has no 'name'");
}

TEST(RequestJsonTest, WhatIsTooMuch) {
  EXPECT_EQ(inInput(R"("data": [], "data": [])"), "input 0 has 'data' twice");
  EXPECT_EQ(
      inInput(R"("name": "a", "datatype": "FP32", "shape": [1], "data": [1],
                 "parameters": {"binary_data_size": 4})"),
      "input 'a' has 'data' and the parameter 'binary_data_size'");
  std::string shape = "1";
  for (int i = 0; i < 64; ++i)
    shape += ",1";
  EXPECT_EQ(inInput(fmt::format("\"shape\": [{}]", shape)),
            "input 0 has more than 64 dimensions");
  std::string inputs = "{}";
  for (int i = 0; i < 5000; ++i)
    inputs += ",{}";
  EXPECT_EQ(problemOf(fmt::format("{{\"inputs\": [{}]}}", inputs)),
            "the request has more than 4096 tensors");
}

TEST(RequestJsonTest, BinaryData) {
  std::string_view json =
      R"({"inputs": [{"name": "a", "datatype": "INT8", "shape": [4],
                      "parameters": {"binary_data_size": 4}}]})";
  EXPECT_EQ(problemOf(json, 4), "");
  EXPECT_EQ(problemOf(json, 3),
            "input 'a': binary_data_size 4 is more than the 3 bytes that are "
            "left of the body");
  EXPECT_EQ(problemOf(json, 6),
            "2 bytes at the end of the body are of no input");
}

TEST(RequestJsonTest, Elements) {
  EXPECT_EQ(inInput(R"("datatype": "UINT8", "data": [255, 256])"),
            "input 0: element 1 is 256, which UINT8 does not have");
  EXPECT_EQ(inInput(R"("datatype": "INT8", "data": [-129])"),
            "input 0: element 0 is -129, which INT8 does not have");
  EXPECT_EQ(inInput(R"("datatype": "INT32", "data": [0.5])"),
            "input 0: element 0 is 0.5, which INT32 does not have");
  EXPECT_EQ(inInput(R"("datatype": "FP32", "data": [true])"),
            "input 0: element 0 is true, which FP32 does not have");
  EXPECT_EQ(inInput(R"("datatype": "FP32", "data": ["x"])"),
            "input 0: element 0 is 'x', which FP32 does not have");
  EXPECT_EQ(inInput(R"("datatype": "FP32", "data": [null])"),
            "input 0: element 0 is null, which FP32 does not have");
  EXPECT_EQ(inInput(R"("datatype": "BOOL", "data": [2])"),
            "input 0: element 0 is 2, which BOOL does not have");
  EXPECT_EQ(inInput(R"("datatype": "FP16", "data": [65504, 70000])"),
            "input 0: element 1 is 70000, which FP16 does not have");
  EXPECT_EQ(inInput(R"("datatype": "BYTES", "data": ["x"])"),
            "input 0: datatype BYTES is that of no model: tensors of NNAPI "
            "have no such elements");
}

template <typename Element>
std::string textOf(DataType type, std::vector<Element> elements) {
  std::string text;
  EXPECT_TRUE(appendJson(type, std::as_bytes(std::span(elements)), text));
  return text;
}

TEST(ElementsTest, EveryTypeComesBack) {
  for (auto [type, text] :
       {std::pair(DataType::boolean, "true,false"),
        std::pair(DataType::uint8, "0,255"),
        std::pair(DataType::uint16, "0,65535"),
        std::pair(DataType::uint32, "0,4294967295"),
        std::pair(DataType::uint64, "0,18446744073709551615"),
        std::pair(DataType::int8, "-128,127"),
        std::pair(DataType::int16, "-32768,32767"),
        std::pair(DataType::int32, "-2147483648,2147483647"),
        std::pair(DataType::int64, "-9223372036854775808,9223372036854775807"),
        std::pair(DataType::fp16, "0.5,-65504"),
        std::pair(DataType::fp32, "0.1,-3.4028235e+38"),
        std::pair(DataType::fp64, "0.1,1e-300")}) {
    ParsedRequest parsed;
    Outcome outcome =
        parseRequest(fmt::format(R"({{"inputs": [{{"name": "a", "shape": [2],
                         "datatype": "{}", "data": [{}]}}]}})",
                                 nameOf(type), text),
                     {}, parsed);
    ASSERT_TRUE(outcome.isOk()) << outcome.message();
    std::string written;
    EXPECT_TRUE(appendJson(type, parsed.request.inputs[0].data, written));
    EXPECT_EQ(written, text) << nameOf(type);
  }
  EXPECT_EQ(textOf<uint8_t>(DataType::uint8, {1, 65}), "1,65");
}

TEST(ResponseJsonTest, JsonAndBinary) {
  InferenceResponse response;
  response.model = "a\"b";
  response.version = "3";
  float values[] = {1.5f, 2.0f};
  response.outputs = {
      {"y", DataType::fp32, {1, 2}, std::as_bytes(std::span(values))},
      {"z", DataType::fp32, {2}, std::as_bytes(std::span(values))}};
  ParsedRequest request;
  request.request.id = "7";
  request.isBinary = {false, true};
  RenderedResponse rendered;
  ASSERT_TRUE(renderResponse(request, response, rendered).isOk());
  EXPECT_EQ(rendered.json,
            R"({"model_name":"a\"b","model_version":"3","id":"7","outputs":[)"
            R"({"name":"y","datatype":"FP32","shape":[1,2],"data":[1.5,2]},)"
            R"({"name":"z","datatype":"FP32","shape":[2],)"
            R"("parameters":{"binary_data_size":8}}]})");
  ASSERT_EQ(rendered.tensors.size(), 1u);
  EXPECT_EQ(rendered.tensors[0].size(), sizeof values);
  values[1] = std::numeric_limits<float>::infinity();
  RenderedResponse other;
  EXPECT_EQ(renderResponse(request, response, other).message(),
            "output 'y' has infinities or NaN, which JSON cannot write: ask "
            "for its binary data");
}

} // namespace
