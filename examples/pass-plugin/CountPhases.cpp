// Counts the operations of a TensorFlow Lite model as the file states them, and
// again after those with a fast lowering have become canonical.
// usage: count-phases MODEL.tflite

#include "CountOperations.h"

#include <nnhal/Compiler/Pipelines.h>
#include <nnhal/ModelIR/Model.h>
#include <nnhal/Runtime/TFLiteModel.h>

#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Pass/PassManager.h>

#include <cstdio>

using namespace nnhal;

static rt::Status run(const char *path) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(rt::AnnotatedModel model, rt::importTFLite(file));
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  // MLIR prints nothing but errors by itself.
  mlir::ScopedDiagnosticHandler printRemarks(
      &context, [](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          return mlir::failure();
        std::printf("%s\n", diagnostic.str().c_str());
        return mlir::success();
      });
  mlir::OwningOpRef<mlir::ModuleOp> module = importModel(model, &context);
  if (!module)
    return {rt::StatusCode::generalFailure, "the model was not imported"};
  CompilePipelineOptions options;
  mlir::PassManager stated(&context), legalized(&context);
  stated.addPass(createCountOperations());
  addPhase(legalized, Phase::legalize, options);
  legalized.addPass(createCountOperations());
  std::printf("as the file states them:\n");
  if (failed(stated.run(*module)))
    return {rt::StatusCode::generalFailure, "the count failed"};
  std::printf("after the phase legalize:\n");
  if (failed(legalized.run(*module)))
    return {rt::StatusCode::generalFailure, "the phase legalize failed"};
  return rt::Status::ok();
}

int main(int argc, char **argv) {
  rt::Status status = argc == 2
                          ? run(argv[1])
                          : rt::Status(rt::StatusCode::invalidArgument,
                                       "usage: count-phases MODEL.tflite");
  if (!status.isOk())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.isOk() ? 0 : 1;
}
