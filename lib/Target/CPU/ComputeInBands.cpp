//===- ComputeInBands.cpp - Kernels that take turns -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointwise convolution to 112x112x96 writes 4.8 MB that the depthwise one
// after it reads again: both then run at the rate of the last-level cache. In
// bands of a few rows neither leaves the second-level one.
//
// A chain is kernels of which each is the only reader of the image that the one
// before writes, images that are too large to be kept. A band is some rows of
// the last output. From the last kernel to the first, the rows follow that a
// band needs of each image, less those that the bands before have computed; a
// plan is these steps for all bands. Plans are tried from high bands to low
// ones until the rows that are kept between kernels fit in the cache, bands of
// one height preferred: these are equal code. Emission repeats the kernels for
// each band, on views of the rows. Rows that the next band needs again are
// moved to the beginning of the memory of their image first.
//
// Not upstream's tiling and fusion of producers: its tiles compute the rows
// that they share again (a tenth of the products here), and its loops have
// tiles of one shape, with the padding made by a copy.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/CPU/Passes.h"

#include "CostModel.h"

#include "Codegen/ContextAccess.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

namespace nnhal {
#define GEN_PASS_DEF_COMPUTEINBANDS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;
using kernel::KernelOpInterface;

namespace {

/// Rows [begin, end) of an image.
struct Rows {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

/// A kernel of a chain.
struct Stage : kernel::RowWindow {
  Operation *op;

  /// The rows that `rows` of the output are made from.
  Rows inputOf(Rows rows) const {
    return {std::max<int64_t>(rows.begin * stride - padHead, 0),
            std::min((rows.end - 1) * stride - padHead + window, inputRows)};
  }
  Value input() const { return op->getOperand(0); }
  /// The destination, which is always the last operand.
  Value output() const { return op->getOperands().back(); }
};

using Chain = SmallVector<Stage>;

/// What a stage does in one band.
struct Step {
  Rows output, input;
};

struct BandPlan {
  /// The steps of all stages, by band.
  SmallVector<SmallVector<Step>> bands;
  /// Rows that are kept of what each stage but the last writes.
  SmallVector<int64_t> kept;
};

class ComputeInBandsPass : public impl::ComputeInBandsBase<ComputeInBandsPass> {
public:
  using Base::Base;
  void runOnOperation() override;

private:
  std::optional<Stage> successor(const Stage &stage);
  void takeTurns(Chain chain);

  /// Bytes of an image from which on it is not kept whole.
  int64_t bandCache = 0;
};

/// Emits the steps of one chain before its last kernel.
class BandEmitter {
public:
  BandEmitter(const Chain &chain, const BandPlan &plan);

  void emit();

private:
  void keepRows(size_t stage, const Step &before, const Step &now);
  void run(size_t stage, const SmallVector<Step> &steps);
  Value rowsOf(Value bytes, Value image, int64_t first, int64_t count);

