//===- GpuProgram.cpp - What a GPU executes of a model --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuProgram.h"

#include "GpuProgram_generated.h"
#include "ModelCache.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace nnhal::rt;

// Bounds of a program: far above what a compiler writes, far below what would
// let damaged bytes make the reader allocate.
static constexpr uint64_t maxKernels = 1u << 14;
static constexpr uint64_t maxCommands = 1u << 20;
static constexpr uint64_t maxBindings = 64;
static constexpr uint64_t maxNameLength = 255;
static constexpr uint32_t maxOperations = 1u << 20;
static constexpr uint64_t wordSize = sizeof(uint32_t);

std::string_view nnhal::rt::toString(GpuSpace space) {
  switch (space) {
  case GpuSpace::input:
    return "input";
  case GpuSpace::output:
    return "output";
  case GpuSpace::constants:
    return "constants";
  case GpuSpace::arena:
    return "arena";
  case GpuSpace::status:
    return "status";
  }
  return "unknown";
}

using Builder = flatbuffers::FlatBufferBuilder;

static flatbuffers::Offset<gpu::Kernel> writeKernel(Builder &builder,
                                                    const GpuKernel &kernel) {
  auto name = builder.CreateString(kernel.name);
  auto isWritten = builder.CreateVector(kernel.isWritten);
  return gpu::CreateKernel(builder, name, kernel.workgroupSize, isWritten);
}

static flatbuffers::Offset<gpu::Command>
writeCommand(Builder &builder, const GpuCommand &command) {
  std::vector<gpu::Binding> rows;
  rows.reserve(command.bindings.size());
  for (const GpuBinding &binding : command.bindings)
    rows.emplace_back(binding.offset, binding.size, binding.argument,
                      uint32_t(binding.space));
  auto bindings = builder.CreateVectorOfStructs(rows);
  return gpu::CreateCommand(builder, uint32_t(command.kind), command.kernel,
                            command.groups[0], command.groups[1],
                            command.groups[2], bindings, command.fillWord,
                            command.operation, command.target);
}

std::vector<std::byte> nnhal::rt::writeGpuProgram(const GpuProgram &program) {
  Builder builder;
  std::vector<flatbuffers::Offset<gpu::Kernel>> kernels;
  kernels.reserve(program.kernels.size());
  for (const GpuKernel &kernel : program.kernels)
    kernels.push_back(writeKernel(builder, kernel));
  std::vector<flatbuffers::Offset<gpu::Command>> commands;
  commands.reserve(program.commands.size());
  for (const GpuCommand &command : program.commands)
    commands.push_back(writeCommand(builder, command));
  auto kernelTable = builder.CreateVector(kernels);
  auto commandTable = builder.CreateVector(commands);
  builder.ForceVectorAlignment(program.module.size(), 1, wordSize);
  auto module = builder.CreateVector(
      reinterpret_cast<const uint8_t *>(program.module.data()),
      program.module.size());
  gpu::FinishProgramBuffer(
      builder, gpu::CreateProgram(builder, module, kernelTable, commandTable));
  auto *begin = reinterpret_cast<const std::byte *>(builder.GetBufferPointer());
  return {begin, begin + builder.GetSize()};
}

namespace {
// The digest of a model cache says that it is complete, not who wrote it: every
// number is checked before it is used.
class ProgramReader {
public:
  ProgramReader(std::span<const std::byte> file, const Artifact &artifact)
      : file(file), artifact(artifact) {}

  Result<GpuProgram> read() {
    NNHAL_RETURN_IF_ERROR(measureSpaces());
    const gpu::Program &root = *gpu::GetProgram(file.data());
    NNHAL_RETURN_IF_ERROR(readModule(root.module_()));
    NNHAL_RETURN_IF_ERROR(readKernels(root.kernels()));
    NNHAL_RETURN_IF_ERROR(readCommands(root.commands()));
    NNHAL_RETURN_IF_ERROR(checkTargets());
    return std::move(program);
  }

private:
  Status measureSpaces();
  Status measureInputs();
  Status measureOutputs();
  Status readModule(const flatbuffers::Vector<uint8_t> *module);
  template <typename Vector> Status readKernels(const Vector *list);
  Status readKernel(size_t index, const gpu::Kernel &row);
  template <typename Vector> Status readCommands(const Vector *list);
  Result<GpuCommand> readCommand(const gpu::Command &row) const;
  Status checkDispatch(const GpuCommand &command) const;
  Status checkTargets() const;
  Status checkTarget(size_t index) const;
  Result<uint64_t> spaceSize(const GpuBinding &binding) const;
  Status checkBinding(const GpuBinding &binding) const;

