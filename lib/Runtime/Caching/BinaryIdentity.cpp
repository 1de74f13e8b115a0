//===- BinaryIdentity.cpp - Which build a library is ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryIdentity.h"

#include "ContentKeyStore.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace nnhal::rt;

namespace {
/// The parts of an ELF file that say what it is. Every size is bounded: the
/// file may be anything.
class ElfFile {
public:
  static std::optional<ElfFile> open(const std::string &path);

  /// "BUILD-ID" in hexadecimal, or what else tells builds apart.
  std::string identity() const;

  struct Needs {
    std::vector<std::string> names;
    /// Directories between colons.
    std::string runPath;
  };
  Needs needs() const;

private:
  std::vector<std::byte> read(uint64_t offset, uint64_t size) const;
  std::string readText(uint64_t offset) const;
  /// The place in the file of what will be at \p address.
  std::optional<uint64_t> offsetOf(uint64_t address) const;

  UniqueFd fd;
  /// The beginning of the file, which mostly has the build id, too.
  std::vector<std::byte> firstPage;
  std::vector<Elf64_Phdr> headers;
};
} // namespace

static constexpr uint64_t pageSize = 4096;
static constexpr uint64_t maxPart = 1u << 20;

std::vector<std::byte> ElfFile::read(uint64_t offset, uint64_t size) const {
  if (offset < firstPage.size() && size <= firstPage.size() - offset) {
    auto begin = firstPage.begin() + ptrdiff_t(offset);
    return {begin, begin + ptrdiff_t(size)};
  }
  std::vector<std::byte> bytes(std::min(size, maxPart));
  ssize_t count = ::pread(fd.get(), bytes.data(), bytes.size(), off_t(offset));
  bytes.resize(count > 0 ? size_t(count) : 0);
  return bytes;
}

/// Returns the text at \p offset up to a zero byte, cut off after a page: the
/// names of libraries are short, and all names of a library are a hundred
/// kilobytes.
std::string ElfFile::readText(uint64_t offset) const {
  constexpr uint64_t usualSize = 64;
  std::string text;
  for (uint64_t size : {usualSize, pageSize}) {
    text.clear();
    for (std::byte byte : read(offset, size)) {
      if (byte == std::byte(0))
        return text;
      text += char(byte);
    }
  }
  return text;
}

std::optional<ElfFile> ElfFile::open(const std::string &path) {
  ElfFile file;
  file.fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.fd.isValid())
    return std::nullopt;
  file.firstPage = file.read(0, pageSize);
  Elf64_Ehdr header;
  if (file.firstPage.size() < sizeof(header))
    return std::nullopt;
  std::memcpy(&header, file.firstPage.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  std::vector<std::byte> bytes =
      file.read(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
  file.headers.resize(bytes.size() / sizeof(Elf64_Phdr));
  if (!file.headers.empty())
    std::memcpy(file.headers.data(), bytes.data(),
                file.headers.size() * sizeof(Elf64_Phdr));
  return file;
}

/// The build id among the notes in \p bytes; empty when there is none.
static std::string findBuildId(std::span<const std::byte> bytes) {
  Elf64_Nhdr note;
  while (bytes.size() >= sizeof(note)) {
    std::memcpy(&note, bytes.data(), sizeof(note));
    uint64_t nameSize = (uint64_t(note.n_namesz) + 3) & ~uint64_t(3);
    uint64_t valueSize = (uint64_t(note.n_descsz) + 3) & ~uint64_t(3);
    bytes = bytes.subspan(sizeof(note));
    if (nameSize + valueSize > bytes.size())
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(bytes.data(), "GNU", 4) == 0) {
      std::string text;
      for (std::byte byte : bytes.subspan(nameSize, note.n_descsz))
        text += fmt::format("{:02x}", unsigned(byte));
      return text;
    }
    bytes = bytes.subspan(nameSize + valueSize);
  }
  return {};
}

