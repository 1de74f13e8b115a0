//===- MatrixKernel.cpp - Convolutions by products of matrices ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The implicit matrix product of ConvolutionKernel.cpp, by instructions with
// which a subgroup multiplies matrices of f16 (tensor cores). A workgroup
// computes a tile of pixels and output channels in steps, each of them some
// input channels at one place of the window. For a step it puts the elements of
// the pixels, zeros for padding, and the weights into shared arrays, from which
// its subgroups load matrices. Whatever the next step needs is loaded into
// registers before the matrices of this one are multiplied, so that memory is
// not waited for.
//
// Sums end in a shared array, too, because which invocation has which element
// of a matrix is the device's affair, and an epilogue has to know its pixel and
// channel.
//
//===----------------------------------------------------------------------===//

#include "ImageWindow.h"
#include "MicroKernels.h"

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
/// Elements are moved in fours.
static constexpr int64_t four = 4;
/// The distances of rows in the shared arrays: multiples of 16 bytes, as
/// matrices are loaded, but not of 128, so that rows lie in different banks.
static constexpr int64_t pixelStride = MatrixTile::depth + 8;
static constexpr int64_t weightStride = MatrixTile::channels + 8;
static constexpr int64_t sumStride = MatrixTile::channels + 4;
/// The bytes at a multiple of which matrices begin.
static constexpr int64_t matrixAlignment = 32;
/// A subgroup's part of the tile, which is 2 x 2 of them, in matrices.
static constexpr int64_t partRows = MatrixTile::pixels / 2 / MatrixTile::side;
static constexpr int64_t partColumns =
    MatrixTile::channels / 2 / MatrixTile::side;

namespace {

class MatrixEmitter {
public:
  MatrixEmitter(Kernel &kernel, kernel::Conv2DOp op, KernelEpilogue epilogue,
                ArrayRef<FlatBuffer> buffers)
      : kernel(kernel), op(op), builder(kernel.builder()), loc(op.getLoc()),
        math(kernel, loc), epilogue(std::move(epilogue)), input(buffers[0]),
        filter(buffers[1]), bias(buffers[2]),
        window(kernel, loc, input,
               {op.getStrides(), op.getDilations(), op.getPads()}),
        output(cast<MemRefType>(op.getInit().getType()).getShape()) {}

  void run();

private:
  void locate();
  void shareArrays();
  SmallVector<Value> loadStep(Value step);
  void shareStep(ValueRange loaded);
  SmallVector<Value> multiply(ValueRange sums);
  void shareSums(ValueRange sums);
  void store();

  Value loadMatrix(Value array, Value row, Value column, int64_t stride,
                   StringRef kind);
  void shareFour(Value array, Value vector, Value row, Value column,
                 int64_t stride);
  void barrier() { gpu::BarrierOp::create(builder, loc); }

  int64_t inputChannels() const { return filter.shape()[3]; }
  int64_t panelWidth() { return op.getPanelWidth(); }
  int64_t stepsOfPlace() const {
    return llvm::divideCeil(inputChannels(), MatrixTile::depth);
  }
  int64_t steps() const {
    return filter.shape()[1] * filter.shape()[2] * stepsOfPlace();
  }
  int64_t pixelCount() const { return output[0] * output[1] * output[2]; }

  Kernel &kernel;
  kernel::Conv2DOp op;
  OpBuilder &builder;
  Location loc;
  KernelMath math;
  KernelEpilogue epilogue;
  FlatBuffer input, filter, bias;
  ImageWindow window;
  ArrayRef<int64_t> output;
  /// The shared arrays.
  Value pixelArray, weightArray, sumArray;
  /// The first pixel and the first output channel of the tile.
  Value firstPixel, firstChannel;
  /// Where the subgroup's part of the tile begins.
  Value partRow, partColumn;
  /// What the invocation brings in a step: four input channels, from
  /// `pixelChannel` on, of some pixels, and weights of some input channels.
  Value pixelRow, pixelChannel, weightRow, weightColumn;
  SmallVector<ImageWindow::Origin> origins;
  /// Where the weights are in the filter.
  Value panel, inPanel;
};

} // namespace

//===----------------------------------------------------------------------===//
// Where an invocation is
//===----------------------------------------------------------------------===//

