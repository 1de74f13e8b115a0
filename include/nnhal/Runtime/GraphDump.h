//===- GraphDump.h - A model as a Graphviz graph ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_GRAPHDUMP_H
#define NNHAL_RUNTIME_GRAPHDUMP_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Model.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// Facts about one operation beside the model.
struct OperationNote {
  /// The device that has it; empty when none has it or none was asked.
  std::string device;
  /// Why no device has it; such operations stand out.
  std::string obstacle;
  std::optional<double> microseconds;
};

/// Everything that a dump shows beside the model. Lists that are shorter than
/// the lists that they describe leave the rest without a note.
struct GraphNotes {
  /// One note per operation of the main subgraph.
  std::vector<OperationNote> operations;
  /// One name per main input and output, as in AnnotatedModel.
  std::span<const std::string> inputNames = {};
  std::span<const std::string> outputNames = {};
};

/// The main subgraph of \p model in the DOT language (K-016 to K-021, K-023):
/// operand i is the node d<i>, operation i the box n<i>. \p model need not be
/// valid, and no text from it or \p title can become syntax.
///
///   d3 [label="3: TF32 COPY\n1x224x224x3"]
///   d0 -> n0 [label="0"]
NNHAL_API std::string graphDump(std::string_view title, const Model &model,
                                const GraphNotes &notes = {});

/// Writes the same graph as lines of \p tag, or nothing when \p tag is off
/// (K-022, K-024). Models are dumped with LogTag::model when a device first
/// sees them, their parts with LogTag::compilation.
NNHAL_API void graphDump(std::string_view title, const Model &model,
                         const Log &log, LogTag tag = LogTag::model);

/// Returns the type in short, "TF32" for TENSOR_FLOAT32 (K-017).
NNHAL_API std::string shortNameOf(OperandType type);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_GRAPHDUMP_H
