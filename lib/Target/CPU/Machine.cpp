//===- Machine.cpp - The machine that code is made for --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include "Runtime/Support/Errors.h"

#include <mutex>

namespace nnhal {

using namespace llvm;

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

/// The host's features; a virtual machine may hide some that its CPU's name
/// promises.
static std::string hostFeatures() {
  SubtargetFeatures features;
  StringMap<bool> host = sys::getHostCPUFeatures();
  SmallVector<StringRef> names(host.keys().begin(), host.keys().end());
  llvm::sort(names); // The map's order is not stable between builds.
  for (StringRef name : names)
    features.AddFeature(name, host.lookup(name));
  return features.getString();
}

static rt::Result<rt::TargetKind> kindOf(const Triple &triple) {
  if (!triple.isOSLinux() || !triple.isOSBinFormatELF())
    return rt::badData("target triple '{}' is not an ELF Linux target",
                       triple.str());
  if (triple.getArch() == Triple::x86_64)
    return rt::TargetKind::x86_64Elf;
  if (triple.getArch() == Triple::aarch64)
    return rt::TargetKind::aarch64Elf;
  return rt::badData("target architecture '{}' is neither x86_64 nor aarch64",
                     triple.getArchName().str());
}

static bool isKnownFeature(const MCSubtargetInfo &subtarget,
                           StringRef feature) {
  StringRef name = SubtargetFeatures::StripFlag(feature);
  return llvm::any_of(
      subtarget.getAllProcessorFeatures(),
      [&](const SubtargetFeatureKV &known) { return name == known.Key; });
}

/// A narrow panel takes the instruction on narrower registers, which AVX-512
/// without VL does not have.
static std::optional<QuadSigns> quadSignsOf(const MCSubtargetInfo &subtarget,
                                            rt::TargetKind kind, int64_t bits) {
  if (kind == rt::TargetKind::aarch64Elf)
    return subtarget.checkFeatures("+dotprod")
               ? std::optional(QuadSigns::signedBySigned)
               : std::nullopt;
  bool hasNarrow = subtarget.checkFeatures("+avxvnni") && bits <= 256;
  return hasNarrow || subtarget.checkFeatures("+avx512vnni,+avx512vl")
             ? std::optional(QuadSigns::unsignedBySigned)
             : std::nullopt;
}

static rt::Result<const Target *> lookUpTarget(const Triple &triple) {
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return rt::badData("target triple '{}': {}", triple.str(), error);
  return target;
}

/// LLVM's target machine only warns about what it does not know, on standard
/// error.
static rt::Status checkNames(const Triple &triple, const std::string &cpu,
                             const std::string &features) {
  NNHAL_ASSIGN_OR_RETURN(const Target *target, lookUpTarget(triple));
  std::unique_ptr<MCSubtargetInfo> generic(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!generic || !generic->isCPUStringValid(cpu))
    return rt::badData("unknown CPU '{}' for target '{}'", cpu, triple.str());
  SubtargetFeatures asked(features);
  for (const std::string &feature : asked.getFeatures())
    if (!isKnownFeature(*generic, feature))
      return rt::badData("unknown feature '{}' for target '{}'", feature,
                         triple.str());
  return rt::Status();
}

rt::Result<Machine> Machine::create(const TargetOptions &options) {
  initializeTargets();
  Triple hostTriple(sys::getProcessTriple());
  Triple triple(options.triple.empty() ? hostTriple.str()
                                       : Triple::normalize(options.triple));
  NNHAL_ASSIGN_OR_RETURN(rt::TargetKind kind, kindOf(triple));

  bool isUnnamed = options.cpu.empty() || options.cpu == "host";
  bool isHost = isUnnamed && triple.getArch() == hostTriple.getArch();
  std::string cpu = options.cpu;
  if (isHost)
    cpu = sys::getHostCPUName().str();
  else if (isUnnamed)
    cpu = kind == rt::TargetKind::x86_64Elf ? "x86-64-v3" : "generic";
  std::string features = isHost ? hostFeatures() : "";
  if (!options.features.empty())
    features += (features.empty() ? "" : ",") + options.features;
  NNHAL_RETURN_IF_ERROR(checkNames(triple, cpu, options.features));
  return make(triple.str(), cpu, features);
}

/// The string parameter \p name of \p target; empty where there is none.
static std::string textOf(TargetAttr target, StringRef name) {
  mlir::DictionaryAttr parameters = target.getParameters();
  auto text = parameters ? parameters.getAs<mlir::StringAttr>(name) : nullptr;
  return text ? text.str() : std::string();
}

rt::Result<Machine> Machine::of(TargetAttr target) {
  initializeTargets();
  std::string triple = textOf(target, "triple");
  if (triple.empty())
    return create(TargetOptions());
  return make(triple, textOf(target, "cpu"), textOf(target, "features"));
}

rt::Result<Machine> Machine::make(const std::string &tripleText,
                                  const std::string &cpu,
                                  const std::string &features) {
  Triple triple(tripleText);
  NNHAL_ASSIGN_OR_RETURN(rt::TargetKind kind, kindOf(triple));
  NNHAL_ASSIGN_OR_RETURN(const Target *target, lookUpTarget(triple));
  Machine result;
  result.targetKind = kind;
  result.targetMachine.reset(target->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), Reloc::PIC_, std::nullopt,
      CodeGenOptLevel::Default));
  const MCSubtargetInfo &subtarget =
      *result.targetMachine->getMCSubtargetInfo();
  // LLVM ends the process when it emits code of 64 bits for one that has none.
  if (kind == rt::TargetKind::x86_64Elf && !subtarget.checkFeatures("+64bit"))
    return rt::badData("CPU '{}' executes code of 32 bits, and target '{}' "
                       "needs one of 64 bits",
                       cpu, triple.str());
  if (kind == rt::TargetKind::aarch64Elf) {
    result.registerCount = 32;
  } else if (subtarget.checkFeatures(
                 "+avx512f,+avx512vl,+avx512bw,+avx512dq")) {
    result.widestVector = 512;
    result.registerCount = 32;
  } else if (subtarget.checkFeatures("+avx2,+fma")) {
    result.widestVector = 256;
  }
  if (kind == rt::TargetKind::x86_64Elf)
    result.missingInstructions = {.rounding =
                                      !subtarget.checkFeatures("+sse4.1"),
                                  .halves = !subtarget.checkFeatures("+f16c"),
                                  .fused = !subtarget.checkFeatures("+fma")};
  result.quadSigns = quadSignsOf(subtarget, kind, result.widestVector);
  return result;
}

std::unique_ptr<TargetMachine>
Machine::createMachine(CodeGenOptLevel level) const {
  return std::unique_ptr<TargetMachine>(
      targetMachine->getTarget().createTargetMachine(
          targetMachine->getTargetTriple(), targetMachine->getTargetCPU(),
          targetMachine->getTargetFeatureString(), targetMachine->Options,
          targetMachine->getRelocationModel(), std::nullopt, level));
}

std::string Machine::enabledFeatures() const {
  SubtargetFeatures enabled;
  for (const SubtargetFeatureKV &feature :
       targetMachine->getMCSubtargetInfo()->getEnabledProcessorFeatures())
    enabled.AddFeature(feature.Key);
  return enabled.getString();
}

} // namespace nnhal
