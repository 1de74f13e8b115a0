//===- SpirvModule.cpp - Checks kernels before a driver sees them ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpirvModule.h"

#include "SpirvTypes.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

// Numbers of the SPIR-V specification.
static constexpr uint32_t magicNumber = 0x07230203;
static constexpr uint32_t oldestVersion = 0x00010400;
static constexpr uint32_t newestVersion = 0x00010600;
static constexpr size_t headerWords = 5;
/// The specification's bound of identifiers.
static constexpr uint32_t maxIdBound = 0x400000;

enum SpirvOpcode : uint32_t {
  opExtension = 10,
  opExtInstImport = 11,
  opMemoryModel = 14,
  opEntryPoint = 15,
  opExecutionMode = 16,
  opCapability = 17,
  opFunction = 54,
  opFunctionEnd = 56,
  opFunctionCall = 57,
  opVariable = 59,
  opDecorate = 71,
  opExecutionModeId = 331,
  opGroupNonUniformFirst = 333,
  opGroupNonUniformLast = 366,
  opTypeCooperativeMatrix = 4456,
};

static constexpr uint32_t executionModelCompute = 5;
static constexpr uint32_t addressingLogical = 0;
static constexpr uint32_t memoryModelGlsl450 = 1;
static constexpr uint32_t memoryModelVulkan = 3;
static constexpr uint32_t capabilityGroupNonUniform = 61;
static constexpr uint32_t capabilityVulkanMemoryModel = 5345;
static constexpr uint32_t capabilityCooperativeMatrix = 6022;
static constexpr uint32_t modeLocalSize = 17;
static constexpr uint32_t decorationBuiltIn = 11;
static constexpr uint32_t decorationBinding = 33;
static constexpr uint32_t decorationDescriptorSet = 34;
static constexpr uint32_t builtInWorkgroupSize = 25;
static constexpr uint32_t builtInSubgroupId = 40;
/// SubgroupSize, NumSubgroups, SubgroupId and SubgroupLocalInvocationId.
static constexpr std::array<uint32_t, 4> subgroupBuiltIns = {
    36, 38, builtInSubgroupId, 41};
static constexpr uint32_t workgroupClass = 4;
static constexpr uint32_t storageBufferClass = 12;

/// Input, Workgroup, Private, Function and StorageBuffer.
static constexpr std::array<uint32_t, 5> storageClasses = {
    1, workgroupClass, 6, 7, storageBufferClass};

