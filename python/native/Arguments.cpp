//===- Arguments.cpp - Arrays as arguments of executions ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exceptions.h"
#include "Model.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::python;
using rt::Status;

/// Whether an array with the flags \p flags of NumPy lies in memory as the
/// runtime wants it.
static bool isPlain(int flags) {
  constexpr int needed = py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ |
                         py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  return (flags & needed) == needed;
}

/// Whether the elements of \p array have the byte order of this machine.
static bool isNative(const py::array &array) {
  char order = py::detail::array_descriptor_proxy(
                   py::detail::array_proxy(array.ptr())->descr)
                   ->byteorder;
  return order == '=' || order == '|' || order == '<';
}

std::string Model::describe(const char *what, size_t index) const {
  const auto &tensors =
      what[0] == 'i' ? interface().inputs : interface().outputs;
  if (tensors[index].name.empty())
    return fmt::format("{} {}", what, index);
  return fmt::format("{} {} ('{}')", what, index, tensors[index].name);
}

/// The name of \p type as NumPy spells it.
static std::string nameOf(const py::dtype &type) {
  return py::str(type).cast<std::string>();
}

/// \p value, which is no array, as one: without a copy when it has a buffer or
/// speaks DLPack.
py::array Model::asArray(Call &call, const Slot &slot, size_t index,
                         py::handle value) {
  py::tuple made =
      py::module_::import("nnhal._arrays")
          .attr("as_array")(value, slot.type, describe("input", index));
  call.copiedBytes += made[1].cast<uint64_t>();
  return made[0].cast<py::array>();
}

void Model::bindInput(Call &call, size_t index, py::handle value) {
  const Slot &slot = inputs[index];
  rt::InputArgument &argument = call.request.inputs[index];
  argument.dimensions.clear();
  if (value.is_none()) {
    argument.memory = {};
    return;
  }
  py::array array = py::isinstance<py::array>(value)
                        ? py::reinterpret_borrow<py::array>(value)
                        : asArray(call, slot, index, value);
  if (array.dtype().num() != slot.number)
    check(rt::badData("{} is an array of {}, and the model takes {}",
                      describe("input", index), nameOf(array.dtype()),
                      nameOf(slot.type)));
  if (!isPlain(array.flags()) || !isNative(array)) {
    array = py::module_::import("numpy")
                .attr("array")(array, slot.type, py::arg("order") = "C")
                .cast<py::array>();
    call.copiedBytes += uint64_t(array.nbytes());
  }
  auto rank = size_t(array.ndim());
  const py::ssize_t *shape = array.shape();
  if (slot.isBytes) {
    uint64_t size = interface().inputs[index].extension->byteSize;
    if (rank == 0 || uint64_t(shape[rank - 1]) != size)
      check(rt::badData("{} is of an extension type: its last dimension has to "
                        "be the {} bytes of an element",
                        describe("input", index), size));
    --rank;
  }
  for (size_t i = 0; i < rank; ++i) {
    if (shape[i] > py::ssize_t(UINT32_MAX))
      check(rt::badData("{} has an extent of {}, above {}",
                        describe("input", index), shape[i], UINT32_MAX));
    argument.dimensions.push_back(uint32_t(shape[i]));
  }
  argument.memory = rt::Memory::borrow(
      {static_cast<const std::byte *>(array.data()), size_t(array.nbytes())});
  call.inputs[index] = std::move(array);
}

void Model::bindByName(Call &call, const py::dict &arguments,
                       std::vector<bool> &isGiven) {
  for (const auto &[key, value] : arguments) {
    if (!py::isinstance<py::str>(key))
      check(rt::badData("the key {} of an input is no text",
                        py::repr(key).cast<std::string>()));
    auto found =
        tools::findTensor("input", interface().inputs, key.cast<std::string>());
    if (!found.isOk())
      check(found.status());
    if (isGiven[*found])
      check(rt::badData("{} is given twice", describe("input", *found)));
    isGiven[*found] = true;
    bindInput(call, *found, value);
  }
}

uint64_t python::nanosecondsOf(double seconds) {
  constexpr double maxSeconds = 1e9;
  if (!(seconds >= 0.0 && seconds <= maxSeconds))
    check(rt::badData("a timeout of {} s is not 0 to {}", seconds, maxSeconds));
  return uint64_t(seconds * 1e9);
}

