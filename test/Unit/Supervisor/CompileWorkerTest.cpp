//===- CompileWorkerTest.cpp - The compiler in another process ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The workers are those of nnhal-service, with a compiler that misbehaves
// (Inputs/WorkerCompiler.cpp).
//
//===----------------------------------------------------------------------===//

#include "Service/CompileWorker/RemoteCompiler.h"
#include "Service/CompileWorker/WorkerChannel.h"
#include "Service/Sandbox/SanitizerNeeds.h"
#include "Service/Supervisor/Child.h"

#include "../Core/ReluModel.h"
#include "Launch.h"

#include <algorithm>
#include <list>
#include <sys/resource.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;

namespace {

class CompileWorkerTest : public ::testing::Test {
protected:
  void SetUp() override {
    remote.startWorker = [this] { return startWorker(); };
    remote.identity = "worker 1";
    make();
  }

  void make() {
    auto made = createRemoteCompiler(remote);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    compiler = *made;
  }

  rt::Result<NewWorker> startWorker() {
    NNHAL_ASSIGN_OR_RETURN(SocketPair sockets, makeSocketPair());
    LaunchOptions options;
    options.arguments = {"--compile-worker",
                         "--compile-memory=" + std::to_string(memory)};
    options.environment = {"NNHAL_COMPILER=" NNHAL_TEST_COMPILER,
                           "TMPDIR=" + folder.path()};
    options.descriptor = sockets.ends[1].get();
    options.errors = folder / "log";
    Program &program = programs.emplace_back(options);
    return NewWorker{std::move(sockets.ends[0]),
                     [&program] { return describeEnd(program.wait()); }};
  }

  rt::Result<rt::CompiledModel> compile(const std::string &what,
                                        rt::CompileObserver observer = {}) {
    rt::CompileOptions options;
    options.targetCpu = what;
    return compiler->compileModel(rt::test::reluModel(), options, observer);
  }
  /// The code that is delivered, or the message of the failure.
  std::string outcomeOf(const std::string &what,
                        rt::CompileObserver observer = {}) {
    auto compiled = compile(what, std::move(observer));
    if (!compiled.isOk())
      return compiled.status().message();
    const auto &code = compiled->modelCache;
    return {reinterpret_cast<const char *>(code.data()), code.size()};
  }
  std::string contentsOfLog() { return contentsOf(folder / "log"); }

