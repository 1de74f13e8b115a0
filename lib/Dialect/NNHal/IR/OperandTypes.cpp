//===- OperandTypes.cpp - HAL operands as types of the IR -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the HAL to the IR, plain element types are what they say, quantized ones
// follow from a table of storage types, those of extensions from the prefix
// that the model declares. Quantized types are made by checked builders, whose
// complaint about a scale or a zero point becomes the status. Dimensions come
// last: none is an unranked tensor or, for scalars, the element itself; 0 is an
// unknown extent, except in a constant.
//
// From the IR to the HAL, the same table is read the other way: the row whose
// storage matches in width, sign and both bounds names the operand type. That
// is why TENSOR_QUANT8_SYMM is narrow. What no row has is an error that names
// what was found, as are rank 0 and extents above 32 bits.
//
// Constants are bytes in the order of the HAL in both. They are borrowed where
// an attribute has them as they are, and copied, splats repeated, where it has
// not.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Dialect/NNHal/IR/NNHal.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using quant::QuantizedType;
using quant::UniformQuantizedPerAxisType;
using quant::UniformQuantizedType;
using HalType = rt::OperandType;

//===----------------------------------------------------------------------===//
// HAL to IR
//===----------------------------------------------------------------------===//

namespace {
/// The storage of a quantized operand type.
struct StorageRow {
  HalType type;
  unsigned bits;
  bool isSigned;
  int64_t minimum;
  int64_t maximum;
};

// TENSOR_QUANT8_SYMM is narrow: with the full range it would be the type of
// ASYMM_SIGNED with zero point 0.
constexpr StorageRow storageRows[] = {
    {HalType::TENSOR_INT32, 32, true, std::numeric_limits<int32_t>::min(),
     std::numeric_limits<int32_t>::max()},
    {HalType::TENSOR_QUANT8_ASYMM, 8, false, 0, 255},
    {HalType::TENSOR_QUANT8_ASYMM_SIGNED, 8, true, -128, 127},
    {HalType::TENSOR_QUANT8_SYMM, 8, true, -127, 127},
    {HalType::TENSOR_QUANT16_SYMM, 16, true, -32768, 32767},
    {HalType::TENSOR_QUANT16_ASYMM, 16, false, 0, 65535},
};

/// Collects what getChecked() reports, which would otherwise be printed.
template <typename Build>
rt::Result<Type> checked(MLIRContext *context, Build build) {
  std::string text;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(text) << diagnostic;
    return success();
  });
  Type type = build([&] { return mlir::emitError(UnknownLoc::get(context)); });
  if (!type)
    return rt::badData("{}", text);
  return type;
}

rt::Result<Type> quantizedElement(MLIRContext *context,
                                  const rt::Operand &operand,
                                  const StorageRow &row) {
  if (operand.zeroPoint < row.minimum || operand.zeroPoint > row.maximum)
    return rt::badData("zero point {} is outside {} to {} of {}",
                       operand.zeroPoint, row.minimum, row.maximum,
                       rt::nameOf(operand.type));
  return checked(context, [&](auto emitError) -> Type {
    return UniformQuantizedType::getChecked(
        emitError, row.isSigned ? quant::QuantizationFlags::Signed : 0,
        IntegerType::get(context, row.bits), Float32Type::get(context),
        operand.scale, operand.zeroPoint, row.minimum, row.maximum);
  });
}

rt::Result<Type> perChannelElement(MLIRContext *context,
                                   const rt::Operand &operand) {
  const auto *parameters =
      std::get_if<rt::SymmPerChannelQuantParams>(&operand.extraParams);
  if (!parameters)
    return rt::badData("a {} operand has no channel scales",
                       rt::nameOf(operand.type));
  SmallVector<double> scales(parameters->scales.begin(),
                             parameters->scales.end());
  SmallVector<int64_t> zeroPoints(scales.size(), 0);
  return checked(context, [&](auto emitError) -> Type {
    return UniformQuantizedPerAxisType::getChecked(
        emitError, quant::QuantizationFlags::Signed,
        IntegerType::get(context, 8), Float32Type::get(context), scales,
        zeroPoints, parameters->channelDim, -127, 127);
  });
}

/// The description of \p type; null where there is none.
const rt::Extension::OperandTypeInfo *
describe(HalType type, std::span<const rt::ExtensionNameAndPrefix> extensions,
         std::span<const rt::Extension> described) {
  for (const rt::ExtensionNameAndPrefix &stated : extensions)
    for (const rt::Extension &extension : described)
      for (const rt::Extension::OperandTypeInfo &info : extension.operandTypes)
        if (stated.prefix == uint32_t(type) >> 16 &&
            stated.name == extension.name && info.type == uint16_t(type))
          return &info;
  return nullptr;
}

