//===- AllowList.h - Programs that may use extensions -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_ALLOWLIST_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_ALLOWLIST_H

#include "nnhal/Runtime/Status.h"

#include <string>

namespace nnhal::ndk {

/// The list of a machine, where NNHAL_EXTENSIONS_ALLOWLIST names no other.
inline constexpr const char *systemAllowList =
    "/etc/nnhal/nnapi_extensions_app_allowlist";

/// Returns whether the file \p list lets the program \p executable, an absolute
/// path, use extensions. Where there is no such file every program may (H-043).
/// A line that begins with '/' is the path of an executable; other lines count
/// for nothing, those with names of Java packages included (H-037).
///
/// The list keeps programs from using extensions by accident. It is no defence:
/// a program can talk to devices without this library (H-021).
///
/// Fails with invalidArgument when the file belongs to neither root nor the
/// user of the process, when others can write to it, and when it cannot be
/// read.
rt::Result<bool> allowsExtensions(const std::string &list,
                                  const std::string &executable);

/// The absolute path of the program of this process; empty where the system
/// does not tell.
std::string thisExecutable();

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_ALLOWLIST_H
