//===- CompileDamagedTest.cpp - Damaged models through the whole compiler -===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Import and validation of damaged files are tested beside the readers, by the
// thousand. Here a sample of those that are still valid models, mutated in
// shapes, parameters and quantization, is compiled and executed: a clear error
// or a different model that runs.
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

namespace nnhal::rt {
namespace {

/// How many mutants each test sends through the compiler.
constexpr size_t sampleSize = 40;

std::vector<std::byte> readModel() {
  Result<Memory> file =
      Memory::readFile(NNHAL_TEST_DATA "/Models/small_cnn.tflite");
  EXPECT_TRUE(file.isOk()) << file.status().message();
  Result<std::span<const std::byte>> bytes = file->bytes();
  return {bytes->begin(), bytes->end()};
}

/// Positions of 32-bit words that are structure or parameters, not weights.
std::vector<size_t> structureOf(const std::vector<std::byte> &file) {
  std::vector<size_t> positions;
  for (size_t i = 0; i + 4 <= file.size(); i += 4) {
    int32_t word = 0;
    std::memcpy(&word, file.data() + i, 4);
    if (word > -70000 && word < 70000)
      positions.push_back(i);
  }
  return positions;
}

/// Compiles and executes \p model; what fails must say why.
void compileAndRun(const AnnotatedModel &model) {
  std::unique_ptr<Device> device = createCpuDevice();
  Result<std::shared_ptr<PreparedModel>> prepared = device->prepareModel(model);
  if (!prepared.isOk()) {
    EXPECT_FALSE(prepared.status().message().empty());
    return;
  }
  // A mutated extent can make a tensor of gigabytes, which is legal.
  if (argumentBytes(**prepared) > (uint64_t(64) << 20))
    return;
  Arguments arguments(**prepared);
  ExecutionResult result;
  Status status = (*prepared)->execute(arguments.request, result);
  if (!status.isOk())
    EXPECT_FALSE(status.message().empty());
}

TEST(CompileDamagedTest, tflite) {
  const std::vector<std::byte> file = readModel();
  const std::vector<size_t> structure = structureOf(file);
  std::mt19937 random{7};
  std::set<std::string> seen;
  size_t compiled = 0;
  for (int attempt = 0; attempt < 4000 && compiled < sampleSize; ++attempt) {
    std::vector<std::byte> mutant = file;
    size_t position = structure[random() % structure.size()] + random() % 2;
    mutant[position] = std::byte(random() % 16);
    Result<AnnotatedModel> model = importTFLite(Memory::borrow(mutant));
    if (!model.isOk())
      continue;
    // Names and metadata differ without changing the model.
    Result<std::string> text = writeJsonModel(model->model);
    ASSERT_TRUE(text.isOk()) << text.status().message();
    if (!seen.insert(std::move(*text)).second)
      continue;
    compileAndRun(*model);
    ++compiled;
  }
  EXPECT_EQ(compiled, sampleSize);
}

TEST(CompileDamagedTest, json) {
  Result<AnnotatedModel> original = importTFLite(Memory::adopt(readModel()));
  ASSERT_TRUE(original.isOk()) << original.status().message();
  std::mt19937 random{11};
  size_t compiled = 0;
  for (int attempt = 0; attempt < 4000 && compiled < sampleSize; ++attempt) {
    AnnotatedModel mutant = *original;
    std::vector<Operand> &operands = mutant.model.main.operands;
    Operand &operand = operands[random() % operands.size()];
    if (operand.dimensions.empty())
      continue;
    operand.dimensions[random() % operand.dimensions.size()] = random() % 40;
    if (!isConstant(operand.lifetime) || byteSizeOf(operand))
      compileAndRun(mutant);
    ++compiled;
  }
  EXPECT_EQ(compiled, sampleSize);
}

TEST(CompileDamagedTest, mlirText) {
  Result<std::shared_ptr<const Compiler>> compiler = Compiler::open();
  ASSERT_TRUE(compiler.isOk()) << compiler.status().message();
  const std::string text = addModelText();
  std::mt19937 random{13};
  for (int i = 0; i < 200; ++i) {
    std::string mutant = text;
    if (i % 2)
      mutant.resize(random() % mutant.size());
    else
      mutant[random() % mutant.size()] = char(32 + random() % 95);
    Result<CompiledModel> result =
        (*compiler)->compileMlir(std::as_bytes(std::span(mutant)), "mutant");
    if (!result.isOk())
      EXPECT_FALSE(result.status().message().empty());
  }
}

} // namespace
} // namespace nnhal::rt
