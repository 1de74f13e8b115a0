//===- ServiceSeeds.cpp - Messages and calls of the service as seeds ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeedFolder.h"
#include "Unit/Burst/SampleModel.h"

#include "Service/Protocol/Convert.h"

#include <capnp/capability.h>
#include <capnp/rpc.capnp.h>
#include <capnp/serialize-packed.h>
#include <kj/io.h>

#include <functional>

using namespace nnhal;
using namespace nnhal::service;

namespace {

/// One packed message after the other.
class PackedMessages {
public:
  explicit PackedMessages(uint8_t kind) { stream.write(&kind, 1); }

  /// Adds a message that \p fill makes. Capabilities are left as numbers.
  template <typename Root>
  void add(const std::function<void(typename Root::Builder)> &fill) {
    capnp::MallocMessageBuilder message;
    capnp::BuilderCapabilityTable capabilities;
    fill(capabilities.imbue(message.initRoot<capnp::AnyPointer>())
             .initAs<Root>());
    capnp::writePackedMessage(stream, message);
  }

  std::span<const std::byte> bytes() {
    auto array = stream.getArray();
    return std::as_bytes(std::span(array.begin(), array.size()));
  }

private:
  kj::VectorOutputStream stream;
};

/// A model without constants, for which no descriptor is needed.
rt::AnnotatedModel reluModel() {
  rt::AnnotatedModel annotated = rt::test::sumModel();
  rt::Subgraph &main = annotated.model.main;
  main.operands.erase(main.operands.begin() + 1, main.operands.begin() + 3);
  main.operations = {{rt::OperationType::RELU, {0}, {1}}};
  main.inputIndexes = {0};
  main.outputIndexes = {1};
  rt::computeConsumers(main);
  annotated.model.operandValues.clear();
  return annotated;
}

/// Kinds are the numbers of the target.
void writeMessages(rt::fuzz::SeedFolder &seeds) {
  auto add = [&]<typename Wire>(uint8_t kind, const char *name, auto fill) {
    PackedMessages messages(kind);
    messages.add<Wire>(fill);
    seeds.write("ServiceMessages", name, messages.bytes());
  };
  auto device = rt::createReferenceDevice();
  auto prepared = rt::test::prepareSum();
  add.operator()<wire::Model>(0, "model", [](wire::Model::Builder root) {
    (void)service::write(rt::test::sumModel(), root);
  });
  add.operator()<wire::Model>(0, "relu", [](wire::Model::Builder root) {
    (void)service::write(reluModel(), root);
  });
  add.operator()<wire::PrepareOptions>(1, "options",
                                       [](wire::PrepareOptions::Builder root) {
                                         rt::PrepareOptions options;
                                         options.compile.targetCpu = "generic";
                                         options.compileAfter = 3;
                                         (void)service::write(options, root);
                                       });
  add.operator()<wire::Request>(2, "request", [](wire::Request::Builder root) {
    service::write(
        rt::test::SumPool().request(),
        [](bool, size_t, const rt::SharedMemory *) { return Place{1, 0}; },
        root);
  });
  add.operator()<wire::CompileOptions>(
      3, "compile", [](wire::CompileOptions::Builder root) {
        rt::CompileOptions options;
        options.specializations = {{{1, 2}, {3}}};
        service::write(options, root);
      });
  add.operator()<wire::DeviceDescription>(
      4, "device", [&](wire::DeviceDescription::Builder root) {
        service::write(describe(*device), root);
      });
  add.operator()<wire::Interface>(5, "interface",
                                  [&](wire::Interface::Builder root) {
                                    service::write(prepared->interface(), root);
                                  });
  add.operator()<wire::ExecutionResult>(
      6, "result", [](wire::ExecutionResult::Builder root) {
        rt::ExecutionResult result;
        result.outputShapes = {{{2, 3}, true}, {{1}, false}};
        result.operationTimes = {5};
        service::write(result, root);
      });
}

using Message = capnp::rpc::Message;

void addBootstrap(PackedMessages &messages) {
  messages.add<Message>([](Message::Builder message) {
    message.initBootstrap().setQuestionId(0);
  });
}

/// A call of \p method of what answers question \p target.
template <typename Interface, typename Params>
void addCall(PackedMessages &messages, uint32_t question, uint32_t target,
             uint16_t method,
             const std::function<void(typename Params::Builder)> &fill,
             int pointer = -1) {
  messages.add<Message>([&](Message::Builder message) {
    auto call = message.initCall();
    call.setQuestionId(question);
    auto answer = call.initTarget().initPromisedAnswer();
    answer.setQuestionId(target);
    if (pointer >= 0)
      answer.initTransform(1)[0].setGetPointerField(uint16_t(pointer));
    call.setInterfaceId(capnp::typeId<Interface>());
    call.setMethodId(method);
    auto params = call.initParams();
    fill(params.getContent().initAs<Params>());
    // The descriptor that comes with each message.
    auto table = params.initCapTable(1);
    table[0].setSenderHosted(question);
    table[0].setAttachedFd(0);
  });
}

void writeCalls(rt::fuzz::SeedFolder &seeds) {
  using Driver = wire::Driver;
  PackedMessages plain(1);
  addBootstrap(plain);
  addCall<Driver, Driver::DescribeParams>(plain, 1, 0, 0, [](auto) {});
  addCall<Driver, Driver::StatusParams>(plain, 2, 0, 1, [](auto) {});
  addCall<Driver, Driver::TraceParams>(plain, 3, 0, 8, [](auto) {});
  seeds.write("ServiceHost", "plain", plain.bytes());

  PackedMessages models(1);
  addBootstrap(models);
  addCall<Driver, Driver::SupportedOperationsParams>(
      models, 1, 0, 2, [](Driver::SupportedOperationsParams::Builder params) {
        (void)write(reluModel(), params.initModel());
      });
  addCall<Driver, Driver::PrepareModelParams>(
      models, 2, 0, 3, [](Driver::PrepareModelParams::Builder params) {
        (void)write(reluModel(), params.initModel());
        (void)write(rt::PrepareOptions(), params.initOptions());
      });
  addCall<Driver, Driver::AllocateParams>(
      models, 3, 0, 6, [](Driver::AllocateParams::Builder params) {
        params.initDimensions(1).set(0, 2);
        params.initInputRoles(1);
      });
  addCall<Driver, Driver::ImportMemoryParams>(
      models, 4, 0, 7, [](Driver::ImportMemoryParams::Builder params) {
        auto pool = params.initPool();
        pool.setName("mmap_fd");
        pool.setSize(4096);
        pool.setProtection(3);
      });
  // Question 2 is answered by a model: "model" is pointer 1 of the answer.
  using Prepared = wire::PreparedModel;
  addCall<Prepared, Prepared::DescribeParams>(models, 5, 2, 0, [](auto) {}, 1);
  addCall<Prepared, Prepared::ExecuteParams>(
      models, 6, 2, 1,
      [](Prepared::ExecuteParams::Builder params) {
        auto request = params.initRequest();
        auto input = request.initInputs(1)[0].getMemory().initRegion();
        input.setMemory(1);
        input.setSize(24);
        auto output = request.initOutputs(1)[0].getMemory().initRegion();
        output.setMemory(1);
        output.setOffset(64);
        output.setSize(24);
      },
      1);
  seeds.write("ServiceHost", "models", models.bytes());
}

} // namespace

void nnhal::rt::fuzz::writeServiceSeeds(SeedFolder &seeds) {
  kj::EventLoop loop;
  kj::WaitScope scope(loop);
  writeMessages(seeds);
  writeCalls(seeds);
}
