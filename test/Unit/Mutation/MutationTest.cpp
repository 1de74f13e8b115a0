//===- MutationTest.cpp - Damaged models are rejected or execute ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/Validate.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

constexpr uint64_t tensorLimit = 4 << 20;

void readFile(const std::string &file, std::vector<TestCase> &cases) {
  Result<Memory> memory = Memory::readFile(file);
  ASSERT_TRUE(memory.isOk()) << memory.status().message();
  std::span<const std::byte> bytes = *memory->bytes();
  Status status = readTestCases(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
      [&](TestCase test) {
        // Whole networks cost as much as hundreds of small cases.
        if (bytes.size() < 1 << 20)
          cases.push_back(std::move(test));
        return Status();
      });
  EXPECT_EQ(status.message(), "") << file;
}

std::vector<TestCase> readFolder(const std::string &folder) {
  namespace fs = std::filesystem;
  std::vector<TestCase> cases;
  if (!fs::is_directory(folder))
    return cases;
  std::vector<std::string> files;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".json")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  for (const std::string &file : files)
    readFile(file, cases);
  return cases;
}

/// The outcome of one execution.
struct Execution {
  Status status;
  ExecutionResult result;
  std::vector<std::vector<std::byte>> outputs;
};

/// Executes as a caller would who trusts the model's statements about outputs.
/// Every byte of the outputs is \p filler before.
Execution execute(const TestCase &test, const PreparedModel &prepared,
                  std::byte filler) {
  Request request;
  request.loopTimeout = 1'000'000;
  for (const TestTensor &input : test.examples[0].inputs) {
    InputArgument &argument = request.inputs.emplace_back();
    if (input.isAbsent)
      continue;
    argument.memory = Memory::copy(std::as_bytes(std::span(input.bytes)));
    argument.dimensions = input.dimensions;
  }
  Execution execution;
  for (uint32_t index : test.model.main.outputIndexes) {
    uint32_t size = byteSizeOf(test.model.main.operands[index]).value_or(4096);
    execution.outputs.emplace_back(std::min<uint64_t>(size, tensorLimit),
                                   filler);
    request.outputs.emplace_back().memory =
        OutputMemory::borrow(execution.outputs.back());
  }
  execution.status = prepared.execute(request, execution.result);
  return execution;
}

/// The shapes of the outputs are those of the model, as far as it states them.
void expectStatedShapes(const Model &model, const ExecutionResult &result) {
  ASSERT_EQ(result.outputShapes.size(), model.main.outputIndexes.size());
  for (size_t i = 0; i < result.outputShapes.size(); ++i) {
    const std::vector<uint32_t> &stated =
        model.main.operands[model.main.outputIndexes[i]].dimensions;
    const std::vector<uint32_t> &found = result.outputShapes[i].dimensions;
    if (stated.empty())
      continue;
    ASSERT_EQ(found.size(), stated.size()) << "output " << i;
    for (size_t d = 0; d < stated.size(); ++d)
      EXPECT_TRUE(stated[d] == 0 || stated[d] == found[d])
          << "output " << i << " has extent " << found[d] << " in dimension "
          << d << ", the model " << stated[d];
  }
}

/// The bytes of output \p i that the execution has computed.
std::span<const std::byte> computedBytes(const PreparedModel &prepared,
                                         const Execution &execution, size_t i) {
  InterfaceTensor tensor = prepared.interface().outputs[i];
  tensor.dimensions = execution.result.outputShapes[i].dimensions;
  std::span<const std::byte> bytes = execution.outputs[i];
  return bytes.first(
      std::min<size_t>(bytes.size(), byteSizeOf(tensor).value_or(0)));
}

struct Counts {
  size_t invalid = 0;
  size_t failed = 0;
  size_t executed = 0;
};

/// A model that is not valid is refused with the reason that validation gives.
/// One that executes does so twice with the same outputs, whatever was in their
/// memory before.
void tryOut(const TestCase &test, const Device &device, Counts &counts) {
  AnnotatedModel annotated;
  annotated.model = test.model;
  auto prepared = device.prepareModel(annotated);
  Status valid = validateModel(test.model, test.model.halVersion);
  if (!valid.isOk())
    EXPECT_EQ(prepared.status().message(), valid.message());
  if (!prepared.isOk()) {
    EXPECT_FALSE(prepared.status().message().empty());
    ++counts.invalid;
    return;
  }
  Execution first = execute(test, **prepared, std::byte(0x00));
  if (!first.status.isOk()) {
    EXPECT_FALSE(first.status.message().empty());
    ++counts.failed;
    return;
  }
  ++counts.executed;
  expectStatedShapes(test.model, first.result);
  Execution second = execute(test, **prepared, std::byte(0xFF));
  // A loop may have no time left.
  if (!second.status.isOk() || testing::Test::HasFailure())
    return;
  ASSERT_EQ(second.result.outputShapes, first.result.outputShapes);
  for (size_t i = 0; i < first.outputs.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(computedBytes(**prepared, first, i),
                                   computedBytes(**prepared, second, i)))
        << "output " << i;
}

