//===- FibonacciTest.cpp - An extension by calls of the NDK API -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a client does with the extension of examples/fibonacci. The device is in
// this process, or in one of a service where NNHAL_TEST_SERVED is set.
//
//===----------------------------------------------------------------------===//

#include "fibonacci/Fibonacci.h"
#include "NeuralNetworks/TestModels.h"
#include "Service/ServiceProcess.h"

#include <android/NeuralNetworksExtensions.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

using namespace client;
namespace fs = std::filesystem;

namespace {

constexpr FibonacciQuantization halves = {0.5, 10};
/// The first ten numbers by that: twice the number and 10.
constexpr int64_t tenHalves[] = {12, 12, 14, 16, 20, 26, 36, 52, 78, 120};

int32_t typeCode(const Model &model, uint16_t number,
                 const char *name = FIBONACCI_EXTENSION) {
  int32_t code = 0;
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(model.get(), name,
                                                         number, &code),
            ANEURALNETWORKS_NO_ERROR);
  return code;
}

ANeuralNetworksOperationType
operationCode(const Model &model, uint16_t number = FIBONACCI_OPERATION) {
  ANeuralNetworksOperationType code = 0;
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(
                model.get(), FIBONACCI_EXTENSION, number, &code),
            ANEURALNETWORKS_NO_ERROR);
  return code;
}

int addType(const Model &model, int32_t code,
            const std::vector<uint32_t> &dimensions, float scale = 0) {
  ANeuralNetworksOperandType type = {
      code, uint32_t(dimensions.size()),
      dimensions.empty() ? nullptr : dimensions.data(), scale, 0};
  return ANeuralNetworksModel_addOperand(model.get(), &type);
}

int setData(const Model &model, int32_t operand, const void *data,
            size_t size) {
  return ANeuralNetworksModel_setOperandExtensionData(model.get(), operand,
                                                      data, size);
}

/// The library reads the environment once, so that this is a program of its
/// own whose tests share a folder.
class FibonacciTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    std::string pattern = fs::temp_directory_path() / "nnhal-fibonacci-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    set("NNHAL_STATE_DIR", folder / "state");
    set("NNHAL_RECORD", folder / "record");
    if (std::getenv("NNHAL_TEST_SERVED")) {
      service = std::make_unique<nnhal::rt::test::ServiceProcess>(
          std::vector<std::string>{"--plugin=" NNHAL_FIBONACCI});
      set("NNHAL_SERVICE", service->socket());
    } else {
      set("NNHAL_PLUGINS", NNHAL_FIBONACCI);
    }
    if (const char *allowed = std::getenv("NNHAL_TEST_ALLOWED")) {
      std::ofstream(folder / "list")
          << (std::string(allowed) == "this"
                  ? fs::read_symlink("/proc/self/exe").string()
                  : allowed)
          << "\n";
      fs::permissions(folder / "list", fs::perms::owner_read);
      set("NNHAL_EXTENSIONS_ALLOWLIST", folder / "list");
    }
    device = findDevice("example-fibonacci");
    ASSERT_NE(device, nullptr);
  }
  static void TearDownTestSuite() {
    service.reset();
    std::error_code error;
    fs::remove_all(folder, error);
  }
  static void set(const char *name, const std::string &value) {
    ::setenv(name, value.c_str(), 1);
  }

  static bool supports(const ANeuralNetworksDevice *which, const char *name) {
    bool isSupported = false;
    EXPECT_EQ(
        ANeuralNetworksDevice_getExtensionSupport(which, name, &isSupported),
        ANEURALNETWORKS_NO_ERROR);
    return isSupported;
  }
  static bool claims(const Model &model) {
    bool isSupported = false;
    EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                  model.get(), &device, 1, &isSupported),
              ANEURALNETWORKS_NO_ERROR);
    return isSupported;
  }

  static inline fs::path folder;
  static inline std::unique_ptr<nnhal::rt::test::ServiceProcess> service;
  static inline const ANeuralNetworksDevice *device = nullptr;
};

