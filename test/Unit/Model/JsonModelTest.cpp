//===- JsonModelTest.cpp - Model JSON, element by element -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include "Faults/Allocations.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/TestCase.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using nlohmann::json;

namespace {

/// A model of two operands and one operation.
json document() {
  return json::parse(R"({
    "halVersion": "1.2",
    "relaxComputationFloat32toFloat16": true,
    "main": {
      "operands": [
        {"type": "TENSOR_FLOAT32", "dimensions": [2], "lifetime": "SUBGRAPH_INPUT"},
        {"type": "TENSOR_FLOAT32", "dimensions": [2], "lifetime": "SUBGRAPH_OUTPUT"}
      ],
      "operations": [{"type": "ABS", "inputs": [0], "outputs": [1]}],
      "inputIndexes": [0],
      "outputIndexes": [1]
    },
    "referenced": [],
    "extensionNameToPrefix": []})");
}

std::string readError(const std::string &text) {
  Result<Model> model =
      readJsonModel(text, NNHAL_TEST_DATA "/Unit/Model/Inputs");
  if (!model.isOk())
    EXPECT_EQ(model.status().code(), StatusCode::invalidArgument);
  return model.status().message();
}

/// What reading says when the value at \p pointer is \p value.
std::string errorWith(const char *pointer, json value) {
  json changed = document();
  changed[json::json_pointer(pointer)] = std::move(value);
  return readError(changed.dump());
}

/// The message when operand 0 has \p members as well.
std::string errorOfOperand(const json &members) {
  json changed = document();
  changed["main"]["operands"][0].update(members);
  return readError(changed.dump());
}

json constant(const char *type, json value) {
  return {{"type", type},
          {"lifetime", "CONSTANT_COPY"},
          {"value", std::move(value)}};
}

TEST(JsonModelTest, readsFields) {
  Result<Model> model = readJsonModel(document().dump());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ(model->halVersion, HalVersion::V1_2);
  EXPECT_TRUE(model->relaxComputationFloat32toFloat16);
  EXPECT_EQ(model->main.operands[0].numberOfConsumers, 1u);
  EXPECT_EQ(validateModel(*model, model->halVersion).message(), "");
}

TEST(JsonModelTest, defaults) {
  json small;
  small["main"] = document()["main"];
  Result<Model> model = readJsonModel(small.dump());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ(model->halVersion, HalVersion::V1_3);
  EXPECT_FALSE(model->relaxComputationFloat32toFloat16);
}

TEST(JsonModelTest, notJson) {
  EXPECT_TRUE(readError("").starts_with("parse error at line 1, column 1: "));
  EXPECT_TRUE(readError("{\n1}").starts_with("parse error at line 2, "));
  EXPECT_TRUE(readError("{\"a\":1e999}").starts_with("number overflow"));
  EXPECT_TRUE(readError("{\"\xff\":1}").starts_with("parse error at line 1"));
  EXPECT_EQ(readError("[]"), "model: expected an object, found an array");
  EXPECT_EQ(readError(std::string(1 << 20, '[')),
            "offset 32: arrays and objects are nested deeper than 32");
  EXPECT_EQ(readError("{\"a\":\"" + std::string(100, '[') + "\"}"),
            "model: unknown key \"a\"");
}

TEST(JsonModelTest, unknownAndMissingKeys) {
  EXPECT_EQ(errorWith("/pool", 1), "model: unknown key \"pool\"");
  EXPECT_EQ(errorWith("/main/inputs", 1), "main: unknown key \"inputs\"");
  EXPECT_EQ(errorWith("/main/operands/1/sacle", 1),
            "main.operands[1]: unknown key \"sacle\"");
  EXPECT_EQ(errorWith("/main/operations/0/name", 1),
            "main.operations[0]: unknown key \"name\"");
  EXPECT_EQ(errorOfOperand({{"channelQuant", {{"scale", 1}}}}),
            "main.operands[0].channelQuant: unknown key \"scale\"");
  EXPECT_EQ(errorOfOperand({{"location", {{"pool", 1}}}}),
            "main.operands[0].location: unknown key \"pool\"");
  EXPECT_EQ(readError("{}"), "model: key \"main\" is missing");
  EXPECT_EQ(readError(R"({"main":{"operands":[{}]}})"),
            "main.operands[0]: key \"type\" is missing");
}

