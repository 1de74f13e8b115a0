//===- Sandbox.h - What a process of the service may still do ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that works for clients gives up what it does not need before it
// hears of the first one: new privileges, the capabilities of its user, files
// by Landlock, system calls by seccomp. None of it can be taken back.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SANDBOX_SANDBOX_H
#define NNHAL_LIB_SERVICE_SANDBOX_SANDBOX_H

#include "nnhal/Runtime/Device.h"

#include <string>
#include <vector>

namespace nnhal::service {

struct SandboxRules {
  rt::ProcessNeeds needs;
  /// Folders in which files may be read, made, changed and removed. They exist.
  std::vector<std::string> folders;
  /// Files, and folders of files, that may be read.
  std::vector<std::string> readable = {};
};

/// Takes the first steps of enterSandbox(): new privileges, capabilities and
/// Landlock. What \p rules allow has to contain what those of enterSandbox()
/// allow later. For a process that has to load drivers which start threads:
/// these have no more rights than the calling thread when they are started.
///
/// Fails like enterSandbox().
rt::Status beginSandbox(const SandboxRules &rules);

/// Sandboxes this process for the rest of its life. Descriptors that are open
/// stay usable, and so do those that arrive later.
///
/// Threads: Landlock holds for the calling thread and those that it starts, so
///          that the process should have no other yet; seccomp holds for all.
///
/// Returns what is in force, one text for each layer; what the kernel does not
/// have is named, too. Fails with generalFailure when a layer that the kernel
/// has cannot be set, or a folder or device node cannot be opened.
rt::Result<std::vector<std::string>> enterSandbox(const SandboxRules &rules);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SANDBOX_SANDBOX_H
