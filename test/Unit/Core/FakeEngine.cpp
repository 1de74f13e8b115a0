//===- FakeEngine.cpp - A device with memory and threads of its own -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <chrono>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

void EngineControl::hold() {
  std::lock_guard lock(mutex);
  isHeld = true;
}

void EngineControl::release() {
  std::lock_guard lock(mutex);
  isHeld = false;
  changed.notify_all();
}

bool EngineControl::waitForRelease(const std::function<bool()> &isCancelled) {
  std::unique_lock lock(mutex);
  while (isHeld) {
    if (isCancelled())
      return false;
    changed.wait_for(lock, std::chrono::milliseconds(1));
  }
  return true;
}

namespace {
/// Bytes that only the engine looks at.
class EngineMemory final : public DeviceMemory {
public:
  explicit EngineMemory(std::shared_ptr<EngineControl> control)
      : control(std::move(control)) {}
  Status resize(std::span<const uint32_t>, uint64_t size) override {
    bytes.assign(size, std::byte(0xEE));
    return Status::ok();
  }
  Status read(std::span<std::byte> target) const override {
    ++control->copies;
    std::memcpy(target.data(), bytes.data(), target.size());
    return Status::ok();
  }
  Status write(std::span<const std::byte> source) override {
    ++control->copies;
    std::memcpy(bytes.data(), source.data(), source.size());
    return Status::ok();
  }

  std::vector<std::byte> bytes;

private:
  std::shared_ptr<EngineControl> control;
};

struct EngineWorkspace final : Workspace {
  std::vector<float> registers;
};

/// The command queue, with what is known of its fences.
class Engine {
public:
  explicit Engine(std::shared_ptr<EngineControl> given)
      : control(std::move(given)), thread([this] { work(); }) {
    control->thread = thread.get_id();
  }
  ~Engine() {
    control->destroyedOn = std::this_thread::get_id();
    {
      std::lock_guard lock(mutex);
      isEnding = true;
      changed.notify_all();
    }
    thread.join();
    control->isDestroyed = true;
  }

  void push(std::function<void()> command) {
    std::lock_guard lock(mutex);
    commands.push_back(std::move(command));
    changed.notify_all();
  }

  /// A fence as a driver would export it; \p own is what the queue signals.
  Result<FenceRef> exportFence(const FenceRef &own) {
    NNHAL_ASSIGN_OR_RETURN(UniqueFd fd, own->share());
    NNHAL_ASSIGN_OR_RETURN(FenceRef exported, Fence::adopt(std::move(fd)));
    std::lock_guard lock(mutex);
    known.insert(exported.get());
    return exported;
  }
  bool knows(const Fence &fence) {
    std::lock_guard lock(mutex);
    return known.contains(&fence);
  }

  const std::shared_ptr<EngineControl> control;

private:
  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return isEnding || !commands.empty(); });
      if (commands.empty())
        return;
      std::function<void()> command = std::move(commands.front());
      commands.pop_front();
      lock.unlock();
      command();
      command = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> commands;
  std::set<const Fence *> known;
  bool isEnding = false;
  std::thread thread;
};

class EngineModel final : public LoadedModel {
public:
  EngineModel(Interface face, std::shared_ptr<Engine> engine)
      : face(std::move(face)), engine(std::move(engine)) {}

  const Interface &interface() const override { return face; }
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &) const override {
    ++engine->control->workspaces;
    return std::unique_ptr<Workspace>(std::make_unique<EngineWorkspace>());
  }
  bool isAsynchronous() const override { return true; }
  bool usesFences() const override { return true; }
  Status submit(Invocation &invocation, Completion &completion) const override;

private:
  static Status execute(EngineControl &control, Invocation &invocation);

  const Interface face;
  const std::shared_ptr<Engine> engine;
};

/// Where the engine finds the bytes of \p argument.
std::byte *bytesOf(EngineControl &control, const InvocationArgument &argument,
                   bool isOutput) {
  if (argument.memory)
    return static_cast<EngineMemory *>(argument.memory)->bytes.data();
  if (argument.data || !argument.pool)
    return argument.data;
  ++control.importedPools;
  // What a driver makes of the descriptor.
  if (isOutput)
    return argument.pool->mapForWriting()->data() + argument.offset;
  return const_cast<std::byte *>(argument.pool->mapForReading()->data()) +
         argument.offset;
}

