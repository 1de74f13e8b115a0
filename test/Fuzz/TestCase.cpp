//===- TestCase.cpp - Fuzzes test cases and the reference device ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// L-078 to L-083: models of any types, operations, lifetimes, scales, zero
// points and values are changed by their structure, and executed in the process
// by a device.
//
//===----------------------------------------------------------------------===//

#include "CaseExecution.h"
#include "CaseMutator.h"
#include "JsonMutator.h"

#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/Validate.h"

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

extern "C" const NNHalDevicePlugin *nnhalGetDevicePlugin();

/// The extensions of the sample, which is part of this program.
static std::vector<InstalledExtension> sampleExtensions() {
  std::vector<InstalledExtension> extensions;
  NNHalPluginHost host = {};
  host.version = NNHAL_DEVICE_PLUGIN_VERSION;
  host.structSize = sizeof(host);
  host.context = &extensions;
  host.addExtension = [](void *context, void *extension) {
    static_cast<std::vector<InstalledExtension> *>(context)->push_back(
        {std::shared_ptr<const ExtensionBackend>(
             static_cast<ExtensionBackend *>(extension)),
         "fuzz"});
  };
  nnhalGetDevicePlugin()->create(&host);
  return extensions;
}

static std::unique_ptr<Device> makeDevice() {
  ReferenceDeviceOptions options;
  options.services.extensions = sampleExtensions();
  options.tensorLimit = caseTensorLimit;
  return createReferenceDevice(std::move(options));
}

static void tryOut(const TestCase &test) {
  static const std::unique_ptr<Device> device = makeDevice();
  AnnotatedModel annotated;
  annotated.model = test.model;
  auto prepared = device->prepareModel(annotated);
  requireReason(prepared.status());
  Status valid = validateModel(test.model, test.model.halVersion);
  require(valid.isOk() || !prepared.isOk(), "an invalid model is prepared");
  if (!prepared.isOk())
    return;
  constexpr size_t maxExamples = 2;
  for (size_t i = 0; i < std::min(test.examples.size(), maxExamples); ++i) {
    const TestExample &example = test.examples[i];
    CaseOutcome first = executeCase(test, example, **prepared, std::byte(0x00));
    if (first.status.isOk())
      requireSameOutcome(
          test, **prepared, first,
          executeCase(test, example, **prepared, std::byte(0xFF)));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  requireReason(visitCases(textOf(data, size), tryOut));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return mutateCaseText(data, size, maxSize, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return crossJsonTexts(textOf(first, firstSize), textOf(second, secondSize),
                        out, maxSize, seed);
}
