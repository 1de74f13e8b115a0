//===- FlatBufferMutator.h - Changes FlatBuffers field by field -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_FLATBUFFERMUTATOR_H
#define NNHAL_TEST_FUZZ_FLATBUFFERMUTATOR_H

#include "FuzzTarget.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace flatbuffers {
class Parser;
}

namespace nnhal::rt::fuzz {

/// Changes buffers of one schema: a buffer is written as JSON with all of its
/// fields, the document is changed, and what comes out is written as a buffer
/// again, which verifies. Sharing of tables and the order of a file are lost.
class FlatBufferMutator {
public:
  /// Whether bytes are a buffer of the schema: the text of others is not read.
  using Verify = bool (*)(std::span<const std::byte>);

  /// \p schema is the path of a schema with a root type. Ends the process when
  /// it cannot be read.
  FlatBufferMutator(const std::string &schema, Verify verify);
  ~FlatBufferMutator();

  /// A changed copy of \p buffer; nothing where that is not a buffer.
  std::optional<std::vector<std::byte>>
  mutate(std::span<const std::byte> buffer, Random &random);

  /// A copy of \p buffer with a value of \p other.
  std::optional<std::vector<std::byte>> cross(std::span<const std::byte> buffer,
                                              std::span<const std::byte> other,
                                              Random &random);

  /// LLVMFuzzerCustomMutator() for buffers: byte by byte once in \p bytewise
  /// times, and where the input is no buffer.
  size_t mutateInput(uint8_t *data, size_t size, size_t maxSize, unsigned seed,
                     size_t bytewise);
  /// LLVMFuzzerCustomCrossOver() for buffers.
  size_t crossInputs(std::span<const std::byte> first,
                     std::span<const std::byte> second, uint8_t *out,
                     size_t maxSize, unsigned seed);

private:
  std::unique_ptr<flatbuffers::Parser> parser;
  Verify verify;
};

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_FLATBUFFERMUTATOR_H
