//===- ModelCache.h - The compiled artifact, both parts ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact is a model cache (what may execute: code, offsets, interface) and
// a data cache (constants only). docs/Internals/ModelCacheFormat.md has the
// bytes. Every access to the data cache is bounded by numbers of the model
// cache, so damage to it changes outputs at worst.
//
// The writer is used by the compiler, the reader by the runtime; the layout is
// known to lib/Runtime/Artifact alone.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ARTIFACT_MODELCACHE_H
#define NNHAL_LIB_RUNTIME_ARTIFACT_MODELCACHE_H

#include "nnhal/Runtime/Interface.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The kinds of code in a code section (decisions 7).
enum class TargetKind : uint32_t { x86_64Elf, aarch64Elf, spirv, ptx };
/// "x86_64-elf" and so on.
std::string_view toString(TargetKind target);

/// One callable function of the code.
struct ArtifactEntry {
  /// Exported symbol, type NNHalEntry.
  std::string symbol;
  /// The code section that holds the entry.
  uint32_t codeIndex = 0;
  /// Bit i of word i/64 is set when input i must be present. An empty vector
  /// asks for all inputs.
  std::vector<uint64_t> presentInputs;
  /// Whether input \p index must be present.
  bool requiresInput(size_t index) const {
    return presentInputs.empty() ||
           (presentInputs[index / 64] >> (index % 64) & 1) != 0;
  }
  /// Shapes that this entry is specialized for, one vector per input; empty:
  /// the interface's own. The first entry that fits is called, so specialized
  /// ones stand first.
  std::vector<std::vector<uint32_t>> inputShapes;
  uint64_t arenaSize = 0;
  /// A lower bound of the arena for any plan of the same buffers: at most
  /// arenaSize, 0 when it is not stated. Tools report it.
  uint64_t arenaLowerBound = 0;
  bool operator==(const ArtifactEntry &) const = default;
};

/// A region of the data cache, for tools; the code knows its offsets itself.
struct ConstantRegion {
  uint64_t offset = 0;
  uint64_t size = 0;
  std::string description;
  bool operator==(const ConstantRegion &) const = default;
};

/// An extension whose backend the code calls.
struct ArtifactExtension {
  std::string name;
  /// InstalledExtension::buildIdentity of the backend that the compiler knew.
  std::string buildIdentity;
  bool operator==(const ArtifactExtension &) const = default;
};

/// A part of the data cache.
struct DataRange {
  /// A multiple of constantAlignment.
  uint64_t offset = 0;
  uint64_t size = 0;
  bool operator==(const DataRange &) const = default;
};

struct CodeSection {
  TargetKind target = TargetKind::x86_64Elf;
  std::string cpu;
  /// LLVM's names as "+avx2,+fma": every feature that the code was allowed to
  /// use, those that cpu implies included. The loader asks the machine.
  std::string features;
  /// A view: of the model cache that it was read from, or of what whoever
  /// writes one keeps meanwhile.
  std::span<const std::byte> bytes;
  /// The constants that the code knows, from the first byte of the range on;
  /// all of the data cache where the artifact has one target.
  std::optional<DataRange> constants = std::nullopt;
};

/// Everything in a model cache, unpacked.
struct Artifact {
  std::vector<InterfaceTensor> inputs;
  std::vector<InterfaceTensor> outputs;
  std::vector<StatePair> statePairs;
  std::vector<ArtifactEntry> entries;
  std::vector<CodeSection> code;
  std::vector<ConstantRegion> constants;
  uint64_t dataCacheSize = 0;
  /// Slots of NNHalRoutineTable that the code may call.
  std::vector<uint32_t> routineSlots;
  /// SHA-256 over the model's content and the compile options.
  std::array<uint8_t, 32> contentKey = {};
  std::string buildIdentity;
  /// "double", "single" or "float".
  std::string rounding;
  /// The extensions that the model uses. The code does not run without them.
  std::vector<ArtifactExtension> extensions;
};

/// A larger size is not that of a data cache.
inline constexpr uint64_t maxDataCacheSize = uint64_t(1) << 40;

/// Alignment of every constant within the data cache, and of its base.
inline constexpr uint64_t constantAlignment = 64;

/// Serializes the model-cache part: equal artifacts give equal bytes. Checks
/// nothing: readModelCache() has the bounds.
std::vector<std::byte> writeModelCache(const Artifact &artifact);

/// Checks and unpacks a model cache. invalidArgument, naming found value and
/// bound, for anything that is not a complete, undamaged cache of a known
/// version. Total: any \p bytes are answered. Code sections are views of
/// \p bytes.
Result<Artifact> readModelCache(std::span<const std::byte> bytes);

/// One file with both parts, as `nnhal-run --emit` writes it.
std::vector<std::byte> writeBundle(std::span<const std::byte> modelCache,
                                   std::span<const std::byte> dataCache);

/// The parts of a bundle.
struct Bundle {
  std::span<const std::byte> modelCache;
  std::span<const std::byte> dataCache;
};
/// Returns the parts as views of \p bytes, which are not themselves checked.
/// Fails with invalidArgument when they are not inside.
Result<Bundle> readBundle(std::span<const std::byte> bytes);
/// Whether \p bytes begin like a bundle.
bool isBundle(std::span<const std::byte> bytes);

/// Returns the SHA-256 over everything of \p model that decides its meaning,
/// constants included, and over \p options. Fails with invalidArgument when a
/// pool has not been materialized.
Result<std::array<uint8_t, 32>> contentKeyOf(const AnnotatedModel &model,
                                             std::string_view options);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_MODELCACHE_H
