//===- NNHalToLinalg.h - nnhal to linalg ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CONVERSION_NNHALTOLINALG_H
#define NNHAL_CONVERSION_NNHALTOLINALG_H

#include "nnhal/Dialect/NNHal/IR/Target.h"
#include "nnhal/Runtime/Rounding.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

#include <map>
#include <tuple>

namespace nnhal {

#define GEN_PASS_DECL_CONVERTNNHALTOLINALG
#include "nnhal/Conversion/Passes.h.inc"

/// The state that the patterns of one conversion share: the policy of the
/// target and how integers are scaled.
///
/// Ownership: the caller's; must outlive the patterns.
/// Threads:   one conversion on one thread.
class LinalgLowering {
public:
  /// \p policy outlives this object.
  LinalgLowering(const LoweringPolicy &policy, rt::Rounding rounding)
      : policy(policy), rounding(rounding) {}

  const LoweringPolicy &getPolicy() const { return policy; }
  rt::Rounding getRounding() const { return rounding; }

private:
  const LoweringPolicy &policy;
  rt::Rounding rounding;
};

/// Adds the lowerings of all families. About an operation that none of them
/// takes there is a remark, which says why.
void populateNNHalToLinalgPatterns(const mlir::TypeConverter &converter,
                                   mlir::RewritePatternSet &patterns,
                                   LinalgLowering &lowering);

// Rewrites among nnhal operations that pay only below them. The statistics, if
// not null, count what is rewritten.

/// A pad of zeros around height and width becomes part of the convolution that
/// reads it.
void populatePadFoldingPatterns(mlir::RewritePatternSet &patterns,
                                mlir::Pass::Statistic *numFolded);
/// A contraction of float16 becomes one of float32 between conversions.
void populateHalfContractionPatterns(mlir::RewritePatternSet &patterns,
                                     mlir::Pass::Statistic *numWidened);
/// A transposed convolution of known extents and constant weights becomes a
/// convolution whose channels are the pixels between those of its input.
void populateTransposedConvolutionPatterns(mlir::RewritePatternSet &patterns,
                                           mlir::Pass::Statistic *numConvolved);
/// The steps of a recurrent cell, an operation for each, become a loop around
/// one.
void populateStepRollingPatterns(mlir::RewritePatternSet &patterns,
                                 mlir::Pass::Statistic *numRolled);

} // namespace nnhal

#endif // NNHAL_CONVERSION_NNHALTOLINALG_H
