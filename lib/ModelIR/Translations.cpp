//===- Translations.cpp - Formats that nnhal-translate knows --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/ModelIR/Translations.h"

#include "Runtime/Model/TrailingDefaults.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/ModelIR/Model.h"
#include "nnhal/ModelIR/Nesting.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/TFLiteModel.h"
#include "nnhal/Runtime/TestCase.h"
#include "nnhal/Runtime/Validate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace nnhal;

static void registerDialects(DialectRegistry &registry) {
  registry.insert<NNHalDialect, quant::QuantDialect, func::FuncDialect>();
}

static const llvm::MemoryBuffer &mainBuffer(llvm::SourceMgr &sources) {
  return *sources.getMemoryBuffer(sources.getMainFileID());
}

/// \p result as a module; its failure as a diagnostic at the input's name.
static OwningOpRef<Operation *> finish(rt::Result<rt::AnnotatedModel> result,
                                       llvm::SourceMgr &sources,
                                       MLIRContext *context) {
  if (!result.isOk()) {
    StringRef name = mainBuffer(sources).getBufferIdentifier();
    mlir::emitError(FileLineColLoc::get(context, name, 0, 0))
        << result.status().message();
    return nullptr;
  }
  return OwningOpRef<Operation *>(importModel(*result, context).release());
}

static OwningOpRef<Operation *>
translateTFLite(llvm::SourceMgr &sources, MLIRContext *context,
                const InstalledExtensions &extensions) {
  StringRef bytes = mainBuffer(sources).getBuffer();
  rt::Memory file =
      rt::Memory::borrow(std::as_bytes(std::span(bytes.data(), bytes.size())));
  rt::TFLiteImportOptions options;
  if (extensions)
    options.extensions = extensions();
  return finish(rt::importTFLite(file, options), sources, context);
}

/// The folder that files which a document names are relative to.
static std::string directoryOf(const llvm::MemoryBuffer &buffer) {
  StringRef directory =
      llvm::sys::path::parent_path(buffer.getBufferIdentifier());
  return directory.empty() ? "." : directory.str();
}

static rt::Result<rt::AnnotatedModel>
readJson(const llvm::MemoryBuffer &buffer) {
  rt::AnnotatedModel annotated;
  NNHAL_ASSIGN_OR_RETURN(annotated.model,
                         rt::readJsonModel(std::string_view(buffer.getBuffer()),
                                           directoryOf(buffer)));
  NNHAL_RETURN_IF_ERROR(
      rt::validateModel(annotated.model, annotated.model.halVersion));
  return annotated;
}

static OwningOpRef<Operation *> translateJson(llvm::SourceMgr &sources,
                                              MLIRContext *context) {
  return finish(readJson(mainBuffer(sources)), sources, context);
}

/// A module for each case whose model is valid as the version that the case
/// asks for, split as `--split-input-file` reads them.
static LogicalResult writeCases(llvm::SourceMgr &sources, raw_ostream &output,
                                MLIRContext *context) {
  StringRef text = mainBuffer(sources).getBuffer();
  rt::Status status = rt::readTestCases(
      std::string_view(text),
      [&](rt::TestCase test) -> rt::Status {
        rt::Model stripped = test.model;
        rt::removeTrailingDefaults(stripped);
        if (!rt::validateModel(stripped, test.minHalVersion).isOk())
          return {};
        rt::AnnotatedModel annotated;
        annotated.model = std::move(test.model);
        OwningOpRef<ModuleOp> module = importModel(annotated, context);
        if (!module)
          return rt::badData("case '{}' has no module", test.name);
        output << "// " << test.name << '\n';
        module->print(output);
        output << "// -----\n";
        return {};
      },
      directoryOf(mainBuffer(sources)));
  if (status.isOk())
    return success();
  StringRef name = mainBuffer(sources).getBufferIdentifier();
  return mlir::emitError(FileLineColLoc::get(context, name, 0, 0))
         << status.message();
}

/// Errors go to the location: with the operation they would print the model.
static LogicalResult writeJson(Operation *op, raw_ostream &output) {
  rt::Result<rt::AnnotatedModel> model = exportModel(op);
  if (!model.isOk())
    return mlir::emitError(op->getLoc()) << model.status().message();
  rt::Result<std::string> text = rt::writeJsonModel(model->model);
  if (!text.isOk())
    return mlir::emitError(op->getLoc()) << text.status().message();
  output << *text << '\n';
  return success();
}

/// A translation that parses its input. Unlike upstream's registration it
/// checks beforehand that the parser can take it.
static void registerFromMlir(StringRef name, StringRef description,
                             const TranslateFromMLIRFunction &translate) {
  TranslateRegistration registration(
      name, description,
      [translate](const std::shared_ptr<llvm::SourceMgr> &sources,
                  raw_ostream &output, MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerDialects(registry);
        context->appendDialectRegistry(registry);
        rt::Status status = checkNesting(mainBuffer(*sources), *context);
        if (!status.isOk())
          return mlir::emitError(UnknownLoc::get(context)) << status.message();
        OwningOpRef<ModuleOp> module =
            parseSourceFile<ModuleOp>(sources, context);
        if (!module)
          return failure();
        return translate(*module, output);
      });
}

void nnhal::registerTranslations(InstalledExtensions extensions) {
  TranslateToMLIRRegistration tflite(
      "tflite-to-mlir", "TensorFlow Lite model to the nnhal dialect",
      [extensions = std::move(extensions)](llvm::SourceMgr &sources,
                                           MLIRContext *context) {
        return translateTFLite(sources, context, extensions);
      },
      registerDialects);
  TranslateToMLIRRegistration json("json-to-mlir",
                                   "model JSON to the nnhal dialect",
                                   translateJson, registerDialects);
  TranslateRegistration cases(
      "cases-to-mlir",
      "the valid models of test-case JSON to the nnhal dialect",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &output,
         MLIRContext *context) {
        DialectRegistry registry;
        registerDialects(registry);
        context->appendDialectRegistry(registry);
        return writeCases(*sources, output, context);
      });
  registerFromMlir("mlir-to-json",
                   "nnhal dialect, NNAPI-shaped level, to model JSON",
                   writeJson);
  registerFromMlir("mlir-to-dot", "nnhal dialect to a GraphViz drawing",
                   [](Operation *op, raw_ostream &output) {
                     writeDot(op, output);
                     return success();
                   });
}