TEST(JsonModelTest, wrongTypes) {
  EXPECT_EQ(errorOfOperand({{"scale", "x"}}),
            "main.operands[0].scale: expected a number, found \"x\"");
  EXPECT_EQ(errorOfOperand({{"dimensions", 3}}),
            "main.operands[0].dimensions: expected an array, found 3");
  EXPECT_EQ(errorOfOperand({{"zeroPoint", 0.5}}),
            "main.operands[0].zeroPoint: expected an integer, found 0.5");
  EXPECT_EQ(errorOfOperand({{"type", nullptr}}),
            "main.operands[0].type: expected a string, found null");
  EXPECT_EQ(errorWith("/main/operands/0", json::array()),
            "main.operands[0]: expected an object, found an array");
  EXPECT_EQ(errorWith("/relaxComputationFloat32toFloat16", 1),
            "relaxComputationFloat32toFloat16: expected true or false, found "
            "1");
  EXPECT_EQ(errorOfOperand({{"zeroPoint", std::string(50, 'x')}}),
            "main.operands[0].zeroPoint: expected an integer, found \"" +
                std::string(39, 'x') + "...");
}

TEST(JsonModelTest, numbersOutOfRange) {
  EXPECT_EQ(errorOfOperand({{"dimensions", {4294967296}}}),
            "main.operands[0].dimensions[0]: 4294967296 must be from 0 to "
            "4294967295");
  EXPECT_EQ(errorOfOperand({{"dimensions", {-1}}}),
            "main.operands[0].dimensions[0]: -1 must be from 0 to 4294967295");
  EXPECT_EQ(errorOfOperand({{"zeroPoint", 1e300}}),
            "main.operands[0].zeroPoint: 1e+300 must be from -2147483648 to "
            "2147483647");
  EXPECT_EQ(errorWith("/main/inputIndexes/0", UINT64_MAX),
            "main.inputIndexes[0]: 18446744073709551615 must be from 0 to "
            "4294967295");
  EXPECT_EQ(errorOfOperand({{"scale", 1e39}}),
            "main.operands[0].scale: 1e+39 is beyond the range of float32");
  EXPECT_EQ(errorOfOperand({{"dimensions", {2.0}}}), "");
}

TEST(JsonModelTest, unknownNames) {
  EXPECT_EQ(errorOfOperand({{"type", "FLOAT64"}}),
            "main.operands[0].type: \"FLOAT64\" is not an operand type");
  EXPECT_EQ(errorOfOperand({{"lifetime", "STATIC"}}),
            "main.operands[0].lifetime: \"STATIC\" is not a lifetime");
  EXPECT_EQ(errorWith("/main/operations/0/type", "BATCH_MATMUL"),
            "main.operations[0].type: \"BATCH_MATMUL\" is not an operation");
  EXPECT_EQ(errorWith("/halVersion", "1.4"),
            "halVersion: \"1.4\" must be one of 1.0, 1.1, 1.2 and 1.3");
}

