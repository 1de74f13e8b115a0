//===- Inputs.h - Where the bytes of inputs come from -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_TENSORS_INPUTS_H
#define NNHAL_LIB_TOOLS_TENSORS_INPUTS_H

#include "Tools/Images/Preprocessing.h"

#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace nnhal::tools {

/// "N=FILE": N is an index or a name.
struct NamedFile {
  std::string key;
  std::string file;
  bool operator==(const NamedFile &) const = default;
};

/// Dimensions by the index or the name of an input.
using NamedShapes = std::map<std::string, std::vector<uint32_t>>;

/// The sources of a model's inputs. A file is a picture (isImageFile()), an
/// .npy file, or the bytes of the input.
struct InputRequest {
  std::vector<NamedFile> files;
  /// Fills inputs that no file is given for: zeros without a seed.
  std::optional<uint64_t> randomSeed;
  NamedShapes shapes;
  /// Files hold several frames.
  bool frames = false;
  /// How JPEG and PNG files become inputs; and what the model says of that, by
  /// the index of the input.
  PictureSettings pictures = {};
  std::vector<std::optional<Normalization>> normalizations = {};
};

/// One input of all frames.
struct InputTensor {
  std::vector<uint32_t> dimensions;
  /// The size of one frame.
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

/// Returns the index of the tensor called \p key, a name or a decimal index.
/// Fails with invalidArgument, which names the tensors that there are.
rt::Result<size_t> findTensor(std::string_view what,
                              std::span<const rt::InterfaceTensor> tensors,
                              std::string_view key);

/// Elements of \p tensor with \p dimensions times element size.
rt::Result<uint64_t> byteSizeOf(const rt::InterfaceTensor &tensor,
                                std::span<const uint32_t> dimensions);

/// Returns the extents of every input, as \p named or else \p interface state
/// them. Fails with invalidArgument when \p named names an input that does not
/// exist.
rt::Result<rt::InputShapes> statedShapes(const NamedShapes &named,
                                         const rt::Interface &interface);

/// Reads files and fills the inputs that have none, as \p request says. Fails
/// with invalidArgument, which names the input, the found value and the bound.
rt::Result<Inputs> buildInputs(const InputRequest &request,
                               const rt::Interface &interface);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_TENSORS_INPUTS_H
