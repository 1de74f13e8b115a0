//===- CudaDriver.cpp - GPUs by way of CUDA -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include "Execution.h"

#include "Runtime/Devices/Gpu/GpuModel.h"
#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::cuda;

namespace {
class CudaModel final : public GpuModel {
public:
  CudaModel(GpuArtifact &code, std::shared_ptr<const LoadedProgram> loaded)
      : GpuModel(code), program(std::move(loaded)) {}

  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override {
    return Execution::create(program, budget);
  }

private:
  std::shared_ptr<const LoadedProgram> program;
};

class CudaDriver final : public GpuDriver {
public:
  explicit CudaDriver(EngineRef engine) : engine(std::move(engine)) {}

  std::string_view deviceName() const override { return "nnhal-cuda"; }
  std::string_view targetName() const override { return cudaTargetName; }
  TargetKind targetKind() const override { return TargetKind::ptx; }
  std::string_view deviceClass() const override { return "tensor-cores"; }

  std::unique_ptr<DriverCache>
  createCache(std::span<const std::byte> kept) const override {
    return std::make_unique<CubinCache>(engine->driver(), kept);
  }

  Result<std::unique_ptr<GpuCode>> load(GpuArtifact code,
                                        DriverCache *cache) const override;

  std::unique_ptr<DeviceMemory>
  allocate(std::shared_ptr<MemoryBudget> budget) const override {
    return std::make_unique<CudaMemory>(engine, std::move(budget));
  }

private:
  const EngineRef engine;
};
} // namespace

Result<std::unique_ptr<GpuCode>> CudaDriver::load(GpuArtifact code,
                                                  DriverCache *cache) const {
  auto loaded = std::make_shared<LoadedProgram>();
  loaded->engine = engine;
  NNHAL_ASSIGN_OR_RETURN(
      loaded->kernels,
      Kernels::create(engine, code.program, static_cast<CubinCache *>(cache)));
  NNHAL_ASSIGN_OR_RETURN(
      loaded->constants,
      DeviceBuffer::allocate(engine, code.constants.size(), nullptr));
  NNHAL_RETURN_IF_ERROR(upload(engine, code.constants, loaded->constants));
  loaded->arenaSize = code.artifact.entries.front().arenaSize;
  loaded->omittedSize = omittedSizeOf(code);
  loaded->inputSizes = code.inputSizes;
  loaded->outputSizes = code.outputSizes;
  loaded->program = std::move(code.program);
  loaded->program.module = {}; // A view of what need not live any longer.
  return std::unique_ptr<GpuCode>(
      std::make_unique<CudaModel>(code, std::move(loaded)));
}

std::unique_ptr<GpuDriver> cuda::createDriver(EngineRef engine) {
  return std::make_unique<CudaDriver>(std::move(engine));
}