Type oemType(MLIRContext *context, const rt::Operand &operand) {
  FloatAttr scale;
  if (operand.scale != 0 || operand.zeroPoint != 0)
    scale = FloatAttr::get(Float32Type::get(context), APFloat(operand.scale));
  if (operand.type == HalType::OEM)
    return OemType::get(context, scale, operand.zeroPoint);
  return OemByteType::get(context, scale, operand.zeroPoint);
}

rt::Result<Type>
extensionType(MLIRContext *context, const rt::Operand &operand,
              std::span<const rt::ExtensionNameAndPrefix> extensions,
              std::span<const rt::Extension> described) {
  uint16_t prefix = uint32_t(operand.type) >> 16;
  for (const rt::ExtensionNameAndPrefix &extension : extensions) {
    if (extension.prefix != prefix)
      continue;
    StringAttr data;
    if (const auto *bytes =
            std::get_if<rt::ExtensionParams>(&operand.extraParams))
      data = StringAttr::get(context, llvm::toHex(bytes->bytes, true));
    const auto *info = describe(operand.type, extensions, described);
    return Type(ExtensionType::get(context, extension.name,
                                   uint32_t(operand.type) & 0xFFFF,
                                   info ? info->byteSize : 0, data));
  }
  return rt::badData("extension prefix {} of operand type {} is not declared",
                     prefix, uint32_t(operand.type));
}

/// The type of a scalar, or of the elements of a tensor.
rt::Result<Type>
elementTypeOf(MLIRContext *context, const rt::Operand &operand,
              std::span<const rt::ExtensionNameAndPrefix> extensions,
              std::span<const rt::Extension> described) {
  if (rt::isExtension(operand.type))
    return extensionType(context, operand, extensions, described);
  switch (operand.type) {
  case HalType::FLOAT32:
  case HalType::TENSOR_FLOAT32:
    return Type(Float32Type::get(context));
  case HalType::FLOAT16:
  case HalType::TENSOR_FLOAT16:
    return Type(Float16Type::get(context));
  case HalType::INT32:
    return Type(IntegerType::get(context, 32));
  case HalType::UINT32:
    return Type(IntegerType::get(context, 32, IntegerType::Unsigned));
  case HalType::BOOL:
  case HalType::TENSOR_BOOL8:
    return Type(IntegerType::get(context, 8));
  case HalType::SUBGRAPH:
    return Type(SubgraphType::get(context));
  case HalType::OEM:
  case HalType::TENSOR_OEM_BYTE:
    return oemType(context, operand);
  case HalType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
    return perChannelElement(context, operand);
  case HalType::TENSOR_INT32:
    if (operand.scale == 0)
      return Type(IntegerType::get(context, 32));
    break;
  default:
    break;
  }
  for (const StorageRow &row : storageRows)
    if (row.type == operand.type)
      return quantizedElement(context, operand, row);
  return rt::badData("operand type {} is unknown", uint32_t(operand.type));
}
} // namespace

rt::Result<Type>
nnhal::typeOfOperand(MLIRContext *context, const rt::Operand &operand,
                     std::span<const rt::ExtensionNameAndPrefix> extensions,
                     std::span<const rt::Extension> described) {
  NNHAL_ASSIGN_OR_RETURN(
      Type element, elementTypeOf(context, operand, extensions, described));
  bool isExtension = rt::isExtension(operand.type);
  const auto *info = describe(operand.type, extensions, described);
  if (!isExtension && !rt::isTensor(operand.type)) {
    if (!operand.dimensions.empty())
      return rt::badData("a scalar operand has rank {}",
                         operand.dimensions.size());
    return element;
  }
  if (operand.dimensions.empty())
    return isExtension && !(info && info->isTensor)
               ? element
               : Type(UnrankedTensorType::get(element));
  SmallVector<int64_t> shape;
  for (uint32_t extent : operand.dimensions)
    shape.push_back(extent == 0 && !rt::isConstant(operand.lifetime)
                        ? ShapedType::kDynamic
                        : int64_t(extent));
  return Type(RankedTensorType::get(shape, element));
}

//===----------------------------------------------------------------------===//
// IR to HAL
//===----------------------------------------------------------------------===//

