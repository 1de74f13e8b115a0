//===- Patterns.cpp - All lowerings of one conversion ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace nnhal;

void nnhal::populateNNHalToLinalgPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns,
                                          LinalgLowering &lowering) {
  populateConstantPatterns(converter, patterns);
  populateOperationPatterns(converter, patterns, lowering);
}
