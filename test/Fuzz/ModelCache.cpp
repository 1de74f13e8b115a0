//===- ModelCache.cpp - Fuzzes the reader and the loader of artifacts -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Code that is loaded is not executed: machine code is trusted, and the loader
// answers for nothing but its tables.
//
//===----------------------------------------------------------------------===//

#include "SealedFile.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Runtime/CpuDevice.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

/// What was read is written so that it is read again.
static void checkRoundTrip(const Artifact &artifact) {
  std::vector<std::byte> written = writeModelCache(artifact);
  Result<Artifact> again = readModelCache(written);
  require(again.isOk(), "what was written cannot be read");
  require(writeModelCache(*again) == written,
          "a round trip changes an artifact");
}

static void load(std::span<const std::byte> modelCache, uint64_t constants) {
  static const std::unique_ptr<Device> device = createCpuDevice();
  // Loading copies constants; those of a file are as long as it says.
  constexpr uint64_t maxConstants = 1 << 16;
  std::vector<std::byte> bytes(std::min(constants, maxConstants));
  auto model =
      device->prepareModelFromArtifact(modelCache, Memory::borrow(bytes));
  requireReason(model.status());
  require(!model.isOk() || constants <= maxConstants,
          "a model is loaded without its constants");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (Result<Bundle> bundle = readBundle(bytesOf(data, size)); bundle.isOk())
    (void)readModelCache(bundle->modelCache);
  Result<Artifact> artifact = readModelCache(bytesOf(data, size));
  requireReason(artifact.status());
  if (!artifact.isOk())
    return 0;
  checkRoundTrip(*artifact);
  load(bytesOf(data, size), artifact->dataCacheSize);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  if (!random.oneOf(8)) {
    auto changed = mutateModelCache(bytesOf(data, size), random);
    if (changed && changed->size() <= maxSize) {
      std::memcpy(data, changed->data(), changed->size());
      return changed->size();
    }
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}
