//===- Convolution.cpp - Register-tiled loops of nnk.conv_2d --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An implicit matrix product: a tile of output pixels times one panel of output
// channels is kept in registers while all taps and input channels stream by.
// Each step loads the panel's weights, broadcasts one input per pixel, and does
// one multiply-add per accumulator. Integers go in pairs of channels: sign
// extension, product and addition of neighbours, which are one instruction on
// targets that have it (vpmaddwd), and are written out so that all have it. Or
// in quads, where one instruction does all of it and the addition to the
// accumulator (vpdpbusd, sdot). Quads for a single output channel, whose panel
// would be all but empty, fill registers with input channels instead.
//
// Not im2col (a copy of the input costs 9 % of a 3x3 layer and megabytes), not
// a padded copy of the input, and not linalg's convolution vectorizer, whose
// accumulators stay in memory.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "TilePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nnhal::kernel;
using nnhal::QuadSigns;

namespace {

/// Panels that one tile computes: `count` full ones from `first` on, or the
/// last one with fewer channels.
struct PanelSet {
  Value first;
  int64_t count;
  /// Channels of the last panel of the set.
  int64_t lastChannels;
};

/// Where a tile stands: output pixel and its input.
struct TilePosition {
  Epilogue::Pixel pixel;
  /// Flat index of the input element under the first tap of the first pixel;
  /// may lie in the padding (then never read).
  Value input;
  /// Valid taps of the filter's rows.
  Value firstRow, lastRow;
  /// First output column.
  Value column;
};

/// One vector of accumulators.
struct Accumulator {
  int64_t row, panel, vector;
};

class ConvolutionEmitter {
public:
  ConvolutionEmitter(Conv2DOp op, Emitter &emitter, const KernelTarget &target)
      : op(op), emitter(emitter), target(target) {}

  LogicalResult emit();

private:
  void readShapes();
  void makeOffsetTable();
  void emitPanels(llvm::function_ref<void(PanelSet)> body);
  void emitRows(llvm::function_ref<void(Value, Value)> body);
  void emitTiles(
      Value batch, Value row,
      llvm::function_ref<void(const TileGroup &, const TilePosition &)> body);
  void emitTile(const TileGroup &group, const TilePosition &position,
                const PanelSet &panels);
  SmallVector<Value> emitTaps(const TileGroup &group,
                              const TilePosition &position,
                              const PanelSet &panels, ValueRange values);
  SmallVector<Value> emitTableTaps(const TileGroup &group,
                                   const TilePosition &position,
                                   const PanelSet &panels, ValueRange values);
  SmallVector<Value> multiplyRun(const PanelSet &panels, Value column,
                                 int64_t count, Value weightAt, Value inputAt,
                                 ArrayRef<Accumulator> accumulators,
                                 ArrayRef<Value> values);
  SmallVector<Value> multiplyBytes(int64_t count, Value weightAt, Value inputAt,
                                   ArrayRef<Accumulator> accumulators,
                                   ArrayRef<Value> values);
  void multiplyAddBytes(Value weightAt, Value inputAt, Lanes bytes,
                        ArrayRef<Accumulator> accumulators,
                        SmallVectorImpl<Value> &values);
  void finishSums(const TileGroup &group, const TilePosition &position,
                  ArrayRef<Value> sums);
  void multiplyAdd(Value weightAt, Value inputAt,
                   ArrayRef<Accumulator> accumulators,
                   SmallVectorImpl<Value> &values);
  Value extended(Value loaded, bool isUnsigned);
  Value loadWeights(Value at);
  Value broadcastInput(Value at);
  Value multiplyAdd(Value input, Value weights, Value accumulator);
  void prefetch(const PanelSet &panels, Value column, Value step,
                int64_t steps);
  void prefetchNextPanel(const PanelSet &panels, Value column, Value step,
                         int64_t steps);
  void prefetchAhead(const PanelSet &panels, Value step, int64_t steps);
  void prefetchWeights(Value at, int64_t count);
  Value dotProduct(Value input, Value weights, Value accumulator);
  Value addNeighbours(Value products);
  int64_t vectorsOf(int64_t channels) const {
    return llvm::divideCeil(channels, lanes);
  }
  SmallVector<Accumulator> accumulatorsOf(const TileGroup &group,
                                          const PanelSet &panels) const;

