//===- Model.h - HAL model to IR and back -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HAL model <-> NNAPI-shaped level of the nnhal dialect. Both ways are lossless
// (decisions 13): exportModel(importModel(m)) equals m, also when the IR was
// printed and parsed in between.
//
// Threads: one call per MLIRContext at a time.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_MODELIR_MODEL_H
#define NNHAL_MODELIR_MODEL_H

#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/Model.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace nnhal {

struct ModelImportOptions {
  /// Symbol name of the model.
  std::string name = "model";
  /// Borrowed memory of pools is referred to instead of copied: it must
  /// outlive the context. Copied memory is shared in any case.
  bool borrow = false;
  /// The descriptions of extensions: types of these get the size of an element.
  std::span<const rt::Extension> extensions = {};
};

/// A module with one nnhal.model that says what \p model says. Null after an
/// error diagnostic: a constant out of reach, a quantization parameter without
/// type, an operand that is read before it is written. Validate first
/// (rt::validateModel): what validation forbids need not be kept.
mlir::OwningOpRef<mlir::ModuleOp>
importModel(const rt::AnnotatedModel &model, mlir::MLIRContext *context,
            const ModelImportOptions &options = {});

struct ModelExportOptions {
  /// Where files of pools without value are looked for.
  std::string directory = ".";
};

/// The HAL model that \p op, an nnhal.model or a module with one, says. It owns
/// its bytes. invalidArgument when the IR holds what the HAL cannot express,
/// canonical operations for example; the message names it.
rt::Result<rt::AnnotatedModel>
exportModel(mlir::Operation *op, const ModelExportOptions &options = {});

} // namespace nnhal

#endif // NNHAL_MODELIR_MODEL_H
