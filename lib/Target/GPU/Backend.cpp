//===- Backend.cpp - Programs for GPUs ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "ProgramBuffers.h"
#include "SpirvModule.h"
#include "Tiles.h"

#include "Codegen/OperationLocation.h"
#include "Runtime/Support/Errors.h"
#include "Target/Emission.h"
#include "nnhal/Codegen/EntryFunction.h"
#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace nnhal;

const TargetBackend &nnhal::getGPUTarget() {
  static const VulkanBackend backend;
  return backend;
}

LogicalResult VulkanBackend::verifyParameters(
    TargetAttr target, llvm::function_ref<void(const Twine &)> report) const {
  if (!target.getParameters())
    return success();
  for (NamedAttribute parameter : target.getParameters()) {
    auto name = dyn_cast<StringAttr>(parameter.getValue());
    if (parameter.getName() != nngpu::deviceClassParameter || !name) {
      report("target 'vulkan' has the parameter 'device_class', a text, found "
             "'" +
             parameter.getName().strref() + "'");
      return failure();
    }
    if (!nngpu::findDeviceClass(name)) {
      report("target 'vulkan' has devices of class " +
             nngpu::deviceClassNames() + ", found '" + name.getValue() + "'");
      return failure();
    }
  }
  return success();
}

namespace {
/// Micro-kernels, bytes in quads. Kernels call no functions of the host.
struct GPULoweringPolicy final : LoweringPolicy {
  bool hasRoutines() const override { return false; }
  bool hasMicroKernels() const override { return true; }
  int64_t panelWidth(int64_t channels) const override {
    return nngpu::choosePanelWidth(channels);
  }
  std::optional<QuadSigns> quadSigns(int64_t /*channels*/) const override {
    return QuadSigns::signedBySigned;
  }
  ContractionCosts contractionCosts() const override {
    ContractionCosts costs;
    costs.fusedChannels = 1;
    return costs;
  }
};
} // namespace

std::unique_ptr<LoweringPolicy> VulkanBackend::getLoweringPolicy(
    TargetAttr target, llvm::function_ref<void(const Twine &)> report) const {
  if (failed(verifyParameters(target, report)))
    return nullptr;
  return std::make_unique<GPULoweringPolicy>();
}

void VulkanBackend::registerModels(DialectRegistry &registry) const {
  registry
      .insert<nngpu::GPUDialect, mlir::gpu::GPUDialect, spirv::SPIRVDialect>();
}

rt::Result<TargetAttr> VulkanBackend::describe(MLIRContext &context,
                                               const TargetOptions &options,
                                               rt::Rounding rounding) const {
  for (const std::string *option : {&options.triple, &options.features})
    if (!option->empty())
      return rt::badData("target 'vulkan' is of no processor: '{}' names one",
                         *option);
  if (!nngpu::findDeviceClass(options.cpu))
    return rt::badData("target 'vulkan' has devices of class {}, found '{}'",
                       nngpu::deviceClassNames(), options.cpu);
  if (!options.parameters.empty())
    return rt::badData("target 'vulkan' has no parameters, found '{}'",
                       options.parameters.front());
  Builder builder(&context);
  NamedAttrList parameters;
  if (!options.cpu.empty())
    parameters.set(nngpu::deviceClassParameter,
                   builder.getStringAttr(options.cpu));
  return TargetAttr::get(&context, getName(), rounding,
                         parameters.getDictionary(&context));
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
/// Writes down the commands of an entry function.
class ProgramBuilder {
public:
  explicit ProgramBuilder(const nngpu::ProgramBuffers &buffers)
      : buffers(buffers) {}

  void add(Operation &op);
  const rt::GpuProgram &get() const { return program; }
  void setModule(ArrayRef<uint32_t> words) {
    program.module = std::as_bytes(std::span(words.data(), words.size()));
  }

private:
  uint32_t kernelOf(nngpu::DispatchOp op);

  const nngpu::ProgramBuffers &buffers;
  rt::GpuProgram program;
  llvm::StringMap<uint32_t> numbers;
};
} // namespace