  std::span<const std::byte> file;
  const Artifact &artifact;
  std::vector<uint64_t> inputSizes;
  std::vector<uint64_t> outputSizes;
  uint64_t arenaSize = 0;
  GpuProgram program;
};
} // namespace

static Status hasUnknownExtents(const char *what, size_t index,
                                const InterfaceTensor &tensor) {
  return badData("{} {} of shape [{}] has extents that only an execution "
                 "knows, a GPU program needs all of them",
                 what, index, fmt::join(tensor.dimensions, ","));
}

Status ProgramReader::measureInputs() {
  const ArtifactEntry &entry = artifact.entries.front();
  for (size_t i = 0; i < artifact.inputs.size(); ++i) {
    std::optional<uint32_t> size = byteSizeOf(artifact.inputs[i]);
    if (!size && entry.requiresInput(i))
      return hasUnknownExtents("input", i, artifact.inputs[i]);
    inputSizes.push_back(size.value_or(0));
  }
  return Status::ok();
}

Status ProgramReader::measureOutputs() {
  for (size_t i = 0; i < artifact.outputs.size(); ++i) {
    std::optional<uint32_t> size = byteSizeOf(artifact.outputs[i]);
    if (!size)
      return hasUnknownExtents("output", i, artifact.outputs[i]);
    outputSizes.push_back(*size);
  }
  return Status::ok();
}

Status ProgramReader::measureSpaces() {
  if (artifact.entries.size() != 1)
    return badData("model cache has {} entries, a GPU program is one",
                   artifact.entries.size());
  arenaSize = artifact.entries.front().arenaSize;
  NNHAL_RETURN_IF_ERROR(measureInputs());
  return measureOutputs();
}

Status ProgramReader::readModule(const flatbuffers::Vector<uint8_t> *module) {
  uint64_t size = module ? module->size() : 0;
  if (size == 0 || size % wordSize != 0)
    return badData("the module of kernels has {} bytes, not a multiple of {} "
                   "above 0",
                   size, wordSize);
  auto *begin = reinterpret_cast<const std::byte *>(module->data());
  // The verifier has found the length, a word before, at a multiple of 4.
  program.module = {begin, size};
  return Status::ok();
}

template <typename Vector>
Status ProgramReader::readKernels(const Vector *list) {
  size_t count = list ? list->size() : 0;
  if (count > maxKernels)
    return badData("GPU program has {} kernels, more than {}", count,
                   maxKernels);
  for (size_t i = 0; i < count; ++i)
    NNHAL_RETURN_IF_ERROR(readKernel(i, *list->Get(uint32_t(i))));
  return Status::ok();
}

Status ProgramReader::readKernel(size_t index, const gpu::Kernel &row) {
  GpuKernel kernel;
  if (row.name())
    kernel.name = row.name()->str();
  if (kernel.name.empty() || kernel.name.size() > maxNameLength ||
      kernel.name.find('\0') != std::string::npos)
    return badData("kernel {} has a name of {} characters, not 1 to {} without "
                   "a zero byte",
                   index, kernel.name.size(), maxNameLength);
  kernel.workgroupSize = row.workgroup_size();
  if (kernel.workgroupSize == 0 || kernel.workgroupSize > maxGpuWorkgroupSize)
    return badData("kernel {} has workgroups of {}, not 1 to {}", index,
                   kernel.workgroupSize, maxGpuWorkgroupSize);
  if (row.is_written()) {
    if (row.is_written()->size() > maxBindings)
      return badData("kernel {} has {} bindings, more than {}", index,
                     row.is_written()->size(), maxBindings);
    kernel.isWritten.assign(row.is_written()->begin(), row.is_written()->end());
  }
  for (size_t i = 0; i < kernel.isWritten.size(); ++i)
    if (kernel.isWritten[i] > 1)
      return badData("binding {} of kernel {} states {} for being written, not "
                     "0 or 1",
                     i, index, kernel.isWritten[i]);
  program.kernels.push_back(std::move(kernel));
  return Status::ok();
}

