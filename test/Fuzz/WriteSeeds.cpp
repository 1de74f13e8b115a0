//===- WriteSeeds.cpp - Seeds that only the project's code can write ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// usage: WriteSeeds FOLDER
//
// Makes FOLDER/<target>/<name> for the targets whose inputs are not files of
// the tree, some of them from the test cases in FOLDER/TestCase.
// scripts/make-fuzz-seeds calls it.
//
//===----------------------------------------------------------------------===//

#include "ByteReader.h"
#include "NdkSequence.h"
#include "SeedFolder.h"
#include "Unit/Cache/SampleArtifact.h"
#include "Unit/Core/TestArtifact.h"

#include "NativeWindow/Message.h"
#include "Runtime/Artifact/GpuProgram.h"
#include "Runtime/Burst/Packets.h"
#include "Runtime/Caching/CacheEntry.h"
#include "Tools/Tensors/Npy.h"
#include "nnhal/Runtime/BlobCache.h"
#include "nnhal/Runtime/Memory.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace nnhal;
using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

void SeedFolder::write(const std::string &target, const std::string &name,
                       std::span<const std::byte> bytes) {
  std::filesystem::create_directories(root / target);
  std::ofstream file(root / target / name, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             std::streamsize(bytes.size()));
  if (file.flush())
    return;
  fmt::print(stderr, "error: cannot write {}\n",
             (root / target / name).string());
  std::exit(1);
}

static void writeModelCaches(SeedFolder &seeds) {
  auto sample = writeModelCache(sampleArtifact());
  seeds.write("ModelCache", "sample", sample);
  seeds.write("ModelCache", "bundle",
              writeBundle(sample, std::vector<std::byte>(132)));
  seeds.write("ModelCache", "kernels", writeModelCache(scaleAndAddArtifact()));
  seeds.write("ModelCache", "integers",
              writeModelCache(intArtifact("computedRows", 1, 0)));
}

/// The bytes of \p kind, of which a target is told by the first one.
template <typename Element>
static std::vector<std::byte> ofKind(uint8_t kind,
                                     std::span<const Element> elements) {
  ByteWriter out;
  out.number(kind);
  out.add(std::as_bytes(elements));
  return out.bytes;
}

static void writePackets(SeedFolder &seeds) {
  constexpr uint32_t sumBytes = 24;
  BurstRequest request;
  request.inputs = {{.offset = 0, .length = sumBytes, .dimensions = {2, 3}},
                    {.offset = 64, .length = sumBytes, .dimensions = {2, 3}}};
  request.outputs = {{.offset = 128, .length = sumBytes, .dimensions = {2, 3}}};
  request.slots = {0};
  std::vector<RequestDatum> packet;
  writePacket(request, packet);
  std::vector<RequestDatum> two = packet;
  two.insert(two.end(), packet.begin(), packet.end());
  for (uint8_t kind : {uint8_t(0), uint8_t(2), uint8_t(3), uint8_t(4)}) {
    seeds.write("BurstPackets", fmt::format("request{}", kind),
                ofKind<RequestDatum>(kind, packet));
    seeds.write("BurstPackets", fmt::format("requests{}", kind),
                ofKind<RequestDatum>(kind, two));
  }
  BurstResult result = {StatusCode::none, {{{2, 3}, true}, {{}, false}}, {}};
  std::vector<ResultDatum> answer;
  writePacket(result, answer);
  seeds.write("BurstPackets", "result", ofKind<ResultDatum>(1, answer));
}

static void writeCacheFiles(SeedFolder &seeds) {
  auto modelCache = writeModelCache(sampleArtifact());
  const std::vector<std::byte> constants(64, std::byte(3));
  CacheEntryInfo info;
  info.identity = {"nnhal-cpu", "0.1.0", {}, {}, {}, {}};
  describeParts(modelCache, constants, info);
  auto entry = writeCacheEntryHeader(info);
  entry.insert(entry.end(), modelCache.begin(), modelCache.end());
  seeds.write("CacheFiles", "entry", ofKind<std::byte>(3, entry));
  auto data = writeCacheDataHeader(info);
  data.insert(data.end(), constants.begin(), constants.end());
  seeds.write("CacheFiles", "data", ofKind<std::byte>(0, data));
  CacheFileList list = {{{5, {}}, {6, {}}}, {{7, {}}}};
  auto contents = writeCacheFileList(list);
  contents.resize(contents.size() + 5);
  seeds.write("CacheFiles", "list", ofKind<std::byte>(2 + 8, contents));
  info.modelFiles = 2;
  describeParts(contents, {}, info);
  auto first = writeCacheEntryHeader(info);
  first.insert(first.end(), contents.begin(), contents.end());
  seeds.write("CacheFiles", "first", ofKind<std::byte>(3, first));
  BlobCache strings(64, 256, 1024);
  strings.set(std::span(constants).first(4), std::span(constants).first(9));
  strings.set(std::span(constants).first(5), constants);
  std::vector<std::byte> flat(strings.getFlattenedSize());
  if (strings.flatten(flat) == 0)
    seeds.write("CacheFiles", "strings", ofKind<std::byte>(1, flat));
}

