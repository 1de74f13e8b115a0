//===- TestProgram.cpp - A program of the kernels of the tests ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "Runtime/Support/Errors.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

using namespace nnhal::rt;

std::vector<std::byte> test::assembledModule(std::string_view name) {
  std::string path = fmt::format("{}/{}.spv", NNHAL_GPU_KERNELS, name);
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_FALSE(text.empty()) << path;
  std::span bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

const std::vector<std::byte> &test::kernelModule() {
  static const std::vector<std::byte> module = assembledModule("Kernels");
  return module;
}

GpuProgram test::copyProgram() {
  // The header, OpCapability Shader, OpMemoryModel Logical GLSL450.
  static constexpr uint32_t words[] = {
      0x07230203, 0x00010600, 0, 1, 0, 2 << 16 | 17, 1, 3 << 16 | 14, 0, 1};
  GpuProgram program;
  program.module = std::as_bytes(std::span(words));
  GpuCommand &copy = program.commands.emplace_back();
  copy.kind = GpuCommandKind::copy;
  copy.bindings = {{GpuSpace::input, 0, 0, bytesOfX},
                   {GpuSpace::output, 0, 0, bytesOfX}};
  return program;
}

GpuProgram test::scaleProgram() {
  GpuProgram program;
  program.module = kernelModule();
  program.kernels = {
      {"scale", 64, {0, 0, 1}}, {"check", 1, {0, 1}}, {"count", 1, {1}}};
  const GpuBinding scaled = {GpuSpace::arena, 0, 64, bytesOfX};
  GpuCommand check;
  check.kernel = 1;
  check.groups = {1, 1, 1};
  check.bindings = {{GpuSpace::input, 1, 0, 4},
                    {GpuSpace::status, 0, 0, gpuStatusSize}};
  GpuCommand scale;
  scale.groups = {elementCount / 64, 1, 1};
  scale.bindings = {{GpuSpace::input, 0, 0, bytesOfX},
                    {GpuSpace::constants, 0, 0, 4},
                    scaled};
  GpuCommand barrier;
  barrier.kind = GpuCommandKind::barrier;
  GpuCommand copy;
  copy.kind = GpuCommandKind::copy;
  copy.bindings = {scaled, {GpuSpace::output, 0, 0, bytesOfX}};
  program.commands = {check, scale, barrier, copy};
  return program;
}

GpuProgram test::scaleProgramOfPtx() {
  // A multiple of four characters.
  static constexpr std::string_view text = R"(.version 7.0
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
  static const std::string padded =
      std::string(text) + std::string((4 - text.size() % 4) % 4, '\n');
  GpuProgram program = scaleProgram();
  program.module = std::as_bytes(std::span(padded));
  return program;
}

Artifact test::artifactOf(const GpuProgram &program,
                          std::vector<std::byte> &code,
                          std::string_view target) {
  code = writeGpuProgram(program);
  Artifact artifact;
  artifact.inputs = {
      {"x", OperandType::TENSOR_FLOAT32, {elementCount}, 0.0f, 0},
      {"index", OperandType::TENSOR_INT32, {1}, 0.0f, 0}};
  artifact.outputs = {
      {"y", OperandType::TENSOR_FLOAT32, {elementCount}, 0.0f, 0}};
  TargetKind kind =
      target == cudaTargetName ? TargetKind::ptx : TargetKind::spirv;
  artifact.code.push_back({kind, std::string(target), "", code});
  artifact.entries = {{"main", 0, {}, {}, 64 + bytesOfX}};
  artifact.constants = {{0, 4, "factor"}};
  artifact.dataCacheSize = 4;
  artifact.rounding = "double";
  return artifact;
}

std::vector<std::byte> test::modelCacheOf(const GpuProgram &program,
                                          std::string_view target) {
  std::vector<std::byte> code;
  return writeModelCache(artifactOf(program, code, target));
}

std::vector<std::byte> test::constantsOf() {
  const float factor = 3.0f;
  std::vector<std::byte> bytes(sizeof(factor));
  std::memcpy(bytes.data(), &factor, sizeof(factor));
  return bytes;
}

namespace {
/// Gives the program of the tests for any model.
class ScaleCompiler final : public Compiler {
public:
  explicit ScaleCompiler(std::string_view target) : target(target) {}

  std::string_view buildIdentity() const override { return "scale"; }
  Result<CompiledModel> compileModel(const AnnotatedModel &,
                                     const CompileOptions &options,
                                     const CompileObserver &) const override {
    EXPECT_EQ(options.target, target);
    EXPECT_TRUE(options.extensions.empty());
    const GpuProgram program = target == cudaTargetName
                                   ? test::scaleProgramOfPtx()
                                   : test::scaleProgram();
    return CompiledModel{test::modelCacheOf(program, target),
                         Memory::copy(test::constantsOf())};
  }
  Result<CompiledModel> compileMlir(std::span<const std::byte>,
                                    std::string_view, const CompileOptions &,
                                    const CompileObserver &) const override {
    return failure("there is no MLIR");
  }

private:
  const std::string target;
};
} // namespace

GpuCompiler test::scaleCompiler(std::string_view target) {
  GpuCompiler compiler;
  compiler.get = [target]() -> Result<std::shared_ptr<const Compiler>> {
    return std::shared_ptr<const Compiler>(
        std::make_shared<ScaleCompiler>(target));
  };
  compiler.identity = []() -> Result<std::string> {
    return std::string("none");
  };
  return compiler;
}

GpuCompiler test::noCompiler() {
  GpuCompiler compiler;
  compiler.get = []() -> Result<std::shared_ptr<const Compiler>> {
    return failure("there is no compiler");
  };
  compiler.identity = []() -> Result<std::string> {
    return std::string("none");
  };
  return compiler;
}

vulkan::EngineRef test::testEngine() {
  static const vulkan::EngineRef engine = [] {
    auto opened = vulkan::Engine::open();
    return opened.isOk() ? *opened : vulkan::EngineRef();
  }();
  return engine;
}
