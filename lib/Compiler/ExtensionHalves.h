//===- ExtensionHalves.h - Dialects of extensions, in plug-ins --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The half of an extension that is for the compiler: a library NAME.compiler.so
// in a folder that the caller states, or in nnhal/extensions beside the
// compiler, which brings the dialect that raises and lowers operations of the
// extension NAME. Without it all of them become calls.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_EXTENSIONHALVES_H
#define NNHAL_LIB_COMPILER_EXTENSIONHALVES_H

#include "nnhal/Runtime/Status.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace nnhal {

/// Returns the folder nnhal/extensions beside the library that this is part of;
/// empty where the library cannot be found.
std::string folderOfHalves();

/// Opens all halves in \p folder, once, and never closes them. Whoever takes a
/// process the right to open files does so before. Returns false where there is
/// no memory for it. Threads: any.
bool openExtensionHalves(const std::string &folder);

/// Adds to \p registry what the half of \p extension brings, which is that of
/// the first of \p folders, and of folderOfHalves() after these, that has one,
/// and returns whether any has. Fails, with a message that names the file, when
/// others could have written it or it is not a half of this version of the
/// library; the compiler then does without. Threads: any.
rt::Result<bool> addExtensionHalf(llvm::StringRef extension,
                                  llvm::ArrayRef<std::string> folders,
                                  mlir::DialectRegistry &registry);

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_EXTENSIONHALVES_H
