//===- ModelCalls.h - Models by calls, to a failure -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_MODELCALLS_H
#define NNHAL_TEST_NDK_MODELCALLS_H

#include "NdkObjects.h"

#include "nnhal/Runtime/Model.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace nnhal::test {

/// The calls that state a model, as a set.
enum class Call : uint32_t {
  none = 0,
  addOperand = 1,
  setParams = 2,
  setValue = 4,
  addOperation = 8,
  identify = 16,
  finish = 32,
};
constexpr Call operator|(Call a, Call b) {
  return Call(uint32_t(a) | uint32_t(b));
}
constexpr bool contains(Call set, Call call) {
  return (uint32_t(set) & uint32_t(call)) != 0;
}
std::string_view nameOf(Call call);

/// A model as far as it could be stated.
struct CalledModel {
  NdkModel model;
  std::vector<CalledModel> referenced;
  /// The call that failed, and with what; none and NO_ERROR for a finished
  /// model.
  Call failed = Call::none;
  int code = ANEURALNETWORKS_NO_ERROR;
};

/// States the main graph of \p model, which outlives the result. Nothing is
/// checked here but what a client could not even say: the regions of constants
/// lie within their memory.
CalledModel callModel(const rt::Model &model);

} // namespace nnhal::test

#endif // NNHAL_TEST_NDK_MODELCALLS_H
