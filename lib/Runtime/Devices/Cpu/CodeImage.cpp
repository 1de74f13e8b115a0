//===- CodeImage.cpp - Native code, loaded --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeImage.h"

#include "Elf.h"
#include "HostCpu.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;

// Newer than the headers of some systems; the values are the kernel's.
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static std::string errorText(int code) {
  return std::generic_category().message(code);
}

static UniqueFd createMemoryFile() {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  // Where vm.memfd_noexec asks for it the file must be declared executable;
  // kernels before 6.3 do not know the flag.
  UniqueFd fd(memfd_create("nnhal-code", flags | MFD_EXEC));
  if (!fd.isValid() && errno == EINVAL)
    fd = UniqueFd(memfd_create("nnhal-code", flags));
  return fd;
}

/// A file in memory with \p bytes that nobody can change any more.
static Result<UniqueFd> sealedCopy(std::span<const std::byte> bytes) {
  UniqueFd fd = createMemoryFile();
  if (!fd.isValid())
    return outOfResources("cannot create a memory file for code: {}",
                          errorText(errno));
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return outOfResources("cannot copy {} bytes of code: {}", bytes.size(),
                            errorText(errno));
    done += size_t(count);
  }
  constexpr int seals =
      F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (fcntl(fd.get(), F_ADD_SEALS, seals) != 0)
    return failure("cannot seal code in memory: {}", errorText(errno));
  return fd;
}

void CodeImage::Unloader::operator()(void *handle) const { dlclose(handle); }

Result<CodeImage> CodeImage::load(const CodeSection &section) {
  if (!isHostTarget(section.target))
    return badData("code for target {} cannot execute on this machine",
                   toString(section.target));
  NNHAL_RETURN_IF_ERROR(checkHostFeatures(section.cpu, section.features));
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::string> functions,
                         checkElf(section.bytes, section.target));
  NNHAL_ASSIGN_OR_RETURN(UniqueFd file, sealedCopy(section.bytes));
  std::string path = fmt::format("/proc/self/fd/{}", file.get());
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return badData("cannot load the code: {}",
                   reason ? reason : "unknown reason");
  }
  return CodeImage(std::move(file), std::move(functions), handle);
}

Result<NNHalEntry> CodeImage::find(const std::string &symbol) const {
  // The linker would also find names of data.
  bool isFunction = std::ranges::find(functions, symbol) != functions.end();
  void *address = isFunction ? dlsym(handle.get(), symbol.c_str()) : nullptr;
  if (!address)
    return badData("code does not export the entry '{}'", symbol);
  return reinterpret_cast<NNHalEntry>(address);
}
