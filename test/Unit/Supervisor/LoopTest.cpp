//===- LoopTest.cpp - Event loops that cannot be made ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Service/CompileWorker/CompileServer.h"
#include "Service/Sandbox/SanitizerNeeds.h"
#include "Service/Supervisor/CompilerSupply.h"
#include "Service/Supervisor/Supervisor.h"

#include "../Faults/RefusedCall.h"
#include "Launch.h"

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;
using nnhal::rt::test::RefusedCall;
using nnhal::rt::test::textWithout;

namespace {

constexpr RefusedCall noPolling = {SYS_epoll_create1, EMFILE};

/// The errors of nnhal-service when \p refused fails in it.
std::string errorsOf(const RefusedCall &refused, const LaunchOptions &given) {
  Folder folder;
  LaunchOptions options = given;
  options.errors = folder / "log";
  textWithout(refused, [&] {
    Program program(options);
    EXPECT_EQ(program.wait(), 1 << 8);
    return std::string("ended");
  });
  return contentsOf(options.errors);
}

TEST(LoopTest, AServiceWithoutALoopSaysSo) {
  Folder folder;
  auto listener = Listener::create(folder / "socket", 0600);
  ASSERT_TRUE(listener.isOk());
  std::string message = textWithout(
      noPolling, [&] { return runSupervisor(*listener, {}).message(); });
  EXPECT_TRUE(message.starts_with("the service cannot go on: ")) << message;
}

TEST(LoopTest, ACompileWorkerWithoutALoopSaysSo) {
  std::string message = textWithout(noPolling, [] {
    return serveCompiler(nullptr, rt::UniqueFd()).message();
  });
  EXPECT_TRUE(message.starts_with("the compile worker cannot go on: "))
      << message;
}

TEST(LoopTest, AHostWithoutALoopSaysSo) {
  Folder state;
  LaunchOptions options;
  options.arguments = {"--host=nnhal-reference", "--state-dir=" + state.path()};
  std::string errors = errorsOf(noPolling, options);
  EXPECT_NE(errors.find("error: the host of 'nnhal-reference' cannot go on: "),
            std::string::npos)
      << errors;
}

TEST(LoopTest, AMemoryLimitThatCannotBeSetIsNamed) {
  if (hasSanitizer)
    GTEST_SKIP() << "the sanitizer's own memory is beyond every limit";
  LaunchOptions options;
  options.arguments = {"--compile-worker", "--compile-memory=536870912"};
  options.environment = {"NNHAL_COMPILER=" NNHAL_TEST_COMPILER};
  std::string errors = errorsOf({SYS_prlimit64, EPERM}, options);
  EXPECT_NE(errors.find("error: cannot limit the memory to 536870912 bytes: "
                        "Operation not permitted"),
            std::string::npos)
      << errors;
}

TEST(LoopTest, CompileWorkersOfADeviceAreLimited) {
  kj::AsyncIoContext io = kj::setupAsyncIo();
  WorkerCounts counts = {.running = CompilerSupply::maxWorkers};
  wire::Supervisor::Client supply =
      kj::heap<CompilerSupply>(ChildProgram(), io.unixEventPort, counts);
  auto answer = supply.compilerRequest().send().wait(io.waitScope);
  EXPECT_EQ(read(answer.getStatus()).message(),
            "the device has 32 compile workers, no more than 32");
}

} // namespace
