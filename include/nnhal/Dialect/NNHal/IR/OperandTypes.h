//===- OperandTypes.h - HAL operands as types of the IR ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that maps HAL operand types to types of the IR and back
// (decisions 14):
//
//   FLOAT32 FLOAT16 INT32 UINT32    f32 f16 i32 ui32
//   BOOL, TENSOR_BOOL8              i8, tensor<..xi8>: any byte but 0 is true
//   TENSOR_QUANT8_ASYMM             !quant.uniform<u8:f32, scale:zeroPoint>
//   TENSOR_QUANT8_ASYMM_SIGNED      !quant.uniform<i8:f32, scale:zeroPoint>
//   TENSOR_QUANT8_SYMM              !quant.uniform<i8<-127:127>:f32, scale>
//   TENSOR_QUANT8_SYMM_PER_CHANNEL  !quant.uniform<i8<-127:127>:f32:dim, {..}>
//   TENSOR_QUANT16_SYMM, _ASYMM     !quant.uniform<i16:f32, ..>, <u16:f32, ..>
//   TENSOR_INT32 with a scale       !quant.uniform<i32:f32, scale>
//   SUBGRAPH                        !nnhal.subgraph
//   OEM, TENSOR_OEM_BYTE            !nnhal.oem, !nnhal.oem_byte<scale, point>
//   extension types                 !nnhal.extension<name, number, data>
//
// A tensor without dimensions is unranked, dimension 0 is `?`; a constant's
// dimension 0 is the extent 0. An extension operand without dimensions is the
// bare type, unless its description says that it is a tensor. Threads: pure
// functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_OPERANDTYPES_H
#define NNHAL_DIALECT_NNHAL_IR_OPERANDTYPES_H

#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/Model.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"

namespace nnhal {

/// The IR type of \p operand. invalidArgument when its quantization parameters
/// or extension prefix have no type. \p described tells what is known of types
/// of extensions.
rt::Result<mlir::Type>
typeOfOperand(mlir::MLIRContext *context, const rt::Operand &operand,
              std::span<const rt::ExtensionNameAndPrefix> extensions,
              std::span<const rt::Extension> described = {});

/// An operand with type, dimensions, quantization and extra parameters of
/// \p type. invalidArgument when the HAL has no such operand.
rt::Result<rt::Operand>
operandOfType(mlir::Type type,
              std::span<const rt::ExtensionNameAndPrefix> extensions);

/// The type of the attribute that holds a constant of \p type: a tensor or
/// scalar of storage elements, or null where the bytes are tensor<Nxi8> because
/// the type has no size (OEM and extension types that nobody has described).
mlir::Type storageTypeOf(mlir::Type type);

/// Bytes that a constant of \p type has; nullopt where storageTypeOf() is null
/// or a dimension is unknown.
std::optional<uint64_t> byteSizeOfType(mlir::Type type);

/// Appends the bytes of \p value, a FloatAttr, IntegerAttr or ElementsAttr, to
/// \p bytes. invalidArgument when they are not available (a resource without
/// data, or with other than its type's size).
rt::Status appendBytes(mlir::Attribute value, std::vector<uint8_t> &bytes);

/// The bytes of \p value without a copy: of a resource or of dense elements
/// that are no splat. nullopt for every other attribute.
std::optional<llvm::ArrayRef<char>> borrowBytes(mlir::Attribute value);

/// "com.example.ext:3" taken apart; nullopt when \p name has no such form.
std::optional<std::pair<llvm::StringRef, uint16_t>>
splitExtensionName(llvm::StringRef name);

} // namespace nnhal

#endif // NNHAL_DIALECT_NNHAL_IR_OPERANDTYPES_H
