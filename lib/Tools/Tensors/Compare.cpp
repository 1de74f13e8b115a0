//===- Compare.cpp - Outputs against expectations -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;

static bool hasHalfFloats(const rt::Subgraph &subgraph) {
  return std::ranges::any_of(subgraph.operands, [](const auto &operand) {
    return operand.type == rt::OperandType::TENSOR_FLOAT16;
  });
}

bool tools::isRelaxed(const rt::Model &model) {
  return model.relaxComputationFloat32toFloat16 || hasHalfFloats(model.main) ||
         std::ranges::any_of(model.referenced, hasHalfFloats);
}

/// Opaque elements are compared as bytes, which are no numbers.
static Bounds boundsForKind(rt::ElementKind kind) {
  using enum rt::ElementKind;
  bool isReal = kind == float32 || kind == float64 || kind == complex64;
  if (kind == float16)
    return {5 * 0x1p-10, 5 * 0x1p-10};
  return isReal ? Bounds{1e-5, 5 * 0x1p-23} : Bounds();
}

Bounds tools::boundsFor(rt::OperandType type, bool isRelaxed,
                        rt::ElementKind kind) {
  constexpr Bounds half = {5 * 0x1p-10, 5 * 0x1p-10};
  using enum rt::OperandType;
  if (rt::isExtension(type))
    return boundsForKind(kind);
  switch (type) {
  case FLOAT32:
  case TENSOR_FLOAT32:
    return isRelaxed ? half : Bounds{1e-5, 5 * 0x1p-23};
  case FLOAT16:
  case TENSOR_FLOAT16:
    return half;
  case BOOL:
  case TENSOR_BOOL8:
    return {};
  default:
    return {1.0, 0.0};
  }
}

Bounds tools::boundsFor(const Tolerance &tolerance, rt::OperandType type,
                        bool isRelaxed, double largestExpected,
                        rt::ElementKind kind) {
  switch (tolerance.kind) {
  case Tolerance::Kind::byType:
    return boundsFor(type, isRelaxed, kind);
  case Tolerance::Kind::range: {
    Bounds bounds = boundsFor(rt::OperandType::TENSOR_FLOAT32, isRelaxed);
    double factor = std::max(1.0, largestExpected);
    return {bounds.atol * factor, bounds.rtol * factor};
  }
  case Tolerance::Kind::exact:
    return {};
  case Tolerance::Kind::steps:
  case Tolerance::Kind::absolute:
    return {tolerance.amount, 0.0};
  }
  return {};
}

/// The expectation in any element type, without a shape for raw files.
static rt::Result<NpyArray> readExpected(const OutputTensor &output,
                                         const std::string &path,
                                         bool &hasShape) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory memory, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  hasShape = path.ends_with(".npy");
  if (hasShape) {
    auto array = readNpy(bytes);
    if (!array.isOk())
      return std::move(array).takeStatus().withContext(
          fmt::format("'{}'", path));
    return array;
  }
  NpyArray array;
  array.format = &formatOf(output.type, output.kind);
  array.data.assign(bytes.begin(), bytes.end());
  return array;
}

std::string tools::positionText(uint64_t flat,
                                std::span<const uint32_t> shape) {
  std::vector<uint64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = flat % shape[i];
    flat /= shape[i];
  }
  return fmt::format("[{}]", fmt::join(index, ","));
}

/// Returns the distance of two numbers, which is exact for integers.
static double distance(const ElementFormat &actualFormat,
                       const std::byte *actual,
                       const ElementFormat &expectedFormat,
                       const std::byte *expected) {
  if (actualFormat.descr != expectedFormat.descr ||
      (actualFormat.descr != "<i8" && actualFormat.descr != "<u8"))
    return std::abs(actualFormat.load(actual) - expectedFormat.load(expected));
  uint64_t is, wanted;
  std::memcpy(&is, actual, sizeof(is));
  std::memcpy(&wanted, expected, sizeof(wanted));
  // Signed numbers have the order of unsigned ones that are moved by 2^63.
  const uint64_t sign = actualFormat.descr == "<i8" ? uint64_t(1) << 63 : 0;
  return double((is ^ sign) > (wanted ^ sign) ? is - wanted : wanted - is);
}