/// Bytes may be at any place of a pool.
Status EngineModel::execute(EngineControl &control, Invocation &invocation) {
  const InvocationArgument &input = invocation.inputs[0];
  InvocationArgument &output = invocation.outputs[0];
  NNHAL_RETURN_IF_ERROR(control.status);
  std::vector<float> &registers =
      static_cast<EngineWorkspace &>(*invocation.workspace).registers;
  registers.assign(size_t(input.extents[0]), 0);
  if (!registers.empty())
    std::memcpy(registers.data(), bytesOf(control, input, false),
                registers.size() * sizeof(float));
  if (invocation.operations)
    invocation.operations->took(0, 100, 350);
  for (float &value : registers)
    value += 1;
  registers.resize(registers.size() + control.addedExtent, -1);
  output.extents[0] = int64_t(registers.size());
  uint64_t size = registers.size() * sizeof(float);
  output.isSufficient = size <= output.size;
  if (output.isSufficient && size > 0)
    std::memcpy(bytesOf(control, output, true), registers.data(), size);
  invocation.timeOnDevice = control.timeOnDevice;
  return Status::ok();
}

Status EngineModel::submit(Invocation &invocation,
                           Completion &completion) const {
  EngineControl &control = *engine->control;
  if (control.lacksMemory)
    throw std::bad_alloc();
  NNHAL_RETURN_IF_ERROR(control.submitStatus);
  FenceRef own;
  if (invocation.wantsFence && control.makesFences) {
    NNHAL_ASSIGN_OR_RETURN(own, Fence::create());
    NNHAL_ASSIGN_OR_RETURN(invocation.fence, engine->exportFence(own));
  }
  ++control.submitted;
  // The queue executes in order: its own fences have signaled by then.
  control.fencesWaitedFor += int(invocation.waitFor.size());
  engine->push([own, &invocation, &completion, &control] {
    Status status;
    if (control.waitForRelease([&] { return invocation.isCancelled(); })) {
      status = execute(control, invocation);
    } else {
      ++control.cancelled;
      status = Status(StatusCode::missedDeadlineTransient, "cancelled");
    }
    ++control.ended;
    if (own)
      own->complete(status);
    completion.complete(std::move(status));
  });
  return Status::ok();
}

class EngineBackend final : public Backend {
public:
  explicit EngineBackend(std::shared_ptr<EngineControl> given)
      : control(std::move(given)), engine(std::make_shared<Engine>(control)) {
    description.name = "test-engine";
    description.version = "1";
    description.type = DeviceType::accelerator;
  }
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    return std::vector<Status>(model.model.main.operations.size());
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &,
       const LoadObserver &) const override {
    return std::unique_ptr<LoadedModel>(
        std::make_unique<EngineModel>(interfaceOf(model), engine));
  }
  Result<std::unique_ptr<LoadedModel>>
  loadBaseline(const AnnotatedModel &model) const override {
    if (!control->baseline)
      return Backend::loadBaseline(model);
    return control->baseline(model);
  }
  Result<std::unique_ptr<DeviceMemory>>
  allocate(const DeviceMemoryRequest &request) const override {
    if (request.roles.empty())
      return failure("a buffer needs a role");
    return std::unique_ptr<DeviceMemory>(
        std::make_unique<EngineMemory>(control));
  }
  bool importsPool(const SharedMemory &) const override {
    return control->importsPools;
  }
  bool waitsFor(const Fence &fence) const override {
    return engine->knows(fence);
  }

private:
  const std::shared_ptr<EngineControl> control;
  const std::shared_ptr<Engine> engine;
  DeviceInfo description;
};
} // namespace

std::unique_ptr<Backend>
nnhal::rt::testing::createFakeEngine(std::shared_ptr<EngineControl> control) {
  return std::make_unique<EngineBackend>(std::move(control));
}
