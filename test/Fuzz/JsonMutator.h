//===- JsonMutator.h - Changes documents field by field ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_JSONMUTATOR_H
#define NNHAL_TEST_FUZZ_JSONMUTATOR_H

#include "FuzzTarget.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace nnhal::rt::fuzz {

using Json = nlohmann::json;

/// What a mutation may do to a value.
enum class JsonChange {
  /// Anything.
  any,
  /// A value stays of its kind, and no member is renamed: for documents that
  /// are read by a schema.
  sameKind,
};

/// \p text as a document; nothing where it is none, or deeper than a mutator
/// needs to go.
std::optional<Json> parseForMutation(std::string_view text);

/// Changes one to three values of \p document.
void mutateDocument(Json &document, Random &random, JsonChange change);

/// Puts a value of \p other in the place of a value of \p document.
void crossDocuments(Json &document, const Json &other, Random &random);

/// LLVMFuzzerCustomMutator() for JSON text: mostly field by field, else byte by
/// byte.
size_t mutateJsonText(uint8_t *data, size_t size, size_t maxSize,
                      unsigned seed);

/// LLVMFuzzerCustomCrossOver() for JSON text.
size_t crossJsonTexts(std::string_view first, std::string_view second,
                      uint8_t *out, size_t maxSize, unsigned seed);

/// Writes \p text to \p data; nothing where it is longer than \p maxSize.
std::optional<size_t> storeText(std::string_view text, uint8_t *data,
                                size_t maxSize);

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_JSONMUTATOR_H
