//===- ModelFromView.h - A model from its view in C -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_MODELFROMVIEW_H
#define NNHAL_LIB_COMPILER_MODELFROMVIEW_H

#include "Runtime/CompilerClient/CompilerApi.h"
#include "nnhal/Runtime/Model.h"

namespace nnhal {

/// \p view as a model. Pools borrow the view's bytes; everything else is
/// copied. invalidArgument when the view is older than this reader needs or a
/// pointer is null where its count is not zero.
rt::Result<rt::AnnotatedModel> modelFromView(const NNHalModelView &view);

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_MODELFROMVIEW_H
