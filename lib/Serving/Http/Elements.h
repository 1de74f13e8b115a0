//===- Elements.h - Elements of tensors in JSON -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_ELEMENTS_H
#define NNHAL_LIB_SERVING_HTTP_ELEMENTS_H

#include "Serving/Core/DataType.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace nnhal::serving {

/// A value of JSON that is no list and no object; monostate for null.
using JsonValue = std::variant<std::monostate, bool, int64_t, uint64_t, double,
                               std::string *>;

/// Returns \p value as messages show it.
std::string textOf(const JsonValue &value);

/// Appends \p value as an element of \p type. Returns whether it is one:
/// numbers within the type's bounds, whole ones for integers, and for BOOL
/// true, false, 1 and 0.
bool appendElement(const JsonValue &value, DataType type,
                   std::vector<std::byte> &elements);

/// Appends the elements of \p type in \p bytes, separated by commas. Returns
/// whether JSON has numbers for all: it has none for infinities and NaN.
bool appendJson(DataType type, std::span<const std::byte> bytes,
                std::string &text);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_ELEMENTS_H