/// Programs for the artifact of the target: each kind of command, with
/// \p module.
static GpuProgram gpuProgram(std::span<const std::byte> module) {
  GpuProgram program;
  program.module = module;
  program.kernels = {
      {"scale", 64, {0, 0, 1}}, {"check", 1, {0, 1}}, {"count", 1, {1}}};
  const GpuBinding scaled = {GpuSpace::arena, 0, 64, 1024};
  GpuCommand check;
  check.kernel = 1;
  check.groups = {1, 1, 1};
  check.bindings = {{GpuSpace::input, 1, 0, 4},
                    {GpuSpace::status, 0, 0, gpuStatusSize}};
  GpuCommand scale;
  scale.groups = {4, 1, 1};
  scale.bindings = {
      {GpuSpace::input, 0, 0, 1024}, {GpuSpace::constants, 0, 0, 4}, scaled};
  GpuCommand barrier;
  barrier.kind = GpuCommandKind::barrier;
  GpuCommand fill;
  fill.kind = GpuCommandKind::fill;
  fill.bindings = {{GpuSpace::arena, 0, 0, 64}};
  fill.fillWord = 7;
  GpuCommand copy;
  copy.kind = GpuCommandKind::copy;
  copy.bindings = {scaled, {GpuSpace::output, 0, 0, 1024}};
  auto control = [](GpuCommandKind kind, uint32_t target) {
    return GpuCommand{.kind = kind, .bindings = {}, .target = target};
  };
  program.commands = {fill,
                      check,
                      control(GpuCommandKind::branch, 5),
                      scale,
                      control(GpuCommandKind::jump, 6),
                      fill,
                      control(GpuCommandKind::loop, 8),
                      scale,
                      check,
                      control(GpuCommandKind::repeat, 7),
                      barrier,
                      copy};
  return program;
}

static void writeGpuPrograms(SeedFolder &seeds) {
  static constexpr std::string_view ptx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 factor, .param .u64 y)
.reqntid 64
{
}
.visible .entry check(.param .u64 x, .param .u64 status)
.reqntid 1
{
}
.visible .entry count(.param .u64 x)
.reqntid 1
{
})";
  std::string text(ptx);
  text.resize((text.size() + 3) / 4 * 4, '\n');
  seeds.write("GpuProgram", "ptx",
              writeGpuProgram(gpuProgram(std::as_bytes(std::span(text)))));
  // scripts/make-fuzz-seeds assembles it where there is an assembler.
  auto kernels = Memory::readFile((seeds.root / "Kernels.spv").string());
  if (kernels.isOk())
    seeds.write("GpuProgram", "spirv",
                writeGpuProgram(gpuProgram(*kernels->bytes())));
}

static void writeSequences(SeedFolder &seeds) {
  for (const auto &entry :
       std::filesystem::directory_iterator(seeds.root / "TestCase")) {
    auto file = Memory::readFile(entry.path().string());
    if (!file.isOk())
      continue;
    auto bytes = *file->bytes();
    Status status = readTestCases(
        {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
        [&](const TestCase &test) {
          if (auto sequence = sequenceOf(test))
            seeds.write("NdkCalls", entry.path().filename(), *sequence);
          return Status::ok();
        });
    // L-083: the current format loads all seeds.
    if (!status.isOk()) {
      fmt::print(stderr, "error: {}: {}\n", entry.path().string(),
                 status.message());
      std::exit(1);
    }
  }
}

static void writeHandles(SeedFolder &seeds) {
  nativewindow::Message message;
  message.id = 5;
  message.desc.width = 64;
  message.desc.height = 1;
  message.desc.layers = 1;
  message.desc.format = AHARDWAREBUFFER_FORMAT_BLOB;
  message.desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
                       AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
  message.desc.stride = 64;
  ByteWriter out;
  // One sealed descriptor.
  out.number(uint8_t(1));
  out.number(uint8_t(1));
  out.number(uint32_t(64));
  out.number(message);
  seeds.write("NativeHandles", "blob", out.bytes);
}

static void writeArrays(SeedFolder &seeds) {
  using nnhal::tools::formatOf;
  const std::vector<std::byte> data(64);
  const uint32_t shape[] = {2, 2};
  for (OperandType type :
       {OperandType::TENSOR_FLOAT32, OperandType::TENSOR_INT32,
        OperandType::TENSOR_FLOAT16, OperandType::TENSOR_BOOL8,
        OperandType::TENSOR_QUANT8_ASYMM}) {
    const auto &format = formatOf(type);
    auto array = nnhal::tools::writeNpy(
        format, shape, std::span(data).first(size_t(4) * format.size));
    array.insert(array.begin(), std::byte(0));
    seeds.write("FilesAndOptions", fmt::format("array{}", uint32_t(type)),
                array);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: WriteSeeds FOLDER\n");
    return 2;
  }
  SeedFolder seeds(argv[1]);
  writeModelCaches(seeds);
  writePackets(seeds);
  writeCacheFiles(seeds);
  writeGpuPrograms(seeds);
  writeSequences(seeds);
  writeHandles(seeds);
  writeArrays(seeds);
  writeServiceSeeds(seeds);
  return 0;
}
