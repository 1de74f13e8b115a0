//===- ToyTargetTest.cpp - A second target on conformance cases -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

#include "Compiler/ModelCompiler.h"
#include "Runtime/Artifact/ModelCache.h"
#include "Tools/Tensors/Compare.h"
#include "nnhal/Runtime/TestCase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace nnhal;
namespace fs = std::filesystem;

namespace {

const toy::ToyBackend backend;

/// What became of the cases of a folder.
struct Outcome {
  size_t executed = 0;
  size_t declined = 0;
};

/// Whether each execution of \p test has all inputs and known extents, and is
/// expected to succeed.
bool isPlain(const rt::TestCase &test) {
  return !test.expectFailure &&
         std::ranges::all_of(test.examples, [](const rt::TestExample &example) {
           auto isPresent = [](const rt::TestTensor &tensor) {
             return !tensor.isAbsent && !tensor.bytes.empty();
           };
           return !example.multinomialTolerance &&
                  std::ranges::all_of(example.inputs, isPresent) &&
                  std::ranges::all_of(example.outputs, isPresent);
         });
}

void runExample(const rt::TestCase &test, const toy::Program &program,
                const rt::TestExample &example) {
  std::vector<std::vector<uint8_t>> inputs, outputs;
  for (const rt::TestTensor &input : example.inputs)
    inputs.push_back(input.bytes);
  for (const rt::TestTensor &output : example.outputs)
    outputs.emplace_back(output.bytes.size());
  std::vector<toy::Argument> arguments;
  auto add = [&](std::vector<uint8_t> &bytes, const rt::TestTensor &tensor) {
    arguments.push_back(
        {reinterpret_cast<std::byte *>(bytes.data()), tensor.dimensions});
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    add(inputs[i], example.inputs[i]);
  for (size_t i = 0; i < outputs.size(); ++i)
    add(outputs[i], example.outputs[i]);
  program.run(arguments);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const rt::Subgraph &main = test.model.main;
    rt::OperandType type = main.operands[main.outputIndexes[i]].type;
    const tools::ElementFormat &format = tools::formatOf(type);
    tools::Bounds bounds = tools::boundsFor(type, tools::isRelaxed(test.model));
    bounds.atol = test.atol.value_or(bounds.atol);
    bounds.rtol = test.rtol.value_or(bounds.rtol);
    tools::Differences found = tools::compareElements(
        format, std::as_bytes(std::span(outputs[i])).data(), format,
        std::as_bytes(std::span(example.outputs[i].bytes)).data(),
        outputs[i].size() / format.size, bounds);
    EXPECT_EQ(found.count, 0u)
        << test.name << ": element " << found.first << " of output " << i
        << " is " << found.actual << ", expected " << found.expected;
  }
}

/// Compiles and executes \p test, unless the target declines it.
void runCase(const rt::TestCase &test, Outcome &outcome) {
  CompilerOptions options;
  const TargetBackend *const targets[] = {&backend};
  options.targets = targets;
  options.targetName = "toy";
  options.threads = 1;
  rt::AnnotatedModel model;
  model.model = test.model;
  rt::Result<CompiledArtifact> compiled = compileModel(model, options);
  if (!compiled.isOk()) {
    EXPECT_NE(compiled.status().message().find("target 'toy'"),
              std::string::npos)
        << test.name << ": " << compiled.status().message();
    ++outcome.declined;
    return;
  }
  rt::Result<rt::Artifact> artifact = rt::readModelCache(compiled->modelCache);
  ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
  ASSERT_EQ(artifact->code.size(), 1u);
  EXPECT_EQ(artifact->code[0].cpu, "toy");
  rt::Result<toy::Program> program =
      toy::Program::load(artifact->code[0].bytes);
  ASSERT_TRUE(program.isOk()) << test.name << program.status().message();
  for (const rt::TestExample &example : test.examples)
    runExample(test, *program, example);
  ++outcome.executed;
}

/// The cases of every \p step -th file below \p folder.
Outcome runFolder(const fs::path &folder, size_t step) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".json")
      files.push_back(entry.path());
  std::ranges::sort(files);
  Outcome outcome;
  for (size_t i = 0; i < files.size(); i += step) {
    std::ifstream file(files[i]);
    std::string text((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
    rt::Status status = rt::readTestCases(
        text,
        [&](const rt::TestCase &test) {
          if (isPlain(test))
            runCase(test, outcome);
          return rt::Status();
        },
        files[i].parent_path().string());
    EXPECT_TRUE(status.isOk()) << status.message();
  }
  return outcome;
}

TEST(ToyTarget, ExecutesCasesOfTheTree) {
  Outcome outcome = runFolder(NNHAL_TEST_DATA "/Cases", 1);
  EXPECT_GE(outcome.executed, 3u);
}

TEST(ToyTarget, ExecutesConformanceCases) {
  fs::path folder(NNHAL_SHARED_DATA "/vectors");
  if (!fs::exists(folder))
    GTEST_SKIP() << "no vectors in " << NNHAL_SHARED_DATA;
  Outcome outcome = runFolder(folder, std::getenv("NNHAL_TEST_ALL") ? 1 : 16);
  EXPECT_GE(outcome.executed, 100u);
  std::printf("%zu cases executed, %zu declined\n", outcome.executed,
              outcome.declined);
}

TEST(ToyTarget, IsUnknownToOtherCompilers) {
  CompilerOptions options;
  options.targetName = "toy";
  rt::Result<CompiledArtifact> compiled =
      compileMlir("module {}", "module.mlir", options);
  ASSERT_FALSE(compiled.isOk());
  EXPECT_EQ(compiled.status().message(),
            "there is no target 'toy': the targets are cpu, vulkan, cuda");
}

} // namespace