/// Rows of the shared arrays that a workgroup brings at once.
static constexpr int64_t pixelRows = invocations / (MatrixTile::depth / four);
static constexpr int64_t weightRows =
    invocations / (MatrixTile::channels / four);

void MatrixEmitter::locate() {
  Value id = kernel.invocation();
  int64_t across = llvm::divideCeil(output[3], MatrixTile::channels);
  firstPixel =
      math.multiply(math.divide(kernel.group(), across), MatrixTile::pixels);
  firstChannel = math.multiply(math.remainder(kernel.group(), across),
                               MatrixTile::channels);
  Value subgroup = math.divide(id, MatrixTile::subgroupSize);
  partRow = math.multiply(math.divide(subgroup, 2), MatrixTile::pixels / 2);
  partColumn =
      math.multiply(math.remainder(subgroup, 2), MatrixTile::channels / 2);

  constexpr int64_t pixelFours = MatrixTile::depth / four;
  pixelRow = math.divide(id, pixelFours);
  pixelChannel = math.multiply(math.remainder(id, pixelFours), four);
  for (int64_t row = 0; row < MatrixTile::pixels; row += pixelRows) {
    Value pixel = math.add(firstPixel, math.add(pixelRow, row));
    origins.push_back(window.originOf(math.limit(pixel, pixelCount()), output));
  }

  constexpr int64_t weightFours = MatrixTile::channels / four;
  weightRow = math.divide(id, weightFours);
  weightColumn = math.multiply(math.remainder(id, weightFours), four);
  // Beyond the last channel are sums that nobody stores.
  Value existing = math.multiply(
      math.limit(math.divide(math.add(firstChannel, weightColumn), four),
                 llvm::divideCeil(output[3], four)),
      four);
  panel = math.divide(existing, panelWidth());
  inPanel = math.remainder(existing, panelWidth());
}

void MatrixEmitter::shareArrays() {
  auto share = [&](int64_t rows, int64_t stride, Type element) {
    return kernel.shared(MemRefType::get({rows * stride}, element),
                         matrixAlignment);
  };
  Type half = builder.getF16Type();
  pixelArray = share(MatrixTile::pixels, pixelStride, half);
  weightArray = share(MatrixTile::depth, weightStride, half);
  sumArray = share(MatrixTile::pixels, sumStride, builder.getF32Type());
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

  bool isWhole = inputChannels() % MatrixTile::depth == 0;
  Value at = math.add(firstOfStep, pixelChannel);
  Value exists;
  if (!isWhole) {
    exists = math.isBelow(at, inputChannels());
    at = math.multiply(
        math.limit(math.divide(at, four), inputChannels() / four), four);
  }
  SmallVector<Value> loaded;
  for (const ImageWindow::Origin &origin : origins) {
    ImageWindow::Place found = window.placeAt(origin, row, column);
    loaded.push_back(math.orZero(input.loadFour(math.add(found.number, at)),
                                 math.both(found.isInside, exists)));
  }
  for (int64_t first = 0; first < MatrixTile::depth; first += weightRows) {
    Value channel = math.add(firstOfStep, math.add(weightRow, first));
    // Products with the zeros of channels that do not exist are zeros.
    if (!isWhole)
      channel = math.limit(channel, inputChannels());
    loaded.push_back(
        filter.loadFour(filter.number({panel, row, column, channel, inPanel})));
  }
  return loaded;
}

void MatrixEmitter::shareFour(Value array, Value vector, Value row,
                              Value column, int64_t stride) {
  Value number = math.add(math.multiply(row, stride), column);
  for (int64_t i = 0; i < four; ++i)
    memref::StoreOp::create(builder, loc,
                            vector::ExtractOp::create(builder, loc, vector, i),
                            array, ValueRange{math.add(number, i)});
}

/// Puts what loadStep() has loaded into the shared arrays.
void MatrixEmitter::shareStep(ValueRange loaded) {
  for (auto [i, pixels] : llvm::enumerate(loaded.take_front(origins.size())))
    shareFour(pixelArray, pixels, math.add(pixelRow, int64_t(i) * pixelRows),
              pixelChannel, pixelStride);
  for (auto [i, weights] : llvm::enumerate(loaded.drop_front(origins.size())))
    shareFour(weightArray, weights,
              math.add(weightRow, int64_t(i) * weightRows), weightColumn,
              weightStride);
}

