//===- Inputs.h - Where the bytes of inputs come from -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_INPUTS_H
#define NNHAL_TOOLS_NNHAL_RUN_INPUTS_H

#include "Flags.h"

#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/PreparedModel.h"

namespace nnhal::run {

/// One input of all frames.
struct InputTensor {
  std::vector<uint32_t> dimensions;
  /// Of one frame.
  uint64_t frameSize = 0;
  /// One frame after the other; a single one that serves all frames where no
  /// file was given.
  rt::AlignedBuffer bytes;
  bool isPerFrame = false;

  std::span<const std::byte> frame(uint64_t index) const {
    return bytes.bytes().subspan(isPerFrame ? index * frameSize : 0, frameSize);
  }
};

struct Inputs {
  std::vector<InputTensor> tensors;
  uint64_t frameCount = 1;
};

/// The index of the tensor called \p key, a name or a decimal index.
/// invalidArgument names what there is.
rt::Result<size_t> findTensor(std::string_view what,
                              std::span<const rt::InterfaceTensor> tensors,
                              std::string_view key);

/// Elements of \p tensor with \p dimensions times element size.
rt::Result<uint64_t> byteSizeOf(const rt::InterfaceTensor &tensor,
                                std::span<const uint32_t> dimensions);

/// The extents of every input, as \p flags or else \p interface state them.
/// invalidArgument when \p flags name an input that is none.
rt::Result<rt::InputShapes> statedShapes(const Flags &flags,
                                         const rt::Interface &interface);

/// Reads files and fills what has none, as \p flags say. invalidArgument names
/// the input, the found value and the bound.
rt::Result<Inputs> buildInputs(const Flags &flags,
                               const rt::Interface &interface);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_INPUTS_H
