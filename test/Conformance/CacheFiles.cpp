//===- CacheFiles.cpp - Files of cache entries for tests ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdlib.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

TemporaryDirectory::TemporaryDirectory()
    : name(testing::TempDir() + "nnhal-cache-XXXXXX") {
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(name, ignored);
}

CacheHandles EntryFiles::open(int modelFlags, int dataFlags) {
  model = UniqueFd(::open(modelPath.c_str(), modelFlags | O_CLOEXEC, 0600));
  data = UniqueFd(::open(dataPath.c_str(), dataFlags | O_CLOEXEC, 0600));
  EXPECT_TRUE(model.isValid() && data.isValid());
  return {{{model.get()}}, {{data.get()}}};
}

std::vector<std::byte> conformance::readAll(const std::string &path) {
  auto memory = Memory::readFile(path);
  EXPECT_TRUE(memory.isOk()) << memory.status().message();
  if (!memory.isOk())
    return {};
  auto bytes = *memory->bytes();
  return {bytes.begin(), bytes.end()};
}

void conformance::writeAll(const std::string &path,
                           std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             std::streamsize(bytes.size()));
  EXPECT_TRUE(file.flush().good()) << path;
}

std::string conformance::toString(Precision precision) {
  return precision == Precision::float32 ? "float32" : "quant8";
}

template <typename T> static std::vector<T> constantsFrom(uint8_t first) {
  // Different ones: what is the same everywhere would become part of the code.
  std::vector<T> values(1024);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = T(first + i % 5);
  return values;
}

/// out = flow(a, constant), whose elements begin with \p first.
static AnnotatedModel addValueModel(Precision precision, uint8_t first) {
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  bool isFloat = precision == Precision::float32;
  OperandType type =
      isFloat ? OperandType::TENSOR_FLOAT32 : OperandType::TENSOR_QUANT8_ASYMM;
  const Dimensions shape = {16, 64};
  uint32_t input = builder.input(type, shape);
  uint32_t added =
      isFloat ? builder.constant(type, shape, constantsFrom<float>(first))
              : builder.constant(type, shape, constantsFrom<uint8_t>(first));
  uint32_t output = builder.output(type, shape);
  if (!isFloat)
    for (uint32_t index : {input, added, output})
      builder.operand(index).scale = 1.0f;
  builder.operation(flowOperation(), {input, added, builder.scalar(0)},
                    {output});
  annotated.model.main = builder.finish();
  return annotated;
}

AnnotatedModel conformance::cachedModel(Precision precision) {
  return addValueModel(precision, 5);
}

AnnotatedModel conformance::otherModel(Precision precision) {
  return addValueModel(precision, 9);
}

std::vector<std::byte> conformance::resultOf(const PreparedModel &model) {
  const Interface &face = model.interface();
  Request request;
  std::vector<std::vector<std::byte>> inputs;
  for (const InterfaceTensor &input : face.inputs) {
    size_t count = input.type == OperandType::TENSOR_FLOAT32 ? 4096 : 1024;
    // These are small numbers, as floats, too.
    inputs.emplace_back(count, std::byte(2));
  }
  for (const auto &input : inputs)
    request.inputs.push_back({Memory::borrow(input), {}});
  std::vector<std::byte> output(inputs.empty() ? 0 : inputs[0].size());
  request.outputs = {{OutputMemory::borrow(output), {}}};
  ExecutionResult result;
  Status status = model.execute(request, result);
  EXPECT_EQ(status.message(), "");
  return output;
}

void CacheTest::restart() { device = createDeviceUnderTest(services); }

std::optional<std::string>
CacheTest::reasonToSkip(const AnnotatedModel &model) const {
  CacheFiles numbers = device->cacheFiles();
  if (numbers.modelCache == 0 && numbers.dataCache == 0)
    return "the device keeps no compiled models";
  return unsupportedReason(*device, model);
}

PreparedModelRef CacheTest::prepare(const AnnotatedModel &model,
                                    const CacheHandles &handles,
                                    const CacheToken &entry) {
  PrepareOptions options;
  options.cache = handles;
  options.token = entry;
  saveProblem = CacheOutcome::off;
  PrepareObserver observer;
  observer.cacheObserver = [&](CacheOutcome outcome, std::string_view) {
    saveProblem = outcome;
  };
  auto prepared = device->prepareModel(model, options, observer);
  EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
  return prepared.isOk() ? *prepared : nullptr;
}

CacheTest::Loaded CacheTest::load(const CacheHandles &handles,
                                  const CacheToken &entry,
                                  const PrepareOptions &options) {
  Loaded loaded;
  PrepareObserver observer;
  observer.cacheObserver = [&](CacheOutcome outcome, std::string_view detail) {
    loaded.outcome = outcome;
    loaded.detail = detail;
  };
  auto prepared =
      device->prepareModelFromCache(handles, entry, options, observer);
  loaded.status = prepared.status();
  if (prepared.isOk())
    loaded.model = *prepared;
  // Null exactly when it failed.
  EXPECT_EQ(loaded.status.isOk(), loaded.model != nullptr);
  return loaded;
}

void CacheTest::expectRefused(const CacheHandles &handles,
                              const CacheToken &entry,
                              std::initializer_list<StatusCode> codes,
                              std::optional<CacheOutcome> outcome) {
  Loaded loaded = load(handles, entry);
  EXPECT_NE(std::ranges::find(codes, loaded.status.code()), codes.end())
      << nnhal::rt::toString(loaded.status.code()) << ": "
      << loaded.status.message();
  if (outcome)
    EXPECT_EQ(nnhal::rt::toString(loaded.outcome),
              nnhal::rt::toString(*outcome))
        << loaded.detail;
}