uint32_t ProgramBuilder::kernelOf(nngpu::DispatchOp op) {
  StringRef name = op.getKernel().getLeafReference();
  auto [known, isNew] = numbers.try_emplace(name, program.kernels.size());
  if (isNew) {
    rt::GpuKernel kernel;
    kernel.name = name.str();
    auto function = SymbolTable::lookupNearestSymbolFrom(op, op.getKernel());
    auto mode = cast<spirv::ModuleOp>(function->getParentOp());
    for (auto execution : mode.getOps<spirv::ExecutionModeOp>())
      if (execution.getFn() == name)
        kernel.workgroupSize =
            uint32_t(cast<IntegerAttr>(execution.getValues()[0]).getInt());
    for (bool isWritten : op.getWrites())
      kernel.isWritten.push_back(isWritten);
    program.kernels.push_back(std::move(kernel));
  }
  return known->second;
}

void ProgramBuilder::add(Operation &op) {
  rt::GpuCommand command;
  command.operation = operationIndexOf(&op).value_or(UINT32_MAX);
  if (auto dispatch = dyn_cast<nngpu::DispatchOp>(op)) {
    command.kernel = kernelOf(dispatch);
    for (auto [count, groups] :
         llvm::zip_equal(command.groups, dispatch.getGroups()))
      count = uint32_t(groups);
  } else if (isa<nngpu::CopyOp>(op)) {
    command.kind = rt::GpuCommandKind::copy;
  } else if (auto fill = dyn_cast<nngpu::FillOp>(op)) {
    command.kind = rt::GpuCommandKind::fill;
    command.fillWord = fill.getWord();
  } else if (isa<nngpu::BarrierOp>(op)) {
    command.kind = rt::GpuCommandKind::barrier;
    command.operation = UINT32_MAX;
  } else {
    return;
  }
  for (Value operand : op.getOperands()) {
    FailureOr<rt::GpuBinding> binding = buffers.find(operand, &op);
    assert(succeeded(binding) && "barriers are planned from the same buffers");
    command.bindings.push_back(*binding);
  }
  program.commands.push_back(std::move(command));
}

rt::Result<EmittedCode>
VulkanBackend::emit(ModuleOp module, const EmissionServices &services) const {
  FailureOr<func::FuncOp> entry = findEntryFunction(module);
  auto kernels = llvm::to_vector(module.getOps<spirv::ModuleOp>());
  assert(succeeded(entry) && *entry && kernels.size() == 1 &&
         "phase llvm leaves an entry function and a module of kernels");
  EmittedCode result;
  FailureOr<nngpu::ProgramBuffers> buffers = nngpu::ProgramBuffers::of(*entry);
  assert(succeeded(buffers) && "barriers are planned from the same buffers");
  ProgramBuilder builder(*buffers);
  for (Operation &op : entry->getBody().front())
    builder.add(op);
  FailureOr<SmallVector<uint32_t>> words = serializeKernels(kernels.front());
  if (failed(words))
    return rt::failure("the kernels cannot be serialized as SPIR-V");
  builder.setModule(*words);
  takeConstants(module, result);
  rt::ArtifactEntry artifactEntry;
  artifactEntry.symbol = entrySymbolName.str();
  artifactEntry.arenaSize = uint64_t(buffers->arenaSize());
  if (auto bound =
          (*entry)->getAttrOfType<IntegerAttr>(arenaLowerBoundAttrName))
    artifactEntry.arenaLowerBound = uint64_t(bound.getInt());
  result.entries.push_back(std::move(artifactEntry));
  result.kind = rt::TargetKind::spirv;
  result.cpu = "vulkan";
  result.features = featuresOf(kernels.front());
  result.code = rt::writeGpuProgram(builder.get());
  return result;
}
