//===- MatrixKernel.cpp - Convolutions by products of matrices ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subgroups multiply the matrices of the implicit product that
// ConvolutionKernel.cpp has, of f16 or i8, by instructions (tensor cores). A
// workgroup computes a tile of pixels and output channels in steps, each of
// them some input channels at one place of the window. For a step it puts the
// elements of the pixels, zeros for padding, and the weights into shared
// arrays, from which its subgroups load matrices. Whatever the next step needs
// is loaded into registers before the matrices of this one are multiplied, so
// that memory is not waited for.
//
// Sums end in a shared array, too, because which invocation has which element
// of a matrix is the device's affair, and an epilogue has to know its pixel and
// channel.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionParts.h"
#include "MicroKernels.h"

#include "Runtime/Artifact/GpuMatrices.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

/// Invocations of a workgroup.
static constexpr int64_t invocations =
    MatrixTile::subgroupSize * MatrixTile::subgroups;
/// Elements are moved in fours, by one access of eight bytes, or in a word.
static constexpr int64_t four = 4;
/// The bytes at a multiple of which matrices begin, and rows of halves and of
/// sums: the fragment of an invocation is that large (PTX ISA, "Matrix Storage"
/// of wmma).
static constexpr int64_t matrixAlignment = 32;
/// The distance of rows in the array of sums, which is no multiple of 128
/// bytes, so that rows lie in different banks.
static constexpr int64_t sumStride = MatrixTile::channels + 8;
/// A subgroup's part of the tile, which is 2 x 2 of them, in matrices.
static constexpr int64_t partRows = MatrixTile::pixels / 2 / MatrixTile::side;
static constexpr int64_t partColumns =
    MatrixTile::channels / 2 / MatrixTile::side;

/// The elements from one matrix of an array to the one beside it, where
/// elements have \p bytes.
static constexpr int64_t matrixStep(int64_t bytes) {
  return std::max(MatrixTile::side, matrixAlignment / bytes);
}
/// The distance of rows in an array of \p columns columns.
static constexpr int64_t rowStride(int64_t columns, int64_t bytes) {
  return columns / MatrixTile::side * matrixStep(bytes) + MatrixTile::side;
}

// The runtime asks devices for what it says of matrices.
static constexpr int64_t bytesOfSums =
    MatrixTile::pixels * sumStride * int64_t(sizeof(float));
static_assert(MatrixTile::side == nnhal::rt::gpuMatrixSide &&
              MatrixTile::subgroupSize == nnhal::rt::gpuSubgroupSize &&
              MatrixTile::subgroups == nnhal::rt::gpuMatrixSubgroups);
static_assert(bytesOfSums +
                  2 * (MatrixTile::pixels * rowStride(MatrixTile::depth, 2) +
                       MatrixTile::depth *
                           rowStride(MatrixTile::channels, 2)) ==
              nnhal::rt::maxGpuMatrixSharedSize);
static_assert(bytesOfSums + (MatrixTile::pixels + MatrixTile::channels) *
                                rowStride(MatrixTile::depth, 1) <=
              nnhal::rt::maxGpuMatrixSharedSize);

namespace {

/// An array in which invocations leave elements for the matrices of their
/// workgroup. The distance of rows is a multiple of the fragment of an
/// invocation, 32 bytes of halves or 8 of bytes, but not of 128 bytes, so that
/// rows lie in different banks.
class SharedMatrix {
public:
  SharedMatrix() = default;
  SharedMatrix(Kernel &kernel, Location loc, Type element, int64_t rows,
               int64_t columns)
      : kernel(&kernel), loc(loc), element(element),
        stride(rowStride(columns, bytes())),
        array(kernel.shared(MemRefType::get({rows * stride}, element),
                            matrixAlignment)) {}

  /// Leaves \p vector, four elements, at \p row and from \p column on.
  void storeFour(Value vector, Value row, Value column) const;
  /// Loads the factor \p kind from \p row and \p column on. Its columns are
  /// rows of the array where it \p isTransposed.
  Value load(Value row, Value column, StringRef kind, bool isTransposed) const;

private:
  int64_t bytes() const { return element.getIntOrFloatBitWidth() / 8; }
  Value number(Value row, Value column) const;