namespace {
rt::Status setQuantization(UniformQuantizedType type, rt::Operand &operand) {
  for (const StorageRow &row : storageRows) {
    if (row.bits != type.getStorageTypeIntegralWidth() ||
        row.isSigned != type.isSigned() ||
        row.minimum != type.getStorageTypeMin() ||
        row.maximum != type.getStorageTypeMax())
      continue;
    operand.type = row.type;
    operand.scale = float(type.getScale());
    operand.zeroPoint = int32_t(type.getZeroPoint());
    return rt::Status::ok();
  }
  return rt::badData("no HAL type stores {} {}-bit values from {} to {}",
                     type.isSigned() ? "signed" : "unsigned",
                     type.getStorageTypeIntegralWidth(),
                     type.getStorageTypeMin(), type.getStorageTypeMax());
}

rt::Status setPerChannel(UniformQuantizedPerAxisType type,
                         rt::Operand &operand) {
  if (type.getStorageTypeIntegralWidth() != 8 || !type.isSigned() ||
      type.getStorageTypeMin() != -127 ||
      llvm::any_of(type.getZeroPoints(), [](int64_t p) { return p != 0; }))
    return rt::badData("channel quantization of the HAL is i8<-127:127> with "
                       "zero point 0");
  rt::SymmPerChannelQuantParams parameters;
  for (double scale : type.getScales())
    parameters.scales.push_back(float(scale));
  parameters.channelDim = type.getQuantizedDimension();
  operand.type = HalType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
  operand.extraParams = std::move(parameters);
  return rt::Status::ok();
}

rt::Status setExtension(ExtensionType type,
                        std::span<const rt::ExtensionNameAndPrefix> extensions,
                        rt::Operand &operand) {
  if (type.getNumber() > 0xFFFF)
    return rt::badData("extension type number {} exceeds 65535",
                       type.getNumber());
  for (const rt::ExtensionNameAndPrefix &extension : extensions) {
    if (extension.name != type.getName())
      continue;
    operand.type = HalType(uint32_t(extension.prefix) << 16 | type.getNumber());
    if (StringAttr data = type.getData()) {
      std::string bytes;
      if (!llvm::tryGetFromHex(data.getValue(), bytes))
        return rt::badData("extension data \"{}\" is not hexadecimal",
                           data.getValue().str());
      operand.extraParams =
          rt::ExtensionParams{std::vector<uint8_t>(bytes.begin(), bytes.end())};
    }
    return rt::Status::ok();
  }
  return rt::badData("extension \"{}\" is not declared by the model",
                     type.getName().str());
}

/// Element types that are the same in every quantization.
std::optional<HalType> plainType(Type element, bool isTensor) {
  if (element.isF32())
    return isTensor ? HalType::TENSOR_FLOAT32 : HalType::FLOAT32;
  if (element.isF16())
    return isTensor ? HalType::TENSOR_FLOAT16 : HalType::FLOAT16;
  if (element.isSignlessInteger(32))
    return isTensor ? HalType::TENSOR_INT32 : HalType::INT32;
  if (element.isSignlessInteger(8))
    return isTensor ? HalType::TENSOR_BOOL8 : HalType::BOOL;
  if (element.isUnsignedInteger(32) && !isTensor)
    return HalType::UINT32;
  if (isa<SubgraphType>(element) && !isTensor)
    return HalType::SUBGRAPH;
  return std::nullopt;
}

/// Sets type, scale and zero point from \p element where it is one of OEM.
template <typename OemTy>
bool setOem(Type element, HalType type, rt::Operand &operand) {
  auto oem = dyn_cast<OemTy>(element);
  if (!oem)
    return false;
  operand.type = type;
  if (FloatAttr scale = oem.getScale())
    operand.scale = scale.getValue().convertToFloat();
  operand.zeroPoint = oem.getZeroPoint();
  return true;
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

rt::Status setDimensions(Type type, rt::Operand &operand) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return rt::Status::ok();
  if (ranked.getRank() == 0)
    return rt::badData("the HAL has no tensor of rank 0");
  for (int64_t extent : ranked.getShape()) {
    if (extent > int64_t(std::numeric_limits<uint32_t>::max()))
      return rt::badData("extent {} exceeds {}", extent,
                         std::numeric_limits<uint32_t>::max());
    operand.dimensions.push_back(
        ShapedType::isDynamic(extent) ? 0 : uint32_t(extent));
  }
  return rt::Status::ok();
}
} // namespace

