// The half of the extension "com.example.fibonacci" that is for the compiler:
// code in place of calls. Where n is a constant and the numbers are floats,
//
//   %0 = nnhal.operation "com.example.fibonacci:0"(%n) : ... -> tensor<10xf32>
//
// becomes fibonacci.numbers, which is lowered to a loop. Everything else stays
// a call of FibonacciExtension.cpp.

#include <nnhal/Dialect/NNHal/IR/ExtensionInterface.h>

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/Tools/Plugins/DialectPlugin.h>
#include <mlir/Transforms/DialectConversion.h>

using namespace mlir;

/// The next Fibonacci number needs more than 64 bits.
static constexpr int64_t mostNumbers = 92;

namespace {
/// The first numbers, as many as the result has elements.
class NumbersOp
    : public Op<NumbersOp, OpTrait::ZeroRegions, OpTrait::ZeroSuccessors,
                OpTrait::OneResult, OpTrait::ZeroOperands> {
public:
  using Op::Op;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NumbersOp)

  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  static StringRef getOperationName() { return "fibonacci.numbers"; }

  /// The text of a module may hold anything, so that rules are checked here and
  /// not only by FibonacciExtension::check().
  LogicalResult verify() {
    auto type = dyn_cast<RankedTensorType>((*this)->getResult(0).getType());
    if (type && type.hasStaticShape() && type.getRank() == 1 &&
        type.getElementType().isF32())
      return success();
    return emitOpError("result is of type ")
           << (*this)->getResult(0).getType()
           << ", expected a vector of f32 of a known extent";
  }
};

/// fibonacci.numbers -> scf.for with both numbers as 64-bit integers, so that
/// elements are rounded once, as FibonacciNumbers.cpp rounds them.
struct NumbersLowering final : ConversionPattern {
  NumbersLowering(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, NumbersOp::getOperationName(),
                          /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> /*operands*/,
                  ConversionPatternRewriter &rewriter) const override {
    Location place = op->getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, place, value);
    };
    Value one = arith::ConstantIntOp::create(rewriter, place, 1, 64);
    Value empty = tensor::EmptyOp::create(rewriter, place, type.getShape(),
                                          type.getElementType());
    auto addNumber = [&](OpBuilder &builder, Location, Value i,
                         ValueRange carried) {
      Value current = carried[0], next = carried[1];
      Value element = arith::SIToFPOp::create(builder, place,
                                              type.getElementType(), current);
      Value numbers = tensor::InsertOp::create(builder, place, element,
                                               carried[2], ValueRange(i));
      Value after = arith::AddIOp::create(builder, place, current, next);
      scf::YieldOp::create(builder, place, ValueRange{next, after, numbers});
    };
    auto loop =
        scf::ForOp::create(rewriter, place, index(0), index(type.getDimSize(0)),
                           index(1), ValueRange{one, one, empty}, addNumber);
    rewriter.replaceOp(op, loop.getResult(2));
    return success();
  }
};

class FibonacciInterface final : public nnhal::NNHalExtensionInterface {
public:
  using NNHalExtensionInterface::NNHalExtensionInterface;

  StringRef getExtensionName() const override {
    return "com.example.fibonacci";
  }

  // A text can state what FibonacciExtension::check() refuses.
  LogicalResult verifyOperation(nnhal::OperationOp op) const override {
    if (op.getInputs().empty() || op->getNumResults() != 1)
      return op.emitOpError("has ")
             << op.getInputs().size() << " inputs and " << op->getNumResults()
             << " outputs, expected 1 and 1";
    return success();
  }

  FailureOr<SmallVector<Value>> raise(nnhal::OperationOp op, OpBuilder &builder,
                                      std::string &reason) const override {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || type.getRank() != 1 || !type.getElementType().isF32()) {
      reason = "the numbers are not floats";
      return failure();
    }
    auto constant = op.getInputs().front().getDefiningOp<nnhal::ConstantOp>();
    auto n = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue())
                      : DenseFPElementsAttr();
    if (!n || n.getNumElements() != 1) {
      reason = "n is no constant float";
      return failure();
    }
    // An execution of the call says what is wrong with another n.
    double count = (*n.begin()).convertToDouble();
    if (!type.hasStaticShape() || type.getDimSize(0) > mostNumbers ||
        count != double(type.getDimSize(0))) {
      reason = "n is not the extent of the result, or none from 1 to 92";
      return failure();
    }
    OperationState state(op.getLoc(), NumbersOp::getOperationName(),
                         ValueRange(), op->getResultTypes());
    return SmallVector<Value>(builder.create(state)->getResults());
  }

  void populateLowering(const TypeConverter &converter,
                        RewritePatternSet &patterns,
                        ConversionTarget & /*target*/) const override {
    patterns.add<NumbersLowering>(converter, patterns.getContext());
  }
};

class FibonacciDialect final : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FibonacciDialect)

  explicit FibonacciDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                TypeID::get<FibonacciDialect>()) {
    addOperations<NumbersOp>();
    addInterfaces<FibonacciInterface>();
    // The lowering makes operations of these dialects.
    context->loadDialect<arith::ArithDialect, scf::SCFDialect,
                         tensor::TensorDialect>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "fibonacci"; }
};
} // namespace

/// The compiler looks for the name of the extension, and for its own version.
extern "C" DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "com.example.fibonacci",
          NNHAL_EXTENSION_HALF_VERSION, [](DialectRegistry *registry) {
            nnhal::registerExtension<FibonacciDialect>(*registry);
          }};
}