  Kernel *kernel = nullptr;
  std::optional<Location> loc;
  Type element;
  int64_t stride = 0;
  Value array;
};

class MatrixEmitter : public ConvolutionParts {
public:
  explicit MatrixEmitter(ConvolutionParts parts)
      : ConvolutionParts(std::move(parts)) {}

  void run();

private:
  void locate();
  void shareArrays();
  SmallVector<Value> loadStep(Value step);
  void shareStep(ValueRange loaded);
  SmallVector<Value> multiply(ValueRange sums);
  void shareSums(ValueRange sums);
  void store();

  void storeFour(Value row, Value column);
  void barrier() { gpu::BarrierOp::create(builder, loc); }

  /// Whether factors are bytes, which lie in words of four input channels: the
  /// input and the filter are buffers of words.
  bool isInBytes() const { return input.element().isInteger(32); }
  Type factorType() {
    return isInBytes() ? Type(builder.getI8Type()) : Type(builder.getF16Type());
  }
  Type sumType() {
    return isInBytes() ? Type(builder.getI32Type())
                       : Type(builder.getF32Type());
  }
  int64_t inputChannels() const {
    return filter.shape()[3] * (isInBytes() ? four : 1);
  }
  int64_t stepsOfPlace() const {
    return llvm::divideCeil(inputChannels(), MatrixTile::depth);
  }
  int64_t steps() const {
    return filter.shape()[1] * filter.shape()[2] * stepsOfPlace();
  }
  /// The input channels of which a workgroup brings weights at once.
  int64_t weightDepth() const {
    return invocations * four / MatrixTile::channels;
  }

  /// The factors that are shared in a step, and the sums in the end. Weights of
  /// halves have a row for each input channel, those of bytes one for each
  /// output channel.
  SharedMatrix pixels, weights;
  Value sumArray;
  /// The first pixel and the first output channel of the tile.
  Value firstPixel, firstChannel;
  /// Where the subgroup's part of the tile begins.
  Value partRow, partColumn;
  /// In a step the invocation brings four input channels, from `pixelChannel`
  /// on, of some pixels, and weights of some input channels.
  Value pixelRow, pixelChannel, weightChannel, weightColumn;
  SmallVector<ImageWindow::Origin> origins;
  /// Where the weights are in the filter.
  Value panel, inPanel;
};

} // namespace

//===----------------------------------------------------------------------===//
// Where an invocation is
//===----------------------------------------------------------------------===//

/// Pixels of which a workgroup brings what it needs at once.
static constexpr int64_t pixelRows = invocations / (MatrixTile::depth / four);

void MatrixEmitter::locate() {
  Value id = kernel.invocation();
  int64_t across = llvm::divideCeil(output[3], MatrixTile::channels);
  firstPixel =
      math.multiply(math.divide(kernel.group(), across), MatrixTile::pixels);
  firstChannel = math.multiply(math.remainder(kernel.group(), across),
                               MatrixTile::channels);
  Value subgroup =
      gpu::SubgroupIdOp::create(builder, loc, /*upper_bound=*/IntegerAttr());
  partRow = math.multiply(math.divide(subgroup, 2), MatrixTile::pixels / 2);
  partColumn =
      math.multiply(math.remainder(subgroup, 2), MatrixTile::channels / 2);

  constexpr int64_t fours = MatrixTile::depth / four;
  pixelRow = math.divide(id, fours);
  pixelChannel = math.multiply(math.remainder(id, fours), four);
  for (int64_t row = 0; row < MatrixTile::pixels; row += pixelRows) {
    Value pixel = math.add(firstPixel, math.add(pixelRow, row));
    origins.push_back(window.originOf(math.limit(pixel, pixelCount()), output));
  }

  // The weights of four output channels and one input channel lie side by side,
  // or in a word those of one output channel and four input channels.
  int64_t width = isInBytes() ? 1 : four;
  int64_t columns = MatrixTile::channels / width;
  weightChannel =
      math.multiply(math.divide(id, columns), isInBytes() ? four : 1);
  weightColumn = math.multiply(math.remainder(id, columns), width);
  // Beyond the last channel are sums that nobody stores.
  Value existing = math.multiply(
      math.limit(math.divide(math.add(firstChannel, weightColumn), width),
                 llvm::divideCeil(output[3], width)),
      width);
  panel = math.divide(existing, panelWidth());
  inPanel = math.remainder(existing, panelWidth());
}

