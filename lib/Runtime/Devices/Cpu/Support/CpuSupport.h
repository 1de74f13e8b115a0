//===- CpuSupport.h - Operations that nnhal-cpu takes -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_CPU_SUPPORT_CPUSUPPORT_H
#define NNHAL_LIB_RUNTIME_DEVICES_CPU_SUPPORT_CPUSUPPORT_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Model.h"

#include <cstdint>
#include <span>

namespace nnhal::rt {

/// An operation that the compiler for CPUs lowers in its canonical form, to
/// micro-kernels and vector loops, when its operands are as the row says. It
/// takes every operation of the HAL; see checkCpuSupport().
struct CpuSupportRow {
  /// Bits of `types`.
  enum Types : uint32_t { float32 = 1, int32 = 2, bool8 = 4 };
  /// Values of `dataInputs`.
  static constexpr int allInputs = -1;
  static constexpr int allButLast = -2;

  OperationType type;
  /// Types of the tensor inputs and outputs.
  uint32_t types;
  /// The number of leading inputs that may be computed while the model runs.
  /// The others are parameters, which the canonical form has as constants.
  int dataInputs;
};

/// All rows, in order of operation codes.
std::span<const CpuSupportRow> cpuSupportTable();

/// Returns success when the compiler for CPUs takes \p operation of \p subgraph
/// (decisions 3): every operation of the HAL, but scalars that choose what is
/// compiled must be constants, and ranks known. Otherwise fails with
/// invalidArgument; the message says which operand is in the way and why.
/// Extents of intermediate values may be unknown: the compiler infers them.
/// \p model must have passed validateModel().
///
/// Threads: pure function.
Status checkCpuSupport(const Model &model, const Subgraph &subgraph,
                       const Operation &operation);

/// Whether the compiler for CPUs lowers \p operation in its canonical form: a
/// row of the table, static tensors with elements, constant parameters. Others
/// are lowered in the HAL's form.
/// Threads: pure function.
bool isLoweredCanonically(const OperationView &operation);

/// Returns success when the compiler for CPUs can pass every input and output
/// of the main subgraph of \p model, unread ones too. Otherwise fails with
/// invalidArgument, which names the first that it cannot pass. Such a model is
/// not compiled, whatever its operations are.
///
/// Threads: pure function.
Status checkCpuInterface(const Model &model);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_CPU_SUPPORT_CPUSUPPORT_H
