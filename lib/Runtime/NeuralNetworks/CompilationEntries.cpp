//===- CompilationEntries.cpp - The C functions about compilations --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Burst.h"
#include "Compilation.h"
#include "Library.h"

#include "nnhal/Runtime/AlignedBuffer.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::ndk;

static int createCompilation(ANeuralNetworksModel &model,
                             std::span<const ANeuralNetworksDevice *const> list,
                             bool isListed,
                             ANeuralNetworksCompilation **compilation) {
  return guarded([&]() -> int {
    Library *library = Library::find();
    if (!library)
      return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
    // A count above that of the devices is not the length of a list.
    if (list.size() <= library->devices().size() &&
        std::ranges::count(list, nullptr) != 0)
      return ANEURALNETWORKS_UNEXPECTED_NULL;
    std::vector<const Device *> devices;
    if (isListed)
      if (int code = lookUpDevices(*library, list, devices))
        return code;
    if (!model.isFinished())
      return ANEURALNETWORKS_BAD_STATE;
    *compilation = new Compilation(*library, model, std::move(devices));
    return ANEURALNETWORKS_NO_ERROR;
  });
}

int ANeuralNetworksCompilation_create(
    ANeuralNetworksModel *model, ANeuralNetworksCompilation **compilation) {
  if (compilation)
    *compilation = nullptr;
  if (!model || !compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return createCompilation(*model, {}, /*isListed=*/false, compilation);
}

int ANeuralNetworksCompilation_createForDevices(
    ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
    uint32_t numDevices, ANeuralNetworksCompilation **compilation) {
  if (compilation)
    *compilation = nullptr;
  if (!model || !devices || !compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return createCompilation(*model, {devices, numDevices}, /*isListed=*/true,
                           compilation);
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation) {
  // Prepared models may wait for threads that a child does not have.
  if (!Library::isForked())
    delete compilation;
}

int ANeuralNetworksCompilation_setPreference(
    ANeuralNetworksCompilation *compilation, int32_t preference) {
  return compilation ? compilation->setPreference(preference)
                     : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int ANeuralNetworksCompilation_setCaching(
    ANeuralNetworksCompilation *compilation, const char *cacheDir,
    const uint8_t *token) {
  if (!compilation || !cacheDir || !token)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return compilation->setCaching(cacheDir, token); });
}

int ANeuralNetworksCompilation_setPriority(
    ANeuralNetworksCompilation *compilation, int priority) {
  return compilation ? compilation->setPriority(priority)
                     : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int ANeuralNetworksCompilation_setTimeout(
    ANeuralNetworksCompilation *compilation, uint64_t duration) {
  return compilation ? compilation->setTimeout(duration)
                     : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation) {
  if (!compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (Library::isForked())
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  return guardedWithFiles([&] { return compilation->finish(); });
}

/// Answers \p value for an argument that there is.
static int answer(const ANeuralNetworksCompilation *compilation, bool isInput,
                  uint32_t index, uint32_t value, uint32_t *result) {
  if (!compilation || !result)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (!compilation->isFinished())
    return ANEURALNETWORKS_BAD_STATE;
  const auto &arguments =
      isInput ? compilation->inputs() : compilation->outputs();
  if (index >= arguments.size())
    return ANEURALNETWORKS_BAD_DATA;
  *result = value;
  return ANEURALNETWORKS_NO_ERROR;
}

// Devices read and write arguments at the alignment of their own memory best,
// and they need no padding.
static constexpr uint32_t alignmentOfArguments =
    rt::AlignedBuffer::minimumAlignment;
static constexpr uint32_t paddingOfArguments = 1;

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *alignment) {
  return answer(compilation, true, index, alignmentOfArguments, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *alignment) {
  return answer(compilation, false, index, alignmentOfArguments, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *padding) {
  return answer(compilation, true, index, paddingOfArguments, padding);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *padding) {
  return answer(compilation, false, index, paddingOfArguments, padding);
}

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst) {
  if (burst)
    *burst = nullptr;
  if (!compilation || !burst)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (Library::isForked())
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  return guarded([&] { return createBurst(*compilation, burst); });
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst) {
  // The end of a burst waits for a thread that a child does not have.
  if (!Library::isForked())
    delete burst;
}
