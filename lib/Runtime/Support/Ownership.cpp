//===- Ownership.cpp - Whose a file is ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ownership.h"

#include "Errors.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace nnhal::rt;

Status nnhal::rt::checkOwnership(std::string_view what,
                                 const struct stat &info) {
  if (info.st_uid != 0 && info.st_uid != ::geteuid())
    return badData("{} belongs to user {}, neither to root nor to user {}",
                   what, info.st_uid, ::geteuid());
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return badData("{} can be written to by other users (mode {:04o})", what,
                   info.st_mode & 07777);
  return Status::ok();
}