/// Gives the states that are not \p isGiven.
void Model::bindMissing(Call &call, const std::vector<bool> &isGiven,
                        const States *states) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (isGiven[i])
      continue;
    if (inputs[i].state < 0)
      check(rt::badData("{} is missing", describe("input", i)));
    const rt::AlignedBuffer &buffer =
        (states ? states->current : initial)[size_t(inputs[i].state)];
    call.request.inputs[i].dimensions = interface().inputs[i].dimensions;
    call.request.inputs[i].memory = rt::Memory::borrow(buffer.bytes());
  }
}

/// Has output \p index written to \p array.
void Model::useOutput(Call &call, size_t index, const py::array &array) {
  void *data = py::detail::array_proxy(array.ptr())->data;
  call.request.outputs[index].memory = rt::OutputMemory::borrow(
      {static_cast<std::byte *>(data), size_t(array.nbytes())});
  call.outputs[index] = array;
}

/// Has output \p index written to a new array.
void Model::makeOutput(Call &call, size_t index,
                       const std::vector<uint32_t> &dimensions) {
  constexpr size_t maxRank = 32;
  py::ssize_t shape[maxRank];
  size_t rank = 0;
  for (uint32_t extent : dimensions)
    if (rank < maxRank - 1)
      shape[rank++] = extent;
  if (outputs[index].isBytes)
    shape[rank++] = interface().outputs[index].extension->byteSize;
  const auto &numpy = py::detail::npy_api::get();
  // py::array computes strides first, which takes longer than the allocation.
  py::object made =
      py::reinterpret_steal<py::object>(numpy.PyArray_NewFromDescr_(
          numpy.PyArray_Type_, outputs[index].type.inc_ref().ptr(), int(rank),
          shape, nullptr, nullptr, 0, nullptr));
  if (!made)
    throw py::error_already_set();
  useOutput(call, index, py::reinterpret_steal<py::array>(made.release()));
}

/// Has the outputs written to the arrays \p given, or to new ones.
void Model::bindOutputs(Call &call, py::handle given, States *states) {
  py::sequence arrays;
  if (given && !given.is_none()) {
    arrays = py::reinterpret_borrow<py::sequence>(given);
    size_t count = size_t(std::ranges::count_if(
        outputs, [&](const Slot &slot) { return !states || slot.state < 0; }));
    if (py::isinstance<py::str>(given) || !PySequence_Check(given.ptr()) ||
        py::len(arrays) != count)
      check(rt::badData("out has to be a sequence of {} arrays", count));
  }
  size_t next = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    call.isGiven[i] = false;
    if (states && outputs[i].state >= 0) {
      call.request.outputs[i].memory = rt::OutputMemory::borrow(
          states->next[size_t(outputs[i].state)].bytes());
      continue;
    }
    py::object target;
    if (given && !given.is_none())
      target = arrays[next++];
    if (!target || target.is_none()) {
      makeOutput(call, i,
                 lastShapes[i].empty() ? interface().outputs[i].dimensions
                                       : lastShapes[i]);
      continue;
    }
    py::array array =
        py::module_::import("nnhal._arrays")
            .attr("as_target")(target, outputs[i].type, describe("output", i))
            .cast<py::array>();
    checkTarget(i, array);
    useOutput(call, i, array);
    call.isGiven[i] = true;
  }
}

/// Whether \p array has the shape of output \p index, where that is known.
void Model::checkTarget(size_t index, const py::array &array) const {
  const rt::InterfaceTensor &tensor = interface().outputs[index];
  if (!outputs[index].isFixed)
    return;
  py::tuple shape = shapeOf(tensor);
  if (!shape.equal(array.attr("shape")))
    check(rt::badData("{} has shape {}, and the array has {}",
                      describe("output", index),
                      py::str(shape).cast<std::string>(),
                      py::str(array.attr("shape")).cast<std::string>()));
}

