//===- GpuProgram.h - What a GPU executes of a model ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of a code section for GPUs: a module of kernels, and the commands
// that a queue executes in order. Branches and loops between them are the
// host's, which reads a word that kernels have written; there is no code of the
// host. Memory is addressed by bindings, each a range of one of the spaces
// below, which readGpuProgram() checks, so that a driver that bounds what
// kernels access by their bindings (robustBufferAccess) lets them touch nothing
// else.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ARTIFACT_GPUPROGRAM_H
#define NNHAL_LIB_RUNTIME_ARTIFACT_GPUPROGRAM_H

#include "nnhal/Runtime/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

struct Artifact;

/// What a binding is a range of. Kernels write outputs, the arena and the
/// status alone.
enum class GpuSpace : uint8_t { input, output, constants, arena, status };

/// "input" and so on.
std::string_view toString(GpuSpace space);

/// A range of bytes. Offsets are multiples of constantAlignment; the size is
/// not 0.
struct GpuBinding {
  GpuSpace space = GpuSpace::arena;
  /// The number of the input or output; 0 in other spaces.
  uint32_t argument = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  bool operator==(const GpuBinding &) const = default;
};

/// An entry point of the module, with one storage buffer for each binding, in
/// order: descriptor set 0, binding number its position.
struct GpuKernel {
  std::string name;
  /// Invocations of a workgroup, all along x.
  uint32_t workgroupSize = 0;
  /// For each binding: whether the kernel writes to it (1) or only reads (0).
  std::vector<uint8_t> isWritten;
  bool operator==(const GpuKernel &) const = default;
};

enum class GpuCommandKind : uint8_t {
  /// Executes `kernel` on `groups` workgroups.
  dispatch,
  /// Copies the first binding to the second, which has the same size.
  copy,
  /// Fills the only binding with `fillWord`, four bytes at a time.
  fill,
  /// What later commands access waits for all earlier ones.
  barrier,
  /// The host waits for all earlier commands. Those up to `target` are left out
  /// where the word gpuConditionWord of the status is 0.
  branch,
  /// The commands up to `target` are left out.
  jump,
  /// A jump that begins a loop: the host waits for all earlier commands and
  /// notes the time. The commands of a round follow, and those of its condition
  /// from `target` on.
  loop,
  /// The host waits for all earlier commands. Where the word gpuConditionWord
  /// of the status is not 0, another round begins with `target`, the command
  /// behind a `loop`: it fails when the time-out of loops has passed since that
  /// loop began.
  repeat,
};

struct GpuCommand {
  GpuCommandKind kind = GpuCommandKind::dispatch;
  uint32_t kernel = 0;
  std::array<uint32_t, 3> groups = {};
  std::vector<GpuBinding> bindings;
  uint32_t fillWord = 0;
  /// The operation of the main subgraph that the command computes, for traces;
  /// UINT32_MAX for none.
  uint32_t operation = UINT32_MAX;
  /// The command that branch, jump and loop lead to is a later one, or the
  /// number of commands, which ends the program. The target of repeat is an
  /// earlier command. Other kinds have none.
  uint32_t target = 0;
  bool operator==(const GpuCommand &) const = default;
};

/// Whether the host alone executes \p kind.
constexpr bool isControl(GpuCommandKind kind) {
  return kind >= GpuCommandKind::branch;
}

struct GpuProgram {
  /// SPIR-V or PTX, as the section's target says: a view of the bytes that it
  /// was read from, aligned to 4 bytes within them.
  std::span<const std::byte> module;
  std::vector<GpuKernel> kernels;
  std::vector<GpuCommand> commands;
};

/// CodeSection::cpu of programs of SPIR-V, which follow Vulkan's rules for
/// modules; also the name of the compiler's target.
inline constexpr std::string_view vulkanTargetName = "vulkan";
/// CodeSection::cpu of programs of PTX, whose kernels take the addresses of
/// their bindings, in order; also the name of the compiler's target.
inline constexpr std::string_view cudaTargetName = "cuda";

/// Most workgroups along a dimension that every implementation allows.
inline constexpr uint32_t maxGpuGroups = 65535;
/// Most invocations of a workgroup that every desktop implementation allows.
inline constexpr uint32_t maxGpuWorkgroupSize = 1024;

/// The first bytes behind GpuSpace::status, 32-bit words that are 0 when a
/// program begins: the number of checks that failed, then of the one that came
/// first its FailureReason, the operation (UINT32_MAX for none), the condition
/// of the next branch or repeat, and found value and bound, of 64 bits each,
/// low half first.
inline constexpr uint64_t gpuStatusSize = 32;
/// The number of the word that kernels write conditions to.
inline constexpr size_t gpuConditionWord = 3;

/// All of the status of a model of \p inputCount inputs. After the words above
/// it has one for each input, which the host writes before a program begins: 1
/// where the request gives the input, 0 where it is omitted. Kernels read
/// zeroes from an input that is omitted.
constexpr uint64_t gpuStatusSizeFor(size_t inputCount) {
  return gpuStatusSize + uint64_t(inputCount) * sizeof(uint32_t);
}

/// Serializes \p program: equal programs give equal bytes. Checks nothing.
std::vector<std::byte> writeGpuProgram(const GpuProgram &program);

/// Checks and unpacks the program of \p bytes, a code section of \p artifact
/// with one entry. invalidArgument, naming found value and bound, unless every
/// kernel number, group count, alignment, target and binding is within its
/// bounds: those of inputs and outputs are the sizes that the interface of
/// \p artifact gives them, all of known extents. Inputs of unknown extents have
/// no bytes, and must be ones that a request may omit. Total: any \p bytes are
/// answered. The module's contents are not looked at.
Result<GpuProgram> readGpuProgram(std::span<const std::byte> bytes,
                                  const Artifact &artifact);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_GPUPROGRAM_H