TEST(JsonModelTest, extensionNames) {
  EXPECT_EQ(errorOfOperand({{"type", "com.example.ext:3"}}),
            "main.operands[0].type: extension \"com.example.ext\" is not in "
            "extensionNameToPrefix");
  EXPECT_EQ(errorOfOperand({{"type", "com.example.ext:65536"}}),
            "main.operands[0].type: \"65536\" in \"com.example.ext:65536\" "
            "must be a number from 0 to 65535");
  EXPECT_EQ(errorOfOperand({{"type", "com.example.ext:"}}),
            "main.operands[0].type: \"\" in \"com.example.ext:\" must be a "
            "number from 0 to 65535");
  json changed = document();
  changed["extensionNameToPrefix"] = {{{"name", "a:b"}, {"prefix", 0}}};
  changed["main"]["operands"][0]["type"] = "a:b:3";
  EXPECT_EQ(readError(changed.dump()),
            "main.operands[0].type: extension \"a:b\" has prefix 0, which must "
            "be positive");
  changed["extensionNameToPrefix"][0]["prefix"] = 9;
  Result<Model> model = readJsonModel(changed.dump());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ(uint32_t(model->main.operands[0].type), 9u << 16 | 3);
  changed["extensionNameToPrefix"][0]["prefix"] = 65536;
  EXPECT_EQ(readError(changed.dump()),
            "extensionNameToPrefix[0].prefix: 65536 must be from 0 to 65535");
}

TEST(JsonModelTest, valuesFitStorage) {
  auto error = [](const char *type, json value) {
    std::string message = errorOfOperand(constant(type, {std::move(value)}));
    std::string prefix = "main.operands[0].value[0]: ";
    return message.starts_with(prefix) ? message.substr(prefix.size())
                                       : message;
  };
  EXPECT_EQ(error("TENSOR_QUANT8_ASYMM", 256), "256 must be from 0 to 255");
  EXPECT_EQ(error("TENSOR_QUANT8_ASYMM_SIGNED", -129),
            "-129 must be from -128 to 127");
  EXPECT_EQ(error("TENSOR_QUANT16_SYMM", 32768),
            "32768 must be from -32768 to 32767");
  EXPECT_EQ(error("TENSOR_QUANT16_ASYMM", -1), "-1 must be from 0 to 65535");
  EXPECT_EQ(error("UINT32", -1), "-1 must be from 0 to 4294967295");
  EXPECT_EQ(error("BOOL", true), "expected an integer, found true");
  EXPECT_EQ(error("TENSOR_FLOAT16", 65520),
            "65520 is beyond the range of float16");
  EXPECT_EQ(error("TENSOR_FLOAT32", "nan"), "expected a number, found \"nan\"");
  EXPECT_EQ(error("com.example", 1),
            "main.operands[0].type: \"com.example\" is not an operand type");
  EXPECT_EQ(error("OEM", 255), "");
}

TEST(JsonModelTest, constantsNeedData) {
  EXPECT_EQ(errorOfOperand({{"lifetime", "CONSTANT_COPY"}}),
            "main.operands[0]: a CONSTANT_COPY needs a value or a location");
  EXPECT_EQ(errorOfOperand({{"lifetime", "SUBGRAPH"}}),
            "main.operands[0]: a SUBGRAPH needs a value or a location");
  EXPECT_EQ(errorOfOperand({{"value", {1, 2}}}),
            "main.operands[0].value: a SUBGRAPH_INPUT has no value");
  EXPECT_EQ(errorOfOperand({{"value", 1}, {"location", 2}}),
            "main.operands[0]: value and location exclude each other");
  EXPECT_EQ(errorOfOperand({{"channelQuant", 1}, {"extension", ""}}),
            "main.operands[0]: channelQuant and extension exclude each other");
}

TEST(JsonModelTest, base64) {
  EXPECT_EQ(errorWith("/operandValues", "AAE"),
            "operandValues: base64 of length 3 must have a multiple of 4");
  EXPECT_EQ(errorWith("/operandValues", "A AE"),
            "operandValues: base64 has a wrong character at 1");
  EXPECT_EQ(errorWith("/operandValues", "A==="),
            "operandValues: base64 has a wrong character at 1");
  json changed = document();
  for (auto [text, size] : {std::pair("", 0),
                            {"AA==", 1},
                            {"AAE=", 2},
                            {"AAEC", 3},
                            {"AAECAw==", 4}}) {
    changed["operandValues"] = text;
    Result<Model> model = readJsonModel(changed.dump());
    ASSERT_TRUE(model.isOk()) << model.status().message();
    ASSERT_EQ(model->operandValues.size(), size_t(size));
    for (int index = 0; index < size; ++index)
      EXPECT_EQ(model->operandValues[index], index);
  }
}

