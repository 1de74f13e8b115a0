//===- MutationTest.cpp - Damaged models are rejected or execute ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

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
  for (const std::string &file : files) {
    Result<Memory> memory = Memory::readFile(file);
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
  return cases;
}

/// Executes as a caller would who trusts the model's statements about outputs.
Status execute(const TestCase &test, const PreparedModel &prepared) {
  Request request;
  request.loopTimeout = 1'000'000;
  for (const TestTensor &input : test.examples[0].inputs) {
    InputArgument &argument = request.inputs.emplace_back();
    if (input.isAbsent)
      continue;
    argument.memory = Memory::copy(std::as_bytes(std::span(input.bytes)));
    argument.dimensions = input.dimensions;
  }
  std::vector<std::vector<std::byte>> outputs;
  for (uint32_t index : test.model.main.outputIndexes) {
    uint32_t size = byteSizeOf(test.model.main.operands[index]).value_or(4096);
    outputs.emplace_back(std::min<uint64_t>(size, tensorLimit));
    request.outputs.emplace_back().memory =
        OutputMemory::borrow(outputs.back());
  }
  ExecutionResult result;
  return prepared.execute(request, result);
}

struct Counts {
  size_t invalid = 0;
  size_t failed = 0;
  size_t executed = 0;
};

void tryOut(const TestCase &test, const Device &device, Counts &counts) {
  AnnotatedModel annotated;
  annotated.model = test.model;
  auto prepared = device.prepareModel(annotated);
  if (!prepared.isOk()) {
    EXPECT_FALSE(prepared.status().message().empty());
    ++counts.invalid;
    return;
  }
  EXPECT_TRUE(validateModel(test.model).isOk());
  Status status = execute(test, **prepared);
  if (status.isOk()) {
    ++counts.executed;
    return;
  }
  EXPECT_FALSE(status.message().empty());
  ++counts.failed;
}

/// As many mutants as NNHAL_TEST_MUTATIONS says, 2,000 without it; seeds are
/// the project's own cases and, where they are at hand, the published ones.
/// scripts/check-mutations runs it under the sanitizers.
TEST(MutationTest, MutantsAreRejectedOrExecute) {
  const char *text = std::getenv("NNHAL_TEST_MUTATIONS");
  size_t total = text ? std::strtoul(text, nullptr, 10) : 2000;
  std::vector<TestCase> seeds = readFolder(NNHAL_TEST_DATA "/Cases");
  ASSERT_FALSE(seeds.empty());
  std::vector<TestCase> published = readFolder(NNHAL_SHARED_DATA "/vectors");
  std::ranges::move(published, std::back_inserter(seeds));
  std::erase_if(seeds,
                [](const TestCase &test) { return test.examples.empty(); });
  ReferenceDeviceOptions options;
  options.tensorLimit = tensorLimit;
  auto device = createReferenceDevice(options);
  Counts counts;
  for (size_t i = 0; i < total; ++i) {
    // Each mutant depends on its number alone, so that one can be repeated.
    Mutator mutator{uint32_t(i)};
    size_t seed = (i * 7919) % seeds.size();
    TestCase mutant = seeds[seed];
    mutator.mutate(mutant);
    SCOPED_TRACE(fmt::format("mutant {} of {}", i, mutant.name));
    auto begin = std::chrono::steady_clock::now();
    tryOut(mutant, *device, counts);
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    // Far beyond what any case needs, sanitizers and load included.
    EXPECT_LT(spent.count(), 60.0);
  }
  RecordProperty("invalid", int(counts.invalid));
  RecordProperty("failed", int(counts.failed));
  RecordProperty("executed", int(counts.executed));
  fmt::print("{} mutants: {} invalid, {} failed to execute, {} executed\n",
             total, counts.invalid, counts.failed, counts.executed);
  EXPECT_GT(counts.executed, total / 50);
  EXPECT_GT(counts.invalid, total / 4);
}

} // namespace