void MatrixEmitter::shareArrays() {
  pixels = SharedMatrix(kernel, loc, factorType(), MatrixTile::pixels,
                        MatrixTile::depth);
  weights = isInBytes() ? SharedMatrix(kernel, loc, factorType(),
                                       MatrixTile::channels, MatrixTile::depth)
                        : SharedMatrix(kernel, loc, factorType(),
                                       MatrixTile::depth, MatrixTile::channels);
  sumArray = kernel.shared(
      MemRefType::get({MatrixTile::pixels * sumStride}, sumType()),
      matrixAlignment);
}

//===----------------------------------------------------------------------===//
// Shared matrices
//===----------------------------------------------------------------------===//

Value SharedMatrix::number(Value row, Value column) const {
  KernelMath math(*kernel, *loc);
  Value block =
      math.multiply(math.divide(column, MatrixTile::side), matrixStep(bytes()));
  return math.add(math.add(math.multiply(row, stride), block),
                  math.remainder(column, MatrixTile::side));
}

void SharedMatrix::storeFour(Value vector, Value row, Value column) const {
  OpBuilder &builder = kernel->builder();
  KernelMath math(*kernel, *loc);
  Value first = number(row, column);
  for (int64_t i = 0; i < four; ++i)
    memref::StoreOp::create(builder, *loc,
                            vector::ExtractOp::create(builder, *loc, vector, i),
                            array, ValueRange{math.add(first, i)});
}

