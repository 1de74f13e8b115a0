//===- CompiledCase.cpp - Hostile models, compiled and compared -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A test case as TestCase.cpp changes it, where nnhal-reference executes it:
// nnhal-cpu refuses it, or compiles it and gives the same outputs. What the
// compiler refuses or does not support is no finding.
//
//===----------------------------------------------------------------------===//

#include "CaseExecution.h"
#include "CaseMutator.h"
#include "CompilingDevice.h"
#include "JsonMutator.h"
#include "Tools/Verify/Judge.h"

#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <fmt/format.h>

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

static std::unique_ptr<Device> smallReference() {
  ReferenceDeviceOptions options;
  options.tensorLimit = caseTensorLimit;
  return createReferenceDevice(std::move(options));
}

static bool isSupported(const Device &device, const Model &model) {
  AnnotatedModel annotated;
  annotated.model = model;
  auto answers = device.supportedOperations(annotated);
  requireReason(answers.status());
  return answers.isOk() &&
         std::ranges::all_of(
             *answers, [](const Status &answer) { return answer.isOk(); });
}

static void compare(const TestCase &test) {
  static const std::unique_ptr<Device> reference = smallReference();
  if (test.examples.empty())
    return;
  AnnotatedModel annotated;
  annotated.model = test.model;
  auto prepared = reference->prepareModel(annotated);
  if (!prepared.isOk() || !isSupported(compilingDevice(), test.model))
    return;
  // One execution; it has to be possible within the limits of the reference.
  TestCase one = test;
  one.examples.resize(1);
  one.expectFailure = false;
  if (!executeCase(one, one.examples[0], **prepared, std::byte(0))
           .status.isOk())
    return;
  auto verdict = nnhal::verify::judge(compilingDevice(), *reference, one);
  require(verdict.outcome != nnhal::verify::Verdict::Outcome::mismatch,
          fmt::format("{}: {}", verdict.stage, verdict.message));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  requireReason(visitCases(textOf(data, size), compare));
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
