//===- Contents.cpp - Elements as numbers of a message --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contents.h"

#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

using namespace nnhal;
using namespace nnhal::serving;
using inference::InferTensorContents;

namespace {
/// One of the fields for elements.
struct Field {
  std::string_view name;
  int (InferTensorContents::*size)() const;
};
} // namespace

static constexpr Field fields[] = {
    {"bool_contents", &InferTensorContents::bool_contents_size},
    {"int_contents", &InferTensorContents::int_contents_size},
    {"int64_contents", &InferTensorContents::int64_contents_size},
    {"uint_contents", &InferTensorContents::uint_contents_size},
    {"uint64_contents", &InferTensorContents::uint64_contents_size},
    {"fp32_contents", &InferTensorContents::fp32_contents_size},
    {"fp64_contents", &InferTensorContents::fp64_contents_size},
    {"bytes_contents", &InferTensorContents::bytes_contents_size}};

/// The name of the field for elements of \p type; empty for FP16.
static std::string_view fieldOf(DataType type) {
  switch (type) {
  case DataType::boolean:
    return "bool_contents";
  case DataType::int8:
  case DataType::int16:
  case DataType::int32:
    return "int_contents";
  case DataType::int64:
    return "int64_contents";
  case DataType::uint8:
  case DataType::uint16:
  case DataType::uint32:
    return "uint_contents";
  case DataType::uint64:
    return "uint64_contents";
  case DataType::fp32:
    return "fp32_contents";
  case DataType::fp64:
    return "fp64_contents";
  case DataType::fp16:
    break;
  }
  return {};
}

/// The elements that \p shape has; nothing for a shape that no tensor has,
/// which the model refuses.
static std::optional<uint64_t> elementsOf(const std::vector<int64_t> &shape) {
  uint64_t elements = 1;
  for (int64_t extent : shape)
    if (extent < 0 ||
        __builtin_mul_overflow(elements, uint64_t(extent), &elements))
      return std::nullopt;
  return elements;
}

/// Checks that \p contents have the elements of \p tensor in the field of its
/// type, and no others.
static Outcome checkFields(const InferTensorContents &contents,
                           const RequestTensor &tensor) {
  std::string_view expected = fieldOf(tensor.type);
  if (expected.empty())
    return refuse(OutcomeCode::invalidArgument,
                  "input '{}': contents have no numbers of FP16, which is sent "
                  "in raw_input_contents",
                  tensor.name);
  int count = 0;
  for (const Field &field : fields) {
    int found = (contents.*field.size)();
    if (field.name == expected)
      count = found;
    else if (found > 0)
      return refuse(OutcomeCode::invalidArgument,
                    "input '{}': contents have {} elements in {}, and those of "
                    "{} belong into {}",
                    tensor.name, found, field.name, nameOf(tensor.type),
                    expected);
  }
  std::optional<uint64_t> elements = elementsOf(tensor.shape);
  if (elements && *elements != uint64_t(count))
    return refuse(OutcomeCode::invalidArgument,
                  "input '{}': contents have {} elements in {}, and shape [{}] "
                  "has {}",
                  tensor.name, count, expected, fmt::join(tensor.shape, ","),
                  *elements);
  return Outcome();
}

template <typename Elements>
static std::span<const std::byte> bytesOf(const Elements &elements) {
  return std::as_bytes(std::span(elements.data(), size_t(elements.size())));
}

/// Copies \p elements to \p narrowed as values of Narrow.
template <typename Narrow, typename Elements>
static Outcome narrow(const Elements &elements, NarrowedElements &narrowed,
                      RequestTensor &tensor) {
  std::vector<std::byte> &bytes =
      narrowed.emplace_back(size_t(elements.size()) * sizeof(Narrow));
  for (int i = 0; i < elements.size(); ++i) {
    if (!std::in_range<Narrow>(elements[i]))
      return refuse(OutcomeCode::invalidArgument,
                    "input '{}': element {} is {}, and {} is from {} to {}",
                    tensor.name, i, elements[i], nameOf(tensor.type),
                    int(std::numeric_limits<Narrow>::min()),
                    int(std::numeric_limits<Narrow>::max()));
    auto value = Narrow(elements[i]);
    std::memcpy(bytes.data() + size_t(i) * sizeof(Narrow), &value,
                sizeof(Narrow));
  }
  tensor.data = bytes;
  return Outcome();
}