  Folder folder;
  uint64_t memory = uint64_t(1) << 34;
  RemoteCompilerOptions remote;
  std::list<Program> programs;
  std::shared_ptr<const rt::Compiler> compiler;
};

TEST_F(CompileWorkerTest, ArtifactsAndReportsArrive) {
  std::vector<std::string> told;
  std::thread::id caller = std::this_thread::get_id();
  bool isOnCaller = true;
  rt::CompileObserver observer;
  observer.diagnostic = [&](bool isError, std::string_view text) {
    isOnCaller = isOnCaller && std::this_thread::get_id() == caller;
    told.push_back((isError ? "error " : "warning ") + std::string(text));
  };
  observer.progress = [&](std::string_view phase, uint32_t done,
                          uint32_t total) {
    told.push_back(std::string(phase) + " " + std::to_string(done) + " of " +
                   std::to_string(total));
  };
  observer.remark = [&](uint32_t operation, std::string_view text) {
    told.push_back("operation " + std::to_string(operation) + ": " +
                   std::string(text));
  };
  auto compiled = compile("", observer);
  ASSERT_TRUE(compiled.isOk())
      << compiled.status().message() << contentsOfLog();
  EXPECT_EQ(told, (std::vector<std::string>{"lowering 1 of 2",
                                            "warning operation 0 is slow",
                                            "operation 0: one loop"}));
  EXPECT_TRUE(isOnCaller);
  auto constants = compiled->dataCache.bytes();
  ASSERT_TRUE(constants.isOk());
  EXPECT_EQ(constants->size(), std::string_view("constants").size());
  EXPECT_EQ(compiler->buildIdentity(), "worker 1");
}

TEST_F(CompileWorkerTest, WorkersAreKept) {
  std::string first = outcomeOf("");
  EXPECT_TRUE(first.starts_with("2 operands by ")) << first;
  EXPECT_EQ(outcomeOf(""), first);
  EXPECT_EQ(outcomeOf("fail"), "operation 0 is odd");
  EXPECT_EQ(outcomeOf(""), first);
  EXPECT_EQ(programs.size(), 1u);
}

TEST_F(CompileWorkerTest, CompilationsAtOnceHaveAWorkerEach) {
  std::string other;
  rt::CompileObserver observer;
  observer.progress = [&](std::string_view, uint32_t, uint32_t) {
    if (other.empty())
      other = outcomeOf("");
  };
  std::string first = outcomeOf("", observer);
  EXPECT_TRUE(other.starts_with("2 operands by ")) << other;
  EXPECT_NE(first, other);
  EXPECT_EQ(programs.size(), 2u);
}

TEST_F(CompileWorkerTest, AWorkerThatDiesIsReplaced) {
  rt::Status status = compile("crash").status();
  EXPECT_EQ(status.code(), rt::StatusCode::generalFailure);
  std::string expected =
      hasSanitizer ? "the compile worker has ended while it compiled: exit "
                     "status 1"
                   : "the compile worker has ended while it compiled: signal "
                     "11 (Segmentation fault)";
  EXPECT_EQ(status.message(), expected);
  EXPECT_TRUE(outcomeOf("").starts_with("2 operands by "));
  EXPECT_EQ(outcomeOf("exit"),
            "the compile worker has ended while it compiled: exit status 3");
  EXPECT_TRUE(outcomeOf("").starts_with("2 operands by "));
  EXPECT_EQ(programs.size(), 3u);
}

TEST_F(CompileWorkerTest, AKilledWorkerIsNamed) {
  rt::CompileObserver observer;
  observer.progress = [&](std::string_view, uint32_t, uint32_t) {
    programs.front().signal(SIGKILL);
  };
  EXPECT_EQ(outcomeOf("hang", observer),
            "the compile worker has ended while it compiled: signal 9 "
            "(Killed)");
}

TEST_F(CompileWorkerTest, CancellationEndsTheWorker) {
  rt::CompileObserver observer;
  observer.isCancelled = [] { return true; };
  EXPECT_EQ(outcomeOf("hang", observer), "the compilation was cancelled");
  // It is busy, and ends all the same.
  EXPECT_EQ(programs.front().wait(), 0);
  EXPECT_TRUE(outcomeOf("").starts_with("2 operands by "));
}

TEST_F(CompileWorkerTest, TimeIsLimited) {
  remote.seconds = 1;
  make();
  EXPECT_EQ(outcomeOf("hang"), "the compilation took longer than 1 s");
  EXPECT_EQ(programs.front().wait(), 0);
}

TEST_F(CompileWorkerTest, MemoryIsLimited) {
  EXPECT_EQ(outcomeOf("memory"), "memory");
  if (hasSanitizer)
    GTEST_SKIP() << "the sanitizer's own memory is beyond every limit";
  memory = uint64_t(1) << 29;
  make();
  EXPECT_EQ(outcomeOf("memory"), "no memory");
}

TEST_F(CompileWorkerTest, WorkersAreSandboxed) {
  EXPECT_EQ(outcomeOf("try"), "socket 1, passwd 13, file 0");
  EXPECT_NE(contentsOfLog().find("seccomp"), std::string::npos);
}

TEST_F(CompileWorkerTest, ExecutionsComeBeforeCompilations) {
  outcomeOf("");
  ASSERT_EQ(programs.size(), 1u);
  // At most 19: what the tests themselves run at may be raised already.
  int expected = std::min(::getpriority(PRIO_PROCESS, 0) + 10, 19);
  EXPECT_EQ(::getpriority(PRIO_PROCESS, programs.front().process()), expected);
}

TEST_F(CompileWorkerTest, FailuresToStartAreTheCallers) {
  remote.startWorker = []() -> rt::Result<NewWorker> {
    return rt::Status(rt::StatusCode::resourceExhaustedTransient, "too many");
  };
  make();
  rt::Status status = compile("").status();
  EXPECT_EQ(status.code(), rt::StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "too many");
}

TEST_F(CompileWorkerTest, IrIsNotCompiled) {
  auto outcome = compiler->compileMlir({}, "a.mlir");
  EXPECT_EQ(outcome.status().message(),
            "'a.mlir' is IR, and a service compiles models");
}

TEST_F(CompileWorkerTest, DroppingTheCallCancels) {
  auto worker = startWorker();
  ASSERT_TRUE(worker.isOk());
  kj::AsyncIoContext io = kj::setupAsyncIo();
  Channel channel(wrapSocket(*io.lowLevelProvider, std::move(worker->channel)),
                  Channel::End::opener, nullptr, workerLimits());
  auto service = channel.peer().castAs<wire::Compiler>();
  auto call = [&](const char *what) {
    auto request = service.compileRequest();
    EXPECT_TRUE(write(rt::test::reluModel(), request.initModel()).isOk());
    request.getOptions().setTargetCpu(what);
    return request.send();
  };
  auto count = [&]() -> std::string {
    auto answer = call("cancellations").wait(io.waitScope);
    std::vector<NamedDescriptor> named;
    named.push_back({answer.getModelCache(), "the code"});
    auto taken = takeDescriptors(std::move(named)).wait(io.waitScope);
    EXPECT_TRUE(taken.isOk());
    auto code =
        readBytes(std::move(taken->front()), answer.getModelCacheSize());
    auto bytes = code->bytes();
    return {reinterpret_cast<const char *>(bytes->data()), bytes->size()};
  };
  {
    auto dropped = call("wait").then([](auto &&) {}).eagerlyEvaluate(nullptr);
    io.provider->getTimer()
        .afterDelay(50 * kj::MILLISECONDS)
        .wait(io.waitScope);
    EXPECT_EQ(count(), "0");
  }
  EXPECT_TRUE(waitFor([&] { return count() == "1"; }));
}

} // namespace
