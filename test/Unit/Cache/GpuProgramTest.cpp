//===- GpuProgramTest.cpp - Programs of GPUs, whole and damaged -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/GpuProgram.h"
#include "Runtime/Artifact/ModelCache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <sys/mman.h>

using namespace nnhal::rt;

namespace {

constexpr uint64_t arenaSize = 1024;
constexpr uint64_t constantsSize = 200;
constexpr uint64_t argumentSize = 64;

Artifact artifactOf() {
  Artifact artifact;
  artifact.inputs = {{"a", OperandType::TENSOR_FLOAT32, {16}, 0.0f, 0},
                     {"b", OperandType::TENSOR_FLOAT32, {16}, 0.0f, 0}};
  artifact.outputs = {{"c", OperandType::TENSOR_FLOAT32, {16}, 0.0f, 0}};
  artifact.entries = {{"main", 0, {}, {}, arenaSize}};
  artifact.dataCacheSize = constantsSize;
  return artifact;
}

GpuBinding input(uint32_t number) {
  return {GpuSpace::input, number, 0, argumentSize};
}

GpuBinding arena(uint64_t offset, uint64_t size) {
  return {GpuSpace::arena, 0, offset, size};
}

const std::vector<std::byte> module(64, std::byte(3));

/// A program with something in every field.
GpuProgram sample() {
  GpuProgram program;
  program.module = module;
  program.kernels = {
      {"add", 64, {0, 0, 1}}, {"check", 1, {0, 1}}, {"branch", 1, {0, 1}}};
  GpuCommand fill = {GpuCommandKind::fill, 0, {}, {arena(0, 64)}, 0x01020304};
  GpuCommand barrier = {.kind = GpuCommandKind::barrier, .bindings = {}};
  GpuCommand add = {GpuCommandKind::dispatch,
                    0,
                    {2, 3, 4},
                    {input(0), input(1), arena(64, 64)},
                    0,
                    7};
  GpuCommand check = {
      GpuCommandKind::dispatch,
      1,
      {1, 1, 1},
      {{GpuSpace::constants, 0, 128, 72}, {GpuSpace::status, 0, 0, 32}}};
  GpuCommand copy = {GpuCommandKind::copy,
                     0,
                     {},
                     {arena(64, 64), {GpuSpace::output, 0, 0, argumentSize}}};
  GpuCommand branch = {GpuCommandKind::dispatch,
                       2,
                       {1, 1, 1},
                       {{GpuSpace::status, 0, 0, 40}, arena(128, 64)}};
  auto control = [](GpuCommandKind kind, uint32_t target) {
    return GpuCommand{.kind = kind, .bindings = {}, .target = target};
  };
  program.commands = {fill,
                      barrier,
                      add,
                      check,
                      barrier,
                      copy,
                      branch,
                      control(GpuCommandKind::loop, 9),
                      fill,
                      check,
                      control(GpuCommandKind::repeat, 8),
                      control(GpuCommandKind::branch, 14),
                      fill,
                      control(GpuCommandKind::jump, 15),
                      fill};
  return program;
}

/// The status of reading what \p change makes of the sample.
Status readChanged(const std::function<void(GpuProgram &)> &change,
                   const Artifact &artifact = artifactOf()) {
  GpuProgram program = sample();
  change(program);
  std::vector<std::byte> bytes = writeGpuProgram(program);
  return readGpuProgram(bytes, artifact).status();
}

void expectRefused(const std::function<void(GpuProgram &)> &change,
                   const std::string &message,
                   const Artifact &artifact = artifactOf()) {
  Status status = readChanged(change, artifact);
  EXPECT_EQ(status.code(), StatusCode::invalidArgument) << message;
  EXPECT_EQ(status.message(), message);
}

TEST(GpuProgramTest, ReadsWhatWasWritten) {
  GpuProgram program = sample();
  std::vector<std::byte> bytes = writeGpuProgram(program);
  EXPECT_EQ(bytes, writeGpuProgram(program));
  auto read = readGpuProgram(bytes, artifactOf());
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(read->kernels, program.kernels);
  EXPECT_EQ(read->commands, program.commands);
  EXPECT_TRUE(std::ranges::equal(read->module, module));
  EXPECT_EQ((read->module.data() - bytes.data()) % 4, 0);
}

TEST(GpuProgramTest, RefusesModules) {
  expectRefused([](GpuProgram &program) { program.module = {}; },
                "the module of kernels has 0 bytes, not a multiple of 4 above "
                "0");
  expectRefused(
      [](GpuProgram &program) { program.module = program.module.first(6); },
      "the module of kernels has 6 bytes, not a multiple of 4 above 0");
}

TEST(GpuProgramTest, RefusesKernels) {
  const std::string name(300, 'k');
  expectRefused([&](GpuProgram &program) { program.kernels[1].name = name; },
                "kernel 1 has a name of 300 characters, not 1 to 255 without a "
                "zero byte");
  for (uint32_t size : {0u, 1025u})
    expectRefused(
        [&](GpuProgram &program) { program.kernels[0].workgroupSize = size; },
        "kernel 0 has workgroups of " + std::to_string(size) +
            ", not 1 to 1024");
  expectRefused(
      [](GpuProgram &program) { program.kernels[0].isWritten.assign(65, 0); },
      "kernel 0 has 65 bindings, more than 64");
  expectRefused(
      [](GpuProgram &program) { program.kernels[0].isWritten[2] = 2; },
      "binding 2 of kernel 0 states 2 for being written, not 0 or 1");
  expectRefused(
      [](GpuProgram &program) {
        program.kernels.resize(16385, program.kernels[0]);
      },
      "GPU program has 16385 kernels, more than 16384");
}

TEST(GpuProgramTest, RefusesDispatches) {
  expectRefused([](GpuProgram &program) { program.commands[2].kernel = 3; },
                "command 2: kernel 3 of 3 is dispatched");
  expectRefused([](GpuProgram &program) { program.commands[2].kernel = 1; },
                "command 2: 3 bindings where 2 are expected");
  for (uint32_t groups : {0u, 65536u})
    expectRefused(
        [&](GpuProgram &program) { program.commands[2].groups[1] = groups; },
        "command 2: " + std::to_string(groups) +
            " workgroups along a dimension, not 1 to 65535");
  expectRefused(
      [](GpuProgram &program) { program.commands[2].operation = 1u << 20; },
      "command 2: operation 1048576 is not below 1048576");
  expectRefused(
      [](GpuProgram &program) { program.commands[2].bindings[2] = input(1); },
      "command 2: space 'input' is written, only output, arena and status can "
      "be");
  expectRefused(
      [](GpuProgram &program) { program.commands[2].kind = GpuCommandKind(8); },
      "command 2: kind 8 is more than 7");
}

TEST(GpuProgramTest, RefusesBindings) {
  auto bind = [](GpuBinding binding) {
    return [binding](GpuProgram &program) {
      program.commands[2].bindings[0] = binding;
    };
  };
  expectRefused(bind({GpuSpace(5), 0, 0, 4}),
                "command 2: a binding is of space 5, more than 4");
  expectRefused(bind(input(2)), "command 2: a binding is of number 2 of space "
                                "'input', which has 2");
  expectRefused(bind({GpuSpace::arena, 1, 0, 4}),
                "command 2: a binding is of number 1 of space 'arena', which "
                "has 1");
  auto refused = [&](GpuSpace space, uint64_t offset, uint64_t size,
                     uint64_t bound) {
    expectRefused(bind({space, 0, offset, size}),
                  "command 2: a binding at " + std::to_string(offset) +
                      " with " + std::to_string(size) +
                      " bytes does not fit the " + std::to_string(bound) +
                      " bytes of space '" + std::string(toString(space)) +
                      "' at a multiple of 64");
  };
  refused(GpuSpace::input, 0, 65, argumentSize);
  refused(GpuSpace::output, 64, 1, argumentSize);
  refused(GpuSpace::constants, 192, 9, constantsSize);
  refused(GpuSpace::arena, 32, 4, arenaSize);
  refused(GpuSpace::arena, 64, 0, arenaSize);
  refused(GpuSpace::arena, 64, UINT64_MAX - 32, arenaSize);
  refused(GpuSpace::arena, UINT64_MAX - 63, 64, arenaSize);
  // There is a word for each of the two inputs.
  refused(GpuSpace::status, 0, 41, gpuStatusSize + 8);
  refused(GpuSpace::status, 64, 4, gpuStatusSize + 8);
  expectRefused(
      [](GpuProgram &program) {
        program.commands[2].bindings.resize(65, input(0));
      },
      "command 2: 65 bindings, more than 64");
}

TEST(GpuProgramTest, RefusesTransfers) {
  expectRefused(
      [](GpuProgram &program) { program.commands[0].bindings[0].size = 62; },
      "command 0: 62 bytes are filled, not a multiple of 4");
  expectRefused(
      [](GpuProgram &program) { program.commands[0].bindings[0] = input(0); },
      "command 0: space 'input' is written, only output, arena and status can "
      "be");
  expectRefused(
      [](GpuProgram &program) { program.commands[5].bindings[0].size = 60; },
      "command 5: 60 bytes are copied to 64");
  expectRefused(
      [](GpuProgram &program) {
        program.commands[5].bindings = {arena(0, 128), arena(64, 128)};
      },
      "command 5: 128 bytes at 0 are copied to 64 of the same space, which "
      "overlaps");
  expectRefused(
      [](GpuProgram &program) {
        program.commands[5].bindings[1] = {GpuSpace::constants, 0, 0, 64};
      },
      "command 5: space 'constants' is written, only output, arena and status "
      "can be");
  expectRefused(
      [](GpuProgram &program) {
        program.commands[1].bindings.push_back(input(0));
      },
      "command 1: 1 bindings where 0 are expected");
}

TEST(GpuProgramTest, RefusesTargets) {
  auto aim = [](size_t command, uint32_t target) {
    return
        [=](GpuProgram &program) { program.commands[command].target = target; };
  };
  // The end is a target.
  EXPECT_TRUE(readChanged(aim(11, 15)).isOk());
  EXPECT_TRUE(readChanged(aim(7, 15)).isOk());
  expectRefused(aim(11, 16), "command 11: goes on at command 16, not 12 to 15");
  expectRefused(aim(13, UINT32_MAX),
                "command 13: goes on at command 4294967295, not 14 to 15");
  for (uint32_t back : {0u, 8u, 13u})
    expectRefused(aim(13, back), "command 13: goes on at command " +
                                     std::to_string(back) + ", not 14 to 15");
  expectRefused(aim(7, 7), "command 7: goes on at command 7, not 8 to 15");
  for (uint32_t other : {0u, 7u, 9u, 10u, 11u, UINT32_MAX})
    expectRefused(aim(10, other), "command 10: goes back to command " +
                                      std::to_string(other) +
                                      ", which is not behind a loop below 10");
  expectRefused(
      [](GpuProgram &program) {
        program.commands[11].bindings.push_back(input(0));
      },
      "command 11: 1 bindings where 0 are expected");
}

TEST(GpuProgramTest, RefusesInterfaces) {
  Artifact artifact = artifactOf();
  artifact.inputs[1].dimensions = {0, 16};
  expectRefused([](GpuProgram &) {},
                "input 1 of shape [0,16] has extents that only an execution "
                "knows, a GPU program needs all of them",
                artifact);
  // One that a request may omit has no bytes; the other is still whole.
  artifact.entries[0].presentInputs = {0b01};
  expectRefused([](GpuProgram &) {},
                "command 2: a binding at 0 with 64 bytes does not fit the 0 "
                "bytes of space 'input' at a multiple of 64",
                artifact);
  EXPECT_TRUE(readChanged(
                  [](GpuProgram &program) {
                    program.commands[2].bindings[1] = input(0);
                  },
                  artifact)
                  .isOk());
  artifact.outputs[0].dimensions = {0, 16};
  expectRefused([](GpuProgram &) {},
                "output 0 of shape [0,16] has extents that only an execution "
                "knows, a GPU program needs all of them",
                artifact);
  artifact = artifactOf();
  artifact.entries.push_back(artifact.entries[0]);
  expectRefused([](GpuProgram &) {},
                "model cache has 2 entries, a GPU program is one", artifact);
}

TEST(GpuProgramTest, BoundsCommands) {
  GpuProgram program = sample();
  program.commands.assign((1u << 20) + 1,
                          {.kind = GpuCommandKind::barrier, .bindings = {}});
  auto read = readGpuProgram(writeGpuProgram(program), artifactOf());
  EXPECT_EQ(read.status().message(),
            "GPU program has 1048577 commands, more than 1048576");
  program.commands.pop_back();
  EXPECT_TRUE(readGpuProgram(writeGpuProgram(program), artifactOf()).isOk());
}

TEST(GpuProgramTest, BoundsBytes) {
  const size_t size = (size_t(1) << 31) - 1;
  void *place = ::mmap(nullptr, size, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  auto read = readGpuProgram({static_cast<const std::byte *>(place), size},
                             artifactOf());
  EXPECT_EQ(read.status().message(),
            "GPU program of 2147483647 bytes is not below 2147483647");
  ::munmap(place, size);
}

uint64_t boundOf(const GpuBinding &binding) {
  switch (binding.space) {
  case GpuSpace::input:
    return binding.argument < 2 ? argumentSize : 0;
  case GpuSpace::output:
    return binding.argument < 1 ? argumentSize : 0;
  case GpuSpace::constants:
    return constantsSize;
  case GpuSpace::arena:
    return arenaSize;
  case GpuSpace::status:
    return gpuStatusSizeFor(2);
  }
  return 0;
}

/// Whether an execution that goes on where \p command says comes to an end or
/// goes through a repeat.
bool hasTarget(const GpuProgram &program, const GpuCommand &command) {
  auto index = size_t(&command - program.commands.data());
  if (command.kind != GpuCommandKind::repeat)
    return command.target > index && command.target <= program.commands.size();
  return command.target >= 1 && command.target <= index &&
         program.commands[command.target - 1].kind == GpuCommandKind::loop;
}

/// Whether a queue may execute \p command.
bool isWithinBounds(const GpuProgram &program, const GpuCommand &command) {
  for (const GpuBinding &binding : command.bindings)
    if (binding.offset % 64 != 0 || binding.size == 0 ||
        binding.offset > boundOf(binding) ||
        binding.size > boundOf(binding) - binding.offset)
      return false;
  auto isWritable = [](const GpuBinding &binding) {
    return binding.space != GpuSpace::input &&
           binding.space != GpuSpace::constants;
  };
  const auto &bindings = command.bindings;
  switch (command.kind) {
  case GpuCommandKind::dispatch: {
    if (command.kernel >= program.kernels.size())
      return false;
    const GpuKernel &kernel = program.kernels[command.kernel];
    for (size_t i = 0; i < bindings.size(); ++i)
      if (kernel.isWritten.at(i) && !isWritable(bindings[i]))
        return false;
    return bindings.size() == kernel.isWritten.size() &&
           kernel.workgroupSize >= 1 && kernel.workgroupSize <= 1024 &&
           std::ranges::all_of(command.groups, [](uint32_t groups) {
             return groups >= 1 && groups <= maxGpuGroups;
           });
  }
  case GpuCommandKind::copy:
    return bindings.size() == 2 && bindings[0].size == bindings[1].size &&
           isWritable(bindings[1]);
  case GpuCommandKind::fill:
    return bindings.size() == 1 && bindings[0].size % 4 == 0 &&
           isWritable(bindings[0]);
  case GpuCommandKind::barrier:
    return bindings.empty();
  case GpuCommandKind::branch:
  case GpuCommandKind::jump:
  case GpuCommandKind::loop:
  case GpuCommandKind::repeat:
    return bindings.empty() && hasTarget(program, command);
  }
  return false;
}

// Refused, or nothing in it leaves its bounds.
TEST(GpuProgramTest, SurvivesDamage) {
  const std::vector<std::byte> whole = writeGpuProgram(sample());
  std::minstd_rand random(11);
  size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = whole;
    for (size_t i = 0; i <= random() % 3; ++i)
      bytes[random() % bytes.size()] =
          std::byte(random() % 2 ? random() : random() % 8);
    if (random() % 8 == 0)
      bytes.resize(random() % bytes.size());
    bytes.shrink_to_fit();
    auto read = readGpuProgram(bytes, artifactOf());
    if (!read.isOk()) {
      ASSERT_EQ(read.status().code(), StatusCode::invalidArgument);
      ASSERT_FALSE(read.status().message().empty());
      continue;
    }
    ++accepted;
    ASSERT_GE(read->module.data(), bytes.data());
    ASSERT_LE(read->module.data() + read->module.size(),
              bytes.data() + bytes.size());
    ASSERT_EQ(read->module.size() % 4, 0u);
    for (const GpuCommand &command : read->commands)
      ASSERT_TRUE(isWithinBounds(*read, command)) << round;
  }
  EXPECT_GT(accepted, 500u);
  EXPECT_LT(accepted, 19500u);
}

TEST(GpuProgramTest, AnswersAnyBytes) {
  std::minstd_rand random(12);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> bytes(random() % 400);
    for (std::byte &byte : bytes)
      byte = std::byte(random());
    if (bytes.size() >= 8)
      std::ranges::copy(std::as_bytes(std::span("NNGP", 4)), &bytes[4]);
    EXPECT_FALSE(readGpuProgram(bytes, artifactOf()).isOk());
  }
  auto empty = readGpuProgram({}, artifactOf());
  EXPECT_EQ(empty.status().message(), "0 bytes are not a GPU program");
}

} // namespace
