//===- Target.cpp - What passes ask about the target ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "DialectInterfaces.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace nnhal;

static constexpr std::pair<rt::Rounding, StringLiteral> roundings[] = {
    {rt::Rounding::doubleRounding, "double"},
    {rt::Rounding::singleRounding, "single"},
    {rt::Rounding::floatRounding, "float"},
};

StringRef nnhal::stringifyRounding(rt::Rounding rounding) {
  for (auto [value, name] : roundings)
    if (value == rounding)
      return name;
  llvm_unreachable("closed list");
}

std::optional<rt::Rounding> nnhal::symbolizeRounding(StringRef name) {
  for (auto [value, known] : roundings)
    if (known == name)
      return value;
  return std::nullopt;
}

TargetAttr nnhal::findTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(targetAttrName))
      return target;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Without micro-kernels
//===----------------------------------------------------------------------===//

LoweringPolicy::~LoweringPolicy() = default;
int64_t LoweringPolicy::panelWidth(int64_t channels) const { return 0; }
std::optional<QuadSigns> LoweringPolicy::quadSigns(int64_t channels) const {
  return std::nullopt;
}
int64_t LoweringPolicy::fusedChannels() const { return 8; }
bool LoweringPolicy::hasHalfKernels() const { return false; }
bool LoweringPolicy::readsChannelsApart() const { return false; }
bool LoweringPolicy::hasRoutines() const { return true; }

TargetInterface::~TargetInterface() = default;
LogicalResult TargetInterface::verifyParameters(
    TargetAttr target, llvm::function_ref<void(const Twine &)> report) const {
  return success();
}
std::unique_ptr<LoweringPolicy> TargetInterface::getLoweringPolicy(
    TargetAttr target, llvm::function_ref<void(const Twine &)> report) const {
  return std::make_unique<LoweringPolicy>();
}
void TargetInterface::registerModels(DialectRegistry &registry) const {}

//===----------------------------------------------------------------------===//
// The targets of a context
//===----------------------------------------------------------------------===//

namespace {
/// The targets that a context knows, by their names.
class KnownTargets final : public DialectInterface::Base<KnownTargets> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KnownTargets)

  explicit KnownTargets(Dialect *dialect) : Base(dialect) {}

  llvm::StringMap<const TargetInterface *> targets;
};

/// Adds one target to the dialect of a context.
struct TargetExtension final : DialectExtension<TargetExtension, NNHalDialect> {
  explicit TargetExtension(const TargetInterface &target) : target(&target) {}

  void apply(MLIRContext *context, NNHalDialect *dialect) const override {
    auto *known = dialect->getRegisteredInterface<KnownTargets>();
    if (!known)
      known = &dialect->addInterface<KnownTargets>();
    known->targets[target->getName()] = target;
  }

  const TargetInterface *target;
};
} // namespace

void nnhal::registerTarget(DialectRegistry &registry,
                           const TargetInterface &target) {
  // Extensions are told apart by their ids, and there is one for each target.
  registry.addExtension(TypeID::getFromOpaquePointer(&target),
                        std::make_unique<TargetExtension>(target));
  target.registerModels(registry);
}

/// The target that \p target names; null where its context has none of the
/// name.
static const TargetInterface *interfaceOf(TargetAttr target) {
  auto *known = target.getDialect().getRegisteredInterface<KnownTargets>();
  return known ? known->targets.lookup(target.getName()) : nullptr;
}

LogicalResult nnhal::verifyTarget(Operation *op, TargetAttr target) {
  const TargetInterface *found = interfaceOf(target);
  // IR may pass through a compiler that does not compile it.
  if (!found)
    return success();
  return found->verifyParameters(target, [&](const Twine &message) {
    op->emitError("'") << targetAttrName << "' has parameters that target '"
                       << target.getName() << "' does not take: " << message;
  });
}

std::unique_ptr<LoweringPolicy> nnhal::loweringPolicyOf(Operation *op) {
  TargetAttr target = findTarget(op);
  if (!target)
    return std::make_unique<LoweringPolicy>();
  const TargetInterface *found = interfaceOf(target);
  if (!found) {
    op->emitError("nnhal.target: there is no target '")
        << target.getName() << "' in this compiler";
    return nullptr;
  }
  return found->getLoweringPolicy(
      target, [&](const Twine &message) { op->emitError(message); });
}
