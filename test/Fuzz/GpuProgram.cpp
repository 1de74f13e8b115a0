//===- GpuProgram.cpp - Fuzzes programs of GPUs ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Command tables against the bounds of an artifact, and the modules that a
// driver would believe: SPIR-V and PTX.
//
//===----------------------------------------------------------------------===//

#include "FlatBufferMutator.h"

#include "Runtime/Artifact/GpuProgram.h"
#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Devices/Gpu/Cuda/PtxText.h"
#include "Runtime/Devices/Gpu/Vulkan/SpirvModule.h"

#include "GpuProgram_generated.h"

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

/// Inputs that must be and may be omitted, of known and unknown extents.
static Artifact artifactOf() {
  Artifact artifact;
  artifact.inputs = {{"x", OperandType::TENSOR_FLOAT32, {256}},
                     {"index", OperandType::TENSOR_INT32, {1}},
                     {"open", OperandType::TENSOR_FLOAT32, {0, 4}}};
  artifact.outputs = {{"y", OperandType::TENSOR_FLOAT32, {256}}};
  artifact.entries = {{"main", 0, {0b001}, {}, 64 + 1024}};
  artifact.dataCacheSize = 200;
  return artifact;
}

/// Nothing but a repeat leads back, and that to a loop.
static void requireTargets(const GpuProgram &program) {
  const std::vector<GpuCommand> &commands = program.commands;
  for (size_t i = 0; i < commands.size(); ++i) {
    uint32_t target = commands[i].target;
    if (commands[i].kind == GpuCommandKind::repeat)
      require(target >= 1 && target <= i &&
                  commands[target - 1].kind == GpuCommandKind::loop,
              "a repeat goes to no loop");
    else if (isControl(commands[i].kind))
      require(target > i && target <= commands.size(),
              "a branch leaves the program");
  }
}

/// Every binding lies within what it is a range of.
static void requireBounds(const GpuProgram &program, const Artifact &artifact) {
  for (const GpuCommand &command : program.commands) {
    if (command.kind == GpuCommandKind::dispatch)
      require(command.kernel < program.kernels.size() &&
                  command.bindings.size() ==
                      program.kernels[command.kernel].isWritten.size(),
              "a dispatch has not the bindings of a kernel");
    for (const GpuBinding &binding : command.bindings) {
      uint64_t end = binding.offset + binding.size;
      uint64_t bound = 0;
      switch (binding.space) {
      case GpuSpace::input:
        bound = binding.argument < 2 ? (binding.argument == 0 ? 1024 : 4) : 0;
        break;
      case GpuSpace::output:
        bound = binding.argument == 0 ? 1024 : 0;
        break;
      case GpuSpace::constants:
        bound = artifact.dataCacheSize;
        break;
      case GpuSpace::arena:
        bound = artifact.entries[0].arenaSize;
        break;
      case GpuSpace::status:
        bound = gpuStatusSizeFor(artifact.inputs.size());
        break;
      }
      require(end >= binding.offset && end <= bound,
              "a binding leaves its space");
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Artifact artifact = artifactOf();
  Result<GpuProgram> program = readGpuProgram(bytesOf(data, size), artifact);
  requireReason(program.status());
  if (!program.isOk())
    return 0;
  requireBounds(*program, artifact);
  requireTargets(*program);
  std::vector<std::byte> written = writeGpuProgram(*program);
  Result<GpuProgram> again = readGpuProgram(written, artifact);
  require(again.isOk() && again->commands == program->commands &&
              again->kernels == program->kernels,
          "a round trip changes a program");
  requireReason(vulkan::checkSpirv(*program, {}).status());
  requireReason(cuda::checkPtx(*program));
  return 0;
}

static bool isProgram(std::span<const std::byte> bytes) {
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  return gpu::VerifyProgramBuffer(verifier);
}

static FlatBufferMutator &mutator() {
  static FlatBufferMutator instance(
      NNHAL_SOURCE_ROOT "/lib/Runtime/Artifact/GpuProgram.fbs", isProgram);
  return instance;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return mutator().mutateInput(data, size, maxSize, seed, /*bytewise=*/3);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return mutator().crossInputs(bytesOf(first, firstSize),
                               bytesOf(second, secondSize), out, maxSize, seed);
}