TEST(JsonModelTest, inlineConstantsAreAligned) { // B-025
  json changed = document();
  json &operands = changed["main"]["operands"];
  operands.push_back(constant("BOOL", {1}));
  operands.push_back(constant("FLOAT16", {1}));
  operands.push_back(constant("BOOL", {1}));
  operands.push_back(constant("INT32", {-2}));
  for (size_t index = 2; index < 6; ++index)
    operands[index]["dimensions"] = json::array();
  Result<Model> model = readJsonModel(changed.dump());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  uint32_t offsets[] = {0, 2, 4, 8};
  for (size_t index = 0; index < 4; ++index)
    EXPECT_EQ(model->main.operands[index + 2].location.offset, offsets[index]);
  EXPECT_EQ(model->operandValues,
            (std::vector<uint8_t>{1, 0, 0, 0x3C, 1, 0, 0, 0, 0xFE, 0xFF, 0xFF,
                                  0xFF}));
}

TEST(JsonModelTest, inlineReferencesShareOnePool) {
  json changed = document();
  for (int index : {0, 1}) {
    changed["main"]["operands"].push_back(constant("TENSOR_FLOAT32", {1, 2}));
    changed["main"]["operands"][2 + index]["dimensions"] = {2};
    changed["main"]["operands"][2 + index]["lifetime"] = "CONSTANT_REFERENCE";
  }
  Result<Model> model = readJsonModel(changed.dump());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ASSERT_EQ(model->pools.size(), 1u);
  EXPECT_TRUE(model->pools[0].isSynthetic);
  EXPECT_EQ(model->pools[0].memory.size(), 16u);
  EXPECT_EQ(model->main.operands[3].location, (DataLocation{0, 8, 8}));
  EXPECT_EQ(json::parse(*writeJsonModel(*model)), changed);
}

TEST(JsonModelTest, pools) {
  auto error = [](const char *file, uint64_t offset, uint64_t size) {
    return errorWith("/pools", {{{"name", "mmap_fd"},
                                 {"file", file},
                                 {"offset", offset},
                                 {"size", size}}});
  };
  EXPECT_EQ(error("weights.bin", 4, 8), "");
  EXPECT_EQ(error("weights.bin", 4, 1000),
            "pools[0].file: memory at offset 4 of size 1000 exceeds its file "
            "of 16 bytes");
  EXPECT_TRUE(
      error("none.bin", 0, 1).starts_with("pools[0].file: cannot open '"));
  EXPECT_EQ(errorWith("/pools", {{{"name", "mmap_fd"}}}),
            "pools[0]: key \"file\" is missing");
}

TEST(JsonModelTest, poolsStayInTheFolder) {
  namespace fs = std::filesystem;
  fs::path root =
      testing::TempDir() + "nnhal-pools-" + std::to_string(getpid());
  fs::path folder = root / "document";
  fs::create_directories(folder / "inner");
  std::ofstream(root / "secret.bin") << "0123456789abcdef";
  std::ofstream(folder / "weights.bin") << "0123456789abcdef";
  fs::create_symlink("../secret.bin", folder / "out.bin");
  fs::create_symlink("..", folder / "up");
  fs::create_symlink("../weights.bin", folder / "inner" / "in.bin");
  auto error = [&](const std::string &file) {
    json changed = document();
    changed["pools"] = {
        {{"name", "mmap_fd"}, {"file", file}, {"offset", 0}, {"size", 16}}};
    return readJsonModel(changed.dump(), folder.string()).status().message();
  };
  EXPECT_EQ(error("weights.bin"), "");
  EXPECT_EQ(error("./inner/../weights.bin"), "");
  EXPECT_EQ(error("inner/in.bin"), "");
  EXPECT_EQ(error((folder / "weights.bin").string()),
            "pools[0].file: '" + (folder / "weights.bin").string() +
                "' is absolute, it must be relative to the document's folder");
  for (const char *file :
       {"../secret.bin", "inner/../../secret.bin", "../document/weights.bin",
        "..", "out.bin", "up/secret.bin", "../none.bin"})
    EXPECT_EQ(error(file), "pools[0].file: '" + std::string(file) +
                               "' leaves the document's folder '" +
                               folder.string() + "'");
  EXPECT_EQ(error("up/none.bin"), "pools[0].file: cannot open '" +
                                      (folder / "up/none.bin").string() +
                                      "': No such file or directory");
  for (const char *file : {"", ".", "inner"})
    EXPECT_NE(error(file), "") << file;
  fs::remove_all(root);
}

