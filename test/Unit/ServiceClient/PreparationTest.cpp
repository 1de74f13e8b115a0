//===- PreparationTest.cpp - Preparations by a service --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientTesting.h"

#include <fmt/format.h>

#include "nnhal/Runtime/Compiler.h"

#include <future>
#include <mutex>
#include <thread>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using namespace nnhal::service::test;
using rt::Status;
using rt::StatusCode;

using PreparationTest = ClientTest;

static std::shared_ptr<rt::AnnotatedModel> shared(rt::AnnotatedModel model) {
  return std::make_shared<rt::AnnotatedModel>(std::move(model));
}

TEST_F(PreparationTest, HasTheInterfaceOfTheModel) {
  prepare();
  const rt::Interface &interface = model->interface();
  ASSERT_EQ(interface.inputs.size(), 2u);
  ASSERT_EQ(interface.outputs.size(), 1u);
  EXPECT_EQ(interface.outputs[0].dimensions, (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(interface.outputs[0].type, rt::OperandType::TENSOR_FLOAT32);
}

TEST_F(PreparationTest, Asynchronously) { // C-039, C-040
  connect();
  std::promise<rt::Result<rt::PreparedModelRef>> end;
  EXPECT_TRUE(device
                  ->prepareModelAsync(
                      shared(rt::test::sumModel()), {},
                      [&](auto prepared) { end.set_value(prepared); }, {})
                  .isOk());
  auto prepared = end.get_future().get();
  ASSERT_TRUE(prepared.isOk());
  EXPECT_TRUE((*prepared)->execute(pool.request(), result).isOk());
}

TEST_F(PreparationTest, WhatDoesNotBeginIsReturnedAndTold) { // C-036
  connect();
  rt::AnnotatedModel invalid = rt::test::sumModel();
  invalid.model.main.operations[0].inputs[0] = 99;
  int calls = 0;
  Status told;
  Status launched = device->prepareModelAsync(shared(invalid), {},
                                              [&](const auto &prepared) {
                                                ++calls;
                                                told = prepared.status();
                                              },
                                              {});
  EXPECT_EQ(launched.code(), StatusCode::invalidArgument);
  EXPECT_EQ(told.code(), StatusCode::invalidArgument);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(
      device->prepareModelAsync(shared(invalid), {}, nullptr, {}).message(),
      "a preparation needs a callback");
  EXPECT_EQ(
      device->prepareModelAsync(nullptr, {}, [](const auto &) {}, {}).message(),
      "a preparation needs a model");
}

namespace {
/// Tells an observer all that a service can: a diagnostic, an artifact, an end.
kj::Promise<void> tellEverything(wire::PrepareObserver::Client observer) {
  auto diagnostic = observer.diagnosticRequest();
  diagnostic.setIsError(true);
  diagnostic.setText("odd");
  auto told = diagnostic.send().ignoreResult();
  std::byte code[5] = {};
  std::byte data[3] = {};
  auto keep = observer.keepArtifactRequest();
  keep.setModelCache(*makeBytes(code));
  keep.setModelCacheSize(sizeof(code));
  keep.setDataCache(*makeBytes(data));
  keep.setDataCacheSize(sizeof(data));
  auto end = observer.compileEndedRequest();
  auto kept = keep.send().then([](auto answer) {
    EXPECT_EQ(read(answer.getStatus()).message(), "no room");
  });
  return told.then([kept = kj::mv(kept)]() mutable { return kj::mv(kept); })
      .then(
          [end = kj::mv(end)]() mutable { return end.send().ignoreResult(); });
}

/// The news that an observer is told, on any thread.
class Heard {
public:
  std::vector<std::string> news() const {
    std::lock_guard lock(mutex);
    return texts;
  }
  std::vector<std::thread::id> threads() const {
    std::lock_guard lock(mutex);
    return tellers;
  }

  rt::PrepareObserver observer() {
    rt::PrepareObserver observer;
    observer.compile.diagnostic = [this](bool isError, std::string_view text) {
      add(std::string(isError ? "error " : "note ") + std::string(text));
    };
    observer.keepArtifact = [this](const rt::CompiledModel &artifact) {
      add(fmt::format("artifact of {} and {} bytes", artifact.modelCache.size(),
                      artifact.dataCache.size()));
      return Status(StatusCode::generalFailure, "no room");
    };
    observer.compileEnded = [this](const Status &status) {
      add("ended: " + status.message());
    };
    observer.cacheObserver = [this](rt::CacheOutcome outcome,
                                    std::string_view detail) {
      add(fmt::format("{}: {}", toString(outcome), detail));
    };
    return observer;
  }

private:
  void add(std::string text) {
    std::lock_guard lock(mutex);
    texts.push_back(std::move(text));
    tellers.push_back(std::this_thread::get_id());
  }

  mutable std::mutex mutex;
  std::vector<std::string> texts;
  std::vector<std::thread::id> tellers;
};
} // namespace

static void tellOfTheCache(wire::Driver::PrepareModelResults::Builder results) {
  auto list = results.initCache(2);
  list[0].setOutcome(uint32_t(rt::CacheOutcome::missLocked));
  list[0].setDetail("busy");
  list[1].setOutcome(1000); // Not reported.
}

TEST_F(PreparationTest, TellsOnTheThreadThatWaits) { // D-012
  connect();
  service.conduct.observe = tellEverything;
  service.conduct.prepared = tellOfTheCache;
  Heard heard;
  ASSERT_TRUE(
      device->prepareModel(rt::test::sumModel(), {}, heard.observer()).isOk());
  EXPECT_EQ(heard.news(),
            (std::vector<std::string>{"error odd", "artifact of 5 and 3 bytes",
                                      "ended: ", "locked: busy"}));
  for (std::thread::id thread : heard.threads())
    EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST_F(PreparationTest, CacheFilesThatCannotBeSentFailNothing) { // E-033
  connect();
  rt::PrepareOptions options;
  options.cache.modelCache = {{100000}};
  Heard heard;
  auto prepared =
      device->prepareModel(rt::test::sumModel(), options, heard.observer());
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  EXPECT_EQ(heard.news(),
            std::vector<std::string>{
                std::string(toString(rt::CacheOutcome::missUnreadable)) +
                ": cannot duplicate descriptor 100000: Bad file descriptor"});
}

TEST_F(PreparationTest, TellsBeforeTheCallback) {
  connect();
  service.conduct.observe = tellEverything;
  Heard heard;
  std::promise<size_t> end;
  ASSERT_TRUE(device
                  ->prepareModelAsync(
                      shared(rt::test::sumModel()), {},
                      [&](const auto &) { end.set_value(heard.news().size()); },
                      heard.observer())
                  .isOk());
  EXPECT_EQ(end.get_future().get(), 3u);
}

TEST_F(PreparationTest, NothingIsToldAfterTheEnd) {
  connect();
  kj::Maybe<wire::PrepareObserver::Client> kept;
  service.conduct.observe = [&](wire::PrepareObserver::Client observer) {
    kept = observer;
    return kj::Promise<void>(kj::READY_NOW);
  };
  Heard heard;
  ASSERT_TRUE(
      device->prepareModel(rt::test::sumModel(), {}, heard.observer()).isOk());
  EXPECT_FALSE(service.loop
                   ->call([&]() -> kj::Promise<Status> {
                     KJ_IF_MAYBE (observer, kept)
                       return tellEverything(*observer).then(
                           [] { return Status::ok(); });
                     return Status::ok();
                   })
                   .isOk());
  EXPECT_TRUE(heard.news().empty());
  // The compilation in the background of another one may end later.
  rt::PrepareOptions options;
  options.compileAfter = 0;
  ASSERT_TRUE(
      device->prepareModel(rt::test::sumModel(), options, heard.observer())
          .isOk());
  EXPECT_TRUE(service.loop
                  ->call([&]() -> kj::Promise<Status> {
                    KJ_IF_MAYBE (observer, kept)
                      return observer->compileEndedRequest().send().then(
                          [](auto) { return Status::ok(); });
                    return Status::ok();
                  })
                  .isOk());
  EXPECT_EQ(heard.news(), std::vector<std::string>{"ended: "});
  EXPECT_TRUE(service.loop
                  ->call([&]() -> kj::Promise<Status> {
                    kept = nullptr;
                    return Status::ok();
                  })
                  .isOk());
}

TEST_F(PreparationTest, LettingGoCancelsIt) { // C-049
  connect();
  service.conduct.hangsIn = "prepareModel";
  rt::PrepareObserver observer;
  observer.compile.isCancelled = [&] { return service.seen.hanging > 0; };
  EXPECT_EQ(device->prepareModel(rt::test::sumModel(), {}, observer)
                .status()
                .message(),
            "the preparation was cancelled");
  EXPECT_TRUE(holds([&] { return service.seen.cancelled == 1; }));
}
