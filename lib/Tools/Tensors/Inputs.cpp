//===- Inputs.cpp - Where the bytes of inputs come from -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "Npy.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <random>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::InterfaceTensor;

rt::Result<size_t> tools::findTensor(std::string_view what,
                                     std::span<const InterfaceTensor> tensors,
                                     std::string_view key) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].name.empty() && tensors[i].name == key)
      return i;
  size_t index = 0;
  auto [end, error] =
      std::from_chars(key.data(), key.data() + key.size(), index);
  if (error == std::errc() && end == key.data() + key.size() &&
      index < tensors.size())
    return index;
  std::vector<std::string> known;
  known.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    known.push_back(tensors[i].name.empty()
                        ? fmt::format("{}", i)
                        : fmt::format("{} ('{}')", i, tensors[i].name));
  return badData("no {} '{}'; there are: {}", what, key,
                 fmt::join(known, ", "));
}

rt::Result<uint64_t> tools::byteSizeOf(const InterfaceTensor &tensor,
                                       std::span<const uint32_t> dimensions) {
  uint64_t size = rt::elementSizeOf(tensor);
  for (uint32_t dimension : dimensions) {
    size *= dimension;
    if (size > UINT32_MAX)
      return badData("shape [{}] of {} exceeds {} bytes",
                     fmt::join(dimensions, ","), typeName(tensor), UINT32_MAX);
  }
  return size;
}

namespace {
/// The contents of a file given for one input.
struct InputFile {
  std::string path;
  std::vector<std::byte> data;
  /// Only a .npy file has a shape.
  std::optional<std::vector<uint64_t>> shape;
};
} // namespace

/// NumPy has one boolean; any byte is one for the HAL.
static bool isCompatible(const ElementFormat &found,
                         const ElementFormat &wanted) {
  if (wanted.descr == "|b1")
    return found.size == 1;
  return found.descr == wanted.descr;
}

static rt::Result<InputFile> readInputFile(const std::string &path,
                                           const InterfaceTensor &tensor) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory memory, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  if (!path.ends_with(".npy"))
    return InputFile{path, {bytes.begin(), bytes.end()}, std::nullopt};
  auto array = readNpy(bytes);
  if (!array.isOk())
    return std::move(array).takeStatus().withContext(fmt::format("'{}'", path));
  // The last dimension is that of an element's bytes (fileShape()).
  if (tensor.extension && array->format->descr == "|u1" &&
      !array->shape.empty() &&
      array->shape.back() == tensor.extension->byteSize) {
    array->shape.pop_back();
    return InputFile{path, std::move(array->data), std::move(array->shape)};
  }
  const ElementFormat &wanted = formatOf(tensor);
  if (!isCompatible(*array->format, wanted))
    return badData("'{}' has elements '{}', {} needs '{}'", path,
                   array->format->descr, typeName(tensor), wanted.descr);
  // NumPy has numbers without dimensions, and a tensor has one of them.
  if (array->shape.empty() && rt::isTensor(tensor))
    array->shape.push_back(1);
  return InputFile{path, std::move(array->data), std::move(array->shape)};
}

/// Whether \p shape is \p dimensions where those are known.
template <typename Shape>
static bool fits(const Shape &shape, std::span<const uint32_t> dimensions) {
  return std::equal(shape.begin(), shape.end(), dimensions.begin(),
                    dimensions.end(), [](uint64_t own, uint32_t known) {
                      return own <= UINT32_MAX && (known == 0 || own == known);
                    });
}

/// One frame's part of the shape of a file that holds several frames: either
/// they lie one after the other along the first dimension, or the file's first
/// dimension counts them.
static std::span<const uint64_t>
frameShape(std::span<const uint64_t> shape,
           std::span<const uint32_t> dimensions,
           std::vector<uint64_t> &buffer) {
  if (shape.size() == dimensions.size() + 1)
    return shape.subspan(1);
  if (shape.empty() || shape.size() != dimensions.size())
    return shape;
  buffer.assign(shape.begin(), shape.end());
  if (dimensions[0] != 0 && shape[0] % dimensions[0] == 0)
    buffer[0] = dimensions[0];
  return buffer;
}

