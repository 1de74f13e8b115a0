//===- PackedFiles.cpp - Files that are packed with a model ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelMetadata.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <minizip/unzip.h>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;

namespace {
/// An archive in memory, for minizip's functions of files.
struct ArchiveFile {
  std::span<const std::byte> bytes;
  size_t position = 0;

  static ArchiveFile &of(void *stream) {
    return *static_cast<ArchiveFile *>(stream);
  }
  static void *open(void *self, const void *, int) { return self; }
  static uLong read(void *, void *stream, void *buffer, uLong size) {
    ArchiveFile &file = of(stream);
    size_t count = std::min<size_t>(size, file.bytes.size() - file.position);
    if (count != 0)
      std::memcpy(buffer, file.bytes.data() + file.position, count);
    file.position += count;
    return count;
  }
  static ZPOS64_T tell(void *, void *stream) { return of(stream).position; }
  static long seek(void *, void *stream, ZPOS64_T offset, int origin) {
    ArchiveFile &file = of(stream);
    size_t begin = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                   : origin == ZLIB_FILEFUNC_SEEK_CUR ? file.position
                                                      : file.bytes.size();
    if (offset > file.bytes.size() - begin)
      return -1;
    file.position = begin + offset;
    return 0;
  }
  static int close(void *, void *) { return 0; }
  static int error(void *, void *) { return 0; }
};
} // namespace

static rt::Status damaged(std::string_view name) {
  return badData("the file '{}' that is packed with the model is damaged",
                 name);
}

rt::Result<std::string>
tools::readPackedFile(std::span<const std::byte> archive,
                      const std::string &name) {
  ArchiveFile file{archive};
  zlib_filefunc64_def functions = {};
  functions.zopen64_file = ArchiveFile::open;
  functions.zread_file = ArchiveFile::read;
  functions.ztell64_file = ArchiveFile::tell;
  functions.zseek64_file = ArchiveFile::seek;
  functions.zclose_file = ArchiveFile::close;
  functions.zerror_file = ArchiveFile::error;
  functions.opaque = &file;
  struct Close {
    void operator()(void *zip) const { ::unzClose(zip); }
  };
  std::unique_ptr<void, Close> zip(::unzOpen2_64("", &functions));
  // 1: names are compared letter by letter.
  if (!zip || ::unzLocateFile(zip.get(), name.c_str(), 1) != UNZ_OK)
    return badData("the metadata names the file '{}', which is not packed with "
                   "the model",
                   name);
  unz_file_info64 info = {};
  if (::unzGetCurrentFileInfo64(zip.get(), &info, nullptr, 0, nullptr, 0,
                                nullptr, 0) != UNZ_OK)
    return damaged(name);
  if (info.uncompressed_size > maxPackedBytes)
    return badData("the file '{}' that is packed with the model has {} bytes, "
                   "more than {}",
                   name, info.uncompressed_size, maxPackedBytes);
  if (::unzOpenCurrentFile(zip.get()) != UNZ_OK)
    return damaged(name);
  std::string text(info.uncompressed_size, '\0');
  int count =
      ::unzReadCurrentFile(zip.get(), text.data(), unsigned(text.size()));
  // The end of a file is where its checksum is compared.
  if (count < 0 || size_t(count) != text.size() ||
      ::unzCloseCurrentFile(zip.get()) != UNZ_OK)
    return damaged(name);
  return text;
}
