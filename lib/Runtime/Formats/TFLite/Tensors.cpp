//===- Tensors.cpp - TFLite tensors as HAL operands -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include "ExtensionTypes.h"

#include "Runtime/Support/Errors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnhal::rt::tflite {

std::string describe(const Tensor &tensor) {
  if (tensor.name.empty())
    return fmt::format("tensor {}", tensor.index);
  return fmt::format("tensor {} '{}'", tensor.index, tensor.name);
}

std::string_view nameOf(schema::TensorType type) {
  const char *name = schema::EnumNameTensorType(type);
  return *name ? name : "an unknown type";
}

std::string toString(const Shape &shape) {
  if (shape.empty())
    return "scalar";
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::optional<uint32_t> elementCount(const Shape &shape) {
  uint64_t count = 1;
  for (uint32_t dimension : shape) {
    count *= dimension;
    if (count > std::numeric_limits<uint32_t>::max())
      return std::nullopt;
  }
  return static_cast<uint32_t>(count);
}

Result<Shape> makeShape(std::span<const int64_t> dimensions) {
  if (dimensions.size() > maxRank)
    return badData("rank {} exceeds {}", dimensions.size(), maxRank);
  Shape shape;
  for (int64_t dimension : dimensions) {
    if (dimension < 1 || dimension > std::numeric_limits<int32_t>::max())
      return badData("dimension {} is {}, which is not in 1..{}", shape.size(),
                     dimension, std::numeric_limits<int32_t>::max());
    shape.push_back(static_cast<uint32_t>(dimension));
  }
  if (!elementCount(shape))
    return badData("shape {} has more than 4294967295 elements",
                   toString(shape));
  return shape;
}

uint32_t elementSizeOf(schema::TensorType type) {
  switch (type) {
  case schema::TensorType::FLOAT32:
  case schema::TensorType::INT32:
  case schema::TensorType::UINT32:
    return 4;
  case schema::TensorType::FLOAT16:
  case schema::TensorType::INT16:
  case schema::TensorType::UINT16:
  case schema::TensorType::BFLOAT16:
    return 2;
  case schema::TensorType::UINT8:
  case schema::TensorType::INT8:
  case schema::TensorType::BOOL:
    return 1;
  case schema::TensorType::INT64:
  case schema::TensorType::UINT64:
  case schema::TensorType::FLOAT64:
  case schema::TensorType::COMPLEX64:
    return 8;
  case schema::TensorType::COMPLEX128:
    return 16;
  default:
    return 0;
  }
}

uint32_t elementsPerByte(schema::TensorType type) {
  switch (type) {
  case schema::TensorType::INT2:
    return 4;
  case schema::TensorType::INT4:
  case schema::TensorType::UINT4:
    return 2;
  default:
    return 1;
  }
}

/// The HAL type of a tensor whose scales are all usable; no type with a reason
/// otherwise. Reasons stay with the tensor: unused tensors may be anything.
static void setQuantized(Tensor &tensor, std::span<const float> scales,
                         std::span<const int64_t> zeroPoints, int32_t dimension,
                         bool useExtensions) {
  bool isSigned = tensor.sourceType == schema::TensorType::INT8 ||
                  tensor.sourceType == schema::TensorType::INT4 ||
                  tensor.sourceType == schema::TensorType::INT2;
  bool is16Bit = tensor.sourceType == schema::TensorType::INT16;
  int64_t low = is16Bit || !isSigned ? 0 : -128;
  int64_t high = is16Bit ? 0 : isSigned ? 127 : 255;
  for (float scale : scales)
    if (!(scale > 0) || !std::isfinite(scale)) {
      tensor.typeProblem =
          fmt::format("has scale {}, which is not a positive number", scale);
      return;
    }
  if (is16Bit && useExtensions && !tensor.isConstant && scales.size() == 1 &&
      zeroPoints.size() == 1 && zeroPoints[0] != 0 &&
      zeroPoints[0] >= INT16_MIN && zeroPoints[0] <= INT16_MAX) {
    // The HAL's type with a zero point is unsigned: all numbers move up.
    tensor.type = OperandType::TENSOR_QUANT16_ASYMM;
    tensor.scale = scales[0];
    tensor.zeroPoint = int32_t(zeroPoints[0]) - INT16_MIN;
    return;
  }
  for (int64_t zeroPoint : zeroPoints)
    if (zeroPoint < low || zeroPoint > high) {
      tensor.typeProblem = fmt::format(
          "has zero point {}, which is not in {}..{}", zeroPoint, low, high);
      return;
    }
  if (scales.size() <= 1) {
    tensor.isPlain = scales.empty();
    tensor.scale = tensor.isPlain ? 1.0f : scales[0];
    if (!tensor.isPlain && !zeroPoints.empty())
      tensor.zeroPoint = static_cast<int32_t>(zeroPoints[0]);
    tensor.type = is16Bit    ? OperandType::TENSOR_QUANT16_SYMM
                  : isSigned ? OperandType::TENSOR_QUANT8_ASYMM_SIGNED
                             : OperandType::TENSOR_QUANT8_ASYMM;
    return;
  }
  if (!isSigned) {
    tensor.typeProblem = fmt::format(
        "has {} scales, which the HAL has only for INT8", scales.size());
    return;
  }
  for (int64_t zeroPoint : zeroPoints)
    if (zeroPoint != 0) {
      tensor.typeProblem = fmt::format(
          "has zero point {} beside several scales; the HAL has only 0",
          zeroPoint);
      return;
    }
  if (dimension < 0 || size_t(dimension) >= tensor.declared.size() ||
      tensor.declared[dimension] != int64_t(scales.size())) {
    tensor.typeProblem =
        fmt::format("has {} scales, which is not the size of its dimension {}",
                    scales.size(), dimension);
    return;
  }
  tensor.type = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
  tensor.channels = SymmPerChannelQuantParams{{scales.begin(), scales.end()},
                                              static_cast<uint32_t>(dimension)};
}

static void setType(Tensor &tensor,
                    const schema::QuantizationParameters *quantization,
                    bool useExtensions) {
  std::span<const float> scales;
  std::vector<int64_t> zeroPoints;
  if (quantization) {
    scales = elementsOf(quantization->scale());
    zeroPoints = copyOf(quantization->zero_point());
  }
  switch (tensor.sourceType) {
  case schema::TensorType::FLOAT32:
    tensor.type = OperandType::TENSOR_FLOAT32;
    return;
  case schema::TensorType::FLOAT16:
    tensor.type = OperandType::TENSOR_FLOAT16;
    return;
  case schema::TensorType::BFLOAT16:
    // The first half of the bits of FLOAT32; nothing computes with them.
    if (!tensor.isConstant)
      break;
    tensor.type = OperandType::TENSOR_FLOAT32;
    tensor.expansion = Expansion::Bfloat16ToFloat32;
    return;
  case schema::TensorType::BOOL:
    tensor.type = OperandType::TENSOR_BOOL8;
    return;
  case schema::TensorType::INT32:
    tensor.type = OperandType::TENSOR_INT32;
    // Several scales are those of a per-channel bias, which the HAL derives.
    if (scales.size() == 1 && std::isfinite(scales[0]) && scales[0] > 0)
      tensor.scale = scales[0];
    if (tensor.scale > 0 && zeroPoints.size() == 1)
      tensor.zeroPoint = int32_t(zeroPoints[0]);
    return;
  case schema::TensorType::INT64:
    tensor.is64Bit = true;
    if (tensor.isConstant) {
      tensor.type = OperandType::TENSOR_INT32;
      tensor.expansion = Expansion::Int64ToInt32;
      return;
    }
    break;
  case schema::TensorType::INT2:
  case schema::TensorType::INT4:
  case schema::TensorType::UINT4:
    // Only weights have so few bits, and operators compute with eight.
    if (!tensor.isConstant || tensor.sparsity)
      break;
    tensor.expansion = Expansion::PackedToBytes;
    [[fallthrough]];
  case schema::TensorType::UINT8:
  case schema::TensorType::INT8:
  case schema::TensorType::INT16:
    setQuantized(tensor, scales, zeroPoints,
                 quantization ? quantization->quantized_dimension() : 0,
                 useExtensions);
    return;
  default:
    break;
  }
  std::optional<OperandType> extension = extensionTypeOf(tensor.sourceType);
  if (extension && useExtensions) {
    tensor.type = extension;
    return;
  }
  tensor.typeProblem = fmt::format("has type {}, which the HAL does not have",
                                   nameOf(tensor.sourceType));
  if (extension)
    tensor.typeProblem +=
        fmt::format("; the extension {} has it", extensionName);
}

/// The bytes of buffer \p index; empty for a tensor without a buffer.
static Result<std::span<const std::byte>>
bufferBytes(const schema::Model &model, uint32_t index,
            std::span<const std::byte> file) {
  const auto *buffers = model.buffers();
  uint32_t count = buffers ? buffers->size() : 0;
  if (index == 0)
    return std::span<const std::byte>();
  if (index >= count)
    return badData("refers to buffer {} of {}", index, count);
  const schema::Buffer *buffer = buffers->Get(index);
  if (buffer->offset() > 1) {
    // Data behind the FlatBuffer, for files that exceed its 2 GB.
    uint64_t offset = buffer->offset(), size = buffer->size();
    if (offset > file.size() || size > file.size() - offset)
      return badData("refers to {} bytes from byte {} on, in a file of {}",
                     size, offset, file.size());
    return file.subspan(offset, size);
  }
  std::span<const uint8_t> data = elementsOf(buffer->data());
  return std::as_bytes(data);
}

static Status readConstant(Tensor &tensor) {
  std::vector<int64_t> dimensions(tensor.declared.begin(),
                                  tensor.declared.end());
  NNHAL_ASSIGN_OR_RETURN(tensor.shape, makeShape(dimensions));
  if (tensor.sparsity)
    return Status(); // Its length is known when it is expanded.
  uint32_t elementSize = elementSizeOf(tensor.sourceType);
  uint64_t count = *elementCount(*tensor.shape);
  uint32_t perByte = elementsPerByte(tensor.sourceType);
  uint64_t expected =
      perByte > 1 ? (count + perByte - 1) / perByte : count * elementSize;
  if ((elementSize || perByte > 1) && tensor.bytes.size() != expected)
    return badData("has {} bytes of data, but its shape {} of {} needs {}",
                   tensor.bytes.size(), toString(*tensor.shape),
                   nameOf(tensor.sourceType), expected);
  return Status();
}

static Status readTensor(Tensor &tensor, const schema::Model &model,
                         const schema::Tensor &source,
                         std::span<const std::byte> file, bool useExtensions) {
  tensor.sourceType = source.type();
  tensor.isVariable = source.is_variable();
  tensor.sparsity = source.sparsity();
  std::span<const int32_t> shape = elementsOf(source.shape());
  std::span<const int32_t> signature = elementsOf(source.shape_signature());
  if (shape.size() > maxRank)
    return badData("has rank {}, which exceeds {}", shape.size(), maxRank);
  for (int32_t dimension : shape)
    if (dimension < -1)
      return badData("has dimension {}", dimension);
  if (!signature.empty() && signature.size() != shape.size())
    return badData("has rank {} in its shape and {} in its shape signature",
                   shape.size(), signature.size());
  tensor.declared.assign(shape.begin(), shape.end());
  NNHAL_ASSIGN_OR_RETURN(tensor.bytes,
                         bufferBytes(model, source.buffer(), file));
  tensor.isConstant = !tensor.bytes.empty() && !tensor.isVariable;
  if (tensor.isConstant)
    NNHAL_RETURN_IF_ERROR(readConstant(tensor));
  setType(tensor, source.quantization(), useExtensions);
  if (!tensor.isConstant)
    for (size_t i = 0; i < tensor.declared.size(); ++i)
      if (tensor.declared[i] == 0 || (!signature.empty() && signature[i] == -1))
        tensor.declared[i] = -1;
  return Status();
}

/// Makes reals of the constant \p tensor, whose scales \p source states by
/// blocks. They lie in one of \p tensors.
static Status setBlocks(Tensor &tensor,
                        const schema::BlockwiseQuantization &source,
                        const std::vector<Tensor> &tensors) {
  const Shape &shape = *tensor.shape;
  bool isSigned = tensor.sourceType == schema::TensorType::INT8 ||
                  tensor.sourceType == schema::TensorType::INT4 ||
                  tensor.sourceType == schema::TensorType::INT2;
  if (!isSigned || tensor.sparsity)
    return badData("has scales by blocks, which only dense INT2, INT4 and INT8 "
                   "have here, not {}",
                   nameOf(tensor.sourceType));
  if (shape.empty() || source.block_size() < 1 ||
      shape.back() % uint32_t(source.block_size()) != 0)
    return badData(
        "has blocks of {} elements, which do not divide its shape {}",
        source.block_size(), toString(shape));
  auto held = [&](int32_t index) {
    return index >= 0 && size_t(index) < tensors.size() &&
                   tensors[size_t(index)].isConstant
               ? &tensors[size_t(index)]
               : nullptr;
  };
  const Tensor *scales = held(source.scales());
  if (!scales)
    return badData("has its scales in tensor {}, which is not a constant",
                   source.scales());
  bool isReal = scales->sourceType == schema::TensorType::FLOAT16 ||
                scales->sourceType == schema::TensorType::BFLOAT16 ||
                scales->sourceType == schema::TensorType::FLOAT32;
  uint32_t count = *elementCount(shape) / uint32_t(source.block_size());
  if (!isReal || scales->sparsity || elementCount(*scales->shape) != count)
    return badData("has {} blocks, but {} scales of type {}", count,
                   toString(*scales->shape), nameOf(scales->sourceType));
  // Tensor 0 stands for none, too, because it is what a file leaves out.
  const Tensor *zeroPoints = held(source.zero_points());
  if (source.zero_points() > 0 && !zeroPoints)
    return badData("has its zero points in tensor {}, which is not a constant",
                   source.zero_points());
  if (source.zero_points() > 0 &&
      std::ranges::any_of(zeroPoints->bytes,
                          [](std::byte byte) { return byte != std::byte(0); }))
    return badData("has zero points by blocks that are not 0");
  tensor.blocks =
      Blocks{uint32_t(source.block_size()), scales->sourceType, scales->bytes};
  tensor.type = OperandType::TENSOR_FLOAT32;
  tensor.expansion = Expansion::BlocksToFloat32;
  tensor.scale = 0;
  tensor.zeroPoint = 0;
  tensor.isPlain = false;
  tensor.channels.reset();
  tensor.typeProblem.clear();
  return Status();
}

/// Reads the scales of all constants of \p graph that have them by blocks.
static Status readBlocks(std::vector<Tensor> &tensors,
                         const schema::SubGraph &graph) {
  for (Tensor &tensor : tensors) {
    const auto *quantization =
        graph.tensors()->Get(tensor.index)->quantization();
    const schema::BlockwiseQuantization *blocks =
        quantization ? quantization->details_as_BlockwiseQuantization()
                     : nullptr;
    if (!blocks)
      continue;
    if (!tensor.isConstant) {
      tensor.type.reset();
      tensor.typeProblem = "has scales by blocks, which only constants have";
      continue;
    }
    NNHAL_RETURN_IF_ERROR(
        setBlocks(tensor, *blocks, tensors).withContext(describe(tensor)));
  }
  return Status();
}

/// Makes constants of the lists without elements that \p graph does not
/// compute.
static void findEmptyLists(std::vector<Tensor> &tensors,
                           const schema::SubGraph &graph) {
  std::vector<bool> isValue(tensors.size());
  auto mark = [&](const flatbuffers::Vector<int32_t> *indices) {
    for (int32_t index : elementsOf(indices))
      if (index >= 0 && size_t(index) < isValue.size())
        isValue[size_t(index)] = true;
  };
  mark(graph.inputs());
  for (const schema::Operator *op : tablesOf(graph.operators()))
    mark(op->outputs());
  for (size_t i = 0; i < tensors.size(); ++i) {
    Tensor &tensor = tensors[i];
    bool isList = tensor.sourceType == schema::TensorType::INT32 ||
                  tensor.sourceType == schema::TensorType::INT64;
    const auto *shape = graph.tensors()->Get(uint32_t(i))->shape();
    if (!isList || isValue[i] || tensor.isConstant || tensor.isVariable ||
        elementsOf(shape).size() != 1 || shape->Get(0) != 0)
      continue;
    tensor.isConstant = tensor.isFolded = true;
    tensor.type = OperandType::TENSOR_INT32;
    tensor.shape = Shape{0};
    tensor.declared = {0};
  }
}

Result<std::vector<Tensor>> readTensors(const schema::Model &model,
                                        const schema::SubGraph &graph,
                                        std::span<const std::byte> file,
                                        bool useExtensions) {
  std::vector<Tensor> tensors;
  if (!graph.tensors())
    return tensors;
  tensors.resize(graph.tensors()->size());
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const schema::Tensor *source = graph.tensors()->Get(i);
    tensors[i].index = i;
    if (source->name())
      tensors[i].name = source->name()->str();
    NNHAL_RETURN_IF_ERROR(
        readTensor(tensors[i], model, *source, file, useExtensions)
            .withContext(describe(tensors[i])));
  }
  NNHAL_RETURN_IF_ERROR(readBlocks(tensors, graph));
  findEmptyLists(tensors, graph);
  return tensors;
}

} // namespace nnhal::rt::tflite
