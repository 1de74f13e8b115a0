//===- CrashReproducer.cpp - IR and passes of a failure -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrashReproducer.h"

#include "Runtime/Support/AtomicFile.h"

#include "llvm/Support/raw_ostream.h"

#include <span>

using namespace mlir;
using namespace nnhal;

/// Collects what becomes the file when everything is there.
class CrashReproducer::Stream final : public ReproducerStream {
public:
  explicit Stream(CrashReproducer &owner) : owner(owner), stream(text) {}
  ~Stream() override {
    rt::Status status = rt::writeFileAtomically(
        owner.path, std::as_bytes(std::span<const char>(text)));
    if (!status.isOk())
      owner.problem = status.message();
  }

  llvm::StringRef description() override { return owner.path; }
  llvm::raw_ostream &os() override { return stream; }

private:
  CrashReproducer &owner;
  std::string text;
  llvm::raw_string_ostream stream;
};

std::unique_ptr<ReproducerStream> CrashReproducer::open(std::string &error) {
  if (cancellation.isRequested()) {
    error = "the compilation was cancelled";
    return nullptr;
  }
  wasAsked = true;
  return std::make_unique<Stream>(*this);
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
    return "; there is no reproducer: " + problem;
  return "; 'nnhal-opt --run-reproducer " + path + "' does it again";
}
