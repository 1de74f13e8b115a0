//===- CatalogTest.cpp - The models of a server ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFolder.h"

#include "Serving/Core/Catalog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <thread>

using namespace nnhal;
using namespace nnhal::serving;

namespace {

constexpr int64_t millisecond = 1'000'000;

/// A catalog of the model "net". No device dies: the tests say so of versions
/// that could serve.
class CatalogTest : public testing::Test {
protected:
  void SetUp() override {
    folder.write("net/1/model.json", addModel(10));
    options.models = folder.path;
    options.engine.devices = {"nnhal-reference"};
    options.log = std::make_shared<rt::Log>(rt::maskOf(rt::LogTag::manager),
                                            [this](std::string_view line) {
                                              if (onLog)
                                                onLog(line);
                                            });
    catalog = std::make_unique<Catalog>(options, executions, metrics);
    ASSERT_TRUE(catalog->open().isOk());
    ASSERT_TRUE(catalog->refresh().isOk());
  }

  std::shared_ptr<ServedVersion> served(std::string_view version = "") const {
    std::shared_ptr<ServedVersion> found;
    EXPECT_TRUE(catalog->find("net", version, found).isOk());
    return found;
  }
  Outcome replace(const std::shared_ptr<ServedVersion> &dead,
                  rt::Deadline deadline = rt::noDeadline) {
    replacement = nullptr;
    return catalog->replace(*dead, "", deadline, replacement);
  }

  TestFolder folder;
  ServerOptions options;
  rt::Scheduler executions{{.slots = 1}};
  Metrics metrics;
  std::function<void(std::string_view)> onLog;
  std::unique_ptr<Catalog> catalog;
  std::shared_ptr<ServedVersion> replacement;
};

TEST_F(CatalogTest, DeadVersionsAreLoadedOnce) {
  std::shared_ptr<ServedVersion> dead = served();
  ASSERT_TRUE(replace(dead).isOk());
  std::shared_ptr<ServedVersion> next = replacement;
  EXPECT_NE(next, dead);
  EXPECT_EQ(next, served());
  // Another request that has been executed by the dead one.
  ASSERT_TRUE(replace(dead).isOk());
  EXPECT_EQ(replacement, next);
  EXPECT_TRUE(catalog->checkReady("net", "1").isOk());
}

TEST_F(CatalogTest, UnloadedModelsStayUnloaded) {
  std::shared_ptr<ServedVersion> dead = served();
  ASSERT_TRUE(catalog->unload("net").isOk());
  EXPECT_EQ(replace(dead).message(), "model 'net' is unloaded");
}

TEST_F(CatalogTest, NewerVersionsServeInsteadOfDeadOnes) {
  std::shared_ptr<ServedVersion> dead = served();
  folder.write("net/2/model.json", addModel(20));
  ASSERT_TRUE(replace(dead).isOk());
  EXPECT_EQ(replacement->versionName(), "2");
}

TEST_F(CatalogTest, OtherVersionsThatCannotBeLoadedAreNoObstacle) {
  folder.write("net/2/model.json", "nothing");
  ASSERT_TRUE(catalog->refresh().isOk());
  std::shared_ptr<ServedVersion> dead = served();
  ASSERT_TRUE(replace(dead).isOk());
  EXPECT_NE(replacement, dead);
  EXPECT_EQ(replacement->versionName(), "1");
}

TEST_F(CatalogTest, WhatCannotBeLoadedAnewIsNotReady) {
  std::shared_ptr<ServedVersion> dead = served();
  folder.write("net/1/model.json", "nothing");
  Outcome outcome = replace(dead);
  EXPECT_EQ(outcome.code(), OutcomeCode::unavailable);
  EXPECT_TRUE(outcome.message().starts_with(
      "version 1 of model 'net', whose device has died, cannot be loaded "
      "anew: "))
      << outcome.message();
  EXPECT_EQ(replacement, nullptr);
  EXPECT_TRUE(catalog->checkReady("net", "").message().starts_with(
      "version 1 of model 'net' is not ready: "));
  EXPECT_FALSE(catalog->isServing());
  EXPECT_TRUE(catalog->versionsOf("net").empty());
  EXPECT_EQ(catalog->index(false).at(0).state, "UNAVAILABLE");
  // Requests go on to try it, as the folder's watcher does.
  EXPECT_EQ(served(), dead);
  folder.write("net/1/model.json", addModel(10));
  ASSERT_TRUE(replace(dead).isOk());
  EXPECT_TRUE(catalog->checkReady("net", "").isOk());
}

TEST_F(CatalogTest, ReplacementsObserveDeadlines) {
  std::shared_ptr<ServedVersion> dead = served();
  folder.write("other/1/model.json", addModel(1));
  std::latch isLoading(1), mayGoOn(1);
  onLog = [&](std::string_view line) {
    if (line.find("loaded version 1 of model 'other'") ==
        std::string_view::npos)
      return;
    isLoading.count_down();
    mayGoOn.wait();
  };
  std::thread loader([&] { EXPECT_TRUE(catalog->load("other").isOk()); });
  isLoading.wait();
  Outcome outcome = replace(dead, rt::steadyNow() + 20 * millisecond);
  EXPECT_EQ(outcome.code(), OutcomeCode::deadlineExceeded);
  EXPECT_EQ(outcome.message(),
            "the deadline passed before version 1 of model 'net', whose device "
            "has died, could be loaded anew");
  mayGoOn.count_down();
  loader.join();
}

TEST_F(CatalogTest, FailuresAreSharedByThoseWhoWaited) {
  std::shared_ptr<ServedVersion> dead = served();
  folder.write("net/1/model.json", "nothing");
  std::latch isLoading(1), mayGoOn(1);
  std::atomic<int> failures = 0;
  onLog = [&](std::string_view line) {
    if (line.find("cannot load version 1") == std::string_view::npos)
      return;
    if (failures++ == 0) {
      isLoading.count_down();
      mayGoOn.wait();
    }
  };
  Outcome first, second;
  std::shared_ptr<ServedVersion> found, other;
  std::thread leader(
      [&] { first = catalog->replace(*dead, "", rt::noDeadline, found); });
  isLoading.wait();
  std::latch isAsked(1);
  std::thread follower([&] {
    isAsked.count_down();
    second = catalog->replace(*dead, "", rt::noDeadline, other);
  });
  isAsked.wait();
  // Long enough to begin waiting; were it not, the version would be loaded
  // twice, which is no failure.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  mayGoOn.count_down();
  leader.join();
  follower.join();
  EXPECT_EQ(first.message(), second.message());
  EXPECT_EQ(second.code(), OutcomeCode::unavailable);
}

} // namespace