/// The interface's dimensions, with those of --shape and then those of the
/// file in place of unknown ones. A file's shape must be that of the input.
static rt::Result<std::vector<uint32_t>>
resolveDimensions(const InputRequest &request, size_t index,
                  const InterfaceTensor &tensor,
                  const std::vector<uint32_t> *stated, const InputFile &file) {
  std::vector<uint32_t> dimensions = tensor.dimensions;
  bool hasOpenRank = rt::hasUnknownRank(tensor);
  if (hasOpenRank && !stated && !file.shape)
    return badData("input {} has unknown rank: state its shape with "
                   "--shape={}=...",
                   index, index);
  if (hasOpenRank && !stated)
    dimensions.assign(file.shape->size(), 0);
  if (stated) {
    if (!hasOpenRank && !fits(*stated, dimensions))
      return badData("option '--shape': [{}] does not fit input {} of shape "
                     "[{}]",
                     fmt::join(*stated, ","), index,
                     fmt::join(dimensions, ","));
    dimensions = *stated;
  }
  if (file.shape) {
    std::vector<uint64_t> buffer;
    std::span<const uint64_t> shape = *file.shape;
    if (request.frames)
      shape = frameShape(shape, dimensions, buffer);
    if (!fits(shape, dimensions))
      return badData("'{}' has shape [{}], input {} has [{}]{}", file.path,
                     fmt::join(*file.shape, ","), index,
                     fmt::join(dimensions, ","),
                     request.frames ? " for each frame" : "");
    std::ranges::transform(shape, dimensions.begin(),
                           [](uint64_t extent) { return uint32_t(extent); });
  } else if (std::ranges::count(dimensions, 0u) != 0) {
    return badData("input {} has shape [{}] with unknown dimensions: state "
                   "them with --shape={}=...",
                   index, fmt::join(dimensions, ","), index);
  }
  return dimensions;
}

template <typename T, typename Draw>
static void fillWith(std::span<std::byte> bytes, Draw draw) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value = draw();
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
}

/// Floats from -1 to 1, small integers, any byte or boolean: the same for one
/// seed on every machine.
static void fillRandom(const ElementFormat &format, uint64_t seed,
                       std::span<std::byte> bytes) {
  std::mt19937_64 random(seed);
  auto bits = [&](int count) { return random() >> (64 - count); };
  if (format.descr == "<f4" || format.descr == "<c8")
    fillWith<float>(bytes, [&] { return float(bits(24)) * 0x1p-23f - 1.0f; });
  else if (format.descr == "<f2") // Halves below 1: sign and mantissa of 1/2.
    fillWith<uint16_t>(
        bytes, [&] { return uint16_t(0x3800 | (bits(1) << 15) | bits(10)); });
  else if (format.descr == "<f8")
    fillWith<double>(bytes, [&] { return double(bits(53)) * 0x1p-52 - 1.0; });
  else if (format.size == 4)
    fillWith<int32_t>(bytes, [&] { return int32_t(random() % 10); });
  else if (format.size == 8)
    fillWith<int64_t>(bytes, [&] { return int64_t(random() % 10); });
  else if (format.descr == "|b1")
    fillWith<uint8_t>(bytes, [&] { return uint8_t(bits(1)); });
  else
    fillWith<uint8_t>(bytes, [&] { return uint8_t(bits(8)); });
}

/// A state begins as the real value 0.
static void fillState(const InterfaceTensor &tensor,
                      std::span<std::byte> bytes) {
  if (formatOf(tensor.type).size == 1)
    std::ranges::fill(bytes, std::byte(tensor.zeroPoint));
  else
    fillWith<uint16_t>(bytes, [&] {
      return tensor.type == rt::OperandType::TENSOR_QUANT16_ASYMM
                 ? uint16_t(tensor.zeroPoint)
                 : uint16_t(0);
    });
}

/// Copies \p data, checking that it is one frame, or several where allowed.
static rt::Status takeFile(const InputRequest &request, size_t index,
                           const std::string &path,
                           std::span<const std::byte> data,
                           InputTensor &input) {
  bool isMultiple = input.frameSize != 0 && !data.empty() &&
                    data.size() % input.frameSize == 0;
  if (request.frames ? !isMultiple : data.size() != input.frameSize)
    return badData("'{}' has {} bytes of data, input {} of shape [{}] needs "
                   "{}{}",
                   path, data.size(), index, fmt::join(input.dimensions, ","),
                   request.frames ? "a multiple of " : "", input.frameSize);
  NNHAL_ASSIGN_OR_RETURN(input.bytes, rt::AlignedBuffer::allocate(data.size()));
  if (!data.empty())
    std::memcpy(input.bytes.data(), data.data(), data.size());
  input.isPerFrame = request.frames;
  return rt::Status::ok();
}

