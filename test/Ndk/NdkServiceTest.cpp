//===- NdkServiceTest.cpp - The NDK library on devices of a service -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeedModel.h"

#include "Burst/SampleModel.h"
#include "Service/ServiceProcess.h"

#include <csignal>
#include <cstdlib>

using namespace nnhal;
using namespace nnhal::test;

namespace {

/// A compilation of a sum that the library divides as it likes.
struct Sum {
  Sum() {
    auto made = feedModel(annotated.model);
    EXPECT_TRUE(made.isOk()) << made.status().message();
    fed = *std::move(made);
    ANeuralNetworksCompilation *handle = nullptr;
    EXPECT_EQ(ANeuralNetworksCompilation_create(fed.model.get(), &handle), 0);
    compilation.reset(handle);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(handle), 0);
  }

  int compute(ANeuralNetworksBurst *burst = nullptr) {
    ANeuralNetworksExecution *handle = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_create(compilation.get(), &handle), 0);
    NdkExecution execution(handle);
    std::fill_n(output, 6, -1.0f);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(handle, 0, nullptr, first,
                                                sizeof(first)),
              0);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(handle, 1, nullptr, second,
                                                sizeof(second)),
              0);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(handle, 0, nullptr, output,
                                                 sizeof(output)),
              0);
    return burst ? ANeuralNetworksExecution_burstCompute(handle, burst)
                 : ANeuralNetworksExecution_compute(handle);
  }

  bool hasSum() const {
    for (int i = 0; i < 6; ++i)
      if (output[i] != first[i] + second[i])
        return false;
    return true;
  }

  rt::AnnotatedModel annotated = rt::test::sumModel();
  FedModel fed;
  NdkCompilation compilation;
  float first[6] = {1, 2, 3, 4, 5, 6};
  float second[6] = {10, 20, 30, 40, 50, 60};
  float output[6] = {};
};

// I-054: the device of another process dies, and nnapi-reference steps in.
TEST(NdkServiceTest, AResultArrivesThoughTheServiceDies) {
  // The other planner keeps so small a model in this process.
  ::setenv("NNHAL_PLANNER", "greedy", 1);
  // Its devices say that they are faster than those of this process.
  rt::test::ServiceProcess service(
      {"--plugin=" NNHAL_SYNTHETIC_PLUGIN, "--device=test-synthetic0",
       "--device=test-synthetic1", "--device=test-synthetic2"});
  // The library reads it with the first call.
  ::setenv("NNHAL_SERVICE", service.socket().c_str(), 1);
  Sum sum;
  ANeuralNetworksBurst *handle = nullptr;
  ASSERT_EQ(ANeuralNetworksBurst_create(sum.compilation.get(), &handle), 0);
  NdkBurst burst(handle);
  ASSERT_EQ(sum.compute(), 0);
  EXPECT_TRUE(sum.hasSum());
  ASSERT_EQ(sum.compute(burst.get()), 0);
  EXPECT_TRUE(sum.hasSum());

  testing::internal::CaptureStderr();
  service.stop(SIGKILL);
  EXPECT_EQ(sum.compute(), 0);
  EXPECT_TRUE(sum.hasSum());
  EXPECT_EQ(sum.compute(burst.get()), 0);
  EXPECT_TRUE(sum.hasSum());
  std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("nnapi-reference"), std::string::npos) << log;

  // A service that was started again serves compilations from then on.
  service.start();
  Sum again;
  EXPECT_EQ(again.compute(), 0);
  EXPECT_TRUE(again.hasSum());
  service.stop(SIGTERM);
}

} // namespace
