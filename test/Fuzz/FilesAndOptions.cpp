//===- FilesAndOptions.cpp - Fuzzes arrays, options and small files -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The first byte of an input chooses what the rest is: a .npy file, the
// arguments of a program, one in each line, or a JSON file that a program
// keeps.
//
//===----------------------------------------------------------------------===//

#include "JsonMutator.h"
#include "nnhal-cache/Options.h"
#include "nnhal-conformance/Options.h"
#include "nnhal-run/OptionTable.h"
#include "nnhal-service/Options.h"

#include "Runtime/Formats/Json/ExtensionFile.h"
#include "Tools/Tensors/Npy.h"
#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/Recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::rt::fuzz;

static void readArray(std::span<const std::byte> bytes) {
  rt::Result<tools::NpyArray> array = tools::readNpy(bytes);
  requireReason(array.status());
  if (!array.isOk())
    return;
  uint64_t elements = 1;
  for (uint64_t extent : array->shape)
    elements *= extent;
  require(elements * array->format->size == array->data.size(),
          "an array has not the bytes of its shape");
  for (size_t at = 0; at + array->format->size <= array->data.size();
       at += array->format->size)
    (void)array->format->load(array->data.data() + at);
  std::vector<uint32_t> shape(array->shape.begin(), array->shape.end());
  if (!std::ranges::equal(shape, array->shape))
    return;
  auto written = tools::writeNpy(*array->format, shape, array->data);
  auto again = tools::readNpy(written);
  require(again.isOk() && again->shape == array->shape &&
              again->data == array->data,
          "a round trip changes an array");
}

static std::vector<std::string_view> argumentsOf(std::string_view text) {
  std::vector<std::string_view> arguments;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    arguments.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return arguments;
}

static void runOptions(std::span<const std::string_view> arguments) {
  rt::Result<run::Flags> flags = run::parseFlags(arguments);
  requireReason(flags.status());
  if (!flags.isOk())
    return;
  if (auto work = run::workWithoutModel(*flags))
    requireReason(run::checkOptions(*flags, *work));
  for (auto kind : {tools::ModelKind::tflite, tools::ModelKind::json,
                    tools::ModelKind::artifact})
    requireReason(run::checkOptions(*flags, run::workOn(*flags, kind)));
}

static void parseArguments(uint8_t program, std::string_view text) {
  std::vector<std::string_view> arguments = argumentsOf(text);
  switch (program) {
  case 1:
    return runOptions(arguments);
  case 2:
    return requireReason(cachetool::parseOptions(arguments).status());
  case 3:
    return requireReason(conformancetool::parseOptions(arguments).status());
  default:
    return requireReason(servicetool::parseOptions(arguments).status());
  }
}

/// A file of \p text, as a path.
class TextFile {
public:
  explicit TextFile(std::string_view text)
      : file(::memfd_create("fuzz", MFD_CLOEXEC)),
        path(fmt::format("/proc/self/fd/{}", file.get())) {
    require(::write(file.get(), text.data(), text.size()) ==
                ssize_t(text.size()),
            "no file");
  }

private:
  rt::UniqueFd file;

public:
  const std::string path;
};

static void readFile(uint8_t kind, std::string_view text) {
  TextFile file(text);
  switch (kind) {
  case 5:
    return requireReason(rt::readExtensionFile(file.path).status());
  case 6:
    return requireReason(
        rt::readCapabilities(file.path, "nnhal-cpu", "0.1.0").status());
  default:
    return requireReason(rt::readRecordedSettings(file.path).status());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  uint8_t kind = data[0] % 8;
  std::string_view text = textOf(data + 1, size - 1);
  if (kind == 0)
    readArray(bytesOf(data + 1, size - 1));
  else if (kind <= 4)
    parseArguments(kind, text);
  else
    readFile(kind, text);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  // What is JSON is changed as such.
  if (size > 1 && data[0] % 8 > 4 && seed % 8 != 0)
    return 1 + mutateJsonText(data + 1, size - 1, maxSize - 1, seed);
  return LLVMFuzzerMutate(data, size, maxSize);
}
