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
#include "Runtime/Support/SealedCopy.h"

#include <algorithm>
#include <dlfcn.h>

using namespace nnhal::rt;

void CodeImage::Unloader::operator()(void *handle) const { dlclose(handle); }

Result<CodeImage> CodeImage::load(const CodeSection &section) {
  if (!isHostTarget(section.target))
    return badData("code for target {} cannot execute on this machine",
                   toString(section.target));
  NNHAL_RETURN_IF_ERROR(checkHostFeatures(section.cpu, section.features));
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::string> functions,
                         checkElf(section.bytes, section.target));
  NNHAL_ASSIGN_OR_RETURN(UniqueFd file,
                         sealedCopy(section.bytes, SealedContent::code));
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
