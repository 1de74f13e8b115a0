//===- Options.cpp - Options of custom operators --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <flatbuffers/flexbuffers.h>

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite_custom;

Result<Options> Options::open(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(std::span<const uint8_t> stated, use.options());
  if (!flexbuffers::VerifyBuffer(stated.data(), stated.size()))
    return refuse("has ", stated.size(),
                  " bytes of custom options that are not a FlexBuffer");
  Options options(stated);
  if (!flexbuffers::GetRoot(options.bytes).IsMap())
    return refuse("has custom options that are not a map");
  return options;
}

static flexbuffers::Reference find(const std::vector<uint8_t> &bytes,
                                   const char *name) {
  return flexbuffers::GetRoot(bytes).AsMap()[name];
}

static bool isNumber(const flexbuffers::Reference &value) {
  return value.IsNumeric() || value.IsBool();
}

int32_t Options::integer(const char *name, int32_t least, int32_t most,
                         std::optional<int32_t> otherwise) {
  flexbuffers::Reference value = find(bytes, name);
  if (value.IsNull() && otherwise)
    return *otherwise;
  if (!isNumber(value)) {
    reject(refuse("custom option '", name, "' is missing"));
    return least;
  }
  int64_t given = value.AsInt64();
  if (given >= least && given <= most)
    return int32_t(given);
  reject(refuse("custom option '", name, "' is ", given, ", which is not in ",
                least, "..", most));
  return least;
}

std::vector<int32_t> Options::integers(const char *name, int32_t least,
                                       int32_t most) {
  flexbuffers::Reference value = find(bytes, name);
  std::vector<int32_t> given;
  auto read = [&](const auto &list) {
    for (size_t i = 0; i < list.size(); ++i) {
      int64_t element = isNumber(list[i]) ? list[i].AsInt64() : INT64_MIN;
      if (element < least || element > most) {
        reject(refuse("element ", i, " of custom option '", name,
                      "' is not an integer in ", least, "..", most));
        return;
      }
      given.push_back(int32_t(element));
    }
  };
  if (value.IsTypedVector())
    read(value.AsTypedVector());
  else if (value.IsVector())
    read(value.AsVector());
  if (given.empty())
    reject(refuse("custom option '", name, "' has no elements"));
  return given;
}

float Options::real(const char *name) {
  flexbuffers::Reference value = find(bytes, name);
  if (!isNumber(value)) {
    reject(refuse("custom option '", name, "' is missing"));
    return 0.0f;
  }
  float given = value.AsFloat();
  if (!std::isfinite(given))
    reject(refuse("custom option '", name, "' is ", given,
                  ", which is not finite"));
  return given;
}

bool Options::truth(const char *name) {
  flexbuffers::Reference value = find(bytes, name);
  return isNumber(value) && value.AsBool();
}
