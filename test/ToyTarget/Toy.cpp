//===- Toy.cpp - A second target, of upstream's passes alone --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Codegen/Passes.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::toy;

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

rt::Result<TargetAttr> ToyBackend::describe(MLIRContext &context,
                                            const TargetOptions &options,
                                            rt::Rounding rounding) const {
  if (!options.parameters.empty())
    return rt::badData("target 'toy' has no parameters");
  return TargetAttr::get(&context, getName(), rounding, DictionaryAttr());
}

LogicalResult ToyBackend::checkSupported(ModelOp model) const {
  GraphOp graph = model.getMainGraph();
  for (auto [index, type] : llvm::enumerate(graph.getResultTypes()))
    if (auto tensor = dyn_cast<TensorType>(type);
        tensor && !tensor.hasStaticShape())
      return graph.emitError("target 'toy' has no runtime that could be told "
                             "the extents of output ")
             << index;
  return success();
}

namespace {
struct ExpectUpstream : PassWrapper<ExpectUpstream, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpectUpstream)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<cf::ControlFlowDialect>();
  }
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (auto check = dyn_cast<runtime::CheckOp>(op)) {
        OpBuilder builder(op);
        cf::AssertOp::create(builder, op->getLoc(), check.getCondition(),
                             "a check of the model failed");
        op->erase();
        return WalkResult::advance();
      }
      bool isUpstream =
          isa<BuiltinDialect, arith::ArithDialect,
              bufferization::BufferizationDialect, func::FuncDialect,
              linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, tensor::TensorDialect>(op->getDialect());
      if (isUpstream)
        return WalkResult::advance();
      op->emitOpError("is nothing that target 'toy' executes");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    // The name that callers see has descriptors of buffers for arguments.
    for (auto function : getOperation().getOps<func::FuncOp>())
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        UnitAttr::get(&getContext()));
  }
};

/// Copies are loops, too: the conversion to LLVM calls a library for some.
struct ExpandCopies : PassWrapper<ExpandCopies, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandCopies)

  void runOnOperation() override {
    getOperation()->walk([](memref::CopyOp op) {
      OpBuilder builder(op);
      linalg::CopyOp::create(builder, op.getLoc(), op.getSource(),
                             op.getTarget());
      op.erase();
    });
  }
};
} // namespace

std::unique_ptr<Pass> toy::createExpectUpstream() {
  return std::make_unique<ExpectUpstream>();
}

void ToyBackend::addPhase(OpPassManager &pm, Phase phase,
                          const PhaseOptions &options) const {
  switch (phase) {
  case Phase::fuse:
    pm.addPass(createExpandProducts());
    pm.addPass(createExpectUpstream());
    pm.addPass(createLinalgElementwiseOpFusionPass());
    return;
  case Phase::bufferize: {
    bufferization::OneShotBufferizePassOptions bufferization;
    bufferization.functionBoundaryTypeConversion =
        bufferization::LayoutMapOption::IdentityLayoutMap;
    bufferization.allowReturnAllocsFromLoops = true;
    pm.addPass(bufferization::createOneShotBufferizePass(bufferization));
    pm.addPass(std::make_unique<ExpandCopies>());
    pm.addPass(createConvertLinalgToLoopsPass());
    return;
  }
  case Phase::llvm:
    pm.addPass(memref::createExpandStridedMetadataPass());
    pm.addPass(createLowerAffinePass());
    pm.addPass(createSCFToControlFlowPass());
    pm.addPass(createConvertMathToLLVMPass());
    pm.addPass(createConvertMathToLibmPass());
    pm.addPass(createArithToLLVMConversionPass());
    pm.addPass(createFinalizeMemRefToLLVMConversionPass());
    pm.addPass(createConvertFuncToLLVMPass());
    pm.addPass(createConvertControlFlowToLLVMPass());
    pm.addPass(createUBToLLVMConversionPass());
    pm.addPass(createReconcileUnrealizedCastsPass());
    return;
  default:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Bitcode
//===----------------------------------------------------------------------===//

/// Adds `toy_entry`, which calls the model's function with the descriptors that
/// its one argument is an array of.
static void addEntry(llvm::Module &module, llvm::Function &function) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  auto *entry = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false),
      llvm::Function::ExternalLinkage, "toy_entry", module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", entry));
  SmallVector<llvm::Value *> arguments;
  for (unsigned index = 0; index < function.arg_size(); ++index)
    arguments.push_back(builder.CreateLoad(
        pointer, builder.CreateConstGEP1_32(pointer, entry->getArg(0), index)));
  builder.CreateCall(&function, arguments);
  builder.CreateRetVoid();
}

rt::Result<EmittedCode>
ToyBackend::emit(ModuleOp module, const EmissionServices &services) const {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "toy");
  llvm::Function *function =
      translated ? translated->getFunction("_mlir_ciface_main") : nullptr;
  if (!function)
    return rt::failure("translation to LLVM IR failed");
  addEntry(*translated, *function);
  SmallVector<char> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*translated, stream);
  EmittedCode result;
  result.cpu = "toy";
  auto *data = reinterpret_cast<const std::byte *>(bytes.data());
  result.code.assign(data, data + bytes.size());
  result.entries.emplace_back().symbol = "toy_entry";
  return result;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

Program::Program() = default;
Program::Program(Program &&other) noexcept = default;
Program::~Program() = default;

static rt::Status asStatus(llvm::Error error) {
  return rt::failure("{}", llvm::toString(std::move(error)));
}

rt::Result<Program> Program::load(std::span<const std::byte> bitcode) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto context = std::make_unique<llvm::LLVMContext>();
  StringRef bytes(reinterpret_cast<const char *>(bitcode.data()),
                  bitcode.size());
  auto module =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "toy"), *context);
  if (!module)
    return asStatus(module.takeError());
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return asStatus(jit.takeError());
  auto library = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!library)
    return asStatus(library.takeError());
  (*jit)->getMainJITDylib().addGenerator(std::move(*library));
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(*module), std::move(context))))
    return asStatus(std::move(error));
  auto entry = (*jit)->lookup("toy_entry");
  if (!entry)
    return asStatus(entry.takeError());
  Program program;
  program.jit = std::move(*jit);
  program.entry = entry->toPtr<void (*)(void *const *)>();
  return program;
}

void Program::run(std::span<const Argument> arguments) const {
  // A descriptor is two pointers, an offset, the extents and the strides.
  std::vector<std::vector<int64_t>> descriptors;
  std::vector<void *> pointers;
  for (const Argument &argument : arguments) {
    auto address = reinterpret_cast<int64_t>(argument.data);
    std::vector<int64_t> &words = descriptors.emplace_back();
    words = {address, address, 0};
    words.insert(words.end(), argument.dimensions.begin(),
                 argument.dimensions.end());
    int64_t stride = 1;
    words.resize(words.size() + argument.dimensions.size());
    for (size_t left = argument.dimensions.size(); left-- > 0;) {
      words[3 + argument.dimensions.size() + left] = stride;
      stride *= argument.dimensions[left];
    }
  }
  for (std::vector<int64_t> &words : descriptors)
    pointers.push_back(words.data());
  entry(pointers.data());
}