std::string ElfFile::identity() const {
  for (const Elf64_Phdr &header : headers) {
    if (header.p_type != PT_NOTE)
      continue;
    std::string text = findBuildId(read(header.p_offset, header.p_filesz));
    if (!text.empty())
      return text;
  }
  struct stat info = {};
  ::fstat(fd.get(), &info);
  return fmt::format("{}-{}-{}", info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

std::optional<uint64_t> ElfFile::offsetOf(uint64_t address) const {
  for (const Elf64_Phdr &header : headers)
    if (header.p_type == PT_LOAD && address >= header.p_vaddr &&
        address - header.p_vaddr < header.p_filesz)
      return header.p_offset + (address - header.p_vaddr);
  return std::nullopt;
}

ElfFile::Needs ElfFile::needs() const {
  std::vector<Elf64_Dyn> entries;
  for (const Elf64_Phdr &header : headers)
    if (header.p_type == PT_DYNAMIC) {
      std::vector<std::byte> bytes = read(header.p_offset, header.p_filesz);
      entries.resize(bytes.size() / sizeof(Elf64_Dyn));
      if (!entries.empty())
        std::memcpy(entries.data(), bytes.data(),
                    entries.size() * sizeof(Elf64_Dyn));
    }
  auto valueOf = [&](int64_t tag) -> uint64_t {
    for (const Elf64_Dyn &entry : entries)
      if (entry.d_tag == tag)
        return entry.d_un.d_val;
    return 0;
  };
  Needs needs;
  std::optional<uint64_t> table = offsetOf(valueOf(DT_STRTAB));
  if (!table)
    return needs;
  for (const Elf64_Dyn &entry : entries) {
    if (entry.d_tag == DT_NEEDED)
      needs.names.push_back(readText(*table + entry.d_un.d_val));
    if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
      needs.runPath = readText(*table + entry.d_un.d_val);
  }
  return needs;
}

/// The file of the needed library \p name, as the dynamic linker would find it
/// along \p runPath.
static std::optional<ElfFile> findLibrary(std::string_view runPath,
                                          const std::string &origin,
                                          const std::string &name) {
  while (!runPath.empty()) {
    size_t colon = runPath.find(':');
    std::string directory(runPath.substr(0, colon));
    runPath.remove_prefix(colon == std::string_view::npos ? runPath.size()
                                                          : colon + 1);
    constexpr std::string_view token = "$ORIGIN";
    if (directory.starts_with(token))
      directory.replace(0, token.size(), origin);
    if (auto file = ElfFile::open(fmt::format("{}/{}", directory, name)))
      return file;
  }
  return std::nullopt;
}

Result<std::string> nnhal::rt::binaryIdentity(const std::string &path) {
  std::optional<ElfFile> file = ElfFile::open(path);
  if (!file)
    return badData("'{}' is not a readable library", path);
  size_t slash = path.rfind('/');
  std::string origin = slash == std::string::npos ? "." : path.substr(0, slash);
  std::string text = fmt::format(
      "{}:{};", path.substr(origin == "." ? 0 : slash + 1), file->identity());
  ElfFile::Needs needs = file->needs();
  // Libraries of the system are not along the run path; they do not decide what
  // is compiled.
  for (const std::string &name : needs.names)
    if (auto needed = findLibrary(needs.runPath, origin, name))
      text += fmt::format("{}:{};", name, needed->identity());
  return text;
}

namespace {
/// A search for the build id of the library that is loaded at \p base.
struct LoadedNotes {
  ElfW(Addr) base = 0;
  std::string buildId;

  static int visit(dl_phdr_info *info, size_t, void *self) {
    auto &search = *static_cast<LoadedNotes *>(self);
    if (info->dlpi_addr != search.base)
      return 0;
    for (unsigned i = 0; i < info->dlpi_phnum && search.buildId.empty(); ++i) {
      const ElfW(Phdr) &header = info->dlpi_phdr[i];
      if (header.p_type == PT_NOTE)
        // The headers lie in the library, at an offset from where it begins.
        search.buildId =
            findBuildId({reinterpret_cast<const std::byte *>(info->dlpi_phdr) +
                             (search.base + header.p_vaddr -
                              reinterpret_cast<ElfW(Addr)>(info->dlpi_phdr)),
                         header.p_memsz});
    }
    return 1;
  }
};
} // namespace

Result<std::string> nnhal::rt::loadedIdentity(const void *address) {
  std::string file = fileOfAddress(address);
  Dl_info info = {};
  link_map *map = nullptr;
  LoadedNotes search;
  if (::dladdr1(address, &info, reinterpret_cast<void **>(&map),
                RTLD_DL_LINKMAP)) {
    search.base = map->l_addr;
    ::dl_iterate_phdr(&LoadedNotes::visit, &search);
  }
  if (search.buildId.empty())
    return binaryIdentity(file);
  return fmt::format("{}:{};", file.substr(file.rfind('/') + 1),
                     search.buildId);
}

std::string nnhal::rt::fileOfAddress(const void *address) {
  Dl_info info = {};
  link_map *map = nullptr;
  if (!::dladdr1(address, &info, reinterpret_cast<void **>(&map),
                 RTLD_DL_LINKMAP))
    return {};
  if (map->l_name[0] != '\0')
    return map->l_name;
  // The program: the linker knows it by what the caller called it.
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::string nnhal::rt::libraryBeside(std::string_view name) {
  std::string self =
      fileOfAddress(reinterpret_cast<const void *>(&libraryBeside));
  size_t slash = self.rfind('/');
  std::string directory =
      slash == std::string::npos ? "." : self.substr(0, slash);
  // A module of Python is deeper below the prefix than a program, installed as
  // well as in a build tree.
  std::string_view prefix = "/..";
  if (directory.ends_with("-packages/nnhal"))
    prefix = "/../../../..";
  else if (directory.ends_with("/python/nnhal"))
    prefix = "/../..";
  for (std::string_view folder : {"", "/lib", "/" NNHAL_LIBRARY_FOLDER})
    if (std::string file = fmt::format(
            "{}{}{}/{}", directory, folder.empty() ? "" : prefix, folder, name);
        ::access(file.c_str(), F_OK) == 0)
      return file;
  return fmt::format("{}/{}", directory, name);
}

Result<Sha256Digest> nnhal::rt::libraryDigest(const void *function) {
  NNHAL_ASSIGN_OR_RETURN(std::string identity,
                         binaryIdentity(fileOfAddress(function)));
  std::string_view texts[] = {identity};
  return sha256OfTexts(texts);
}
