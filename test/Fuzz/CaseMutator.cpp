//===- CaseMutator.cpp - Changes test cases by what they mean -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseMutator.h"

#include "JsonMutator.h"
#include "Unit/Mutation/Mutator.h"

namespace nnhal::rt::fuzz {

/// Pool files of the seeds are here.
static const std::string directory = NNHAL_TEST_DATA "/Unit/Model/Inputs";

Status visitCases(std::string_view text,
                  const std::function<void(const TestCase &)> &visit) {
  size_t count = 0;
  return readTestCases(
      text,
      [&](const TestCase &test) {
        constexpr size_t maxCases = 4;
        if (++count <= maxCases)
          visit(test);
        return Status::ok();
      },
      directory);
}

/// Changes the first case, where the text has one.
static std::optional<std::string> mutateCase(std::string_view text,
                                             unsigned seed) {
  std::vector<TestCase> cases;
  Status status =
      visitCases(text, [&](const TestCase &test) { cases.push_back(test); });
  if (!status.isOk() || cases.empty())
    return std::nullopt;
  test::Mutator(seed).mutate(cases.front());
  Result<std::string> written = writeTestCases(cases);
  if (!written.isOk())
    return std::nullopt;
  return *std::move(written);
}

size_t mutateCaseText(uint8_t *data, size_t size, size_t maxSize,
                      unsigned seed) {
  if (seed % 2 == 0)
    if (auto text = mutateCase(textOf(data, size), seed))
      if (auto stored = storeText(*text, data, maxSize))
        return *stored;
  return mutateJsonText(data, size, maxSize, seed);
}

} // namespace nnhal::rt::fuzz
