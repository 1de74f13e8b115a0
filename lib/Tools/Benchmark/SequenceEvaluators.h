//===- SequenceEvaluators.h - How right sequences of frames are -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_SEQUENCEEVALUATORS_H
#define NNHAL_LIB_TOOLS_BENCHMARK_SEQUENCEEVALUATORS_H

#include "Evaluators.h"

namespace nnhal::tools {

/// Speech synthesis: each frame has four times 40 amplitudes, 7 aperiodicities,
/// the logarithm of the pitch (F0) and a number above 0 where there is one. The
/// root mean square distance of the amplitudes but the first of each, and of
/// the pitches where both have one; the largest of all samples is reported.
/// Fails with invalidArgument for a file of means that is none.
rt::Result<std::unique_ptr<Evaluator>>
makeMelCepLogF0(const EvaluatorRequest &request);

/// Speech recognition: the largest element of each frame is its phone. The edit
/// distance of the phones to those expected, in percent of the frames; the
/// largest of all samples is reported.
std::unique_ptr<Evaluator> makePhoneErrorRate(const EvaluatorRequest &request);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_SEQUENCEEVALUATORS_H
