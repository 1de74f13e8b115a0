//===- Executions.cpp - Executions beside a plain call --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executions.h"

#include "Exceptions.h"

#include "Runtime/Support/Errors.h"

#include <cstdlib>
#include <cstring>

using namespace nnhal;
using namespace nnhal::python;
using rt::Status;

std::unique_ptr<Execution> Execution::launch(std::shared_ptr<Model> model,
                                             std::unique_ptr<Call> call) {
  std::unique_ptr<Execution> execution(
      new Execution(std::move(model), std::move(call)));
  execution->start();
  return execution;
}

void Execution::start() {
  ended = unwrap(rt::Fence::create());
  outcome = std::make_shared<Outcome>();
  py::gil_scoped_release unlocked;
  // The callback hears of a launch that failed, too.
  (void)model->preparedModel()->executeAsync(
      call->request, [outcome = outcome, fence = ended](
                         Status status, const rt::ExecutionResult &result) {
        outcome->status = status;
        outcome->result = result;
        fence->complete(std::move(status));
      });
}

std::unique_ptr<Execution> Execution::launchFenced(
    std::shared_ptr<Model> model, std::unique_ptr<Call> call,
    std::vector<rt::FenceRef> waitFor, std::optional<double> seconds) {
  std::unique_ptr<Execution> execution(
      new Execution(std::move(model), std::move(call)));
  std::optional<uint64_t> duration;
  if (seconds)
    duration = nanosecondsOf(*seconds);
  auto launched = [&] {
    py::gil_scoped_release unlocked;
    return execution->model->preparedModel()->executeFenced(
        execution->call->request, std::move(waitFor), duration);
  }();
  execution->fenced = unwrap(std::move(launched));
  execution->ended = execution->fenced->fence();
  return execution;
}

void Execution::wait() const {
  if (!ended || ended->outcome())
    return;
  py::gil_scoped_release unlocked;
  // How it ended is asked of the outcome.
  (void)ended->wait(rt::noDeadline).isOk();
}

Execution::~Execution() { wait(); }

bool Execution::relaunch() {
  if (!call)
    check(rt::badData("the outputs of this execution have been taken"));
  if (fenced) {
    Status status = fenced->executionInfo().status;
    // Fenced executions know all shapes, so that none is told.
    call->result = {};
    const auto &tensors = model->interface().outputs;
    for (const rt::InterfaceTensor &tensor : tensors)
      call->result.outputShapes.push_back({tensor.dimensions, true});
    return model->hasToGrow(*call, status, nullptr);
  }
  call->result = std::move(outcome->result);
  if (!model->hasToGrow(*call, outcome->status, nullptr))
    return false;
  start();
  return true;
}

py::list Execution::result() {
  do
    wait();
  while (relaunch());
  return take();
}

py::list Execution::take() { return model->take(std::move(call)); }

Stream::Stream(std::shared_ptr<Model> given) : model(std::move(given)) {
  if (model->interface().statePairs.empty())
    check(rt::badData("the model has no states"));
  held.current = unwrap(model->initialStates());
  held.next = unwrap(model->initialStates());
}

namespace {
/// Marks a stream while one thread executes.
class Turn {
public:
  explicit Turn(bool &isBusy) : isBusy(isBusy) {
    if (isBusy)
      check(rt::failure("another execution of this stream runs"));
    isBusy = true;
  }
  ~Turn() { isBusy = false; }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  bool &isBusy;
};
} // namespace

py::list Stream::execute(const py::args &args, const py::kwargs &keywords) {
  Turn turn(isBusy);
  std::unique_ptr<Call> call = model->bind(args, keywords, &held);
  model->run(
      *call,
      [&](const rt::Request &request, rt::ExecutionResult &result) {
        return model->preparedModel()->execute(request, result);
      },
      &held);
  std::swap(held.current, held.next);
  return model->take(std::move(call));
}

void Stream::reset() {
  Turn turn(isBusy);
  held.current = unwrap(model->initialStates());
}

py::dict Stream::states() const {
  py::dict states;
  const auto &pairs = model->interface().statePairs;
  for (size_t i = 0; i < pairs.size(); ++i)
    states[py::str(model->interface().inputs[pairs[i].inputIndex].name)] =
        model->stateArray(held, i);
  return states;
}

void Stream::setStates(const py::dict &values) {
  Turn turn(isBusy);
  const auto &pairs = model->interface().statePairs;
  for (const auto &[key, value] : values) {
    size_t index = unwrap(tools::findTensor("input", model->interface().inputs,
                                            py::str(key).cast<std::string>()));
    size_t state = 0;
    while (state < pairs.size() && pairs[state].inputIndex != index)
      ++state;
    if (state == pairs.size())
      check(rt::badData("input {} is no state", index));
    py::array present = model->stateArray(held, state);
    py::array given = py::module_::import("numpy")
                          .attr("ascontiguousarray")(value, present.dtype())
                          .cast<py::array>();
    if (given.nbytes() != present.nbytes())
      check(rt::badData("state {} has {} bytes, and {} are given", index,
                        present.nbytes(), given.nbytes()));
    std::memcpy(held.current[state].data(), given.data(),
                size_t(given.nbytes()));
  }
}

BurstSession::BurstSession(std::shared_ptr<Model> given)
    : model(std::move(given)) {
  rt::BurstOptions options =
      rt::burstOptions(rt::ExecutionPreference::fastSingleAnswer, getenv);
  py::gil_scoped_release unlocked;
  auto created = rt::Burst::create(model->preparedModel(), options);
  py::gil_scoped_acquire locked;
  burst = unwrap(std::move(created));
}

py::list BurstSession::execute(const py::args &args,
                               const py::kwargs &keywords) {
  // Another thread may close the burst meanwhile.
  std::shared_ptr<rt::Burst> held = burst;
  if (!held)
    check(rt::badData("the burst is closed"));
  std::unique_ptr<Call> call = model->bind(args, keywords);
  model->run(*call,
             [&](const rt::Request &request, rt::ExecutionResult &result) {
               return held->execute(request, result);
             });
  return model->take(std::move(call));
}

uint64_t BurstSession::ordinaryExecutions() const {
  return burst ? burst->ordinaryExecutions() : 0;
}

void BurstSession::close() {
  std::shared_ptr<rt::Burst> closed = std::move(burst);
  py::gil_scoped_release unlocked;
  closed.reset();
}
