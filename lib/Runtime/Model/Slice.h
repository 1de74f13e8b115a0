//===- Slice.h - What an older version has of a model -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device of an older HAL version cannot be asked about a model that this
// version does not have. It is asked about a slice instead, which is the model
// without the operations that are new. Models are prepared whole: nobody
// prepares a slice (I-073).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_SLICE_H
#define NNHAL_LIB_RUNTIME_MODEL_SLICE_H

#include "nnhal/Runtime/Model.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace nnhal::rt {

class Device;

/// The part of a model that an older version has.
struct Slice {
  /// The slice, valid in its version; the source itself where that is valid in
  /// the version, borrowed from whoever owns it. Null where the version has
  /// nothing of the model.
  ///
  /// Its inputs are those of the source that it reads, then what operations
  /// outside of it write; its outputs are those of the source that it writes,
  /// then what operations outside of it read (I-065, I-066). Two inputs of one
  /// type stay two (I-067): a device might answer otherwise about an operation
  /// that reads one value twice. Subgraphs are not sliced (I-074).
  std::shared_ptr<const AnnotatedModel> model;
  /// The number, in the source, of every operation of the slice, ascending
  /// (I-070).
  std::vector<uint32_t> operations;
  /// The reason why there is no model: no operation complies, nothing goes in
  /// or comes out (I-069), or the rest is not valid (I-071).
  Status reason;
};

/// Makes the slice of \p source for \p version (I-064). The result may borrow
/// from \p source. Fails with invalidArgument for a model that is valid in no
/// version.
Result<Slice> sliceOf(const AnnotatedModel &source, HalVersion version);

/// The slices of one model, each made when it is first asked for (I-072).
///
/// Ownership: borrows the model, which stays as it is.
/// Threads:   any.
class Slices {
public:
  explicit Slices(const AnnotatedModel &model) : source(model) {}

  const AnnotatedModel &model() const { return source; }

  /// Returns the slice for \p version, or the failure of sliceOf().
  Result<const Slice *> of(HalVersion version) const;

private:
  struct Entry {
    std::once_flag once;
    std::optional<Result<Slice>> slice;
  };
  const AnnotatedModel &source;
  mutable std::array<Entry, size_t(HalVersion::V1_3) + 1> entries;
};

/// Verifies that \p slice has exactly the operations of \p source that comply
/// with \p version. Fails with generalFailure, which names the first one that
/// is missing or too much (I-005), and like nonCompliantOperations().
Status checkSlice(const AnnotatedModel &source, HalVersion version,
                  const Slice &slice);

/// Asks \p device about the slice of its version and returns one status per
/// operation of the source (I-070). An operation outside of the slice is not
/// supported. Fails like Device::supportedOperations(), like checkSlice() where
/// \p isStrict is set, and with generalFailure when the device answers for
/// another number of operations.
Result<std::vector<Status>> supportedOperations(const Device &device,
                                                const Slices &slices,
                                                bool isStrict = false);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_MODEL_SLICE_H
