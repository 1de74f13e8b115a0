//===- Work.h - How much an execution has to do -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_WORK_H
#define NNHAL_LIB_TOOLS_BENCHMARK_WORK_H

#include "nnhal/Runtime/Model.h"

namespace nnhal::tools {

/// What every execution of a model does, however it is compiled.
struct Work {
  /// Multiplications and additions of convolutions, of what is fully connected,
  /// and of the weights of RNN and LSTM, outside of IF and WHILE.
  double arithmetic = 0.0;
  /// Bytes of the constants that operations read, and of inputs and outputs.
  double traffic = 0.0;
  /// The largest part of the arithmetic is of 8-bit integers.
  bool isQuantized = false;
};

/// Unknown extents count as 1.
Work workOf(const rt::Model &model);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_WORK_H