/// n of type INT64 to \p count elements with the quantization of halves, whose
/// bytes are overwritten when they have been set.
struct HalvesModel {
  explicit HalvesModel(const std::vector<uint32_t> &dimensions = {10}) {
    EXPECT_EQ(addType(model, typeCode(model, FIBONACCI_INT64), {}),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(addType(model, typeCode(model, FIBONACCI_TENSOR_QUANT64_ASYMM),
                      dimensions),
              ANEURALNETWORKS_NO_ERROR);
    FibonacciQuantization quantization = halves;
    EXPECT_EQ(setData(model, 1, &quantization, sizeof(quantization)),
              ANEURALNETWORKS_NO_ERROR);
    std::memset(&quantization, 0xFF, sizeof(quantization));
    model.addOperation(operationCode(model), {0}, {1});
    model.identifyInputsAndOutputs({0}, {1});
    EXPECT_TRUE(model.isValid());
    EXPECT_EQ(model.finish(), Result::NO_ERROR);
  }
  Model model;
};

/// One execution of a HalvesModel.
struct HalvesExecution {
  explicit HalvesExecution(const Compilation &compilation, int64_t count = 10)
      : count(count), execution(compilation) {
    EXPECT_EQ(execution.setInput(0, &this->count, sizeof(count)),
              Result::NO_ERROR);
    EXPECT_EQ(execution.setOutput(0, output, sizeof(output)), Result::NO_ERROR);
  }
  void expectNumbers() const {
    for (size_t i = 0; i < 10; ++i)
      EXPECT_EQ(output[i], tenHalves[i]) << i;
  }
  int64_t count;
  int64_t output[10] = {};
  Execution execution;
};

// H-011, H-044, J-060: a device has the extensions that it lists, by their
// exact names.
TEST_F(FibonacciTest, IsListed) {
  EXPECT_TRUE(supports(device, FIBONACCI_EXTENSION));
  for (const char *other :
       {"", "com.example", "com.example.fibonacci2", "com.example.Fibonacci"})
    EXPECT_FALSE(supports(device, other)) << other;
  EXPECT_FALSE(supports(reference(), FIBONACCI_EXTENSION));
}

// H-001 to H-003, H-006, H-012, H-015 to H-017, H-044, J-061, J-062, A-048:
// types are as the device describes them.
TEST_F(FibonacciTest, HasTypes) {
  Model model;
  int32_t scalar = typeCode(model, FIBONACCI_INT64);
  int32_t tensor = typeCode(model, FIBONACCI_TENSOR_QUANT64_ASYMM);
  EXPECT_EQ(tensor, scalar + 1);
  EXPECT_GT(scalar, 0xFFFF);
  EXPECT_EQ(scalar, operationCode(model));
  EXPECT_NE(scalar >> 16, typeCode(model, 0, "com.example.unused") >> 16);
  EXPECT_EQ(addType(model, scalar, {}), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(addType(model, scalar, {1}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(addType(model, scalar, {}, 1.0f), ANEURALNETWORKS_BAD_DATA);
  for (const std::vector<uint32_t> &dimensions :
       {std::vector<uint32_t>{}, {0}, {2, 0}, {2, 3}})
    EXPECT_EQ(addType(model, tensor, dimensions), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(addType(model, tensor, {1 << 15, 1 << 15}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(addType(model, scalar + 2, {}), ANEURALNETWORKS_BAD_DATA);
}

// B-126, H-016, H-017: a value has the bytes of its elements, whose number is
// known.
TEST_F(FibonacciTest, HasValues) {
  Model model;
  int64_t values[2] = {1, 2};
  auto value = [&](int32_t operand, size_t size) {
    return ANeuralNetworksModel_setOperandValue(model.get(), operand, values,
                                                size);
  };
  ASSERT_EQ(addType(model, typeCode(model, FIBONACCI_INT64), {}), 0);
  int32_t tensor = typeCode(model, FIBONACCI_TENSOR_QUANT64_ASYMM);
  ASSERT_EQ(addType(model, tensor, {2}), 0);
  ASSERT_EQ(addType(model, tensor, {0}), 0);
  EXPECT_EQ(value(0, 4), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(value(0, 8), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(value(1, 8), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(value(1, 16), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(value(2, 16), ANEURALNETWORKS_BAD_DATA);
}

// B-127, H-018, H-025, J-063: data have any size, and are taken away by null.
TEST_F(FibonacciTest, HasData) {
  Model model;
  ASSERT_EQ(
      addType(model, typeCode(model, FIBONACCI_TENSOR_QUANT64_ASYMM), {2}), 0);
  std::vector<char> large(1 << 20, 'x');
  EXPECT_EQ(setData(model, 0, large.data(), large.size()),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(setData(model, 0, large.data(), 1), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(setData(model, 0, large.data(), 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(setData(model, 0, nullptr, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(setData(model, 0, nullptr, 0), ANEURALNETWORKS_NO_ERROR);
}

// H-018, H-033, H-045 to H-047: types of the extension are inputs and outputs
// of the model, in every way to compute. The data of the output are those at
// the time of the call.
TEST_F(FibonacciTest, Computes) {
  HalvesModel halvesModel;
  EXPECT_TRUE(claims(halvesModel.model));
  Compilation compilation(halvesModel.model, {device});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  {
    HalvesExecution run(compilation);
    ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
    run.expectNumbers();
    std::vector<uint32_t> dimensions;
    EXPECT_EQ(run.execution.getOutputOperandDimensions(0, &dimensions),
              Result::NO_ERROR);
    EXPECT_EQ(dimensions, std::vector<uint32_t>{10});
  }
  Event started, fenced;
  HalvesExecution first(compilation), second(compilation);
  ASSERT_EQ(first.execution.startCompute(&started), Result::NO_ERROR);
  EXPECT_EQ(started.wait(), Result::NO_ERROR);
  first.expectNumbers();
  ASSERT_EQ(second.execution.startComputeWithDependencies({}, 0, &fenced),
            Result::NO_ERROR);
  EXPECT_EQ(fenced.wait(), Result::NO_ERROR);
  second.expectNumbers();
  ANeuralNetworksBurst *burst = nullptr;
  ASSERT_EQ(ANeuralNetworksBurst_create(compilation.get(), &burst), 0);
  for (int i = 0; i < 2; ++i) {
    HalvesExecution run(compilation);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(run.execution.get(), burst),
              0);
    run.expectNumbers();
  }
  ANeuralNetworksBurst_free(burst);
}

// F-025, H-016: arguments lie in memory of the client.
TEST_F(FibonacciTest, ComputesFromMemory) {
  HalvesModel halvesModel({0});
  Compilation compilation(halvesModel.model, {device});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  constexpr size_t size = 4096;
  int fd = ::memfd_create("fibonacci", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(fd, size), 0);
  auto *bytes = static_cast<int64_t *>(
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  ASSERT_NE(bytes, MAP_FAILED);
  bytes[0] = 10;
  {
    Memory memory(size, PROT_READ | PROT_WRITE, fd, 0);
    ASSERT_TRUE(memory.isValid());
    Execution execution(compilation);
    EXPECT_EQ(execution.setInputFromMemory(0, memory, 0, 8), Result::NO_ERROR);
    EXPECT_EQ(execution.setOutputFromMemory(0, memory, 64, 80),
              Result::NO_ERROR);
    ASSERT_EQ(execution.compute(), Result::NO_ERROR);
    EXPECT_EQ(std::memcmp(bytes + 8, tenHalves, sizeof(tenHalves)), 0);
  }
  ::munmap(bytes, size);
  ::close(fd);
}

/// ADD of 0 and one of its operands, before and behind FIBONACCI.
struct FloatModel {
  FloatModel() {
    OperandType one(Type::TENSOR_FLOAT32, {1});
    OperandType ten(Type::TENSOR_FLOAT32, {10});
    uint32_t count = model.addOperand(one);
    uint32_t zero = model.addConstant<float>(one, {0.0f});
    uint32_t none = model.addScalar(Type::INT32, int32_t(0));
    uint32_t before = model.addOperand(one);
    uint32_t numbers = model.addOperand(ten);
    uint32_t result = model.addOperand(ten);
    model.addOperation(ANEURALNETWORKS_ADD, {count, zero, none}, {before});
    model.addOperation(operationCode(model), {before}, {numbers});
    model.addOperation(ANEURALNETWORKS_ADD, {numbers, zero, none}, {result});
    model.identifyInputsAndOutputs({count}, {result});
    EXPECT_TRUE(model.isValid());
    EXPECT_EQ(model.finish(), Result::NO_ERROR);
  }
  Model model;
};

// H-026, H-027, H-047: what FIBONACCI reads and writes is temporary, and of
// operations around it that do what they always do. nnapi-reference has those,
// and never the operation of the extension.
TEST_F(FibonacciTest, StandsBetweenOthers) {
  FloatModel floats;
  const ANeuralNetworksDevice *both[] = {device, reference()};
  bool isSupported[3] = {};
  ASSERT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                floats.model.get(), both + 1, 1, isSupported),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_TRUE(isSupported[0] && !isSupported[1] && isSupported[2]);
  EXPECT_EQ(Compilation(floats.model, {reference()}).finish(),
            Result::BAD_DATA);
  EXPECT_EQ(Compilation(floats.model, {device}).finish(), Result::BAD_DATA);
  Compilation compilation(floats.model, {device, reference()});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  Execution execution(compilation);
  float count = 10, output[10] = {};
  EXPECT_EQ(execution.setInput(0, &count, sizeof(count)), Result::NO_ERROR);
  EXPECT_EQ(execution.setOutput(0, output, sizeof(output)), Result::NO_ERROR);
  ASSERT_EQ(execution.compute(), Result::NO_ERROR);
  const float expected[] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  for (size_t i = 0; i < 10; ++i)
    EXPECT_EQ(output[i], expected[i]) << i;
}

// H-031, H-045: n is the affair of executions, and the operation is supported.
TEST_F(FibonacciTest, FailsForWrongNumbers) {
  HalvesModel halvesModel({0});
  EXPECT_TRUE(claims(halvesModel.model));
  Compilation compilation(halvesModel.model, {device});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  for (int64_t count : {-1, 0, 93})
    EXPECT_EQ(HalvesExecution(compilation, count).execution.compute(),
              Result::OP_FAILED)
        << count;
  EXPECT_EQ(HalvesExecution(compilation, 11).execution.compute(),
            Result::OUTPUT_INSUFFICIENT_SIZE);
}

/// What is wrong with a model.
struct Mistake {
  const char *name;
  /// Numbers within the extension; nothing for TENSOR_INT32.
  std::optional<uint16_t> input, output;
  uint32_t inputs = 1, outputs = 1;
  uint16_t operation = FIBONACCI_OPERATION;
  size_t dataSize = sizeof(FibonacciQuantization);
};

// H-024, H-025, H-031, H-033, H-047: the device finds what is wrong with its
// operation, and nobody else does.
TEST_F(FibonacciTest, RefusesMistakes) {
  constexpr uint16_t scalar = FIBONACCI_INT64;
  constexpr uint16_t tensor = FIBONACCI_TENSOR_QUANT64_ASYMM;
  for (const Mistake &mistake :
       {Mistake{"input type", std::nullopt, tensor},
        Mistake{"input is the output's type", tensor, tensor},
        Mistake{"output type", scalar, std::nullopt},
        Mistake{"output is the input's type", scalar, scalar},
        Mistake{"no input", scalar, tensor, 0},
        Mistake{"two inputs", scalar, tensor, 2},
        Mistake{"no output", scalar, tensor, 1, 0},
        Mistake{"two outputs", scalar, tensor, 1, 2},
        Mistake{"operation", scalar, tensor, 1, 1, 1},
        Mistake{"no data", scalar, tensor, 1, 1, FIBONACCI_OPERATION, 0},
        Mistake{"long data", scalar, tensor, 1, 1, FIBONACCI_OPERATION, 17}}) {
    SCOPED_TRACE(mistake.name);
    Model model;
    std::vector<uint32_t> inputs, outputs;
    uint32_t next = 0;
    auto add = [&](std::optional<uint16_t> type, bool isOutput) {
      int32_t code =
          type ? typeCode(model, *type) : ANEURALNETWORKS_TENSOR_INT32;
      std::vector<uint32_t> dimensions;
      if (type != scalar)
        dimensions = {10};
      EXPECT_EQ(addType(model, code, dimensions), 0);
      char data[32] = {};
      std::memcpy(data, &halves, sizeof(halves));
      if (isOutput && type == tensor && mistake.dataSize != 0)
        EXPECT_EQ(setData(model, int32_t(next), data, mistake.dataSize), 0);
      return next++;
    };
    uint32_t unused = add(scalar, false);
    uint32_t result = add(tensor, true);
    for (uint32_t i = 0; i < mistake.inputs; ++i)
      inputs.push_back(add(mistake.input, false));
    for (uint32_t i = 0; i < mistake.outputs; ++i)
      outputs.push_back(add(mistake.output, true));
    // No list is null, also one of nothing.
    uint32_t nothing = 0;
    ASSERT_EQ(ANeuralNetworksModel_addOperation(
                  model.get(), operationCode(model, mistake.operation),
                  mistake.inputs, inputs.empty() ? &nothing : inputs.data(),
                  mistake.outputs, outputs.empty() ? &nothing : outputs.data()),
              ANEURALNETWORKS_NO_ERROR);
    // Every model has an input and an output.
    model.addOperation(operationCode(model), {unused}, {result});
    inputs.push_back(unused);
    outputs.push_back(result);
    model.identifyInputsAndOutputs(inputs, outputs);
    ASSERT_TRUE(model.isValid());
    ASSERT_EQ(model.finish(), Result::NO_ERROR);
    bool isSupported[2] = {};
    EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                  model.get(), &device, 1, isSupported),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_FALSE(isSupported[0]);
    EXPECT_EQ(isSupported[1], mistake.dataSize == sizeof(halves));
    EXPECT_EQ(Compilation(model, {device}).finish(), Result::BAD_DATA);
    EXPECT_EQ(Compilation(model).finish(), Result::BAD_DATA);
  }
}

// H-044: a compiled model is kept, and found again.
TEST_F(FibonacciTest, IsCached) {
  fs::create_directory(folder / "cache");
  std::vector<uint8_t> token(ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN, 7);
  for (int i = 0; i < 2; ++i) {
    HalvesModel halvesModel;
    Compilation compilation(halvesModel.model, {device});
    EXPECT_EQ(compilation.setCaching((folder / "cache").string() + "/", token),
              Result::NO_ERROR);
    ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
    EXPECT_FALSE(fs::is_empty(folder / "cache"));
    HalvesExecution run(compilation);
    ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
    run.expectNumbers();
  }
}

// H-019: models list the extensions that they use, and no other one that the
// client has asked about.
TEST_F(FibonacciTest, IsListedByModels) {
  HalvesModel halvesModel;
  (void)typeCode(halvesModel.model, 0, "com.example.unused");
  Compilation compilation(halvesModel.model, {device});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  size_t models = 0;
  for (const auto &entry : fs::directory_iterator(folder / "record")) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_EQ(text.str().find("com.example.unused"), std::string::npos)
        << entry.path();
    models += text.str().find("{\"name\":\"" FIBONACCI_EXTENSION) !=
              std::string::npos;
  }
  EXPECT_GT(models, 0u);
}

/// With a list of programs that may use extensions.
class FibonacciAllowListTest : public FibonacciTest {};

// H-021, H-042, B-033: for another program than those of the list the device
// has no extension. It is there nevertheless, for whoever needs no library.
TEST_F(FibonacciAllowListTest, Decides) {
  // Without a list, everybody may.
  const char *allowed = std::getenv("NNHAL_TEST_ALLOWED");
  bool isAllowed = !allowed || std::string(allowed) == "this";
  int expected =
      isAllowed ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA;
  EXPECT_EQ(supports(device, FIBONACCI_EXTENSION), isAllowed);
  Model model;
  EXPECT_EQ(addType(model, typeCode(model, FIBONACCI_INT64), {}), expected);
  ASSERT_EQ(addType(model, ANEURALNETWORKS_TENSOR_FLOAT32, {1}), 0);
  ASSERT_EQ(addType(model, ANEURALNETWORKS_TENSOR_FLOAT32, {1}), 0);
  uint32_t input = isAllowed ? 1 : 0, output = input + 1;
  EXPECT_EQ(ANeuralNetworksModel_addOperation(model.get(), operationCode(model),
                                              1, &input, 1, &output),
            expected);
}

} // namespace