TEST(JsonModelTest, keysAreGivenOnce) {
  EXPECT_EQ(readError(R"({"halVersion":"1.3","halVersion":"1.0"})"),
            "model: key \"halVersion\" is given twice");
  // A key may be in objects beside each other and within each other.
  EXPECT_EQ(
      readError(R"({"main":{"operands":[{"scale":1},{"scale":[{"a":1},2],)"
                R"("type":3,"scale":1}]},"main":1})"),
      "main.operands[1]: key \"scale\" is given twice");
  EXPECT_EQ(readError(R"([[],[{}],[0,{"a":{"b":0,"b":1}}]])"),
            "[2][1].a: key \"b\" is given twice");
  // The message has the key that the text says, whatever the escapes.
  EXPECT_EQ(readError(R"({"main":1,"\u006dain":2})"),
            "model: key \"main\" is given twice");
  EXPECT_EQ(readError(document().dump()), "");
}

TEST(JsonModelTest, floatsReadBack) {
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               0.1f,
                               1e10f,
                               1.0f / 3,
                               std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity()};
  std::mt19937 random(7);
  while (values.size() < 100000) {
    uint32_t bits = random();
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isnan(value))
      values.push_back(value);
  }
  Model model = addTwice();
  uint32_t bytes = values.size() * 4;
  model.main.operands.push_back(
      zeros(model, OperandType::TENSOR_FLOAT32, {bytes / 4}, bytes));
  std::memcpy(model.operandValues.data() + 12, values.data(), bytes);
  Result<std::string> text = writeJsonModel(model);
  ASSERT_TRUE(text.isOk());
  EXPECT_NE(
      text->find("[0,-0.0,1,0.1,10000000000,0.33333334,1e-45,3.4028235e+38,"
                 "\"Infinity\",\"-Infinity\","),
      std::string::npos);
  Result<Model> back = readJsonModel(*text);
  ASSERT_TRUE(back.isOk()) << back.status().message();
  EXPECT_EQ(back->operandValues, model.operandValues);
  EXPECT_EQ(back->main, model.main);
}

TEST(JsonModelTest, halvesReadBack) {
  Model model = addTwice();
  model.main.operands.push_back(
      zeros(model, OperandType::TENSOR_FLOAT16, {0x7C01}, 2 * 0x7C01));
  for (uint16_t bits = 0; bits <= 0x7C00; ++bits)
    std::memcpy(model.operandValues.data() + 12 + 2 * bits, &bits, 2);
  Result<Model> back = readJsonModel(*writeJsonModel(model));
  ASSERT_TRUE(back.isOk()) << back.status().message();
  EXPECT_EQ(back->operandValues, model.operandValues);
}

TEST(JsonModelTest, notANumber) {
  json changed = document();
  changed["main"]["operands"][0].update(
      constant("TENSOR_FLOAT32", {"NaN", "-Infinity"}));
  Result<Model> model = readJsonModel(changed.dump());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ(json::parse(*writeJsonModel(*model)), changed);
}

TEST(JsonModelTest, writesUnalignedCopiesAsLocations) {
  Model model = addTwice();
  model.main.operands[1].location.length = 7;
  std::string text = *writeJsonModel(model);
  Result<Model> back = readJsonModel(text);
  ASSERT_TRUE(back.isOk()) << back.status().message();
  EXPECT_EQ(back->main.operands[1], model.main.operands[1]);
}

