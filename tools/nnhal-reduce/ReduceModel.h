//===- ReduceModel.h - Smaller models with the same fault -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's reduction-tree knows operations and regions. This pass knows models:
// it takes the end off a graph by returning what is computed in the middle, and
// the beginning by making what is computed an input, so that what is left can
// be executed.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_REDUCE_REDUCEMODEL_H
#define NNHAL_TOOLS_NNHAL_REDUCE_REDUCEMODEL_H

namespace nnhal {

/// Makes the pass nnhal-reduce-model known to pipelines.
void registerReduceModel();

} // namespace nnhal

#endif // NNHAL_TOOLS_NNHAL_REDUCE_REDUCEMODEL_H