  const Chain &chain;
  const BandPlan &plan;
  OpBuilder builder;
  /// Memory of what each stage but the last writes.
  SmallVector<Value> memory;
};

} // namespace

static int64_t rowBytes(Value image) {
  auto type = cast<MemRefType>(image.getType());
  return elementBytes(type) * type.getNumElements() / type.getDimSize(1);
}

static std::optional<Stage> stageOf(Operation *op) {
  auto kernel = dyn_cast<KernelOpInterface>(op);
  std::optional<kernel::RowWindow> rows =
      kernel ? kernel.getRowWindow() : std::nullopt;
  return rows ? std::optional(Stage{*rows, op}) : std::nullopt;
}

/// The allocation of the bytes that \p image is all of; null when it is not.
static memref::AllocOp allocationOf(Value image) {
  if (auto view = image.getDefiningOp<memref::ViewOp>();
      view && isConstantIntValue(view.getByteShift(), 0))
    image = view.getSource();
  auto alloc = image.getDefiningOp<memref::AllocOp>();
  if (!alloc || !alloc.getType().hasStaticShape() ||
      !alloc.getType().getLayout().isIdentity())
    return nullptr;
  return alloc;
}

/// The bytes of \p image, which becomes a view of them. The type of a view of
/// some of its rows then does not tell which.
static Value bytesOf(Value image) {
  if (auto view = image.getDefiningOp<memref::ViewOp>())
    return view.getSource();
  auto alloc = image.getDefiningOp<memref::AllocOp>();
  OpBuilder builder(alloc);
  int64_t size = rowBytes(image) * alloc.getType().getDimSize(1);
  Value bytes = memref::AllocOp::create(
      builder, alloc.getLoc(), MemRefType::get({size}, builder.getI8Type()),
      alloc.getAlignmentAttr());
  Value zero = arith::ConstantIndexOp::create(builder, alloc.getLoc(), 0);
  Value view = memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(),
                                      bytes, zero, /*sizes=*/ValueRange());
  alloc.replaceAllUsesWith(view);
  alloc.erase();
  return bytes;
}

/// Extras that have the rows of the output: images like it, and those with one
/// number for each pixel.
static SmallVector<OpOperand *> imagesAmongExtras(Operation *op) {
  auto kernel = cast<KernelOpInterface>(op);
  SmallVector<OpOperand *> images;
  ArrayRef<int64_t> shape =
      cast<ShapedType>(kernel.getDestination().getType()).getShape();
  unsigned first = kernel.getExtras().getBeginOperandIndex();
  for (unsigned index = 0; index < kernel.getExtras().size(); ++index) {
    OpOperand &extra = op->getOpOperand(first + index);
    ArrayRef<int64_t> own = cast<ShapedType>(extra.get().getType()).getShape();
    if (own.size() == shape.size() && own.drop_back() == shape.drop_back())
      images.push_back(&extra);
  }
  return images;
}

static Value baseOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Whether a kernel of \p chain reads the memory that its last one writes: all
/// of it has been read before then, but not all of a band's.
static bool readsItsOutput(const Chain &chain) {
  Value output = baseOf(chain.back().output());
  return llvm::any_of(chain, [&](const Stage &stage) {
    return llvm::any_of(
        stage.op->getOperands().drop_back(),
        [&](Value operand) { return baseOf(operand) == output; });
  });
}

/// Nothing but members of \p chain reads or writes memory from its first to its
/// last kernel.
static bool isUndisturbed(const Chain &chain) {
  llvm::SmallPtrSet<Operation *, 8> members;
  for (const Stage &stage : chain)
    members.insert(stage.op);
  for (Operation *op = chain.front().op; op != chain.back().op;
       op = op->getNextNode())
    if (!members.contains(op) && !isMemoryEffectFree(op) &&
        !isa<memref::AllocOp>(op))
      return false;
  return true;
}

/// In bands of \p rows rows of the last output; nothing if a band gives a stage
/// nothing to do, or has more rows in common with the next than not.
static std::optional<BandPlan> planBands(const Chain &chain, int64_t rows) {
  BandPlan plan;
  plan.kept.assign(chain.size() - 1, 0);
  SmallVector<int64_t> done(chain.size(), 0);
  for (int64_t begin = 0; begin < chain.back().outputRows; begin += rows) {
    SmallVector<Step> steps(chain.size());
    Rows wanted{begin, std::min(begin + rows, chain.back().outputRows)};
    for (size_t stage = chain.size(); stage-- > 0;) {
      Rows output{std::max(wanted.begin, done[stage]), wanted.end};
      if (output.size() <= 0)
        return std::nullopt;
      steps[stage] = {output, chain[stage].inputOf(output)};
      if (stage + 1 < chain.size())
        plan.kept[stage] = std::max(plan.kept[stage], wanted.size());
      if (stage + 1 < chain.size() && !plan.bands.empty()) {
        int64_t shift = wanted.begin - plan.bands.back()[stage + 1].input.begin;
        if (done[stage] - wanted.begin > shift)
          return std::nullopt;
      }
      done[stage] = wanted.end;
      wanted = steps[stage].input;
    }
    plan.bands.push_back(std::move(steps));
  }
  return plan;
}

/// The plan with the highest bands that together take at most \p most bytes.
static std::optional<BandPlan> chooseBands(const Chain &chain, int64_t most) {
  int64_t height = chain.back().outputRows;
  auto planOf = [&](int64_t rows) -> std::optional<BandPlan> {
    std::optional<BandPlan> plan = planBands(chain, rows);
    if (!plan)
      return std::nullopt;
    int64_t bytes = 0;
    for (auto [kept, stage] : llvm::zip_first(plan->kept, chain))
      bytes += kept * rowBytes(stage.output());
    return bytes <= most ? plan : std::nullopt;
  };
  std::optional<BandPlan> uneven;
  int64_t highest = 0;
  for (int64_t rows = height / 2; rows > 0 && 2 * rows > highest; --rows) {
    // Bands of one height need least code, if they are not much lower.
    bool isEven = height % rows == 0;
    if (!isEven && uneven)
      continue;
    std::optional<BandPlan> plan = planOf(rows);
    if (plan && isEven)
      return plan;
    if (plan) {
      uneven = std::move(plan);
      highest = rows;
    }
  }
  return uneven;
}

BandEmitter::BandEmitter(const Chain &chain, const BandPlan &plan)
    : chain(chain), plan(plan), builder(chain.back().op) {}

/// Rows [\p first, \p first + \p count) of \p bytes, which have the rows of
/// \p image.
Value BandEmitter::rowsOf(Value bytes, Value image, int64_t first,
                          int64_t count) {
  SmallVector<int64_t> shape(cast<MemRefType>(image.getType()).getShape());
  shape[1] = count;
  auto type = MemRefType::get(
      shape, cast<MemRefType>(image.getType()).getElementType());
  Location loc = image.getLoc();
  Value at =
      arith::ConstantIndexOp::create(builder, loc, first * rowBytes(image));
  return memref::ViewOp::create(builder, loc, type, bytes, at,
                                /*sizes=*/ValueRange());
}

/// Moves the rows that the band before has left and the next stage needs again
/// to where they belong now.
void BandEmitter::keepRows(size_t stage, const Step &before, const Step &now) {
  Value image = chain[stage].output();
  int64_t left = before.input.end - now.input.begin;
  if (left <= 0)
    return;
  Value from =
      rowsOf(memory[stage], image, now.input.begin - before.input.begin, left);
  Value to = rowsOf(memory[stage], image, 0, left);
  memref::CopyOp::create(builder, chain[stage].op->getLoc(), from, to);
}

void BandEmitter::run(size_t index, const SmallVector<Step> &steps) {
  const Stage &stage = chain[index];
  const Step &step = steps[index];
  bool isFirst = index == 0, isLast = index + 1 == chain.size();
  Value source = isFirst ? bytesOf(stage.input()) : memory[index - 1];
  Value input = rowsOf(source, stage.input(), isFirst ? step.input.begin : 0,
                       step.input.size());
  Value target = isLast ? bytesOf(stage.output()) : memory[index];
  int64_t origin = isLast ? 0 : steps[index + 1].input.begin;
  Value output = rowsOf(target, stage.output(), step.output.begin - origin,
                        step.output.size());
  SmallVector<Value> operands(stage.op->getOperands());
  operands.front() = input;
  operands.back() = output;
  for (OpOperand *extra : imagesAmongExtras(stage.op)) {
    Value image = bytesOf(extra->get());
    operands[extra->getOperandNumber()] =
        rowsOf(image, extra->get(), step.output.begin, step.output.size());
  }
  Operation *part = builder.clone(*stage.op);
  part->setOperands(operands);
  // Padding is what lies outside of the image, not of the band.
  auto pads = llvm::to_vector(
      part->getAttrOfType<DenseI64ArrayAttr>("pads").asArrayRef());
  int64_t first = step.output.begin * stage.stride - stage.padHead;
  int64_t last =
      (step.output.end - 1) * stage.stride - stage.padHead + stage.window;
  pads[0] = step.input.begin - first;
  pads[1] = last - step.input.end;
  part->setAttr("pads", builder.getDenseI64ArrayAttr(pads));
}

void BandEmitter::emit() {
  for (auto [kept, stage] : llvm::zip_first(plan.kept, chain)) {
    auto type =
        MemRefType::get({kept * rowBytes(stage.output())}, builder.getI8Type());
    memory.push_back(memref::AllocOp::create(
        builder, stage.op->getLoc(), type,
        allocationOf(stage.output()).getAlignmentAttr()));
  }
  for (size_t band = 0; band < plan.bands.size(); ++band)
    for (size_t stage = 0; stage < chain.size(); ++stage) {
      if (band > 0 && stage + 1 < chain.size())
        keepRows(stage, plan.bands[band - 1][stage + 1],
                 plan.bands[band][stage + 1]);
      run(stage, plan.bands[band]);
    }
}

/// The only reader of what \p stage writes, if that is too large to be kept.
std::optional<Stage> ComputeInBandsPass::successor(const Stage &stage) {
  Value image = stage.output();
  memref::AllocOp alloc = image.getDefiningOp<memref::AllocOp>();
  if (!alloc || !allocationOf(image) ||
      rowBytes(image) * stage.outputRows <= bandCache || !image.hasNUses(2))
    return std::nullopt;
  for (Operation *user : image.getUsers()) {
    std::optional<Stage> next = stageOf(user);
    if (user != stage.op && next && next->input() == image &&
        user->getBlock() == stage.op->getBlock() &&
        stage.op->isBeforeInBlock(user))
      return next;
  }
  return std::nullopt;
}

/// Cuts \p chain into bands, if there is a way.
void ComputeInBandsPass::takeTurns(Chain chain) {
  // Only of allocations there are views of bytes.
  while (chain.size() > 1 && !allocationOf(chain.front().input()))
    chain.erase(chain.begin());
  while (chain.size() > 1 && !allocationOf(chain.back().output()))
    chain.pop_back();
  bool isPossible =
      chain.size() > 1 && isUndisturbed(chain) && !readsItsOutput(chain) &&
      llvm::all_of(chain, [](const Stage &stage) {
        return llvm::all_of(imagesAmongExtras(stage.op), [](OpOperand *extra) {
          return allocationOf(extra->get());
        });
      });
  std::optional<BandPlan> plan;
  if (isPossible)
    plan = chooseBands(chain, bandCache);
  if (!plan)
    return;
  BandEmitter(chain, *plan).emit();
  ++numChains;
  numBands += plan->bands.size();
  for (const Stage &stage : llvm::reverse(chain)) {
    memref::AllocOp alloc = allocationOf(stage.output());
    stage.op->erase();
    if (isOpTriviallyDead(alloc))
      alloc->erase();
  }
}

void ComputeInBandsPass::runOnOperation() {
  if (getOperation().isExternal())
    return;
  std::optional<kernel::KernelTarget> target =
      kernel::KernelTarget::of(getOperation());
  if (!target)
    return signalPassFailure();
  bandCache = target->costs().bandCache;
  SmallVector<Chain> chains;
  llvm::SmallPtrSet<Operation *, 16> taken;
  for (Operation &op : getOperation().getBody().front()) {
    std::optional<Stage> stage = stageOf(&op);
    if (!stage || taken.contains(&op))
      continue;
    Chain chain;
    for (; stage; stage = successor(*stage)) {
      chain.push_back(*stage);
      taken.insert(stage->op);
    }
    chains.push_back(std::move(chain));
  }
  for (Chain &chain : chains)
    takeTurns(std::move(chain));
}

} // namespace nnhal
