//===- SharedOptions.h - Options of several passes --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names that values of options have in textual pipelines, of options that
// passes share with each other and with `nnhal-compile`.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CONVERSION_SHAREDOPTIONS_H
#define NNHAL_CONVERSION_SHAREDOPTIONS_H

#include "nnhal/Runtime/Rounding.h"

#include "llvm/Support/CommandLine.h"

namespace nnhal {

/// The values of the option `rounding` (decisions 17).
inline llvm::cl::ValuesClass roundingValues() {
  using rt::Rounding;
  return llvm::cl::values(
      clEnumValN(Rounding::doubleRounding, "double",
                 "Doubling high multiplication, then a rounding shift"),
      clEnumValN(Rounding::singleRounding, "single",
                 "The same multiplier, rounded once"),
      clEnumValN(Rounding::floatRounding, "float",
                 "A float multiplier, halves to even"));
}

} // namespace nnhal

#endif // NNHAL_CONVERSION_SHAREDOPTIONS_H