static bool agrees(double actual, double expected, double distance,
                   const Bounds &bounds) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual))
    return actual == expected;
  return distance <= bounds.atol + bounds.rtol * std::abs(expected);
}

Differences tools::compareElements(const ElementFormat &actualFormat,
                                   const std::byte *actual,
                                   const ElementFormat &expectedFormat,
                                   const std::byte *expected, uint64_t count,
                                   const Bounds &bounds) {
  Differences found;
  const uint32_t numbers = actualFormat.numbers;
  for (uint64_t i = 0; i < count * numbers; ++i) {
    const std::byte *own = actual + i * (actualFormat.size / numbers);
    const std::byte *other = expected + i * (expectedFormat.size / numbers);
    double is = actualFormat.load(own);
    double wanted = expectedFormat.load(other);
    double difference = distance(actualFormat, own, expectedFormat, other);
    if (difference > found.worst)
      found.worst = difference;
    if (agrees(is, wanted, difference, bounds))
      continue;
    if (found.count++ == 0) {
      found.first = i / numbers;
      found.actual = is;
      found.expected = wanted;
    }
  }
  return found;
}

rt::Result<std::string> tools::compareWithFile(const OutputTensor &output,
                                               size_t index,
                                               const std::string &path,
                                               const Tolerance &tolerance,
                                               bool isRelaxed) {
  bool hasShape = false;
  NNHAL_ASSIGN_OR_RETURN(NpyArray array, readExpected(output, path, hasShape));
  std::string label = output.name.empty()
                          ? fmt::format("output {}", index)
                          : fmt::format("output {} ('{}')", index, output.name);
  const std::vector<uint32_t> shape = fileShape(
      output.type, output.dimensions, output.bytes.size(), output.kind);
  if (hasShape && !std::equal(array.shape.begin(), array.shape.end(),
                              shape.begin(), shape.end()))
    return badData("{} has shape [{}], '{}' has [{}]", label,
                   fmt::join(shape, ","), path, fmt::join(array.shape, ","));
  const ElementFormat &format = formatOf(output.type, output.kind);
  if (format.numbers != array.format->numbers)
    return badData("{} has elements '{}', '{}' has '{}'", label, format.descr,
                   path, array.format->descr);
  uint64_t count = output.bytes.size() / format.size;
  if (array.data.size() != count * array.format->size)
    return badData("{} of shape [{}] has {} bytes, '{}' has {}", label,
                   fmt::join(output.dimensions, ","), output.bytes.size(), path,
                   array.data.size());

  auto expectedAt = [&](uint64_t i) {
    return array.format->load(array.data.data() +
                              i * (array.format->size / format.numbers));
  };
  double largest = 0.0;
  for (uint64_t i = 0; i < count * format.numbers; ++i)
    if (double value = std::abs(expectedAt(i)); std::isfinite(value))
      largest = std::max(largest, value);
  Bounds bounds =
      boundsFor(tolerance, output.type, isRelaxed, largest, output.kind);

  Differences found =
      compareElements(format, output.bytes.data(), *array.format,
                      array.data.data(), count, bounds);
  if (found.count == 0)
    return fmt::format("{} agrees with '{}': largest difference {:.3g} over "
                       "{} elements",
                       label, path, found.worst, count);
  return rt::failure(
      "{} differs from '{}': element {} {} is {}, expected {} within {:.3g}; "
      "{} of {} elements differ, the largest difference is {:.3g}",
      label, path, found.first, positionText(found.first, shape), found.actual,
      found.expected, bounds.atol + bounds.rtol * std::abs(found.expected),
      found.count, count, found.worst);
}
