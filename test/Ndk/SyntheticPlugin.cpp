//===- SyntheticPlugin.cpp - Devices with random abilities ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three devices that compute like nnhal-reference and cache what they prepare.
// NNHAL_TEST_SEED draws which operations each supports and how fast it says
// that it is, so that models are divided differently for each seed; without it
// all three take everything.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>

using namespace nnhal::rt;

static constexpr uint32_t deviceCount = 3;

static std::optional<uint32_t> seedOfTest() {
  const char *text = std::getenv("NNHAL_TEST_SEED");
  if (!text)
    return std::nullopt;
  return uint32_t(std::strtoul(text, nullptr, 10));
}

/// A number that seems random and is always the same for \p key.
static uint32_t draw(uint64_t key) {
  key += 0x9e3779b97f4a7c15;
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
  key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
  return uint32_t(key >> 32);
}

/// Whether \p model has a temporary of unknown size.
static bool hasOpenValues(const Subgraph &graph) {
  return std::ranges::any_of(graph.operands, [](const Operand &operand) {
    return operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE &&
           byteSizeOf(operand).value_or(0) == 0;
  });
}

/// The device that takes each operation of \p graph; deviceCount stands for
/// none of them. Neighbours have different ones, but for a graph with values of
/// unknown size, which cannot leave a step (I-029): all of it has one device.
static std::vector<uint32_t> drawOwners(uint32_t seed, const Subgraph &graph) {
  size_t count = graph.operations.size();
  uint64_t key =
      uint64_t(seed) << 32 | graph.operands.size() << 16 | count << 8;
  uint32_t owner = draw(key) % (deviceCount + 1);
  if (hasOpenValues(graph))
    return std::vector<uint32_t>(count, owner);
  std::vector<uint32_t> owners(count);
  for (size_t i = 0; i < count; ++i) {
    owners[i] = owner;
    uint32_t step = draw(key + i + uint32_t(graph.operations[i].type) * 256);
    owner = (owner + 1 + step % deviceCount) % (deviceCount + 1);
  }
  return owners;
}

namespace {

class SyntheticBackend final : public Backend {
public:
  SyntheticBackend(const DeviceServices &services, uint32_t number)
      : seed(seedOfTest()), number(number) {
    ReferenceDeviceOptions options;
    options.services = services;
    reference = createReferenceBackend(options);
    description = reference->info();
    description.name = "test-synthetic" + std::to_string(number);
    // The model as JSON. The token of a step is made from its operations: what
    // is cached is right whoever takes them.
    description.cacheFiles = {1, 0};
    std::minstd_rand random(seed.value_or(0) * deviceCount + number + 1);
    std::uniform_real_distribution<float> performance(0.05f, 0.45f);
    Capabilities &capabilities = description.capabilities;
    auto drawInfo = [&](PerformanceInfo &info) {
      info = {performance(random), performance(random)};
    };
    for (OperandPerformance &entry : capabilities.operandPerformance)
      drawInfo(entry.info);
    drawInfo(capabilities.relaxedFloat32toFloat16PerformanceScalar);
    drawInfo(capabilities.relaxedFloat32toFloat16PerformanceTensor);
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           reference->supportedOperations(model));
    if (!seed)
      return answers;
    std::vector<uint32_t> owners = drawOwners(*seed, model.model.main);
    for (size_t i = 0; i < answers.size(); ++i)
      if (answers[i].isOk() && owners[i] != number)
        answers[i] = Status(StatusCode::invalidArgument,
                            "the seed gave this operation to others");
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const override {
    NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> loaded,
                           reference->load(model, options, observer));
    if (observer.keepEntry) {
      NNHAL_ASSIGN_OR_RETURN(std::string text, writeJsonModel(model.model));
      CacheContents contents;
      contents.modelCache.push_back(
          Memory::borrow(std::as_bytes(std::span(text))));
      observer.keepEntry(contents);
    }
    return loaded;
  }

  Result<std::unique_ptr<LoadedModel>>
  loadFromCache(const CacheContents &contents) const override {
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           contents.modelCache.front().bytes());
    AnnotatedModel model;
    NNHAL_ASSIGN_OR_RETURN(
        model.model,
        readJsonModel(
            {reinterpret_cast<const char *>(bytes.data()), bytes.size()}));
    return reference->load(model, {}, {});
  }

private:
  const std::optional<uint32_t> seed;
  const uint32_t number;
  std::unique_ptr<Backend> reference;
  DeviceInfo description;
};

} // namespace

static Result<Backends> createBackends(const DeviceServices &services) {
  Backends backends;
  for (uint32_t i = 0; i < deviceCount; ++i)
    backends.push_back(std::make_unique<SyntheticBackend>(services, i));
  return backends;
}

NNHAL_DEVICE_PLUGIN("synthetic", createBackends)
