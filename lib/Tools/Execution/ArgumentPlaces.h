//===- ArgumentPlaces.h - Where arguments lie -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_ARGUMENTPLACES_H
#define NNHAL_LIB_TOOLS_EXECUTION_ARGUMENTPLACES_H

#include "nnhal/Runtime/Device.h"

#include <span>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// The memory that the arguments of an execution lie in.
enum class ArgumentPlace {
  /// Memory of the process, which is passed as it is.
  process,
  /// A memfd pool of its own for each argument.
  memfd,
  /// A pool of its own for each argument in a regular file.
  file,
  /// A buffer of the device for each argument.
  buffers
};

/// Reads memfd, file or buffers. Fails with invalidArgument for any other text.
rt::Result<ArgumentPlace> parseArgumentPlace(std::string_view text);

/// The arguments of one model's executions in pools or buffers, which live as
/// long as this object and serve one execution after the other.
class ArgumentPlaces {
public:
  /// Arguments of \p model, which \p device has prepared, in \p place, which is
  /// not ArgumentPlace::process.
  ArgumentPlaces(ArgumentPlace place, const rt::Device &device,
                 rt::PreparedModelRef model);

  /// Input \p index with \p bytes of shape \p dimensions. Fails with what the
  /// system or the device reports.
  rt::Result<rt::Memory> placeInput(size_t index,
                                    std::span<const std::byte> bytes,
                                    std::span<const uint32_t> dimensions);

  /// Room of \p size bytes for output \p index, whose shape is \p dimensions as
  /// far as it is known.
  rt::Result<rt::OutputMemory>
  placeOutput(size_t index, uint64_t size,
              std::span<const uint32_t> dimensions);

  /// Copies the first bytes of output \p index to \p target; all of them where
  /// it lies in a buffer.
  rt::Status fetchOutput(size_t index, std::span<std::byte> target) const;

private:
  struct Slot {
    std::shared_ptr<rt::SharedMemory> pool;
    std::shared_ptr<rt::Buffer> buffer;
    std::vector<uint32_t> dimensions;
  };
  rt::Status makePool(Slot &slot, uint64_t size) const;
  rt::Status makeBuffer(Slot &slot, std::span<const uint32_t> dimensions,
                        std::span<const rt::BufferRole> inputRoles,
                        std::span<const rt::BufferRole> outputRoles) const;

  ArgumentPlace place;
  const rt::Device &device;
  rt::PreparedModelRef model;
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_ARGUMENTPLACES_H
