//===- CrashReproducer.cpp - IR and passes of a failure -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrashReproducer.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nnhal;

/// Writes beside the file, and becomes the file when everything is written.
class CrashReproducer::Stream final : public ReproducerStream {
public:
  Stream(CrashReproducer &owner, llvm::sys::fs::TempFile file)
      : owner(owner), file(std::move(file)),
        stream(this->file.FD, /*shouldClose=*/false) {}
  ~Stream() override {
    stream.flush();
    bool isWhole = !stream.has_error();
    if (!isWhole)
      owner.problem = stream.error().message();
    stream.clear_error();
    llvm::Error error = isWhole ? file.keep(owner.path) : file.discard();
    if (error)
      owner.problem = llvm::toString(std::move(error));
  }

  llvm::StringRef description() override { return owner.path; }
  llvm::raw_ostream &os() override { return stream; }

private:
  CrashReproducer &owner;
  llvm::sys::fs::TempFile file;
  llvm::raw_fd_ostream stream;
};

std::unique_ptr<ReproducerStream> CrashReproducer::open(std::string &error) {
  if (cancellation.isRequested()) {
    error = "the compilation was cancelled";
    return nullptr;
  }
  wasAsked = true;
  auto file = llvm::sys::fs::TempFile::create(path + ".%%%%%%");
  if (!file) {
    error = problem = llvm::toString(file.takeError());
    return nullptr;
  }
  return std::make_unique<Stream>(*this, std::move(*file));
}

void CrashReproducer::watch(PassManager &manager) {
  manager.enableCrashReproducerGeneration(
      [this](std::string &error) { return open(error); });
}

bool CrashReproducer::isAccount(const Diagnostic &error) const {
  return wasAsked && error.getSeverity() == DiagnosticSeverity::Error;
}

std::string CrashReproducer::reasonOf(Diagnostic &account) {
  std::string passes = "the phase";
  for (Diagnostic &note : account.getNotes()) {
    // Pipeline failed while executing [`Pass` on 'op' operation]: ...
    std::string text = note.str();
    auto [before, rest] = llvm::StringRef(text).split('[');
    if (!rest.empty())
      passes = rest.split("]:").first;
  }
  return passes + " crashed";
}

std::string CrashReproducer::place() const {
  if (!wasAsked)
    return "";
  if (!problem.empty())
    return "; there is no reproducer in '" + path + "': " + problem;
  return "; 'nnhal-opt --run-reproducer " + path + "' does it again";
}