  Conv2DOp op;
  Emitter &emitter;
  const KernelTarget &target;
  FlatView input, filter, bias;
  std::optional<Epilogue> epilogue;
  WindowDim height, width;
  int64_t batches, channels, panelCount, panelWidth, outputs;
  /// Input channels and weights of one step, and steps of a panel.
  int64_t stepChannels, stepWeights, depth;
  int64_t lanes;
  /// Whether the target adds up quads of these inputs and weights at once.
  bool hasDotProduct;
  /// Whether the lanes of an accumulator are to be added up: there is one
  /// output channel.
  bool isOneChannel;
  ConvolutionTile tile;
  FlatView table;
};

void ConvolutionEmitter::readShapes() {
  ArrayRef<int64_t> in = cast<ShapedType>(op.getInput().getType()).getShape();
  ArrayRef<int64_t> out = cast<ShapedType>(op.getInit().getType()).getShape();
  ArrayRef<int64_t> packed =
      cast<ShapedType>(op.getFilter().getType()).getShape();
  height = {in[1],
            out[1],
            packed[1],
            op.getStrides()[0],
            op.getDilations()[0],
            op.getPads()[0]};
  width = {in[2],
           out[2],
           packed[2],
           op.getStrides()[1],
           op.getDilations()[1],
           op.getPads()[2]};
  batches = in[0];
  channels = in[3];
  outputs = out[3];
  panelCount = packed[0];
  panelWidth = op.getPanelWidth();
  stepChannels = op.getStepChannels();
  stepWeights = packed[4];
  hasDotProduct =
      stepChannels == 4 &&
      target.dotProduct == (op.getUnsignedInput() ? QuadSigns::unsignedBySigned
                                                  : QuadSigns::signedBySigned);
  depth = packed[1] * packed[2] * packed[3];
  // The widest native vector that divides the panel.
  lanes = target.lanes();
  isOneChannel = panelWidth == 1;
  if (isOneChannel)
    lanes = std::clamp<int64_t>(llvm::PowerOf2Ceil(packed[3]), 4, lanes);
  while (!isOneChannel && panelWidth % lanes != 0)
    lanes /= 2;
  // A 1x1 filter without stride or padding does not know rows from batches: all
  // pixels are one row of the output.
  if (packed[1] == 1 && packed[2] == 1 && height.stride == 1 &&
      width.stride == 1 && height.unpadded() && width.unpadded() &&
      in[1] == out[1] && in[2] == out[2] && hasUniformPixels(input, in) &&
      epilogue->uniformPixels()) {
    width.in = width.out = batches * in[1] * in[2];
    height.in = height.out = batches = 1;
  }
}

LogicalResult ConvolutionEmitter::emit() {
  std::optional<FlatView> views[] = {emitter.flatten(op.getInput()),
                                     emitter.flatten(op.getFilter()),
                                     emitter.flatten(op.getBias())};
  epilogue =
      Epilogue::create(cast<KernelOpInterface>(op.getOperation()), emitter);
  if (!views[0] || !views[1] || !views[2] || !epilogue ||
      !cast<MemRefType>(op.getFilter().getType()).getLayout().isIdentity() ||
      !cast<MemRefType>(op.getBias().getType()).getLayout().isIdentity())
    return op.emitOpError("needs memrefs of static shape with known strides "
                          "and contiguous channels");
  input = *views[0];
  filter = *views[1];
  bias = *views[2];
  readShapes();
  bool contiguous = width.dilation == 1 && input.strides[2] == channels;
  auto bytesOf = [](Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return type.getNumElements() * type.getElementTypeBitWidth() / 8;
  };
  tile = chooseConvolutionTile(
      {batches * height.out, width.out, depth,
       contiguous ? width.filter * channels : channels, height.filter,
       bytesOf(op.getInput()), bytesOf(op.getInit()), bytesOf(op.getFilter()),
       panelCount, panelWidth / lanes, stepChannels > 1, isOneChannel},
      target);
  tile.offsetTable &= !isOneChannel;
  if (tile.offsetTable)
    makeOffsetTable();

  switch (tile.order) {
  case LoopOrder::panelRowTile:
    emitPanels([&](PanelSet panels) {
      emitRows([&](Value batch, Value row) {
        emitTiles(batch, row,
                  [&](const TileGroup &group, const TilePosition &at) {
                    emitTile(group, at, panels);
                  });
      });
    });
    break;
  case LoopOrder::rowPanelTile:
    emitRows([&](Value batch, Value row) {
      emitPanels([&](PanelSet panels) {
        emitTiles(batch, row,
                  [&](const TileGroup &group, const TilePosition &at) {
                    emitTile(group, at, panels);
                  });
      });
    });
    break;
  case LoopOrder::tilePanel:
    emitRows([&](Value batch, Value row) {
      emitTiles(
          batch, row, [&](const TileGroup &group, const TilePosition &at) {
            emitPanels([&](PanelSet panels) { emitTile(group, at, panels); });
          });
    });
    break;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops around a tile
//===----------------------------------------------------------------------===//

void ConvolutionEmitter::emitPanels(llvm::function_ref<void(PanelSet)> body) {
  // Full panels in sets, then what remains together with the last panel.
  int64_t full = outputs / panelWidth;
  int64_t sets = full / tile.panels;
  if (sets > 0)
    emitter.parallelLoop(0, sets, tile.panels, [&](Value first) {
      body({first, tile.panels, panelWidth});
    });
  int64_t done = sets * tile.panels;
  if (done < panelCount) {
    int64_t rest = outputs % panelWidth;
    body({emitter.index(done), panelCount - done, rest ? rest : panelWidth});
  }
}

void ConvolutionEmitter::emitRows(llvm::function_ref<void(Value, Value)> body) {
  emitter.parallelLoop(0, batches, 1, [&](Value batch) {
    emitter.parallelLoop(0, height.out, 1,
                         [&](Value row) { body(batch, row); });
  });
}

void ConvolutionEmitter::emitTiles(
    Value batch, Value row,
    llvm::function_ref<void(const TileGroup &, const TilePosition &)> body) {
  TilePosition position;
  Value origin = emitter.add(emitter.mul(row, height.stride), -height.padHead);
  std::tie(position.firstRow, position.lastRow) =
      emitter.validTaps(height, origin);
  Value base = emitter.mulAdd(batch, input.strides[0],
                              emitter.mul(origin, input.strides[1]));
  for (const TileGroup &group : planTiles(width, tile.rows, tile.overlapped))
    emitter.tileLoop(group, [&](Value column) {
      Value first =
          emitter.add(emitter.mul(column, width.stride), -width.padHead);
      position.input = emitter.mulAdd(first, input.strides[2], base);
      position.pixel = epilogue->pixel(batch, row, column);
      position.column = column;
      body(group, position);
    });
}

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

SmallVector<Accumulator>
ConvolutionEmitter::accumulatorsOf(const TileGroup &group,
                                   const PanelSet &panels) const {
  SmallVector<Accumulator> result;
  for (int64_t row = 0; row < group.size; ++row)
    for (int64_t panel = 0; panel < panels.count; ++panel) {
      int64_t valid =
          panel + 1 == panels.count ? panels.lastChannels : panelWidth;
      for (int64_t vector = 0; vector < vectorsOf(valid); ++vector)
        result.push_back({row, panel, vector});
    }
  return result;
}

void ConvolutionEmitter::emitTile(const TileGroup &group,
                                  const TilePosition &position,
                                  const PanelSet &panels) {
  SmallVector<Accumulator> accumulators = accumulatorsOf(group, panels);
  Value channel = emitter.mul(panels.first, panelWidth);
  DenseMap<int64_t, Value> biases;
  SmallVector<Value> values;
  for (const Accumulator &acc : accumulators) {
    int64_t at = acc.panel * panelWidth + acc.vector * lanes;
    Value &loaded = biases[at];
    if (isOneChannel)
      loaded = emitter.zeros(
          emitter.vectorType(lanes, emitter.builder().getI32Type()));
    else if (!loaded)
      loaded = emitter.load(bias, emitter.add(channel, at), {lanes, lanes});
    values.push_back(loaded);
  }
  bool interior = llvm::all_of(group.taps, [&](const TapRange &taps) {
    return taps == TapRange{0, width.filter};
  });
  if (tile.offsetTable && interior)
    values = emitTableTaps(group, position, panels, values);
  else
    values = emitter.carry(position.firstRow, position.lastRow, values,
                           [&](Value tap, ValueRange carried) {
                             TilePosition at = position;
                             at.firstRow = tap;
                             at.input = emitter.mulAdd(
                                 tap, height.dilation * input.strides[1],
                                 position.input);
                             return emitTaps(group, at, panels, carried);
                           });

  if (isOneChannel)
    return finishSums(group, position, values);
  int64_t end = (panels.count - 1) * panelWidth + panels.lastChannels;
  epilogue->finish({values, position.pixel, group.size, channel, vectorsOf(end),
                    lanes, end});
}

/// The taps of filter row `position.firstRow`.
SmallVector<Value> ConvolutionEmitter::emitTaps(const TileGroup &group,
                                                const TilePosition &position,
                                                const PanelSet &panels,
                                                ValueRange carried) {
  SmallVector<Accumulator> accumulators = accumulatorsOf(group, panels);
  SmallVector<Value> values(carried);
  int64_t tapStride = width.dilation * input.strides[2];
  bool contiguous = tapStride == channels;
  int64_t tapSteps = channels / stepChannels;
  Value weights = emitter.mulAdd(
      panels.first, depth * stepWeights,
      emitter.mul(position.firstRow, width.filter * tapSteps * stepWeights));
  for (const TapSegment &segment : planSegments(group, width.filter)) {
    // Only the pixels for which these taps are not padding take part.
    SmallVector<unsigned> active;
    SmallVector<Accumulator> part;
    for (auto [index, acc] : llvm::enumerate(accumulators))
      if (llvm::is_contained(segment.positions, acc.row)) {
        active.push_back(index);
        part.push_back(acc);
      }
    int64_t step = contiguous ? segment.taps.size() : 1;
    for (int64_t tap = segment.taps.begin; tap < segment.taps.end;
         tap += step) {
      Value weightBase = emitter.add(weights, tap * tapSteps * stepWeights);
      Value inputBase = emitter.add(position.input, tap * tapStride);
      SmallVector<Value> current;
      for (unsigned index : active)
        current.push_back(values[index]);
      current = multiplyRun(panels, position.column, step * tapSteps,
                            weightBase, inputBase, part, current);
      for (auto [index, value] : llvm::zip_equal(active, current))
        values[index] = value;
    }
  }
  return values;
}

/// The products of `count` steps on contiguous inputs, several to a round of
/// the loop: what ends a round (an addition, a comparison, the prefetch)
/// competes with the products for the units that do them.
SmallVector<Value> ConvolutionEmitter::multiplyRun(
    const PanelSet &panels, Value column, int64_t count, Value weightAt,
    Value inputAt, ArrayRef<Accumulator> accumulators, ArrayRef<Value> values) {
  if (isOneChannel)
    return multiplyBytes(count * stepChannels, weightAt, inputAt, accumulators,
                         values);
  auto rounds = [&](int64_t begin, int64_t end, int64_t steps,
                    ValueRange carried) {
    return emitter.carry(
        emitter.index(begin), emitter.index(end), carried,
        [&](Value first, ValueRange inner) {
          prefetch(panels, column, first, steps);
          SmallVector<Value> next(inner);
          for (int64_t step = 0; step < steps; ++step) {
            Value k = emitter.add(first, step);
            multiplyAdd(emitter.mulAdd(k, stepWeights, weightAt),
                        emitter.mulAdd(k, stepChannels, inputAt), accumulators,
                        next);
          }
          return next;
        },
        steps);
  };
  // Integers take more instructions each: rounds of several steps lose as much
  // again.
  const CostModel &costs = target.costs();
  int64_t steps =
      stepChannels > 1
          ? 1
          : std::clamp<int64_t>(
                llvm::divideCeil(costs.unrolledProducts,
                                 std::max<size_t>(values.size(), 1)),
                1, costs.unrolledSteps);
  // Without a step that is left over the code is half as long.
  if (steps > 2 && count % steps != 0 && count % (steps - 1) == 0)
    --steps;
  int64_t unrolled = count - count % steps;
  return rounds(unrolled, count, 1, rounds(0, unrolled, steps, values));
}

/// Sums up one output channel: quads of input channels lie side by side.
SmallVector<Value>
ConvolutionEmitter::multiplyBytes(int64_t count, Value weightAt, Value inputAt,
                                  ArrayRef<Accumulator> accumulators,
                                  ArrayRef<Value> values) {
  int64_t size = lanes * stepChannels;
  int64_t full = count / size, rest = count % size;
  SmallVector<Value> sums(values);
  if (full > 0)
    sums = emitter.carry(emitter.index(0), emitter.index(full), sums,
                         [&](Value k, ValueRange inner) {
                           SmallVector<Value> next(inner);
                           multiplyAddBytes(emitter.mulAdd(k, size, weightAt),
                                            emitter.mulAdd(k, size, inputAt),
                                            {size, size}, accumulators, next);
                           return next;
                         });
  if (rest > 0)
    multiplyAddBytes(emitter.add(weightAt, full * size),
                     emitter.add(inputAt, full * size), {size, rest},
                     accumulators, sums);
  return sums;
}

void ConvolutionEmitter::multiplyAddBytes(Value weightAt, Value inputAt,
                                          Lanes bytes,
                                          ArrayRef<Accumulator> accumulators,
                                          SmallVectorImpl<Value> &values) {
  Value weights = extended(emitter.load(filter, weightAt, bytes), false);
  for (auto [acc, value] : llvm::zip_equal(accumulators, values)) {
    Value at = emitter.add(inputAt, acc.row * width.stride * input.strides[2]);
    Value pixel =
        extended(emitter.load(input, at, bytes), op.getUnsignedInput());
    value = multiplyAdd(pixel, weights, value);
  }
}

/// Leaves a number of one output channel for each pixel.
void ConvolutionEmitter::finishSums(const TileGroup &group,
                                    const TilePosition &position,
                                    ArrayRef<Value> sums) {
  OpBuilder &builder = emitter.builder();
  Value start = emitter.loadScalar(bias, emitter.index(0));
  SmallVector<Value> values;
  for (Value sum : sums)
    values.push_back(emitter.broadcast(
        vector::ReductionOp::create(builder, emitter.loc(),
                                    vector::CombiningKind::ADD, sum, start),
        1));
  epilogue->finish({values, position.pixel, group.size, emitter.index(0),
                    /*vectors=*/1, /*lanes=*/1, /*channels=*/1});
}

/// All taps in one loop: for short filter rows, nested loops spend their time
/// on loop ends (78 % of the flat loop's speed on a 3-channel input), and
/// unrolled code keeps the overlapping inputs of neighbouring pixels in
/// registers until it spills.
SmallVector<Value>
ConvolutionEmitter::emitTableTaps(const TileGroup &group,
                                  const TilePosition &position,
                                  const PanelSet &panels, ValueRange values) {
  SmallVector<Accumulator> accumulators = accumulatorsOf(group, panels);
  Value weights = emitter.mul(panels.first, depth * stepWeights);
  int64_t rowTaps = width.filter * channels / stepChannels;
  return emitter.carry(
      emitter.mul(position.firstRow, rowTaps),
      emitter.mul(position.lastRow, rowTaps), values,
      [&](Value k, ValueRange inner) {
        Value offset = emitter.loadScalar(table, k);
        OpBuilder &builder = emitter.builder();
        offset = arith::IndexCastOp::create(builder, emitter.loc(),
                                            builder.getIndexType(), offset);
        SmallVector<Value> next(inner);
        multiplyAdd(emitter.mulAdd(k, stepWeights, weights),
                    emitter.add(position.input, offset), accumulators, next);
        return next;
      });
}

void ConvolutionEmitter::multiplyAdd(Value weightAt, Value inputAt,
                                     ArrayRef<Accumulator> accumulators,
                                     SmallVectorImpl<Value> &values) {
  DenseMap<int64_t, Value> weights, inputs;
  auto weightsOf = [&](const Accumulator &acc) {
    return acc.panel * depth * stepWeights + acc.vector * lanes * stepChannels;
  };
  for (const Accumulator &acc : accumulators) {
    Value &loaded = weights[weightsOf(acc)];
    if (!loaded)
      loaded = loadWeights(emitter.add(weightAt, weightsOf(acc)));
  }
  for (auto [acc, value] : llvm::zip_equal(accumulators, values)) {
    Value &pixel = inputs[acc.row];
    if (!pixel)
      pixel = broadcastInput(
          emitter.add(inputAt, acc.row * width.stride * input.strides[2]));
    value = multiplyAdd(pixel, weights[weightsOf(acc)], value);
  }
}

/// Loads the weights of one vector of accumulators.
Value ConvolutionEmitter::loadWeights(Value at) {
  int64_t count = lanes * stepChannels;
  return extended(emitter.load(filter, at, {count, count}),
                  /*isUnsigned=*/false);
}

/// Integers as i32, unless as they are will do.
Value ConvolutionEmitter::extended(Value loaded, bool isUnsigned) {
  Type i32 = emitter.builder().getI32Type();
  if (stepChannels == 1 || hasDotProduct)
    return loaded;
  return isUnsigned ? emitter.zeroExtend(loaded, i32)
                    : emitter.signExtend(loaded, i32);
}

Value ConvolutionEmitter::broadcastInput(Value at) {
  if (stepChannels == 1)
    return emitter.broadcast(emitter.loadScalar(input, at), lanes);
  OpBuilder &builder = emitter.builder();
  Location loc = emitter.loc();
  Type i32 = builder.getI32Type();
  // Targets load and broadcast one number of 32 bits at once.
  Value loaded = emitter.load(input, at, {stepChannels, stepChannels});
  Value word = vector::BitCastOp::create(builder, loc,
                                         emitter.vectorType(1, i32), loaded);
  Value words = vector::BroadcastOp::create(
      builder, loc, emitter.vectorType(lanes, i32), word);
  Type element = cast<VectorType>(loaded.getType()).getElementType();
  Value inputs = vector::BitCastOp::create(
      builder, loc, emitter.vectorType(stepChannels * lanes, element), words);
  return extended(inputs, op.getUnsignedInput());
}

Value ConvolutionEmitter::multiplyAdd(Value pixel, Value weights,
                                      Value accumulator) {
  OpBuilder &builder = emitter.builder();
  Location loc = emitter.loc();
  if (stepChannels == 1)
    return vector::FMAOp::create(builder, loc, pixel, weights, accumulator);
  if (hasDotProduct)
    return dotProduct(pixel, weights, accumulator);
  Value sum = arith::MulIOp::create(builder, loc, pixel, weights);
  for (int64_t count = stepChannels; count > 1; count /= 2)
    sum = addNeighbours(sum);
  return arith::AddIOp::create(builder, loc, accumulator, sum);
}

Value ConvolutionEmitter::addNeighbours(Value products) {
  OpBuilder &builder = emitter.builder();
  Location loc = emitter.loc();
  SmallVector<int64_t> even, odd;
  int64_t count = cast<VectorType>(products.getType()).getNumElements();
  for (int64_t lane = 0; lane < count; lane += 2) {
    even.push_back(lane);
    odd.push_back(lane + 1);
  }
  // Two shuffles of their own: LLVM knows this form as a product of pairs.
  Value first =
      vector::ShuffleOp::create(builder, loc, products, products, even);
  Value second =
      vector::ShuffleOp::create(builder, loc, products, products, odd);
  return arith::AddIOp::create(builder, loc, first, second);
}

/// By its name: of a portable sum of products, LLVM may add up other lanes than
/// neighbours.
Value ConvolutionEmitter::dotProduct(Value pixel, Value weights,
                                     Value accumulator) {
  OpBuilder &builder = emitter.builder();
  int64_t bits = 32 * lanes;
  std::string name =
      op.getUnsignedInput()
          ? llvm::formatv("llvm.x86.avx512.vpdpbusd.{0}", bits).str()
          : llvm::formatv("llvm.aarch64.neon.sdot.v{0}i32.v{1}i8", lanes,
                          4 * lanes)
                .str();
  auto call = LLVM::CallIntrinsicOp::create(
      builder, emitter.loc(), accumulator.getType(),
      builder.getStringAttr(name), ValueRange{accumulator, pixel, weights});
  return call.getResult(0);
}

/// What a round of `steps` steps, from `step` on, reads ahead of.
void ConvolutionEmitter::prefetch(const PanelSet &panels, Value column,
                                  Value step, int64_t steps) {
  if (!tile.prefetch)
    return;
  if (width.out == 1)
    prefetchAhead(panels, step, steps);
  else
    prefetchNextPanel(panels, column, step, steps);
}

/// Spreads the next panel's lines over the steps of this panel's tiles: with
/// few pixels the weights, not the arithmetic, set the time (1169 to 1036 us on
/// 49x1024x1024 with cold weights).
void ConvolutionEmitter::prefetchNextPanel(const PanelSet &panels, Value column,
                                           Value step, int64_t steps) {
  if (getConstantIntValue(panels.first))
    return;
  Value next = emitter.min(emitter.add(panels.first, panels.count),
                           emitter.index(panelCount - 1));
  // A tile covers its pixels' share of the panel in `depth` steps, each of them
  // a whole number of weights further: addresses are then linear, which costs
  // units that multiply nothing. Lines may be touched twice.
  int64_t panelWeights = depth * stepWeights;
  int64_t tiles = std::max<int64_t>(1, width.out / tile.rows);
  int64_t stride = llvm::divideCeil(stepWeights, tiles);
  Value at = emitter.mulAdd(next, panelWeights,
                            emitter.mul(column, panelWeights / width.out));
  at = emitter.min(at,
                   emitter.index(panelCount * panelWeights - depth * stride));
  at = emitter.mulAdd(step, stride, at);
  prefetchWeights(at, steps * stride);
}

/// With one pixel each weight is read once, at the rate of memory. Processors
/// read ahead as well, but only to the end of a page: 337 to 300 us for 5 MB.
void ConvolutionEmitter::prefetchAhead(const PanelSet &panels, Value step,
                                       int64_t steps) {
  int64_t panelWeights = depth * stepWeights;
  int64_t last = (panelCount - panels.count) * panelWeights;
  Value at = emitter.add(emitter.mul(panels.first, panelWeights),
                         target.costs().prefetchedSteps * stepWeights);
  at = emitter.mulAdd(step, stepWeights, emitter.min(at, emitter.index(last)));
  for (int64_t panel = 0; panel < panels.count; ++panel)
    prefetchWeights(emitter.add(at, panel * panelWeights), steps * stepWeights);
}

/// `count` weights from the flat index `at` on.
void ConvolutionEmitter::prefetchWeights(Value at, int64_t count) {
  for (int64_t offset = 0; offset < count; offset += Emitter::lineOf(filter))
    emitter.prefetch(filter, emitter.add(at, offset), /*isWrite=*/false);
}

void ConvolutionEmitter::makeOffsetTable() {
  SmallVector<int32_t> offsets;
  for (int64_t row = 0; row < height.filter; ++row)
    for (int64_t tap = 0; tap < width.filter; ++tap)
      for (int64_t channel = 0; channel < channels; channel += stepChannels)
        offsets.push_back(row * height.dilation * input.strides[1] +
                          tap * width.dilation * input.strides[2] + channel);
  OpBuilder &builder = emitter.builder();
  auto size = static_cast<int64_t>(offsets.size());
  auto type = MemRefType::get({size}, builder.getI32Type());
  auto data = DenseElementsAttr::get(
      RankedTensorType::get({size}, builder.getI32Type()),
      ArrayRef<int32_t>(offsets));
  table.buffer = emitter.constantTable(type, data);
  table.strides = {1};
}

} // namespace

LogicalResult nnhal::kernel::emitConvolution(Conv2DOp op, Emitter &emitter,
                                             const KernelTarget &target) {
  return ConvolutionEmitter(op, emitter, target).emit();
}
