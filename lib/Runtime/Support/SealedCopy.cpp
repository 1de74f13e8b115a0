//===- SealedCopy.cpp - Bytes that nobody can change ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SealedCopy.h"

#include "AtomicFile.h"
#include "Errors.h"
#include "FileLimit.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>

using namespace nnhal::rt;

// Older C libraries do not know the flag.
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static std::string errorText(int code) {
  return std::generic_category().message(code);
}

static UniqueFd createMemoryFile(SealedContent content) {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  if (content == SealedContent::message)
    return UniqueFd(::memfd_create("nnhal-message", flags));
  // Where vm.memfd_noexec asks for it the file must be declared executable;
  // kernels before 6.3 do not know the flag.
  UniqueFd fd(::memfd_create("nnhal-code", flags | MFD_EXEC));
  if (!fd.isValid() && errno == EINVAL)
    fd = UniqueFd(::memfd_create("nnhal-code", flags));
  return fd;
}

Result<UniqueFd> nnhal::rt::sealedCopy(std::span<const std::byte> bytes,
                                       SealedContent content) {
  const char *noun = content == SealedContent::code ? "code" : "a message";
  UniqueFd fd = createMemoryFile(content);
  if (!fd.isValid())
    return outOfResources("cannot create a memory file for {}: {}", noun,
                          errorText(errno));
  if (isBeyondFileLimit(bytes.size()))
    return outOfResources("cannot copy {} bytes of {}: {}", bytes.size(), noun,
                          errorText(errno));
  if (Status written = writeAll(fd.get(), bytes); !written.isOk())
    return outOfResources("cannot copy {} bytes of {}: {}", bytes.size(), noun,
                          written.message());
  constexpr int seals =
      F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::fcntl(fd.get(), F_ADD_SEALS, seals) != 0)
    return failure("cannot seal {} in memory: {}", noun, errorText(errno));
  return fd;
}