Value MatrixEmitter::loadMatrix(Value array, Value row, Value column,
                                int64_t stride, StringRef kind) {
  auto type = gpu::MMAMatrixType::get({MatrixTile::side, MatrixTile::side},
                                      builder.getF16Type(), kind);
  return gpu::SubgroupMmaLoadMatrixOp::create(
      builder, loc, type, array,
      ValueRange{math.add(math.multiply(row, stride), column)},
      builder.getIndexAttr(stride), /*transpose=*/UnitAttr());
}

/// Adds the products of what is in the shared arrays to \p before, the matrices
/// of the subgroup's part, row by row.
SmallVector<Value> MatrixEmitter::multiply(ValueRange before) {
  SmallVector<Value> sums(before);
  for (int64_t depth = 0; depth < MatrixTile::depth;
       depth += MatrixTile::side) {
    SmallVector<Value> pixels, weights;
    for (int64_t i = 0; i < partRows; ++i)
      pixels.push_back(loadMatrix(pixelArray,
                                  math.add(partRow, i * MatrixTile::side),
                                  math.constant(depth), pixelStride, "AOp"));
    for (int64_t j = 0; j < partColumns; ++j)
      weights.push_back(loadMatrix(weightArray, math.constant(depth),
                                   math.add(partColumn, j * MatrixTile::side),
                                   weightStride, "BOp"));
    for (auto [i, row] : llvm::enumerate(pixels))
      for (auto [j, column] : llvm::enumerate(weights)) {
        Value &sum = sums[i * partColumns + j];
        sum = gpu::SubgroupMmaComputeOp::create(
            builder, loc, sum.getType(), row, column, sum,
            /*a_transpose=*/UnitAttr(), /*b_transpose=*/UnitAttr());
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

/// Stores what becomes of the sums of the tile, four channels at a time.
void MatrixEmitter::store() {
  constexpr int64_t fours = MatrixTile::channels / four;
  Value column =
      math.multiply(math.remainder(kernel.invocation(), fours), four);
  Value channel = math.add(firstChannel, column);
  kernel.loop(math.divide(kernel.invocation(), fours),
              math.constant(MatrixTile::pixels), invocations / fours, {},
              [&](Value row, ValueRange) -> SmallVector<Value> {
                Value pixel = math.add(firstPixel, row);
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
                  Value sum = memref::LoadOp::create(
                      builder, loc, sumArray, ValueRange{math.add(number, i)});
                  // Biases are padded as the channels of panels are.
                  results.push_back(arith::AddFOp::create(
                      builder, loc, sum, bias.load(math.add(channel, i))));
                }
                epilogue.store(pixel, channel, results);
                return {};
              });
}

void MatrixEmitter::run() {
  locate();
  shareArrays();
  auto type = gpu::MMAMatrixType::get({MatrixTile::side, MatrixTile::side},
                                      builder.getF32Type(), "COp");
  Value zeros = gpu::SubgroupMmaConstantMatrixOp::create(
      builder, loc, type, math.zero(builder.getF32Type()));
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
  int64_t channels = filter.getDimSize(3);
  return device.matrixGroups != 0 && filter.getElementType().isF16() &&
         channels >= MatrixTile::side && channels % four == 0 &&
         isInFours(op.getInput()) && isInFours(op.getFilter()) &&
         tileCount(output.getShape()) >= device.matrixGroups;
}

FailureOr<Kernel> nngpu::emitMatrixConvolution(gpu::GPUModuleOp module,
                                               kernel::Conv2DOp op) {
  auto output = cast<MemRefType>(op.getInit().getType());
  Kernel kernel = Kernel::ofGroups(module, op.getLoc(),
                                   tileCount(output.getShape()), invocations);
  FailureOr<KernelEpilogue> epilogue = KernelEpilogue::of(kernel, op);
  SmallVector<FlatBuffer> buffers;
  for (Value view : {op.getInput(), op.getFilter(), op.getBias()}) {
    FailureOr<FlatBuffer> buffer = FlatBuffer::of(kernel, view, op);
    if (failed(buffer) || failed(epilogue))
      return failure();
    buffers.push_back(*buffer);
  }
  MatrixEmitter(kernel, op, *epilogue, buffers).run();
  return kernel;
}
