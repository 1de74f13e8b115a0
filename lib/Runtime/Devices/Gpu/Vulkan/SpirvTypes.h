//===- SpirvTypes.h - The types that a module declares ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_SPIRVTYPES_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_SPIRVTYPES_H

#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace nnhal::rt::vulkan {

/// Fails with invalidArgument where the instruction \p what has less than
/// \p least \p operands.
Status checkLength(const char *what, std::span<const uint32_t> operands,
                   size_t least);

/// The types of a SPIR-V module, as far as they say how much memory a workgroup
/// shares and what matrices are multiplied.
class SpirvTypes {
public:
  /// \p hasByteMatrices: whether subgroups multiply bytes.
  explicit SpirvTypes(bool hasByteMatrices)
      : hasByteMatrices(hasByteMatrices) {}

  /// Notes what the instruction \p opcode declares, if it declares a type or a
  /// constant. Fails with invalidArgument for matrices that kernels do not
  /// have, and with deviceUnavailable for bytes that subgroups do not multiply.
  Status read(uint32_t opcode, std::span<const uint32_t> operands);

  /// How a type lies in memory, by the layout rules that Vulkan counts shared
  /// memory by: those of storage buffers, with 4 bytes for a bool.
  struct Layout {
    /// At least 1, at most `mostBytes`.
    uint64_t size = 0;
    uint32_t alignment = 1;
  };

  /// The layout of a variable of the pointer type \p id; none where the module
  /// does not fix it, as by a length that is a specialization constant.
  std::optional<Layout> pointeeLayout(uint32_t id) const;

  /// Where sizes end to be told apart.
  static constexpr uint64_t mostBytes = uint64_t(1) << 32;

private:
  Status readMatrix(std::span<const uint32_t> operands) const;
  /// Notes that \p type has \p layout, unless there is none.
  void note(uint32_t type, std::optional<Layout> layout);
  std::optional<Layout> layoutOf(uint32_t type) const;
  std::optional<Layout> layoutOfNumber(uint32_t bits) const;
  std::optional<Layout> layoutOfVector(uint32_t element, uint32_t count) const;
  std::optional<Layout> layoutOfArray(uint32_t element, uint64_t count) const;
  std::optional<Layout>
  layoutOfStructure(std::span<const uint32_t> members) const;
  /// The constant \p id; 0 where that is none, or is specialized.
  uint64_t constantOf(uint32_t id) const;

  const bool hasByteMatrices;
  /// By the numbers of types.
  std::map<uint32_t, Layout> layouts;
  std::map<uint32_t, uint32_t> pointees;
  std::map<uint32_t, uint64_t> constants;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_SPIRVTYPES_H
