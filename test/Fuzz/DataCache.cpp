//===- DataCache.cpp - Executes compiled code over damaged constants ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A model cache is trusted once its digest is right; its constants are not
// looked at, and may be anything: executions stay within their memory. The
// first byte of an input chooses one of the artifacts in NNHAL_FUZZ_ARTIFACTS,
// which the compiler made; the rest are places of its constants and what is
// written there. Constants, inputs and outputs end where a page that nobody may
// touch begins.
//
//===----------------------------------------------------------------------===//

#include "ByteReader.h"
#include "FuzzTarget.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

namespace {

/// Bytes that end, but for what aligns their beginning, in front of a page that
/// cannot be accessed, and begin behind one.
class GuardedBytes {
public:
  explicit GuardedBytes(size_t size) : size(size) {
    const size_t page = size_t(::getpagesize());
    const size_t whole = (size + page - 1) / page * page;
    mappedSize = whole + 2 * page;
    void *mapped = ::mmap(nullptr, mappedSize, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(mapped != MAP_FAILED, "no memory");
    first = static_cast<std::byte *>(mapped);
    require(::mprotect(first + page, whole, PROT_READ | PROT_WRITE) == 0 ||
                whole == 0,
            "no memory");
    constexpr size_t alignment = constantAlignment;
    data = first + page + (whole - size) / alignment * alignment;
  }
  GuardedBytes(GuardedBytes &&other) noexcept
      : first(std::exchange(other.first, nullptr)),
        mappedSize(other.mappedSize), data(other.data), size(other.size) {}
  GuardedBytes &operator=(GuardedBytes &&) = delete;
  ~GuardedBytes() {
    if (first)
      ::munmap(first, mappedSize);
  }

  std::span<std::byte> bytes() const { return {data, size}; }

private:
  std::byte *first;
  size_t mappedSize;
  std::byte *data;
  size_t size;
};

/// A model with its constants, as they were and as they are damaged.
class DamagedModel {
public:
  static std::optional<DamagedModel> open(const Device &device,
                                          const std::string &path) {
    auto file = Memory::readFile(path);
    if (!file.isOk())
      return std::nullopt;
    auto bundle = readBundle(*file->bytes());
    if (!bundle.isOk())
      return std::nullopt;
    DamagedModel made(bundle->dataCache);
    auto model = device.prepareModelFromArtifact(
        bundle->modelCache, Memory::borrow(made.damaged.bytes()));
    if (!model.isOk()) {
      fmt::print(stderr, "{}: {}\n", path, model.status().message());
      return std::nullopt;
    }
    made.model = *std::move(model);
    return made;
  }

  size_t constantSize() const { return original.size(); }

  /// Executes with what \p in says written over the constants.
  void execute(ByteReader in) {
    std::span<std::byte> constants = damaged.bytes();
    constexpr int maxChanges = 32;
    for (int i = 0; i < maxChanges && !in.isAtEnd(); ++i) {
      size_t at = in.number<uint32_t>();
      std::span<const std::byte> bytes = in.take(in.number<uint8_t>() % 32u);
      if (constants.empty())
        break;
      at %= constants.size();
      std::copy_n(bytes.begin(), std::min(bytes.size(), constants.size() - at),
                  constants.begin() + ptrdiff_t(at));
    }
    requireReason(run());
    std::ranges::copy(original, constants.begin());
  }

private:
  explicit DamagedModel(std::span<const std::byte> constants)
      : original(constants.begin(), constants.end()),
        damaged(constants.size()) {
    std::ranges::copy(original, damaged.bytes().begin());
  }

  Status run() {
    const Interface &interface = model->interface();
    std::vector<GuardedBytes> memory;
    Request request;
    request.loopTimeout = 1'000'000;
    for (const InterfaceTensor &input : interface.inputs) {
      std::vector<uint32_t> extents = input.dimensions;
      for (uint32_t &extent : extents)
        extent = std::max<uint32_t>(extent, 1);
      InterfaceTensor stated = input;
      stated.dimensions = extents;
      memory.emplace_back(byteSizeOf(stated).value_or(0));
      request.inputs.push_back(
          {Memory::borrow(memory.back().bytes()), std::move(extents)});
    }
    for (const InterfaceTensor &output : interface.outputs) {
      memory.emplace_back(byteSizeOf(output).value_or(1 << 16));
      request.outputs.push_back(
          {OutputMemory::borrow(memory.back().bytes()), {}});
    }
    ExecutionResult result;
    return model->execute(request, result);
  }

  std::vector<std::byte> original;
  GuardedBytes damaged;
  PreparedModelRef model;
};

} // namespace

static std::vector<DamagedModel> openAll() {
  static const Device &device = *createCpuDevice().release();
  const char *folder = std::getenv("NNHAL_FUZZ_ARTIFACTS");
  require(folder, "NNHAL_FUZZ_ARTIFACTS names no folder");
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  std::vector<DamagedModel> artifacts;
  for (const std::string &path : paths)
    if (auto made = DamagedModel::open(device, path);
        made && made->constantSize() > 0)
      artifacts.push_back(*std::move(made));
  require(!artifacts.empty(), "there is no artifact with constants");
  return artifacts;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static auto &artifacts = *new std::vector<DamagedModel>(openAll());
  ByteReader in(bytesOf(data, size));
  artifacts[in.number<uint8_t>() % artifacts.size()].execute(in);
  return 0;
}

/// Puts in one change of unusual numbers, or changes bytes.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  constexpr uint8_t length = 8;
  constexpr size_t width = sizeof(uint32_t) + 1 + length;
  if (random.oneOf(3) || size + width > maxSize || size == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  ByteWriter out;
  out.number(uint32_t(random.number()) & ~3u);
  out.number(length);
  out.number(int32_t(unusualNumber(random)));
  out.number(int32_t(unusualNumber(random)));
  std::memcpy(data + size, out.bytes.data(), out.bytes.size());
  if (random.oneOf(4))
    data[0] = uint8_t(random.number());
  return size + out.bytes.size();
}
