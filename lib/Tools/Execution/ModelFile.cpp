//===- ModelFile.cpp - Where a model comes from, and its format -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

using namespace nnhal;
using namespace nnhal::tools;

std::optional<ModelKind> tools::kindOfName(std::string_view path) {
  if (path.ends_with(".tflite"))
    return ModelKind::tflite;
  if (path.ends_with(".json"))
    return ModelKind::json;
  if (path.ends_with(".mlir"))
    return ModelKind::mlir;
  if (path.ends_with(".nncache"))
    return ModelKind::artifact;
  return std::nullopt;
}

std::optional<ModelKind> tools::kindOfBytes(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (text.starts_with("NNHALBN\x1a"))
    return ModelKind::artifact;
  // The file identifier of a FlatBuffer follows the offset of its root.
  if (text.substr(std::min<size_t>(4, text.size())).starts_with("TFL3"))
    return ModelKind::tflite;
  if (text.starts_with("ML\xEFR")) // Bytecode.
    return ModelKind::mlir;
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos)
    return std::nullopt;
  // MLIR text may begin with its resources, "{-#".
  if (text[begin] == '{' && !text.substr(begin).starts_with("{-#"))
    return ModelKind::json;
  if (text.substr(0, 4096).find('\0') != std::string_view::npos)
    return std::nullopt;
  return ModelKind::mlir;
}

/// All bytes up to the end of descriptor \p fd.
static rt::Result<rt::Memory> readToEnd(int fd) {
  constexpr uint64_t maxSize = UINT32_MAX;
  constexpr size_t step = size_t(1) << 20;
  auto checkSize = [&](uint64_t size) {
    return size <= maxSize ? rt::Status::ok()
                           : rt::badData("standard input has {} bytes, more "
                                         "than {}",
                                         size, maxSize);
  };
  // A file's size is known before it is read.
  struct stat info;
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
    NNHAL_RETURN_IF_ERROR(checkSize(uint64_t(info.st_size)));
  std::vector<std::byte> bytes;
  size_t used = 0;
  while (true) {
    if (bytes.size() - used < step)
      bytes.resize(std::max(bytes.size() * 2, step));
    ssize_t count = ::read(fd, bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return rt::failure("cannot read standard input: {}",
                         std::generic_category().message(errno));
    if (count == 0)
      break;
    used += size_t(count);
    NNHAL_RETURN_IF_ERROR(checkSize(used));
  }
  if (used == 0)
    return rt::badData("standard input is empty");
  return rt::Memory::copy(std::span(bytes).first(used));
}

std::string ModelFile::label() const {
  if (!bytes)
    return fmt::format("'{}'", path);
  return path == standardInput ? "standard input" : path;
}

static rt::Status unknownFormat(const ModelFile &model) {
  return rt::badData("{} is not a .tflite, .json, .mlir or .nncache file",
                     model.label());
}

rt::Result<ModelFile> tools::openModelBytes(std::span<const std::byte> bytes,
                                            const std::string &name) {
  ModelFile model;
  model.path = name;
  model.bytes = rt::Memory::copy(bytes);
  std::optional<ModelKind> kind = kindOfBytes(bytes);
  if (!kind)
    return unknownFormat(model);
  model.kind = *kind;
  return model;
}

rt::Result<ModelFile> tools::openModel(const std::string &path) {
  ModelFile model;
  model.path = path;
  std::optional<ModelKind> kind;
  if (path == standardInput) {
    NNHAL_ASSIGN_OR_RETURN(model.bytes, readToEnd(STDIN_FILENO));
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           model.bytes->bytes());
    kind = kindOfBytes(bytes);
  } else {
    kind = kindOfName(path);
  }
  if (!kind)
    return unknownFormat(model);
  model.kind = *kind;
  return model;
}

rt::Result<ModelMetadata> tools::metadataOf(const ModelFile &model) {
  if (model.kind != ModelKind::tflite)
    return ModelMetadata();
  rt::Memory file;
  if (model.bytes) {
    file = *model.bytes;
  } else {
    NNHAL_ASSIGN_OR_RETURN(file, rt::Memory::readFile(model.path));
  }
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  auto metadata = readModelMetadata(bytes);
  if (!metadata.isOk())
    return std::move(metadata).takeStatus().withContext(model.label());
  return metadata;
}