static constexpr std::array<std::string_view, 7> allowedExtensions = {
    "SPV_KHR_8bit_storage",
    "SPV_KHR_16bit_storage",
    "SPV_KHR_cooperative_matrix",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_vulkan_memory_model"};

namespace {
/// A capability that kernels may state.
struct Capability {
  uint32_t number;
  const char *name;
  /// The feature that a device has to have for it; null where all have it.
  bool Features::*feature;
};
} // namespace

static constexpr Capability capabilities[] = {
    {0, "Matrix", nullptr},
    {1, "Shader", nullptr},
    {9, "Float16", &Features::float16},
    {10, "Float64", &Features::float64},
    {11, "Int64", &Features::int64},
    {22, "Int16", &Features::int16},
    {39, "Int8", &Features::int8},
    {capabilityGroupNonUniform, "GroupNonUniform", &Features::subgroups},
    {4433, "StorageBuffer16BitAccess", &Features::storage16},
    {4434, "UniformAndStorageBuffer16BitAccess",
     &Features::uniformAndStorage16},
    {4448, "StorageBuffer8BitAccess", &Features::storage8},
    {4449, "UniformAndStorageBuffer8BitAccess", &Features::uniformAndStorage8},
    {capabilityVulkanMemoryModel, "VulkanMemoryModel", &Features::memoryModel},
    {6016, "DotProductInputAll", &Features::dotProduct},
    {6017, "DotProductInput4x8Bit", &Features::dotProduct},
    {6018, "DotProductInput4x8BitPacked", &Features::dotProduct},
    {6019, "DotProduct", &Features::dotProduct},
    {capabilityCooperativeMatrix, "CooperativeMatrixKHR",
     &Features::halfMatrices},
};

namespace {
/// Instructions with a pointer among their operands.
struct PointerOperand {
  uint32_t firstOpcode;
  uint32_t lastOpcode;
  size_t position;
};
} // namespace

static constexpr PointerOperand pointerOperands[] = {
    {61, 61, 2},     // OpLoad
    {62, 63, 0},     // OpStore, OpCopyMemory
    {63, 63, 1},     // OpCopyMemory
    {65, 67, 2},     // OpAccessChain, OpInBoundsAccessChain, OpPtrAccessChain
    {83, 83, 2},     // OpCopyObject
    {227, 227, 2},   // OpAtomicLoad
    {228, 228, 0},   // OpAtomicStore
    {229, 242, 2},   // OpAtomicExchange to OpAtomicXor
    {4457, 4457, 2}, // OpCooperativeMatrixLoadKHR
    {4458, 4458, 0}, // OpCooperativeMatrixStoreKHR
};

namespace {
using Words = std::span<const uint32_t>;

/// The literal string that begins \p words. Fails with invalidArgument when it
/// does not end; \p used counts its words.
Result<std::string_view> readString(Words words, size_t &used) {
  const char *text = reinterpret_cast<const char *>(words.data());
  size_t size = ::strnlen(text, words.size_bytes());
  if (size == words.size_bytes())
    return badData("a string of the SPIR-V module does not end within {} words",
                   words.size());
  used = size / sizeof(uint32_t) + 1;
  return std::string_view(text, size);
}

struct EntryPoint {
  uint32_t function = 0;
  std::string_view name;
  Words interface;
  std::array<uint32_t, 3> localSize = {};
};

class ModuleReader {
public:
  explicit ModuleReader(const Features &features)
      : features(features), types(features.byteMatrices) {}

  Status read(Words module);
  Result<std::vector<KernelNeeds>>
  checkKernels(const GpuProgram &program) const;

private:
  Status readInstruction(uint32_t opcode, Words operands);
  Status readCapability(Words operands);
  Status readExtension(Words operands) const;
  static Status readImport(Words operands);
  Status readMemoryModel(Words operands) const;
  Status readEntryPoint(Words operands);
  Status readExecutionMode(Words operands);
  Status readDecoration(Words operands);
  Status readVariable(Words operands);
  Status readFunction(uint32_t opcode, Words operands);
  /// Notes the variables of workgroups that an instruction of a function names,
  /// and the function that it calls.
  void noteUses(uint32_t opcode, Words operands);
  /// Fails with invalidArgument where the module has not stated \p capability,
  /// which \p what needs.
  Status needCapability(const char *what, uint32_t capability) const;
  /// Checks that the variables of workgroups that \p entry uses are in its
  /// interface, by which they are counted.
  Status checkShared(const EntryPoint &entry) const;
  Status checkKernel(const GpuKernel &kernel, const EntryPoint &entry) const;
  KernelNeeds needsOf(const EntryPoint &entry) const;

  const Features &features;
  SpirvTypes types;
  /// The capabilities that the module has stated so far.
  std::set<uint32_t> stated;
  /// By the number of the function; a function may have several.
  std::multimap<uint32_t, EntryPoint> entries;
  /// By the number of the variable.
  std::map<uint32_t, uint32_t> bindings;
  std::map<uint32_t, uint32_t> storageOf;
  /// The variables that a workgroup shares.
  std::map<uint32_t, SpirvTypes::Layout> shared;
  /// The variables that are numbers of subgroups.
  std::set<uint32_t> subgroupIds;
  /// The function whose instructions follow; 0 between functions.
  uint32_t function = 0;
  /// Functions, each with a variable that a workgroup shares or with a function
  /// that it calls.
  std::set<std::pair<uint32_t, uint32_t>> uses;
};
} // namespace

Status ModuleReader::read(Words module) {
  if (module.size() < headerWords || module[0] != magicNumber)
    return badData("the module of kernels does not begin like SPIR-V");
  if (module[1] < oldestVersion || module[1] > newestVersion)
    return badData("the module has SPIR-V version {:#x}, not {:#x} to {:#x}",
                   module[1], oldestVersion, newestVersion);
  if (module[3] == 0 || module[3] > maxIdBound || module[4] != 0)
    return badData("the SPIR-V module states {} identifiers and schema {}, not "
                   "1 to {} and 0",
                   module[3], module[4], maxIdBound);
  for (size_t at = headerWords; at < module.size();) {
    size_t count = module[at] >> 16;
    if (count == 0 || count > module.size() - at)
      return badData("the instruction at word {} of the SPIR-V module has {} "
                     "words, {} are left",
                     at, count, module.size() - at);
    NNHAL_RETURN_IF_ERROR(readInstruction(module[at] & 0xFFFF,
                                          module.subspan(at + 1, count - 1)));
    at += count;
  }
  return Status::ok();
}

Status ModuleReader::readInstruction(uint32_t opcode, Words operands) {
  switch (opcode) {
  case opCapability:
    return readCapability(operands);
  case opExtension:
    return readExtension(operands);
  case opExtInstImport:
    return readImport(operands);
  case opMemoryModel:
    return readMemoryModel(operands);
  case opEntryPoint:
    return readEntryPoint(operands);
  case opExecutionMode:
    return readExecutionMode(operands);
  case opExecutionModeId:
    return badData("the SPIR-V module has an execution mode with identifiers");
  case opDecorate:
    return readDecoration(operands);
  case opVariable:
    return readVariable(operands);
  case opFunction:
  case opFunctionEnd:
    return readFunction(opcode, operands);
  case opTypeCooperativeMatrix:
    NNHAL_RETURN_IF_ERROR(
        needCapability("matrices", capabilityCooperativeMatrix));
    break;
  default:
    break;
  }
  if (opcode >= opGroupNonUniformFirst && opcode <= opGroupNonUniformLast)
    NNHAL_RETURN_IF_ERROR(
        needCapability("instructions of subgroups", capabilityGroupNonUniform));
  if (function != 0)
    noteUses(opcode, operands);
  return types.read(opcode, operands);
}

Status ModuleReader::needCapability(const char *what,
                                    uint32_t capability) const {
  if (stated.contains(capability))
    return Status::ok();
  return badData("the SPIR-V module has {} without capability {}", what,
                 capability);
}

Status ModuleReader::readCapability(Words operands) {
  NNHAL_RETURN_IF_ERROR(checkLength("a capability", operands, 1));
  const Capability *found =
      std::ranges::find(capabilities, operands[0], &Capability::number);
  if (found == std::end(capabilities))
    return badData("the SPIR-V module needs capability {}, which kernels may "
                   "not use",
                   operands[0]);
  if (found->feature && !(features.*found->feature))
    return deviceUnavailable("the SPIR-V module needs capability {} ({}), "
                             "which the GPU does not have",
                             found->number, found->name);
  stated.insert(found->number);
  return Status::ok();
}

Status ModuleReader::readExtension(Words operands) const {
  size_t used = 0;
  NNHAL_ASSIGN_OR_RETURN(std::string_view name, readString(operands, used));
  if (std::ranges::find(allowedExtensions, name) == allowedExtensions.end())
    return badData("the SPIR-V module needs the extension '{}', which kernels "
                   "may not use",
                   name);
  return Status::ok();
}

Status ModuleReader::readImport(Words operands) {
  NNHAL_RETURN_IF_ERROR(checkLength("an import", operands, 2));
  size_t used = 0;
  NNHAL_ASSIGN_OR_RETURN(std::string_view name,
                         readString(operands.subspan(1), used));
  if (name != "GLSL.std.450")
    return badData("the SPIR-V module imports '{}', not GLSL.std.450", name);
  return Status::ok();
}

Status ModuleReader::readMemoryModel(Words operands) const {
  NNHAL_RETURN_IF_ERROR(checkLength("a memory model", operands, 2));
  if (operands[0] != addressingLogical ||
      (operands[1] != memoryModelGlsl450 && operands[1] != memoryModelVulkan))
    return badData("the SPIR-V module has addressing {} and memory model {}, "
                   "not {} and {} or {}",
                   operands[0], operands[1], addressingLogical,
                   memoryModelGlsl450, memoryModelVulkan);
  // A module states its capabilities before its memory model.
  if (operands[1] == memoryModelVulkan)
    return needCapability("memory model 3", capabilityVulkanMemoryModel);
  return Status::ok();
}

Status ModuleReader::readEntryPoint(Words operands) {
  NNHAL_RETURN_IF_ERROR(checkLength("an entry point", operands, 3));
  if (operands[0] != executionModelCompute)
    return badData("an entry point of the SPIR-V module has execution model "
                   "{}, not {}",
                   operands[0], executionModelCompute);
  EntryPoint entry;
  size_t used = 0;
  NNHAL_ASSIGN_OR_RETURN(entry.name, readString(operands.subspan(2), used));
  entry.function = operands[1];
  entry.interface = operands.subspan(2 + used);
  entries.emplace(operands[1], entry);
  return Status::ok();
}

Status ModuleReader::readExecutionMode(Words operands) {
  NNHAL_RETURN_IF_ERROR(checkLength("an execution mode", operands, 2));
  if (operands[1] != modeLocalSize)
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(checkLength("a size of workgroups", operands, 5));
  auto [first, last] = entries.equal_range(operands[0]);
  for (auto entry = first; entry != last; ++entry)
    entry->second.localSize = {operands[2], operands[3], operands[4]};
  return Status::ok();
}

Status ModuleReader::readDecoration(Words operands) {
  NNHAL_RETURN_IF_ERROR(checkLength("a decoration", operands, 2));
  uint32_t decoration = operands[1];
  if (decoration != decorationBuiltIn && decoration != decorationBinding &&
      decoration != decorationDescriptorSet)
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(checkLength("a decoration", operands, 3));
  if (decoration == decorationBuiltIn && operands[2] == builtInWorkgroupSize)
    return badData("the SPIR-V module has a constant for the size of "
                   "workgroups");
  if (decoration == decorationBuiltIn &&
      std::ranges::count(subgroupBuiltIns, operands[2]) > 0)
    NNHAL_RETURN_IF_ERROR(
        needCapability("numbers of subgroups", capabilityGroupNonUniform));
  if (decoration == decorationBuiltIn && operands[2] == builtInSubgroupId)
    subgroupIds.insert(operands[0]);
  if (decoration == decorationDescriptorSet && operands[2] != 0)
    return badData("the SPIR-V module uses descriptor set {}, not 0",
                   operands[2]);
  if (decoration == decorationBinding)
    bindings[operands[0]] = operands[2];
  return Status::ok();
}

Status ModuleReader::readVariable(Words operands) {
  NNHAL_RETURN_IF_ERROR(checkLength("a variable", operands, 3));
  if (std::ranges::find(storageClasses, operands[2]) == storageClasses.end())
    return badData("a variable of the SPIR-V module has storage class {}, "
                   "which kernels may not use",
                   operands[2]);
  storageOf[operands[1]] = operands[2];
  if (operands[2] != workgroupClass)
    return Status::ok();
  std::optional<SpirvTypes::Layout> layout = types.pointeeLayout(operands[0]);
  if (!layout)
    return badData("variable {} of the SPIR-V module, which a workgroup "
                   "shares, has type {} of unknown size",
                   operands[1], operands[0]);
  shared[operands[1]] = *layout;
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Status ModuleReader::readFunction(uint32_t opcode, Words operands) {
  if (opcode == opFunctionEnd) {
    function = 0;
    return Status::ok();
  }
  NNHAL_RETURN_IF_ERROR(checkLength("a function", operands, 4));
  function = operands[1];
  return Status::ok();
}

void ModuleReader::noteUses(uint32_t opcode, Words operands) {
  auto note = [&](size_t position) {
    if (position < operands.size() && shared.contains(operands[position]))
      uses.emplace(function, operands[position]);
  };
  for (const PointerOperand &pointer : pointerOperands)
    if (opcode >= pointer.firstOpcode && opcode <= pointer.lastOpcode)
      note(pointer.position);
  constexpr size_t callee = 2;
  if (opcode != opFunctionCall || operands.size() <= callee)
    return;
  uses.emplace(function, operands[callee]);
  for (size_t i = callee + 1; i < operands.size(); ++i)
    note(i);
}

Status ModuleReader::checkShared(const EntryPoint &entry) const {
  // Calls may be circular in a module that is not valid.
  std::set<uint32_t> checked;
  std::vector<uint32_t> functions = {entry.function};
  while (!functions.empty()) {
    uint32_t next = functions.back();
    functions.pop_back();
    if (!checked.insert(next).second)
      continue;
    for (auto use = uses.lower_bound({next, 0});
         use != uses.end() && use->first == next; ++use) {
      if (!shared.contains(use->second))
        functions.push_back(use->second);
      else if (std::ranges::count(entry.interface, use->second) == 0)
        return badData("entry point '{}' uses variable {}, which a workgroup "
                       "shares, without naming it",
                       entry.name, use->second);
    }
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Status ModuleReader::checkKernel(const GpuKernel &kernel,
                                 const EntryPoint &entry) const {
  auto [x, y, z] = entry.localSize;
  if (x != kernel.workgroupSize || y != 1 || z != 1)
    return badData(
        "entry point '{}' has workgroups of {} x {} x {}, its kernel "
        "of {} x 1 x 1",
        entry.name, x, y, z, kernel.workgroupSize);
  for (uint32_t variable : entry.interface) {
    auto storage = storageOf.find(variable);
    if (storage == storageOf.end() || storage->second != storageBufferClass)
      continue;
    auto binding = bindings.find(variable);
    if (binding == bindings.end())
      return badData("entry point '{}' uses storage buffer {} without a "
                     "binding",
                     entry.name, variable);
    if (binding->second >= kernel.isWritten.size())
      return badData("entry point '{}' uses binding {}, its kernel has {}",
                     entry.name, binding->second, kernel.isWritten.size());
  }
  return checkShared(entry);
}

KernelNeeds ModuleReader::needsOf(const EntryPoint &entry) const {
  KernelNeeds needs;
  // Drivers may place the variables in any order, with gaps for the alignment.
  uint64_t alignment = 1;
  for (uint32_t variable : entry.interface)
    if (auto found = shared.find(variable); found != shared.end())
      alignment = std::max<uint64_t>(alignment, found->second.alignment);
  for (uint32_t variable : entry.interface) {
    if (auto found = shared.find(variable); found != shared.end())
      needs.sharedBytes +=
          (found->second.size + alignment - 1) / alignment * alignment;
    needs.hasSubgroups |= subgroupIds.contains(variable);
  }
  return needs;
}

Result<std::vector<KernelNeeds>>
ModuleReader::checkKernels(const GpuProgram &program) const {
  std::map<std::string_view, const EntryPoint *> byName;
  for (const auto &[function, entry] : entries)
    if (!byName.emplace(entry.name, &entry).second)
      return badData("the SPIR-V module has two entry points '{}'", entry.name);
  if (byName.size() != program.kernels.size())
    return badData("the SPIR-V module has {} entry points, the program {} "
                   "kernels",
                   byName.size(), program.kernels.size());
  std::vector<KernelNeeds> needs;
  for (const GpuKernel &kernel : program.kernels) {
    auto found = byName.find(kernel.name);
    if (found == byName.end())
      return badData("the SPIR-V module has no entry point '{}'", kernel.name);
    NNHAL_RETURN_IF_ERROR(checkKernel(kernel, *found->second));
    needs.push_back(needsOf(*found->second));
  }
  return needs;
}

Result<std::vector<KernelNeeds>> vulkan::checkSpirv(const GpuProgram &program,
                                                    const Features &features) {
  // Aligned to words, by the rules of programs.
  Words module(reinterpret_cast<const uint32_t *>(program.module.data()),
               program.module.size() / sizeof(uint32_t));
  ModuleReader reader(features);
  NNHAL_RETURN_IF_ERROR(reader.read(module));
  return reader.checkKernels(program);
}
