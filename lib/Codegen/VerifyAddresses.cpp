//===- VerifyAddresses.cpp - Loaded elements stay within bounds -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "IntegerRanges.h"
#include "KnownExtents.h"
#include "LoadedValues.h"
#include "PassStep.h"

#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

namespace nnhal {
#define GEN_PASS_DEF_VERIFYADDRESSES
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {

struct VerifyAddressesPass : impl::VerifyAddressesBase<VerifyAddressesPass> {
  void runOnOperation() override;
};

/// Looks at one operation after another.
class AddressVerifier {
public:
  explicit AddressVerifier(ModuleOp module)
      : ranges(module), loaded(module, ranges), extents(module, loaded) {}

  LogicalResult verify(Operation *op);
  int64_t bounded() const { return numBounded; }

private:
  LogicalResult verifyOperand(OpOperand &operand);
  std::string findRangeProblem(OpOperand &operand);
  LogicalResult verifyShape(memref::ReshapeOp op);
  LogicalResult verifyStep(scf::ForOp op);

  IntegerRanges ranges;
  LoadedValues loaded;
  KnownExtents extents;
  int64_t numBounded = 0;
};

/// An operand that counts elements of one dimension of a buffer.
struct Position {
  int64_t extent;
  /// Elements that are accessed from there on.
  int64_t length;
};

} // namespace

/// Whether the parts of an address among the operands of \p op may be out of
/// bounds: control flow passes them on, a prefetch does not fault, and the
/// runtime refuses what it cannot allocate.
static bool addressesNothing(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<arith::SelectOp, func::CallOp, func::FuncOp, memref::PrefetchOp,
             LLVM::Prefetch, scf::ForOp, scf::IfOp, scf::WhileOp,
             runtime::AllocateOp>(op);
}

/// Whether \p operand is what is stored and not where.
static bool isStoredValue(OpOperand &operand) {
  Value value = operand.get();
  return llvm::TypeSwitch<Operation *, bool>(operand.getOwner())
      .Case([&](memref::StoreOp op) { return value == op.getValue(); })
      .Case([&](vector::StoreOp op) { return value == op.getValueToStore(); })
      .Case([&](vector::MaskedStoreOp op) {
        return value == op.getValueToStore();
      })
      .Case([&](vector::ScatterOp op) { return value == op.getValueToStore(); })
      .Case([&](vector::TransferWriteOp op) {
        return value == op.getValueToStore();
      })
      .Case([&](vector::MaskedLoadOp op) { return value == op.getPassThru(); })
      .Case([&](vector::GatherOp op) { return value == op.getPassThru(); })
      .Case([&](LLVM::StoreOp op) { return value == op.getValue(); })
      .Default([](Operation *) { return false; });
}

/// Buffers and pointers. The elements of a buffer do not address anything here.
static bool isMemory(Type type) {
  return isa<BaseMemRefType, LLVM::LLVMPointerType>(type);
}

static bool touchesMemory(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isMemory) ||
         llvm::any_of(op->getResultTypes(), isMemory);
}

/// The element of \p memory that index \p index of a load or store of \p length
/// elements in the innermost dimension counts, where the extent is known.
static std::optional<Position> positionOf(KnownExtents &extents,
                                          OpOperand &operand, Value memory,
                                          OperandRange indices,
                                          int64_t length) {
  auto type = cast<MemRefType>(memory.getType());
  unsigned first = indices.getBeginOperandIndex();
  unsigned dim = operand.getOperandNumber() - first;
  if (operand.getOperandNumber() < first || dim >= indices.size())
    return std::nullopt;
  std::optional<int64_t> extent = extents.of(memory, dim, operand.getOwner());
  if (!extent)
    return std::nullopt;
  bool isInnermost = dim + 1 == unsigned(type.getRank());
  return Position{*extent, isInnermost ? length : 1};
}

static int64_t lengthOf(VectorType type) {
  return type.getRank() == 0 ? 1 : type.getDimSize(type.getRank() - 1);
}

