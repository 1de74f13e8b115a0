//===- Ownership.h - Whose a file is ----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_OWNERSHIP_H
#define NNHAL_LIB_RUNTIME_SUPPORT_OWNERSHIP_H

#include "nnhal/Runtime/Status.h"

#include <string_view>
#include <sys/stat.h>

namespace nnhal::rt {

/// Fails with invalidArgument when others than root and the user of this
/// process can write to the file or directory that \p info is of; the message
/// calls it \p what.
Status checkOwnership(std::string_view what, const struct stat &info);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_OWNERSHIP_H