template <typename Vector>
Status ProgramReader::readCommands(const Vector *list) {
  size_t count = list ? list->size() : 0;
  if (count > maxCommands)
    return badData("GPU program has {} commands, more than {}", count,
                   maxCommands);
  for (size_t i = 0; i < count; ++i) {
    auto command = readCommand(*list->Get(uint32_t(i)));
    if (!command.isOk())
      return std::move(command).takeStatus().withContext(
          fmt::format("command {}", i));
    program.commands.push_back(*std::move(command));
  }
  return Status::ok();
}

/// Nothing for an argument that there is not.
Result<uint64_t> ProgramReader::spaceSize(const GpuBinding &binding) const {
  uint64_t arguments = 1;
  switch (binding.space) {
  case GpuSpace::input:
    arguments = inputSizes.size();
    break;
  case GpuSpace::output:
    arguments = outputSizes.size();
    break;
  case GpuSpace::constants:
  case GpuSpace::arena:
  case GpuSpace::status:
    break;
  }
  if (binding.argument >= arguments)
    return badData("a binding is of number {} of space '{}', which has {}",
                   binding.argument, toString(binding.space), arguments);
  switch (binding.space) {
  case GpuSpace::input:
    return inputSizes[binding.argument];
  case GpuSpace::output:
    return outputSizes[binding.argument];
  case GpuSpace::constants:
    return artifact.dataCacheSize;
  case GpuSpace::arena:
    return arenaSize;
  case GpuSpace::status:
    return gpuStatusSizeFor(artifact.inputs.size());
  }
  return uint64_t(0);
}

Status ProgramReader::checkBinding(const GpuBinding &binding) const {
  NNHAL_ASSIGN_OR_RETURN(uint64_t bound, spaceSize(binding));
  if (binding.offset % constantAlignment != 0 || binding.size == 0 ||
      binding.offset > bound || binding.size > bound - binding.offset)
    return badData("a binding at {} with {} bytes does not fit the {} bytes of "
                   "space '{}' at a multiple of {}",
                   binding.offset, binding.size, bound, toString(binding.space),
                   constantAlignment);
  return Status::ok();
}

static bool isWritable(GpuSpace space) {
  return space == GpuSpace::output || space == GpuSpace::arena ||
         space == GpuSpace::status;
}

static Status checkWritable(const GpuBinding &binding) {
  if (!isWritable(binding.space))
    return badData("space '{}' is written, only output, arena and status can "
                   "be",
                   toString(binding.space));
  return Status::ok();
}

static Status checkBindingCount(const GpuCommand &command, size_t expected) {
  if (command.bindings.size() != expected)
    return badData("{} bindings where {} are expected", command.bindings.size(),
                   expected);
  return Status::ok();
}

Status ProgramReader::checkDispatch(const GpuCommand &command) const {
  if (command.kernel >= program.kernels.size())
    return badData("kernel {} of {} is dispatched", command.kernel,
                   program.kernels.size());
  const GpuKernel &kernel = program.kernels[command.kernel];
  NNHAL_RETURN_IF_ERROR(checkBindingCount(command, kernel.isWritten.size()));
  for (uint32_t groups : command.groups)
    if (groups == 0 || groups > maxGpuGroups)
      return badData("{} workgroups along a dimension, not 1 to {}", groups,
                     maxGpuGroups);
  for (size_t i = 0; i < command.bindings.size(); ++i)
    if (kernel.isWritten[i])
      NNHAL_RETURN_IF_ERROR(checkWritable(command.bindings[i]));
  return Status::ok();
}

static bool overlap(const GpuBinding &left, const GpuBinding &right) {
  return left.space == right.space && left.argument == right.argument &&
         left.offset < right.offset + right.size &&
         right.offset < left.offset + left.size;
}

static Status checkCopy(const GpuCommand &command) {
  NNHAL_RETURN_IF_ERROR(checkBindingCount(command, 2));
  const GpuBinding &from = command.bindings[0];
  const GpuBinding &to = command.bindings[1];
  if (from.size != to.size)
    return badData("{} bytes are copied to {}", from.size, to.size);
  if (overlap(from, to))
    return badData("{} bytes at {} are copied to {} of the same space, which "
                   "overlaps",
                   from.size, from.offset, to.offset);
  return checkWritable(to);
}