std::unique_ptr<Call> Model::bind(const py::args &args,
                                  const py::kwargs &keywords, States *states) {
  std::unique_ptr<Call> call;
  if (idle.empty()) {
    call = std::make_unique<Call>();
    call->request.inputs.resize(inputs.size());
    call->request.outputs.resize(outputs.size());
    call->inputs.resize(inputs.size());
    call->outputs.resize(outputs.size());
    call->isGiven.resize(outputs.size());
  } else {
    call = std::move(idle.back());
    idle.pop_back();
  }
  call->copiedBytes = 0;
  call->request.deadline = rt::noDeadline;
  py::handle out;
  bool isNamed = args.size() == 1 && py::isinstance<py::dict>(args[0]);
  if (args.size() == inputs.size() && keywords.empty() && !isNamed) {
    for (size_t i = 0; i < inputs.size(); ++i)
      bindInput(*call, i, args[i]);
  } else {
    out = bindMixed(*call, args, keywords, isNamed, states);
  }
  bindOutputs(*call, out, states);
  return call;
}

/// Binds inputs by position and by name, and returns the keyword `out`.
py::handle Model::bindMixed(Call &call, const py::args &args,
                            const py::kwargs &keywords, bool isNamed,
                            States *states) {
  std::vector<bool> isGiven(inputs.size(), false);
  if (!isNamed && args.size() > inputs.size())
    check(rt::badData("{} inputs are given, and the model has {}", args.size(),
                      inputs.size()));
  if (isNamed)
    bindByName(call, args[0], isGiven);
  for (size_t i = 0; i < args.size() && !isNamed; ++i) {
    bindInput(call, i, args[i]);
    isGiven[i] = true;
  }
  py::handle out;
  py::dict named;
  for (const auto &[key, value] : keywords) {
    std::string_view name = py::cast<std::string_view>(key);
    if (name == "out")
      out = value;
    else if (name != "timeout")
      named[key] = value;
    else if (!value.is_none())
      call.request.deadline =
          rt::steadyNow() + rt::Deadline(nanosecondsOf(value.cast<double>()));
  }
  bindByName(call, named, isGiven);
  bindMissing(call, isGiven, states);
  return out;
}

bool Model::hasToGrow(Call &call, const Status &status, States *states) {
  counters.convertedBytes += std::exchange(call.copiedBytes, 0);
  if (status.isOk()) {
    ++counters.executions;
    counters.stagedBytes += call.result.copiedBytes;
    return false;
  }
  if (status.code() != rt::StatusCode::outputInsufficientSize)
    check(status);
  bool hasGrown = false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const rt::OutputShape &shape = call.result.outputShapes[i];
    if (shape.isSufficient || (states && outputs[i].state >= 0))
      continue;
    if (outputs[i].isFixed || call.isGiven[i])
      check(status);
    makeOutput(call, i, shape.dimensions);
    lastShapes[i] = shape.dimensions;
    hasGrown = true;
  }
  if (!hasGrown)
    check(status);
  return true;
}

/// Output \p index in the shape that the execution reported.
py::object Model::asReported(Call &call, size_t index) {
  if (outputs[index].isFixed)
    return std::move(call.outputs[index]);
  const std::vector<uint32_t> &reported =
      call.result.outputShapes[index].dimensions;
  std::vector<py::ssize_t> shape(reported.begin(), reported.end());
  if (outputs[index].isBytes)
    shape.push_back(interface().outputs[index].extension->byteSize);
  auto whole = py::reinterpret_borrow<py::array>(call.outputs[index]);
  if (std::equal(shape.begin(), shape.end(), whole.shape(),
                 whole.shape() + whole.ndim()))
    return std::move(call.outputs[index]);
  py::array view(outputs[index].type, std::move(shape), whole.data(), whole);
  call.outputs[index] = py::object();
  return view;
}

py::list Model::take(std::unique_ptr<Call> call) {
  size_t count = 0;
  for (const py::object &output : call->outputs)
    count += output ? 1 : 0;
  py::list taken(count);
  size_t next = 0;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (call->outputs[i])
      PyList_SET_ITEM(taken.ptr(), py::ssize_t(next++),
                      asReported(*call, i).release().ptr());
  release(std::move(call));
  return taken;
}

void Model::release(std::unique_ptr<Call> call) {
  constexpr size_t kept = 32;
  for (py::object &input : call->inputs)
    input = py::object();
  for (py::object &output : call->outputs)
    output = py::object();
  if (idle.size() < kept)
    idle.push_back(std::move(call));
}
