//===- Sandbox.cpp - What a process of the service may still do -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sandbox.h"

#include "Landlock.h"
#include "Seccomp.h"

#include "Runtime/Support/Errors.h"

#include <cerrno>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using rt::Status;

static std::string errorText() {
  return std::generic_category().message(errno);
}

/// A service that runs as root, or was given capabilities, hands none on.
static Status dropCapabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capset, &header, none) != 0)
    return rt::failure("cannot drop capabilities: {}", errorText());
  return Status::ok();
}

static Status dropPrivileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return rt::failure("cannot give up new privileges: {}", errorText());
  return dropCapabilities();
}

Status service::beginSandbox(const SandboxRules &rules) {
  NNHAL_RETURN_IF_ERROR(dropPrivileges());
  return restrictFiles(rules).status();
}

rt::Result<std::vector<std::string>>
service::enterSandbox(const SandboxRules &rules) {
  NNHAL_RETURN_IF_ERROR(dropPrivileges());
  std::vector<std::string> inForce = {"no new privileges", "no capabilities"};
  NNHAL_ASSIGN_OR_RETURN(inForce.emplace_back(), restrictFiles(rules));
  // The last one: the filter forbids what the others need.
  NNHAL_ASSIGN_OR_RETURN(inForce.emplace_back(), restrictCalls(rules.needs));
  return inForce;
}
