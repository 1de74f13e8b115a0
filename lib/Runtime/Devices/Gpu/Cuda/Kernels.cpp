//===- Kernels.cpp - The kernels of a program, compiled -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "PtxText.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <array>

using namespace nnhal::rt;
using namespace nnhal::rt::cuda;

using OwnedModule = Owned<CUmodule, &Functions::ModuleUnload>;

/// Joins the lines of the driver's log about a module that it refuses.
static std::string onOneLine(const std::array<char, 4096> &log) {
  std::string text(log.data(), std::ranges::find(log, '\0') - log.begin());
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text.empty() ? "the driver says nothing" : text;
}

/// Machine code for \p ptx.
static Result<std::vector<std::byte>> compile(const EngineRef &engine,
                                              std::string ptx) {
  const Functions &call = engine->functions();
  std::array<char, 4096> log = {};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // Numbers are passed as pointers.
  std::array<void *, 2> values = {
      log.data(), reinterpret_cast<void *>(uintptr_t(log.size() - 1))};
  CUlinkState made = nullptr;
  NNHAL_RETURN_IF_ERROR(
      engine->check(call.LinkCreate(unsigned(options.size()), options.data(),
                                    values.data(), &made),
                    "cuLinkCreate"));
  Owned<CUlinkState, &Functions::LinkDestroy> state(engine, made);
  // The text ends with a zero byte.
  CUresult result =
      call.LinkAddData(made, CU_JIT_INPUT_PTX, ptx.data(), ptx.size() + 1,
                       "kernels", 0, nullptr, nullptr);
  void *cubin = nullptr;
  size_t size = 0;
  if (result == CUDA_SUCCESS)
    result = call.LinkComplete(made, &cubin, &size);
  if (result != CUDA_SUCCESS)
    return engine->check(result, "cuLink")
        .withContext(
            fmt::format("the driver refuses the kernels: {}", onOneLine(log)));
  auto *bytes = static_cast<const std::byte *>(cubin);
  return std::vector<std::byte>(bytes, bytes + size);
}

static Result<OwnedModule> loadCubin(const EngineRef &engine,
                                     std::span<const std::byte> cubin) {
  CUmodule made = nullptr;
  NNHAL_RETURN_IF_ERROR(
      engine->check(engine->functions().ModuleLoadData(&made, cubin.data()),
                    "cuModuleLoadData"));
  return OwnedModule(engine, made);
}

static Result<OwnedModule> loadModule(const EngineRef &engine,
                                      std::span<const std::byte> ptx,
                                      CubinCache *cache) {
  if (cache)
    if (auto kept = cache->find(ptx)) {
      auto module = loadCubin(engine, *kept);
      // The driver compiles the PTX again where it refuses a kept cubin.
      if (module.isOk() || module.status().code() == StatusCode::deadObject)
        return module;
    }
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::byte> cubin,
                         compile(engine, textOf(ptx)));
  auto module = loadCubin(engine, cubin);
  if (cache && module.isOk())
    cache->keep(ptx, cubin);
  return module;
}

Result<Kernels> Kernels::create(const EngineRef &engine,
                                const GpuProgram &program, CubinCache *cache) {
  NNHAL_RETURN_IF_ERROR(checkPtx(program));
  NNHAL_RETURN_IF_ERROR(engine->checkAlive());
  ContextScope scope(*engine);
  const Functions &call = engine->functions();
  Kernels kernels;
  NNHAL_ASSIGN_OR_RETURN(kernels.module,
                         loadModule(engine, program.module, cache));
  for (const GpuKernel &kernel : program.kernels) {
    CUfunction function = nullptr;
    NNHAL_RETURN_IF_ERROR(
        engine
            ->check(call.ModuleGetFunction(&function, kernels.module.get(),
                                           kernel.name.c_str()),
                    "cuModuleGetFunction")
            .withContext(fmt::format("kernel '{}'", kernel.name)));
    int most = 0;
    NNHAL_RETURN_IF_ERROR(engine->check(
        call.FuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                              function),
        "cuFuncGetAttribute"));
    if (most < 0 || kernel.workgroupSize > uint32_t(most))
      return badData("kernel '{}' has workgroups of {}, the GPU allows {}",
                     kernel.name, kernel.workgroupSize, most);
    kernels.functions.push_back(function);
  }
  return kernels;
}
