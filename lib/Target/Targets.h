//===- Targets.h - The targets of this compiler -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_TARGETS_H
#define NNHAL_LIB_TARGET_TARGETS_H

#include "TargetBackend.h"

namespace nnhal {

/// The name of the target that is compiled for where none is asked for.
inline constexpr llvm::StringLiteral defaultTargetName = "cpu";

/// One for each folder of lib/Target.
llvm::ArrayRef<const TargetBackend *> builtInTargets();

/// The one of \p targets with \p name. Fails with invalidArgument, naming those
/// that there are.
rt::Result<const TargetBackend *>
findTargetByName(llvm::ArrayRef<const TargetBackend *> targets,
                 llvm::StringRef name);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_TARGETS_H
