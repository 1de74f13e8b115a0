//===- PtxText.cpp - Checks of PTX ----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxText.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace nnhal::rt;
using namespace nnhal::rt::cuda;

namespace {
/// An entry point as its declaration in PTX states it, before the body.
struct Entry {
  size_t parameters = 0;
  bool hasOtherParameters = false;
  /// The workgroup as it is written, without blanks.
  std::string workgroup;
};

/// Reads the declarations of a text. Of bodies it finds the end.
class PtxReader {
public:
  explicit PtxReader(std::string_view text) : text(text) {}

  Status read();
  const std::map<std::string, Entry, std::less<>> &entries() const {
    return found;
  }

private:
  void skipBlanks();
  std::string_view word();
  std::string until(char end);
  Status readEntry();

  std::string_view text;
  size_t position = 0;
  std::map<std::string, Entry, std::less<>> found;
};
} // namespace

static bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void PtxReader::skipBlanks() {
  while (position < text.size()) {
    if (text.substr(position).starts_with("//"))
      position = std::min(text.find('\n', position), text.size());
    else if (isBlank(text[position]))
      ++position;
    else
      return;
  }
}

/// Takes the word up to the next blank or bracket; one character at least,
/// unless the text ends.
std::string_view PtxReader::word() {
  skipBlanks();
  size_t begin = position;
  while (position < text.size() && !isBlank(text[position]) &&
         (position == begin || std::string_view("(){};,").find(
                                   text[position]) == std::string_view::npos)) {
    ++position;
    if (std::string_view("(){};,").find(text[begin]) != std::string_view::npos)
      break;
  }
  return text.substr(begin, position - begin);
}

/// Takes the text before the next \p end, without blanks, and \p end itself.
std::string PtxReader::until(char end) {
  size_t stop = std::min(text.find(end, position), text.size());
  std::string part(text.substr(position, stop - position));
  std::erase_if(part, isBlank);
  position = std::min(stop + 1, text.size());
  return part;
}

Status PtxReader::readEntry() {
  std::string name(word());
  Entry entry;
  std::string_view next = word();
  if (next == "(") {
    std::string list = until(')');
    if (!list.empty())
      entry.parameters = size_t(std::ranges::count(list, ',')) + 1;
    size_t addresses = 0;
    for (size_t at = list.find(".param.u64"); at != std::string::npos;
         at = list.find(".param.u64", at + 1))
      ++addresses;
    entry.hasOtherParameters =
        addresses != entry.parameters || list.find('[') != std::string::npos;
    next = word();
  }
  while (next != "{") {
    if (next.empty() || next == ";")
      return badData("entry point '{}' of the PTX has no body", name);
    if (next == ".reqntid") {
      size_t stop = std::min(text.find_first_of("\n{", position), text.size());
      std::string sizes(text.substr(position, stop - position));
      std::erase_if(sizes, isBlank);
      entry.workgroup = sizes;
      position = stop;
    }
    next = word();
  }
  for (size_t depth = 1; depth > 0;) {
    position = text.find_first_of("{}", position);
    if (position == std::string_view::npos)
      return badData("the body of entry point '{}' of the PTX does not end",
                     name);
    depth += text[position++] == '{' ? 1 : -1;
  }
  if (!found.try_emplace(name, entry).second)
    return badData("the PTX has entry point '{}' twice", name);
  return Status::ok();
}

Status PtxReader::read() {
  if (word() != ".version")
    return badData("{} bytes are not PTX: they do not begin with .version",
                   text.size());
  for (std::string_view next = word(); !next.empty(); next = word()) {
    if (next == ".extern")
      return badData("the PTX has an external symbol");
    if (next == ".entry")
      NNHAL_RETURN_IF_ERROR(readEntry());
  }
  return Status::ok();
}

std::string cuda::textOf(std::span<const std::byte> module) {
  std::string text(reinterpret_cast<const char *>(module.data()),
                   module.size());
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n'))
    text.pop_back();
  return text + "\n";
}

Status cuda::checkPtx(const GpuProgram &program) {
  std::string text = textOf(program.module);
  if (size_t zero = text.find('\0'); zero != std::string::npos)
    return badData("byte {} of the PTX is 0", zero);
  PtxReader reader(text);
  NNHAL_RETURN_IF_ERROR(reader.read());
  for (const GpuKernel &kernel : program.kernels) {
    auto entry = reader.entries().find(kernel.name);
    if (entry == reader.entries().end())
      return badData("the PTX has no entry point '{}'", kernel.name);
    const Entry &is = entry->second;
    if (is.parameters != kernel.isWritten.size() || is.hasOtherParameters)
      return badData("entry point '{}' of the PTX has {} parameters{}, the "
                     "kernel has {} buffers",
                     kernel.name, is.parameters,
                     is.hasOtherParameters ? ", not all of them addresses" : "",
                     kernel.isWritten.size());
    std::string size = std::to_string(kernel.workgroupSize);
    if (is.workgroup != size + ",1,1" && is.workgroup != size)
      return badData("entry point '{}' of the PTX is for workgroups of [{}], "
                     "the kernel has {}",
                     kernel.name, is.workgroup, size);
  }
  return Status::ok();
}
