//===- Backend.cpp - Programs for GPUs ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "ProgramBuffers.h"
#include "Tiles.h"

#include "Codegen/OperationLocation.h"
#include "Runtime/Support/Errors.h"
#include "Target/Emission.h"
#include "nnhal/Codegen/EntryFunction.h"
#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace nnhal;

LogicalResult GPUBackend::verifyParameters(
    TargetAttr target, llvm::function_ref<void(const Twine &)> report) const {
  if (!target.getParameters())
    return success();
  for (NamedAttribute parameter : target.getParameters()) {
    auto name = dyn_cast<StringAttr>(parameter.getValue());
    if (parameter.getName() != nngpu::deviceClassParameter || !name) {
      report("target '" + getName() +
             "' has the parameter 'device_class', a text, found '" +
             parameter.getName().strref() + "'");
      return failure();
    }
    if (!nngpu::findDeviceClass(name)) {
      report("target '" + getName() + "' has devices of class " +
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
  bool hasHalfKernels() const override { return true; }
  bool readsChannelsApart() const override { return true; }
  int64_t panelWidth(int64_t channels) const override {
    return nngpu::choosePanelWidth(channels);
  }
  std::optional<QuadSigns> quadSigns(int64_t /*channels*/) const override {
    return QuadSigns::signedBySigned;
  }
  int64_t fusedChannels() const override { return 1; }
};
} // namespace

std::unique_ptr<LoweringPolicy> GPUBackend::getLoweringPolicy(
    TargetAttr target, llvm::function_ref<void(const Twine &)> report) const {
  if (failed(verifyParameters(target, report)))
    return nullptr;
  return std::make_unique<GPULoweringPolicy>();
}

void GPUBackend::registerModels(DialectRegistry &registry) const {
  registry.insert<nngpu::GPUDialect, mlir::gpu::GPUDialect>();
}

rt::Result<TargetAttr> GPUBackend::describe(MLIRContext &context,
                                            const TargetOptions &options,
                                            rt::Rounding rounding) const {
  for (const std::string *option : {&options.triple, &options.features})
    if (!option->empty())
      return rt::badData("target '{}' is of no processor: '{}' names one",
                         getName().str(), *option);
  if (!options.cpu.empty() && !nngpu::findDeviceClass(options.cpu))
    return rt::badData("target '{}' has devices of class {}, found '{}'",
                       getName().str(), nngpu::deviceClassNames(), options.cpu);
  if (!options.parameters.empty())
    return rt::badData("target '{}' has no parameters, found '{}'",
                       getName().str(), options.parameters.front());
  Builder builder(&context);
  NamedAttrList parameters;
  if (!options.cpu.empty())
    parameters.set(nngpu::deviceClassParameter,
                   builder.getStringAttr(options.cpu));
  return TargetAttr::get(&context, getName(), rounding,
                         parameters.empty()
                             ? DictionaryAttr()
                             : parameters.getDictionary(&context));
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
/// Writes down the commands of an entry function.
class ProgramBuilder {
public:
  /// \p workgroupSizeOf knows the form of kernels.
  ProgramBuilder(
      const nngpu::ProgramBuffers &buffers,
      llvm::function_ref<uint32_t(FunctionOpInterface)> workgroupSizeOf)
      : buffers(buffers), workgroupSizeOf(workgroupSizeOf) {}

  void add(Block &block);
  rt::GpuProgram &get() { return program; }

private:
  uint32_t kernelOf(nngpu::DispatchOp op);
  void addCommand(Operation &op);
  void addBranch(nngpu::IfOp op);
  void addLoop(nngpu::WhileOp op);
  /// Adds a command of the host for \p op, and returns its number.
  uint32_t addControl(rt::GpuCommandKind kind, Operation *op);
  /// The number of the next command.
  uint32_t position() const { return uint32_t(program.commands.size()); }

  const nngpu::ProgramBuffers &buffers;
  llvm::function_ref<uint32_t(FunctionOpInterface)> workgroupSizeOf;
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
    kernel.workgroupSize = workgroupSizeOf(cast<FunctionOpInterface>(
        SymbolTable::lookupNearestSymbolFrom(op, op.getKernel())));
    for (bool isWritten : op.getWrites())
      kernel.isWritten.push_back(isWritten);
    program.kernels.push_back(std::move(kernel));
  }
  return known->second;
}

uint32_t ProgramBuilder::addControl(rt::GpuCommandKind kind, Operation *op) {
  rt::GpuCommand command;
  command.kind = kind;
  command.operation = operationIndexOf(op).value_or(UINT32_MAX);
  program.commands.push_back(std::move(command));
  return position() - 1;
}

void ProgramBuilder::addBranch(nngpu::IfOp op) {
  uint32_t branch = addControl(rt::GpuCommandKind::branch, op);
  add(op.getThenRegion().front());
  Block &otherwise = op.getElseRegion().front();
  if (otherwise.empty()) {
    program.commands[branch].target = position();
    return;
  }
  uint32_t jump = addControl(rt::GpuCommandKind::jump, op);
  program.commands[branch].target = position();
  add(otherwise);
  program.commands[jump].target = position();
}

void ProgramBuilder::addLoop(nngpu::WhileOp op) {
  uint32_t loop = addControl(rt::GpuCommandKind::loop, op);
  add(op.getBody().front());
  program.commands[loop].target = position();
  add(op.getCondition().front());
  uint32_t repeat = addControl(rt::GpuCommandKind::repeat, op);
  program.commands[repeat].target = loop + 1;
}

void ProgramBuilder::add(Block &block) {
  for (Operation &op : block) {
    if (auto branch = dyn_cast<nngpu::IfOp>(op))
      addBranch(branch);
    else if (auto loop = dyn_cast<nngpu::WhileOp>(op))
      addLoop(loop);
    else
      addCommand(op);
  }
}

void ProgramBuilder::addCommand(Operation &op) {
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

/// The module that the kernels of the commands of \p entry are in; the only
/// one of \p module where there are none.
static Operation *findKernels(ModuleOp module, func::FuncOp entry) {
  nngpu::DispatchOp first;
  entry.walk([&](nngpu::DispatchOp dispatch) {
    first = dispatch;
    return WalkResult::interrupt();
  });
  if (first)
    return SymbolTable::lookupNearestSymbolFrom(
        first, first.getKernel().getRootReference());
  for (Operation &op : *module.getBody())
    if (&op != entry && op.hasTrait<OpTrait::SymbolTable>())
      return &op;
  return nullptr;
}

rt::Result<EmittedCode>
GPUBackend::emit(ModuleOp module, const EmissionServices &services) const {
  FailureOr<func::FuncOp> entry = findEntryFunction(module);
  assert(succeeded(entry) && *entry && "phase llvm leaves an entry function");
  Operation *kernels = findKernels(module, *entry);
  assert(kernels && "phase llvm leaves a module of kernels");
  EmittedCode result;
  FailureOr<nngpu::ProgramBuffers> buffers = nngpu::ProgramBuffers::of(*entry);
  assert(succeeded(buffers) && "barriers are planned from the same buffers");
  auto workgroupSizeOf = [this](FunctionOpInterface kernel) {
    return getWorkgroupSize(kernel);
  };
  ProgramBuilder builder(*buffers, workgroupSizeOf);
  builder.add(entry->getBody().front());
  NNHAL_ASSIGN_OR_RETURN(KernelCode code,
                         emitKernels(kernels, services.cancellation));
  builder.get().module = code.bytes;
  takeConstants(module, result);
  rt::ArtifactEntry artifactEntry;
  artifactEntry.symbol = entrySymbolName.str();
  artifactEntry.arenaSize = uint64_t(buffers->arenaSize());
  if (auto bound =
          (*entry)->getAttrOfType<IntegerAttr>(arenaLowerBoundAttrName))
    artifactEntry.arenaLowerBound = uint64_t(bound.getInt());
  result.entries.push_back(std::move(artifactEntry));
  result.kind = getKind();
  result.cpu = getName().str();
  result.features = code.features;
  result.code = rt::writeGpuProgram(builder.get());
  return result;
}