/// Reads the picture \p path, which \p input has the extents for.
static rt::Status takePicture(const InputRequest &request, size_t index,
                              const std::string &path, InterfaceTensor tensor,
                              InputTensor &input) {
  NNHAL_ASSIGN_OR_RETURN(Image image, readImage(path));
  tensor.dimensions = input.dimensions;
  std::optional<Normalization> stated;
  if (index < request.normalizations.size())
    stated = request.normalizations[index];
  auto bytes = preprocess(image, tensor,
                          preprocessingFor(tensor, request.pictures, stated));
  if (!bytes.isOk())
    return bytes.status().withContext(fmt::format("'{}'", path));
  return takeFile(request, index, path, *bytes, input);
}

static rt::Result<InputTensor> buildInput(const InputRequest &request,
                                          const rt::Interface &interface,
                                          size_t index, const std::string *path,
                                          const std::vector<uint32_t> *shape) {
  const InterfaceTensor &tensor = interface.inputs[index];
  InputFile file;
  bool isPicture = path && isImageFile(*path);
  if (path && !isPicture) {
    NNHAL_ASSIGN_OR_RETURN(file, readInputFile(*path, tensor));
  }
  InputTensor input;
  NNHAL_ASSIGN_OR_RETURN(
      input.dimensions, resolveDimensions(request, index, tensor, shape, file));
  NNHAL_ASSIGN_OR_RETURN(input.frameSize, byteSizeOf(tensor, input.dimensions));
  if (isPicture) {
    NNHAL_RETURN_IF_ERROR(takePicture(request, index, *path, tensor, input));
    return input;
  }
  if (path) {
    NNHAL_RETURN_IF_ERROR(takeFile(request, index, *path, file.data, input));
    return input;
  }
  NNHAL_ASSIGN_OR_RETURN(input.bytes,
                         rt::AlignedBuffer::allocate(input.frameSize));
  bool isState =
      std::ranges::any_of(interface.statePairs, [&](const rt::StatePair &pair) {
        return pair.inputIndex == index;
      });
  if (isState)
    fillState(tensor, input.bytes.bytes());
  else if (request.randomSeed)
    fillRandom(formatOf(tensor), *request.randomSeed + index,
               input.bytes.bytes());
  else
    std::ranges::fill(input.bytes.bytes(), std::byte(0));
  return input;
}

rt::Result<rt::InputShapes>
tools::statedShapes(const NamedShapes &named, const rt::Interface &interface) {
  rt::InputShapes shapes;
  for (const InterfaceTensor &input : interface.inputs)
    shapes.push_back(input.dimensions);
  for (const auto &[key, shape] : named) {
    NNHAL_ASSIGN_OR_RETURN(size_t index,
                           findTensor("input", interface.inputs, key));
    shapes[index] = shape;
  }
  return shapes;
}

rt::Result<Inputs> tools::buildInputs(const InputRequest &request,
                                      const rt::Interface &interface) {
  size_t count = interface.inputs.size();
  std::vector<const std::string *> paths(count);
  std::vector<const std::vector<uint32_t> *> shapes(count);
  for (const NamedFile &input : request.files) {
    NNHAL_ASSIGN_OR_RETURN(size_t index,
                           findTensor("input", interface.inputs, input.key));
    if (paths[index])
      return badData("input {} has two files: '{}' and '{}'", index,
                     *paths[index], input.file);
    paths[index] = &input.file;
  }
  for (const auto &[key, shape] : request.shapes) {
    NNHAL_ASSIGN_OR_RETURN(size_t index,
                           findTensor("input", interface.inputs, key));
    shapes[index] = &shape;
  }
  Inputs inputs;
  std::optional<uint64_t> frameCount;
  for (size_t i = 0; i < count; ++i) {
    NNHAL_ASSIGN_OR_RETURN(InputTensor input, buildInput(request, interface, i,
                                                         paths[i], shapes[i]));
    if (input.isPerFrame) {
      uint64_t frames = input.bytes.size() / input.frameSize;
      if (frameCount && *frameCount != frames)
        return badData("'{}' holds {} frames, another input {}", *paths[i],
                       frames, *frameCount);
      frameCount = frames;
    }
    inputs.tensors.push_back(std::move(input));
  }
  if (request.frames && !frameCount)
    return badData("option '--frames' needs an --input=N=FILE");
  inputs.frameCount = frameCount.value_or(1);
  return inputs;
}
