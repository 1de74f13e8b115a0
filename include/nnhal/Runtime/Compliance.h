//===- Compliance.h - What older HAL versions can say -----------*- C++ -*-===//
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

/// Success when \p model is valid as one of \p version (K-030); otherwise what
/// validateModel() says. That a model is relaxed does not matter, in 1.0
/// neither (K-031).
NNHAL_API Status checkCompliance(const Model &model, HalVersion version);

/// The operations of the main subgraph, ascending, that \p version does not
/// have: in this form, with these operand types, or with constants in such a
/// pool (K-032, I-068). Empty is not compliance of the whole model: an operand
/// that no operation names may be what a version does not have.
///
/// invalidArgument for a model that is valid in no version.
NNHAL_API Result<std::vector<uint32_t>>
nonCompliantOperations(const Model &model, HalVersion version);

/// \p model as one of \p version. Lifetimes, types and operation codes keep
/// their numbers. Towards an older version it loses the relaxed flag
/// below 1.1 and extra parameters below 1.2 (K-031, K-034); towards a newer one
/// it gains nothing: it comes from a version without extensions and referenced
/// subgraphs (K-033). Up and then down again is the identity (K-038).
///
/// What checkCompliance() says when the model is not compliant: nobody may use
/// what such a conversion would leave of it.
NNHAL_API Result<Model> convertTo(Model model, HalVersion version);

/// The operand alone (K-034); whether its type exists in \p version is not
/// looked at.
NNHAL_API Operand convertTo(Operand operand, HalVersion version);

/// Success when a driver of \p version can take the memory of \p request: no
/// hardware buffers below 1.2, no device memory below 1.3 (K-035, K-039);
/// otherwise invalidArgument, which names the argument. Borrowed and copied
/// bytes are nobody's pool: whoever speaks to the driver puts them into one
/// that it knows.
NNHAL_API Status checkCompliance(const Request &request, HalVersion version);

/// \p code as \p version knows it: below 1.3 deadlines and resources are
/// general failures (C-101).
NNHAL_API StatusCode convertTo(StatusCode code, HalVersion version);

/// The status that a driver's \p value stands for; values that no version has
/// are general failures (C-100).
NNHAL_API StatusCode statusCodeOf(uint32_t value);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_COMPLIANCE_H