rt::Result<rt::Operand>
nnhal::operandOfType(Type type,
                     std::span<const rt::ExtensionNameAndPrefix> extensions) {
  rt::Operand operand;
  NNHAL_RETURN_IF_ERROR(setDimensions(type, operand));
  bool isTensor = isa<TensorType>(type);
  // Buffers and vectors have elements, too.
  if (isa<ShapedType>(type) && !isTensor)
    return rt::badData("the HAL has no operand type for {}", textOf(type));
  Type element = getElementTypeOrSelf(type);
  if (auto extension = dyn_cast<ExtensionType>(element)) {
    NNHAL_RETURN_IF_ERROR(setExtension(extension, extensions, operand));
    return operand;
  }
  if (isTensor ? setOem<OemByteType>(element, HalType::TENSOR_OEM_BYTE, operand)
               : setOem<OemType>(element, HalType::OEM, operand))
    return operand;
  if (auto uniform = dyn_cast<UniformQuantizedType>(element);
      uniform && isTensor) {
    NNHAL_RETURN_IF_ERROR(setQuantization(uniform, operand));
    return operand;
  }
  if (auto axis = dyn_cast<UniformQuantizedPerAxisType>(element);
      axis && isTensor) {
    NNHAL_RETURN_IF_ERROR(setPerChannel(axis, operand));
    return operand;
  }
  std::optional<HalType> plain = plainType(element, isTensor);
  if (!plain)
    return rt::badData("the HAL has no operand type for {}", textOf(type));
  operand.type = *plain;
  return operand;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Type nnhal::storageTypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto quantized = dyn_cast<QuantizedType>(element))
    element = quantized.getStorageType();
  if (auto extension = dyn_cast<ExtensionType>(element);
      extension && extension.isStoredAsInteger())
    element =
        IntegerType::get(type.getContext(), 8 * extension.getElementSize());
  if (!element.isIntOrFloat())
    return nullptr;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return isa<TensorType>(type) ? nullptr : element;
}

std::optional<uint64_t> nnhal::byteSizeOfType(Type type) {
  Type storage = storageTypeOf(type);
  if (!storage)
    return std::nullopt;
  uint64_t size = getElementTypeOrSelf(storage).getIntOrFloatBitWidth() / 8;
  auto tensor = dyn_cast<RankedTensorType>(storage);
  if (!tensor)
    return size;
  if (!tensor.hasStaticShape())
    return std::nullopt;
  for (int64_t extent : tensor.getShape())
    if (__builtin_mul_overflow(size, uint64_t(extent), &size))
      return std::nullopt;
  return size;
}

std::optional<ArrayRef<char>> nnhal::borrowBytes(Attribute value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? std::optional(blob->getData()) : std::nullopt;
  }
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value);
      dense && !dense.isSplat())
    return dense.getRawData();
  return std::nullopt;
}

rt::Status nnhal::appendBytes(Attribute value, std::vector<uint8_t> &bytes) {
  if (auto scalar = dyn_cast<FloatAttr>(value)) {
    value = DenseElementsAttr::get(RankedTensorType::get({1}, scalar.getType()),
                                   scalar.getValue());
  } else if (auto scalar = dyn_cast<IntegerAttr>(value)) {
    value = DenseElementsAttr::get(RankedTensorType::get({1}, scalar.getType()),
                                   scalar.getValue());
  }
  auto elements = dyn_cast<ElementsAttr>(value);
  std::optional<uint64_t> size =
      elements ? byteSizeOfType(elements.getShapedType()) : std::nullopt;
  if (!size)
    return rt::badData("a constant's value has no known size");
  if (auto dense = dyn_cast<DenseElementsAttr>(value);
      dense && dense.isSplat()) {
    ArrayRef<char> element = dense.getRawData();
    for (uint64_t i = 0; i < *size; i += element.size())
      bytes.insert(bytes.end(), element.begin(), element.end());
    return rt::Status::ok();
  }
  std::optional<ArrayRef<char>> data = borrowBytes(value);
  if (!data)
    return rt::badData("a constant's value has no data");
  if (data->size() != *size)
    return rt::badData("a constant's value has {} bytes, its type needs {}",
                       data->size(), *size);
  bytes.insert(bytes.end(), data->begin(), data->end());
  return rt::Status::ok();
}

std::optional<std::pair<StringRef, uint16_t>>
nnhal::splitExtensionName(StringRef name) {
  auto [extension, digits] = name.rsplit(':');
  uint16_t number;
  if (extension.empty() || digits.empty() || digits.getAsInteger(10, number))
    return std::nullopt;
  return std::pair(extension, number);
}