TEST(JsonModelTest, writerExplainsFailures) {
  auto error = [](auto mutate) {
    Model model = addTwice();
    mutate(model);
    return writeJsonModel(model).status().message();
  };
  EXPECT_EQ(error([](Model &m) { m.main.operands[3].type = OperandType(16); }),
            "main: operand 3: type code 16 has no name");
  EXPECT_EQ(
      error([](Model &m) { m.main.operands[3].lifetime = OperandLifeTime(7); }),
      "main: operand 3: lifetime 7 has no name");
  EXPECT_EQ(
      error([](Model &m) { m.main.operations[1].type = OperationType(102); }),
      "main: operation 1: operation code 102 has no name");
  EXPECT_EQ(error([](Model &m) {
              m.main.operations[1].type = OperationType(5u << 16);
            }),
            "main: operation 1: extension prefix 5 has no name");
  EXPECT_EQ(error([](Model &m) {
              m.referenced.push_back(m.main);
              m.referenced[0].operands[1].location.offset = 100;
            }),
            "referenced[0]: operand 1: constant at offset 100 of length 8 "
            "exceeds the 12 bytes that hold it");
  EXPECT_EQ(
      error([](Model &m) {
        m.pools = {
            {"ashmem", Memory::adopt(std::vector<std::byte>(8)), {}, 0, false}};
        m.main.operands[1].lifetime = OperandLifeTime::CONSTANT_REFERENCE;
        m.main.operands[1].location.length = 3;
      }),
      "main: operand 1: length 3 of a constant TENSOR_FLOAT32 must be a "
      "multiple of 4");
  EXPECT_EQ(error([](Model &m) { m.extensionNameToPrefix = {{"\xff", 1}}; }),
            "an extension, pool or file name is not UTF-8");
}

/// Whatever is cut off or changed, there is an answer.
TEST(JsonModelTest, totalOnDamagedText) {
  std::string text = *writeJsonModel(addTwice());
  for (size_t length = 0; length < text.size() - 2; ++length)
    EXPECT_FALSE(readJsonModel(text.substr(0, length)).isOk());
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = text;
    for (uint32_t changes = 1 + random() % 4; changes > 0; --changes)
      damaged[random() % damaged.size()] = random() % 2
                                               ? static_cast<char>(random())
                                               : text[random() % text.size()];
    Result<Model> model = readJsonModel(damaged);
    if (model.isOk())
      (void)validateModel(*model).isOk();
  }
}

TEST(JsonModelTest, isLimited) {
  const size_t size = (size_t(1) << 30) + 1;
  void *memory = ::mmap(nullptr, size, PROT_READ,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_EQ(readJsonModel({static_cast<const char *>(memory), size})
                .status()
                .message(),
            "model has 1073741825 bytes of JSON, more than 1073741824");
  ::munmap(memory, size);
}

// Only the first allocation fails: the JSON library allocates in destructors.
TEST(JsonModelTest, memory) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "allocations are those of a sanitizer";
  std::string text = document().dump();
  std::string cases = json{{"cases", json::array()}}.dump();
  Model model = addTwice();
  auto expectFailure = [](const Status &status, const std::string &message) {
    EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
    EXPECT_EQ(status.message(), message);
  };
  auto withoutMemory = [](auto work) {
    AllocationFailure failure(0);
    return Status(work());
  };
  expectFailure(withoutMemory([&] { return readJsonModel(text).status(); }),
                "no memory for a model of " + std::to_string(text.size()) +
                    " bytes of JSON");
  expectFailure(withoutMemory([&] { return writeJsonModel(model).status(); }),
                "no memory for the model's JSON");
  expectFailure(
      withoutMemory([&] {
        return readTestCases(cases,
                             [](const TestCase &) { return Status::ok(); });
      }),
      "no memory for " + std::to_string(cases.size()) + " bytes of test cases");
}

} // namespace
