//===- Backend.cpp - Code for x86-64 and AArch64 --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "CodeEmission.h"
#include "CostModel.h"
#include "KernelToVector/KernelToVector.h"
#include "Machine.h"
#include "Runtime/Support/Errors.h"
#include "Target/Emission.h"
#include "nnhal/Codegen/EntryFunction.h"

#include "mlir/IR/Builders.h"

#include <algorithm>

using namespace mlir;
using namespace nnhal;
using kernel::KernelTarget;

const TargetBackend &nnhal::getCPUTarget() {
  static const CPUBackend backend;
  return backend;
}

//===----------------------------------------------------------------------===//
// The lowering to linalg
//===----------------------------------------------------------------------===//

namespace {
/// Micro-kernels, with constants as their loops read them.
class CPULoweringPolicy final : public LoweringPolicy {
public:
  explicit CPULoweringPolicy(const KernelTarget &target) : target(target) {}

  int64_t panelWidth(int64_t channels) const override {
    return target.panelWidth(channels);
  }
  /// For the 3 channels of a picture, copying them to 4 takes as long as quads
  /// gain.
  std::optional<QuadSigns> quadSigns(int64_t channels) const override {
    bool pays = channels % 4 == 0 || channels > target.costs().paddedChannels;
    return pays ? target.dotProduct : std::nullopt;
  }
  int64_t fusedChannels() const override {
    return target.costs().fusedChannels;
  }

private:
  KernelTarget target;
};
} // namespace

LogicalResult CPUBackend::verifyParameters(
    TargetAttr target, llvm::function_ref<void(const Twine &)> report) const {
  return success(KernelTarget::read(target.getParameters(), report));
}

std::unique_ptr<LoweringPolicy> CPUBackend::getLoweringPolicy(
    TargetAttr target, llvm::function_ref<void(const Twine &)> report) const {
  std::optional<KernelTarget> read =
      KernelTarget::read(target.getParameters(), report);
  return read ? std::make_unique<CPULoweringPolicy>(*read) : nullptr;
}

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

/// Parameters that \p machine has.
static void addMachine(const Machine &machine, Builder &builder,
                       NamedAttrList &parameters) {
  auto text = [&](StringRef name, const std::string &value) {
    parameters.set(name, builder.getStringAttr(value));
  };
  text("triple", machine.triple());
  text("cpu", machine.cpu());
  text("features", machine.featureString());
  parameters.set("vector_bits",
                 builder.getI64IntegerAttr(machine.vectorBits()));
  parameters.set("vector_registers",
                 builder.getI64IntegerAttr(machine.vectorRegisters()));
  parameters.set(
      "dot_product",
      builder.getStringAttr(kernel::stringifyDotProduct(machine.dotProduct())));
}

void CPUBackend::registerModels(DialectRegistry &registry) const {
  kernel::registerKernelLoweringModels(registry);
}

rt::Result<TargetAttr> CPUBackend::describe(MLIRContext &context,
                                            const TargetOptions &options,
                                            rt::Rounding rounding) const {
  Builder builder(&context);
  NamedAttrList parameters;
  bool isNamed = !options.triple.empty() || !options.cpu.empty() ||
                 !options.features.empty();
  if (isNamed || !options.isOfNoMachine) {
    NNHAL_ASSIGN_OR_RETURN(Machine machine, Machine::create(options));
    addMachine(machine, builder, parameters);
  }
  for (StringRef parameter : options.parameters) {
    auto [name, value] = parameter.split('=');
    std::string key = name.str();
    std::replace(key.begin(), key.end(), '-', '_');
    int64_t number = 0;
    if (value.getAsInteger(10, number))
      parameters.set(key, builder.getStringAttr(value));
    else
      parameters.set(key, builder.getI64IntegerAttr(number));
  }
  DictionaryAttr dictionary = parameters.empty()
                                  ? DictionaryAttr()
                                  : parameters.getDictionary(&context);
  std::string problem;
  if (!KernelTarget::read(
          dictionary, [&](const Twine &message) { problem = message.str(); }))
    return rt::badData("{}", problem);
  return TargetAttr::get(&context, getName(), rounding, dictionary);
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// The entry's arena is the last argument of the function that it calls.
static void describeEntry(ModuleOp module, EmittedCode &result) {
  auto arenaSize = module->getAttrOfType<IntegerAttr>(arenaSizeAttrName);
  assert(arenaSize && "phase outline leaves an entry in the module");
  rt::ArtifactEntry entry;
  entry.symbol = entrySymbolName.str();
  entry.arenaSize = arenaSize.getInt();
  if (auto bound = module->getAttrOfType<IntegerAttr>(arenaLowerBoundAttrName))
    entry.arenaLowerBound = bound.getInt();
  result.entries.push_back(std::move(entry));
  // The part with the entry alone calls routines of the runtime.
  for (ModuleOp part : module.getOps<ModuleOp>())
    if (auto slots =
            part->getAttrOfType<DenseI32ArrayAttr>(routineSlotsAttrName))
      result.routineSlots.assign(slots.asArrayRef().begin(),
                                 slots.asArrayRef().end());
}

rt::Result<EmittedCode>
CPUBackend::emit(ModuleOp module, const EmissionServices &services) const {
  TargetAttr target = findTarget(module);
  assert(target && "the compiler states the target before the first phase");
  NNHAL_ASSIGN_OR_RETURN(Machine machine, Machine::of(target));
  EmittedCode result;
  takeConstants(module, result);
  describeEntry(module, result);
  NNHAL_ASSIGN_OR_RETURN(std::vector<Object> objects,
                         emitObjects(module, machine, services.kernels,
                                     services.cancellation, services.part));
  if (services.cancellation.isRequested())
    return result;
  TimedPart linking(services.part, "link");
  NNHAL_ASSIGN_OR_RETURN(result.code, services.linkObjects(objects));
  result.kind = machine.kind();
  result.cpu = machine.cpu();
  result.features = machine.enabledFeatures();
  return result;
}
