//===- RoundTrip.h - HAL model to IR, text, IR and back ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_MODELIR_ROUNDTRIP_H
#define NNHAL_TEST_UNIT_MODELIR_ROUNDTRIP_H

#include "nnhal/ModelIR/Model.h"

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace nnhal::test {

/// Imports \p model, prints and parses it when \p throughText, exports it.
/// A failure holds what was reported.
rt::Result<rt::AnnotatedModel> roundTrip(const rt::AnnotatedModel &model,
                                         bool throughText = true);

/// What differs between two models; empty when nothing does.
std::string difference(const rt::AnnotatedModel &expected,
                       const rt::AnnotatedModel &actual);

} // namespace nnhal::test

#endif // NNHAL_TEST_UNIT_MODELIR_ROUNDTRIP_H
