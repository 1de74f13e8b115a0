//===- Compliance.h - Models of older HAL versions --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Whether a model, a request or a status can be handed to a driver of an older
// version, and what it looks like there (K-030 to K-039, C-100, C-101). Those
// of capabilities are in Capabilities.h. Timing and OutputShape are the same in
// every version that has them (K-036).
//
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_COMPLIANCE_H
#define NNHAL_RUNTIME_COMPLIANCE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Model.h"

#include <cstdint>
#include <vector>

namespace nnhal::rt {

/// Returns success when \p model is valid as one of \p version (K-030);
/// otherwise fails like validateModel(). Whether a model is relaxed does not
/// matter, even in 1.0 (K-031).
NNHAL_API Status checkCompliance(const Model &model, HalVersion version);

/// Returns the operations of the main subgraph, ascending, that \p version does
/// not have: in this form, with these operand types, or with constants in such
/// a pool (K-032, I-068). An empty list does not make the whole model
/// compliant: an operand that no operation names may be new in a later version.
///
/// Fails with invalidArgument for a model that is valid in no version.
NNHAL_API Result<std::vector<uint32_t>>
nonCompliantOperations(const Model &model, HalVersion version);

/// Converts \p model to \p version. Lifetimes, types and operation codes keep
/// their numbers. Towards an older version the model loses the relaxed
/// flag below 1.1 and extra parameters below 1.2 (K-031, K-034); towards a
/// newer one it gains nothing, because it comes from a version without
/// extensions and referenced subgraphs (K-033). Up and then down again is the
/// identity (K-038).
///
/// Fails like checkCompliance() when the model is not compliant, because nobody
/// may use the remains that such a conversion would leave.
NNHAL_API Result<Model> convertTo(Model model, HalVersion version);

/// Converts the operand alone (K-034); whether its type exists in \p version is
/// not looked at.
NNHAL_API Operand convertTo(Operand operand, HalVersion version);

/// Returns success when a driver of \p version can take the memory of
/// \p request: no hardware buffers below 1.2, no device memory below 1.3
/// (K-035, K-039). Otherwise fails with invalidArgument, which names the
/// argument. Borrowed and copied bytes are in no pool: a program that speaks to
/// the driver puts them into a pool that the driver knows.
NNHAL_API Status checkCompliance(const Request &request, HalVersion version);

/// Converts \p code to \p version: below 1.3 failures about deadlines and
/// resources are general failures (C-101).
NNHAL_API StatusCode convertTo(StatusCode code, HalVersion version);

/// Returns the status that a driver's \p value stands for; values that no
/// version has are general failures (C-100).
NNHAL_API StatusCode statusCodeOf(uint32_t value);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_COMPLIANCE_H
