//===- WorkSets.h - The work that options are for ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_WORKSETS_H
#define NNHAL_TOOLS_NNHAL_RUN_WORKSETS_H

#include "OptionTable.h"

namespace nnhal::run {

inline constexpr WorkSet bit(Work work) { return WorkSet(work); }

inline constexpr WorkSet executeSource =
    bit(Work::executeTFLite) | bit(Work::executeJson);
inline constexpr WorkSet execute =
    executeSource | bit(Work::executeMlir) | bit(Work::executeArtifact);
inline constexpr WorkSet emitSource =
    bit(Work::emitTFLite) | bit(Work::emitJson);
inline constexpr WorkSet emit = emitSource | bit(Work::emitMlir);
inline constexpr WorkSet draw = bit(Work::drawTFLite) | bit(Work::drawJson);
/// A model is compiled.
inline constexpr WorkSet compile =
    executeSource | bit(Work::executeMlir) | emit;
inline constexpr WorkSet checkCompile = bit(Work::check) | bit(Work::checkEmit);
inline constexpr WorkSet checkExecute =
    bit(Work::check) | bit(Work::checkArtifacts);
inline constexpr WorkSet anyCheck = checkCompile | checkExecute;
/// Recorded executions are prepared and executed.
inline constexpr WorkSet replay = bit(Work::replay);
inline constexpr WorkSet everything = ~WorkSet(0);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_WORKSETS_H