static Status checkFill(const GpuCommand &command) {
  NNHAL_RETURN_IF_ERROR(checkBindingCount(command, 1));
  const GpuBinding &to = command.bindings[0];
  if (to.size % wordSize != 0)
    return badData("{} bytes are filled, not a multiple of {}", to.size,
                   wordSize);
  return checkWritable(to);
}

static Result<std::vector<GpuBinding>>
readBindings(const flatbuffers::Vector<const gpu::Binding *> *list) {
  std::vector<GpuBinding> bindings;
  size_t count = list ? list->size() : 0;
  if (count > maxBindings)
    return badData("{} bindings, more than {}", count, maxBindings);
  for (size_t i = 0; i < count; ++i) {
    // The verifier lets structures of 8 bytes lie at multiples of 4.
    gpu::Binding row;
    std::memcpy(&row, list->Data() + i * sizeof(row), sizeof(row));
    if (row.space() > uint32_t(GpuSpace::status))
      return badData("a binding is of space {}, more than {}", row.space(),
                     uint32_t(GpuSpace::status));
    bindings.push_back(
        {GpuSpace(row.space()), row.argument(), row.offset(), row.size()});
  }
  return bindings;
}

Result<GpuCommand> ProgramReader::readCommand(const gpu::Command &row) const {
  if (row.kind() > uint32_t(GpuCommandKind::repeat))
    return badData("kind {} is more than {}", row.kind(),
                   uint32_t(GpuCommandKind::repeat));
  if (row.operation() >= maxOperations &&
      row.operation() != std::numeric_limits<uint32_t>::max())
    return badData("operation {} is not below {}", row.operation(),
                   maxOperations);
  GpuCommand command;
  command.kind = GpuCommandKind(row.kind());
  command.kernel = row.kernel();
  command.groups = {row.groups_x(), row.groups_y(), row.groups_z()};
  command.fillWord = row.fill_word();
  command.operation = row.operation();
  command.target = row.target();
  NNHAL_ASSIGN_OR_RETURN(command.bindings, readBindings(row.bindings()));
  for (const GpuBinding &binding : command.bindings)
    NNHAL_RETURN_IF_ERROR(checkBinding(binding));
  Status status;
  switch (command.kind) {
  case GpuCommandKind::dispatch:
    status = checkDispatch(command);
    break;
  case GpuCommandKind::copy:
    status = checkCopy(command);
    break;
  case GpuCommandKind::fill:
    status = checkFill(command);
    break;
  case GpuCommandKind::barrier:
  case GpuCommandKind::branch:
  case GpuCommandKind::jump:
  case GpuCommandKind::loop:
  case GpuCommandKind::repeat:
    status = checkBindingCount(command, 0);
    break;
  }
  NNHAL_RETURN_IF_ERROR(status);
  return command;
}

/// Nothing but `repeat` leads back: an execution waits for the device, and may
/// be cancelled, in each round of what goes on for ever.
Status ProgramReader::checkTarget(size_t index) const {
  const GpuCommand &command = program.commands[index];
  size_t count = program.commands.size();
  if (command.kind != GpuCommandKind::repeat) {
    if (command.target <= index || command.target > count)
      return badData("goes on at command {}, not {} to {}", command.target,
                     index + 1, count);
    return Status::ok();
  }
  if (command.target == 0 || command.target > index ||
      program.commands[command.target - 1].kind != GpuCommandKind::loop)
    return badData("goes back to command {}, which is not behind a loop below "
                   "{}",
                   command.target, index);
  return Status::ok();
}

Status ProgramReader::checkTargets() const {
  for (size_t i = 0; i < program.commands.size(); ++i)
    if (isControl(program.commands[i].kind))
      NNHAL_RETURN_IF_ERROR(
          checkTarget(i).withContext(fmt::format("command {}", i)));
  return Status::ok();
}

Result<GpuProgram> nnhal::rt::readGpuProgram(std::span<const std::byte> bytes,
                                             const Artifact &artifact) {
  // What is larger the verifier does not take.
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return badData("GPU program of {} bytes is not below {}", bytes.size(),
                   uint64_t(FLATBUFFERS_MAX_BUFFER_SIZE));
  // The default bound of tables is below what maxCommands allows.
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
      /*max_depth=*/8, uint32_t(maxKernels + maxCommands + 1));
  if (!gpu::VerifyProgramBuffer(verifier))
    return badData("{} bytes are not a GPU program", bytes.size());
  return ProgramReader(bytes, artifact).read();
}
