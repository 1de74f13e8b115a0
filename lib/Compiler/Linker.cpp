//===- Linker.cpp - Objects to shared object ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linker.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace nnhal {

using namespace llvm;

/// \p bytes in an anonymous file; lld reads it under /proc/self/fd.
static rt::Result<rt::UniqueFd> writeAnonymousFile(ArrayRef<char> bytes) {
  rt::UniqueFd file(memfd_create("nnhal-object", MFD_CLOEXEC));
  if (!file.isValid())
    return rt::outOfResources("cannot create an anonymous file: {}",
                              std::strerror(errno));
  while (!bytes.empty()) {
    ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return rt::outOfResources(
          "cannot write {} bytes to an anonymous file: {}", bytes.size(),
          std::strerror(errno));
    bytes = bytes.drop_front(written);
  }
  return file;
}

rt::Result<std::vector<std::byte>> linkObjects(ArrayRef<Object> objects) {
  std::vector<rt::UniqueFd> inputs;
  std::vector<std::string> inputPaths;
  for (const Object &object : objects) {
    NNHAL_ASSIGN_OR_RETURN(rt::UniqueFd input, writeAnonymousFile(object));
    inputPaths.push_back("/proc/self/fd/" + std::to_string(input.get()));
    inputs.push_back(std::move(input));
  }
  // lld replaces its output file, which is not possible under /proc.
  SmallString<128> outputPath;
  if (std::error_code error =
          sys::fs::createTemporaryFile("nnhal", "so", outputPath))
    return rt::outOfResources("cannot create a temporary file: {}",
                              error.message());
  FileRemover remover(outputPath);

  std::string messages;
  raw_string_ostream stream(messages);
  SmallVector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "-o",
                                         outputPath.c_str(),
                                         "--hash-style=gnu",
                                         "--build-id=none",
                                         "--threads=1",
                                         "-s",
                                         "-z",
                                         "noexecstack"};
  for (const std::string &path : inputPaths)
    arguments.push_back(path.c_str());
  static std::mutex mutex;
  {
    std::lock_guard lock(mutex);
    lld::Result result =
        lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0)
      return rt::failure("linking failed: {}",
                         StringRef(messages).rtrim().str());
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> output =
      MemoryBuffer::getFile(outputPath, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!output)
    return rt::failure("cannot read back the linked code: {}",
                       output.getError().message());
  auto bytes = (*output)->getBuffer();
  auto *data = reinterpret_cast<const std::byte *>(bytes.data());
  return std::vector<std::byte>(data, data + bytes.size());
}

} // namespace nnhal