Outcome serving::readContents(const InferTensorContents &contents,
                              NarrowedElements &narrowed,
                              RequestTensor &tensor) {
  if (Outcome wrong = checkFields(contents, tensor); !wrong.isOk())
    return wrong;
  switch (tensor.type) {
  case DataType::boolean:
    static_assert(sizeof(bool) == 1, "elements of BOOL are bytes");
    tensor.data = bytesOf(contents.bool_contents());
    break;
  case DataType::int8:
    return narrow<int8_t>(contents.int_contents(), narrowed, tensor);
  case DataType::int16:
    return narrow<int16_t>(contents.int_contents(), narrowed, tensor);
  case DataType::int32:
    tensor.data = bytesOf(contents.int_contents());
    break;
  case DataType::int64:
    tensor.data = bytesOf(contents.int64_contents());
    break;
  case DataType::uint8:
    return narrow<uint8_t>(contents.uint_contents(), narrowed, tensor);
  case DataType::uint16:
    return narrow<uint16_t>(contents.uint_contents(), narrowed, tensor);
  case DataType::uint32:
    tensor.data = bytesOf(contents.uint_contents());
    break;
  case DataType::uint64:
    tensor.data = bytesOf(contents.uint64_contents());
    break;
  case DataType::fp32:
    tensor.data = bytesOf(contents.fp32_contents());
    break;
  case DataType::fp64:
    tensor.data = bytesOf(contents.fp64_contents());
    break;
  case DataType::fp16:
    break;
  }
  return Outcome();
}

/// Appends \p data, which has elements of type Element, to \p field.
template <typename Element, typename Elements>
static void append(std::span<const std::byte> data, Elements &field) {
  size_t count = data.size() / sizeof(Element);
  field.Reserve(int(count));
  for (size_t i = 0; i < count; ++i) {
    Element value;
    std::memcpy(&value, data.data() + i * sizeof(Element), sizeof(Element));
    field.AddAlreadyReserved(value);
  }
}

void serving::writeContents(const ResponseTensor &tensor,
                            InferTensorContents &contents) {
  switch (tensor.type) {
  case DataType::boolean:
    // A byte of a device may have any value but 0 for true.
    append<uint8_t>(tensor.data, *contents.mutable_bool_contents());
    break;
  case DataType::int8:
    append<int8_t>(tensor.data, *contents.mutable_int_contents());
    break;
  case DataType::int16:
    append<int16_t>(tensor.data, *contents.mutable_int_contents());
    break;
  case DataType::int32:
    append<int32_t>(tensor.data, *contents.mutable_int_contents());
    break;
  case DataType::int64:
    append<int64_t>(tensor.data, *contents.mutable_int64_contents());
    break;
  case DataType::uint8:
    append<uint8_t>(tensor.data, *contents.mutable_uint_contents());
    break;
  case DataType::uint16:
    append<uint16_t>(tensor.data, *contents.mutable_uint_contents());
    break;
  case DataType::uint32:
    append<uint32_t>(tensor.data, *contents.mutable_uint_contents());
    break;
  case DataType::uint64:
    append<uint64_t>(tensor.data, *contents.mutable_uint64_contents());
    break;
  case DataType::fp32:
    append<float>(tensor.data, *contents.mutable_fp32_contents());
    break;
  case DataType::fp64:
    append<double>(tensor.data, *contents.mutable_fp64_contents());
    break;
  case DataType::fp16:
    break;
  }
}