/// Tries the number of mutants that NNHAL_TEST_MUTATIONS says, and \p normally
/// without it, each of one of \p seeds and executed by \p device.
Counts tryMutants(const std::vector<TestCase> &seeds, const Device &device,
                  size_t normally) {
  const char *text = std::getenv("NNHAL_TEST_MUTATIONS");
  size_t total = text ? std::strtoul(text, nullptr, 10) : normally;
  Counts counts;
  for (size_t i = 0; i < total; ++i) {
    // Each mutant depends on its number alone, so that one can be repeated.
    Mutator mutator{uint32_t(i)};
    size_t seed = (i * 7919) % seeds.size();
    TestCase mutant = seeds[seed];
    mutator.mutate(mutant);
    SCOPED_TRACE(fmt::format("mutant {} of {}", i, mutant.name));
    auto begin = std::chrono::steady_clock::now();
    tryOut(mutant, device, counts);
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    // Far beyond what any case needs, sanitizers and load included.
    EXPECT_LT(spent.count(), 60.0);
  }
  fmt::print("{} mutants: {} invalid, {} failed to execute, {} executed\n",
             total, counts.invalid, counts.failed, counts.executed);
  EXPECT_GT(counts.executed, total / 50);
  EXPECT_GT(counts.invalid, total / 4);
  return counts;
}

/// Seeds are the project's own cases and, where they are at hand, the published
/// ones. scripts/check-mutations runs it under the sanitizers.
TEST(MutationTest, MutantsAreRejectedOrExecute) {
  std::vector<TestCase> seeds = readFolder(NNHAL_TEST_DATA "/Cases");
  ASSERT_FALSE(seeds.empty());
  std::vector<TestCase> published = readFolder(NNHAL_SHARED_DATA "/vectors");
  std::ranges::move(published, std::back_inserter(seeds));
  std::erase_if(seeds,
                [](const TestCase &test) { return test.examples.empty(); });
  ReferenceDeviceOptions options;
  options.tensorLimit = tensorLimit;
  auto device = createReferenceDevice(options);
  Counts counts = tryMutants(seeds, *device, 2000);
  RecordProperty("invalid", int(counts.invalid));
  RecordProperty("failed", int(counts.failed));
  RecordProperty("executed", int(counts.executed));
}

// Fuzz targets mutate mutants again, whatever these lack: picking one of no
// operands would divide by zero.
TEST(MutationTest, EmptyModelsAreMutated) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    TestCase test;
    test.model.extensionNameToPrefix = {{"com.example.fibonacci", 1}};
    Mutator(seed).mutate(test);
    EXPECT_TRUE(test.model.main.operands.empty());
    TestCase nothing;
    Mutator(seed).mutate(nothing);
  }
}

/// The cases of the sample of an extension that execute.
static std::vector<TestCase> extensionSeeds() {
  std::vector<TestCase> seeds;
  readFile(NNHAL_TEST_DATA "/../examples/fibonacci/cases.json", seeds);
  // Mutants of what is refused anyway show little.
  std::erase_if(seeds, [](const TestCase &test) { return test.expectFailure; });
  EXPECT_FALSE(seeds.empty());
  return seeds;
}

// Models of an extension, on the device that brings it.
TEST(MutationTest, MutantsOfExtensionsAreRejectedOrExecute) {
  auto plugin = loadPlugin(NNHAL_FIBONACCI, {});
  ASSERT_TRUE(plugin.isOk()) << plugin.status().message();
  (void)tryMutants(extensionSeeds(), *plugin->devices.front(), 1000);
}

// Models of an extension whose backend nnhal-reference calls.
TEST(MutationTest, MutantsOfExtensionBackendsAreRejectedOrExecute) {
  auto plugin = loadPlugin(NNHAL_FIBONACCI_EXTENSION, {});
  ASSERT_TRUE(plugin.isOk()) << plugin.status().message();
  ReferenceDeviceOptions options;
  options.tensorLimit = tensorLimit;
  options.services.extensions = std::move(plugin->extensions);
  Counts counts =
      tryMutants(extensionSeeds(), *createReferenceDevice(options), 1000);
  EXPECT_GT(counts.executed, 0u);
  EXPECT_GT(counts.invalid, 0u);
}

} // namespace