/// Nothing where \p operand is no such index.
static std::optional<Position> findPosition(KnownExtents &extents,
                                            OpOperand &operand) {
  using Result = std::optional<Position>;
  return llvm::TypeSwitch<Operation *, Result>(operand.getOwner())
      .Case<memref::LoadOp, memref::StoreOp>([&](auto op) {
        return positionOf(extents, operand, op.getMemRef(), op.getIndices(), 1);
      })
      .Case<vector::LoadOp, vector::StoreOp>([&](auto op) -> Result {
        VectorType type = op.getVectorType();
        if (type.getRank() > 1)
          return std::nullopt;
        return positionOf(extents, operand, op.getBase(), op.getIndices(),
                          lengthOf(type));
      })
      .Case([&](memref::SubViewOp op) -> Result {
        for (auto [dim, mixed] : llvm::enumerate(op.getMixedOffsets())) {
          if (dyn_cast<Value>(mixed) != operand.get() ||
              op.isDynamicSize(dim) || op.isDynamicStride(dim))
            continue;
          std::optional<int64_t> extent = extents.of(op.getSource(), dim, op);
          if (!extent)
            continue;
          int64_t size = op.getStaticSize(dim);
          return Position{*extent,
                          size == 0 ? 0
                                    : (size - 1) * op.getStaticStride(dim) + 1};
        }
        return std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// What keeps \p operand from being proven to be within an extent by integer
/// range analysis; empty when nothing does.
std::string AddressVerifier::findRangeProblem(OpOperand &operand) {
  std::optional<Position> position = findPosition(extents, operand);
  if (!position)
    return ", and the constants that bound it do not fit any extent";
  int64_t last = position->extent - position->length;
  if (ranges.isWithin(operand.get(), 0, last))
    return {};
  std::optional<ConstantIntRanges> range = ranges.of(operand.get());
  if (!range)
    return " and has no known range";
  return llvm::formatv(" and is within [{0}, {1}], not within [0, {2}]",
                       range->smin().getSExtValue(),
                       range->smax().getSExtValue(), last);
}

LogicalResult AddressVerifier::verifyOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  Type type = operand.get().getType();
  if (isa<BaseMemRefType>(type) || isa<FloatType>(getElementTypeOrSelf(type)) ||
      isStoredValue(operand))
    return success();
  LoadedInfluence influence = loaded.at(operand);
  if (!influence.isLoaded || getElementTypeOrSelf(type).isInteger(1))
    return success();
  ++numBounded;
  if (influence.isBounded() && influence.isBoundByValue)
    return success();
  // The type of what was loaded may be bound enough: eight bits for a table of
  // 256.
  std::string problem = findRangeProblem(operand);
  if (problem.empty())
    return success();
  if (!influence.isBounded())
    problem = std::string(", and nothing bounds it from ") +
              (!influence.isOpenAbove   ? "below"
               : !influence.isOpenBelow ? "above"
                                        : "below and above");
  return op->emitOpError("operand #")
         << operand.getOperandNumber() << " follows from loaded elements"
         << problem;
}

/// The extents of a reshaped buffer stand in memory: whoever reads them must
/// have stored them, and they are bounded where they are.
LogicalResult AddressVerifier::verifyShape(memref::ReshapeOp op) {
  if (cast<BaseMemRefType>(op.getResult().getType()).hasStaticShape() ||
      isCodeConstant(op.getShape()))
    return success();
  int64_t extents = 0;
  for (OpOperand &use : op.getShape().getUses()) {
    auto store = dyn_cast<memref::StoreOp>(use.getOwner());
    if (!store || !loaded.isBefore(store, op))
      continue;
    LoadedInfluence influence = loaded.at(store.getValue(), store);
    if (!influence.isBounded())
      return store.emitOpError("stores an extent that follows from loaded "
                               "elements, and nothing bounds it");
    ++extents;
  }
  if (extents < cast<MemRefType>(op.getShape().getType()).getDimSize(0))
    return op.emitOpError("reads extents that were not stored before");
  return success();
}

/// Induction variables are taken to grow, by the analysis of ranges, too.
LogicalResult AddressVerifier::verifyStep(scf::ForOp op) {
  if (!loaded.at(op.getStep(), op).isLoaded ||
      ranges.isWithin(op.getStep(), 1, std::numeric_limits<int64_t>::max()))
    return success();
  return op.emitOpError("has a step that follows from loaded elements and may "
                        "not be above zero");
}

LogicalResult AddressVerifier::verify(Operation *op) {
  if (auto reshape = dyn_cast<memref::ReshapeOp>(op))
    return verifyShape(reshape);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return verifyStep(loop);
  if (addressesNothing(op) || !touchesMemory(op))
    return success();
  for (OpOperand &operand : op->getOpOperands())
    if (failed(verifyOperand(operand)))
      return failure();
  return success();
}

void VerifyAddressesPass::runOnOperation() {
  AddressVerifier verifier(getOperation());
  for (Operation &part : *getOperation().getBody()) {
    WalkResult result = WalkResult::advance();
    runStep(&part, [&] {
      result = part.walk([&](Operation *op) {
        return failed(verifier.verify(op)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
      });
    });
    if (result.wasInterrupted())
      return signalPassFailure();
  }
  numBounded += verifier.bounded();
  markAllAnalysesPreserved();
}

} // namespace nnhal