Value SharedMatrix::load(Value row, Value column, StringRef kind,
                         bool isTransposed) const {
  OpBuilder &builder = kernel->builder();
  // The dialect has the signs of integers in the types of factors.
  Type factor = element;
  if (element.isInteger(8))
    factor = IntegerType::get(builder.getContext(), 8, IntegerType::Signed);
  auto type = gpu::MMAMatrixType::get({MatrixTile::side, MatrixTile::side},
                                      factor, kind);
  return gpu::SubgroupMmaLoadMatrixOp::create(
      builder, *loc, type, array, ValueRange{number(row, column)},
      builder.getIndexAttr(stride),
      isTransposed ? builder.getUnitAttr() : UnitAttr());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Loads what the invocation brings for step \p step: elements of the pixels,
/// then weights, in fours.
SmallVector<Value> MatrixEmitter::loadStep(Value step) {
  int64_t columns = filter.shape()[2];
  Value place = math.divide(step, stepsOfPlace());
  Value firstOfStep =
      math.multiply(math.remainder(step, stepsOfPlace()), MatrixTile::depth);
  Value row = math.divide(place, columns);
  Value column = math.remainder(place, columns);

  // Channels that do not exist have zeros for elements, and the weights of
  // another channel, which are finite (UseHalves.cpp).
  bool isWhole = inputChannels() % MatrixTile::depth == 0;
  auto limited = [&](Value channel) {
    return isWhole ? channel : math.limit(channel, inputChannels());
  };
  Value at = math.add(firstOfStep, pixelChannel);
  Value exists = isWhole ? Value() : math.isBelow(at, inputChannels());
  Value fourth = math.divide(limited(at), four);
  SmallVector<Value> loaded;
  for (const ImageWindow::Origin &origin : origins) {
    ImageWindow::Place found = window.placeAt(origin, row, column);
    Value elements =
        isInBytes() ? input.load(math.add(found.number, fourth))
                    : input.loadFour(
                          math.add(found.number, math.multiply(fourth, four)));
    loaded.push_back(math.orZero(elements, math.both(found.isInside, exists)));
  }
  for (int64_t first = 0; first < MatrixTile::depth; first += weightDepth()) {
    Value channel =
        limited(math.add(firstOfStep, math.add(weightChannel, first)));
    if (isInBytes())
      channel = math.divide(channel, four);
    Value number = filter.number({panel, row, column, channel, inPanel});
    loaded.push_back(isInBytes() ? filter.load(number)
                                 : filter.loadFour(number));
  }
  return loaded;
}

/// Puts what loadStep() has loaded into the shared arrays.
void MatrixEmitter::shareStep(ValueRange loaded) {
  auto fourOf = [&](Value elements) -> Value {
    if (!isInBytes())
      return elements;
    Value word = vector::BroadcastOp::create(
        builder, loc, VectorType::get({1}, elements.getType()), elements);
    return vector::BitCastOp::create(
        builder, loc, VectorType::get({four}, factorType()), word);
  };
  for (auto [i, elements] : llvm::enumerate(loaded.take_front(origins.size())))
    pixels.storeFour(fourOf(elements),
                     math.add(pixelRow, int64_t(i) * pixelRows), pixelChannel);
  for (auto [i, elements] :
       llvm::enumerate(loaded.drop_front(origins.size()))) {
    Value channel = math.add(weightChannel, int64_t(i) * weightDepth());
    if (isInBytes())
      weights.storeFour(fourOf(elements), weightColumn, channel);
    else
      weights.storeFour(elements, channel, weightColumn);
  }
}

/// Adds the products of what is in the shared arrays to \p before, the matrices
/// of the subgroup's part, row by row.
SmallVector<Value> MatrixEmitter::multiply(ValueRange before) {
  SmallVector<Value> sums(before);
  UnitAttr isTransposed = isInBytes() ? builder.getUnitAttr() : UnitAttr();
  for (int64_t depth = 0; depth < MatrixTile::depth;
       depth += MatrixTile::side) {
    Value at = math.constant(depth);
    SmallVector<Value> rows, columns;
    for (int64_t i = 0; i < partRows; ++i)
      rows.push_back(pixels.load(math.add(partRow, i * MatrixTile::side), at,
                                 "AOp", /*isTransposed=*/false));
    for (int64_t j = 0; j < partColumns; ++j) {
      Value channel = math.add(partColumn, j * MatrixTile::side);
      columns.push_back(isInBytes() ? weights.load(channel, at, "BOp", true)
                                    : weights.load(at, channel, "BOp", false));
    }
    for (auto [i, row] : llvm::enumerate(rows))
      for (auto [j, column] : llvm::enumerate(columns)) {
        Value &sum = sums[i * partColumns + j];
        sum = gpu::SubgroupMmaComputeOp::create(
            builder, loc, sum.getType(), row, column, sum,
            /*a_transpose=*/UnitAttr(), /*b_transpose=*/isTransposed);
      }
  }
  return sums;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void MatrixEmitter::shareSums(ValueRange sums) {
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value row = math.add(partRow, int64_t(i) / partColumns * MatrixTile::side);
    Value column =
        math.add(partColumn, int64_t(i) % partColumns * MatrixTile::side);
    gpu::SubgroupMmaStoreMatrixOp::create(
        builder, loc, sum, sumArray,
        ValueRange{math.add(math.multiply(row, sumStride), column)},
        builder.getIndexAttr(sumStride), /*transpose=*/UnitAttr());
  }
}

/// Stores what becomes of the sums of four channels of a pixel, from \p row and
/// \p column of the tile on.
void MatrixEmitter::storeFour(Value row, Value column) {
  Value pixel = math.add(firstPixel, row);
  Value channel = math.add(firstChannel, column);
  Value exists;
  if (pixelCount() % MatrixTile::pixels != 0)
    exists = math.isBelow(pixel, pixelCount());
  if (output[3] % MatrixTile::channels != 0)
    exists = math.both(exists, math.isBelow(channel, output[3]));
  OpBuilder::InsertionGuard guard(builder);
  if (exists) {
    auto guarded = scf::IfOp::create(builder, loc, exists, false);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  Value number = math.add(math.multiply(row, sumStride), column);
  SmallVector<Value> results;
  for (int64_t i = 0; i < four; ++i) {
    Value sum = memref::LoadOp::create(builder, loc, sumArray,
                                       ValueRange{math.add(number, i)});
    // Biases are padded as the channels of panels are.
    Value first = bias.load(math.add(channel, i));
    results.push_back(
        isInBytes()
            ? arith::AddIOp::create(builder, loc, sum, first).getResult()
            : arith::AddFOp::create(builder, loc, sum, first).getResult());
  }
  epilogue.store(pixel, channel, results);
}

void MatrixEmitter::store() {
  constexpr int64_t fours = MatrixTile::channels / four;
  Value column =
      math.multiply(math.remainder(kernel.invocation(), fours), four);
  kernel.loop(math.divide(kernel.invocation(), fours),
              math.constant(MatrixTile::pixels), invocations / fours, {},
              [&](Value row, ValueRange) -> SmallVector<Value> {
                storeFour(row, column);
                return {};
              });
}

void MatrixEmitter::run() {
  locate();
  shareArrays();
  auto type = gpu::MMAMatrixType::get({MatrixTile::side, MatrixTile::side},
                                      sumType(), "COp");
  Value zeros = gpu::SubgroupMmaConstantMatrixOp::create(builder, loc, type,
                                                         math.zero(sumType()));
  SmallVector<Value> carried = loadStep(math.constant(0));
  size_t loadedCount = carried.size();
  carried.append(partRows * partColumns, zeros);
  carried = kernel.loop(math.constant(0), math.constant(steps()), 1, carried,
                        [&](Value step, ValueRange before) {
                          // Nobody reads the arrays of the step before anymore.
                          barrier();
                          shareStep(before.take_front(loadedCount));
                          barrier();
                          SmallVector<Value> after =
                              loadStep(math.limit(math.add(step, 1), steps()));
                          llvm::append_range(
                              after, multiply(before.drop_front(loadedCount)));
                          return after;
                        });
  shareSums(ArrayRef<Value>(carried).drop_front(loadedCount));
  barrier();
  store();
}

/// The tiles by which an output of \p shape is divided.
static int64_t tileCount(ArrayRef<int64_t> shape) {
  int64_t pixels = shape[0] * shape[1] * shape[2];
  return int64_t(llvm::divideCeil(pixels, MatrixTile::pixels) *
                 llvm::divideCeil(shape[3], MatrixTile::channels));
}

bool nngpu::multipliesMatrices(const DeviceClass &device, kernel::Conv2DOp op) {
  auto output = cast<MemRefType>(op.getInit().getType());
  auto filter = cast<MemRefType>(op.getFilter().getType());
  bool isInBytes = op.getStepChannels() == four;
  int64_t channels = filter.getDimSize(3) * op.getStepChannels();
  return device.matrixGroups != 0 &&
         (filter.getElementType().isF16() ||
          (isInBytes && device.hasByteMatrices)) &&
         !op.getUnsignedInput() && channels >= MatrixTile::side &&
         channels % four == 0 && isInFours(op.getInput()) &&
         isInFours(op.getFilter()) &&
         tileCount(output.getShape()) >= device.matrixGroups;
}

FailureOr<Kernel> nngpu::emitMatrixConvolution(gpu::GPUModuleOp module,
                                               kernel::Conv2DOp op) {
  auto output = cast<MemRefType>(op.getInit().getType());
  Kernel kernel = Kernel::ofGroups(module, op.getLoc(),
                                   tileCount(output.getShape()), invocations);
  FailureOr<ConvolutionParts> parts = ConvolutionParts::of(kernel, op);
  if (failed(parts))
    return failure();
  MatrixEmitter(*std::move(parts)).run();
  return kernel;
}
