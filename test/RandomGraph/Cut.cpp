//===- Cut.cpp - Cuts graphs down to what a device takes ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cut.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::Result;

/// For each operation of the main graph, whether \p tested supports it.
static Result<std::vector<bool>> askSupport(const rt::Device &tested,
                                            const rt::Model &model) {
  rt::AnnotatedModel annotated;
  annotated.model = model;
  NNHAL_ASSIGN_OR_RETURN(std::vector<rt::Status> answers,
                         tested.supportedOperations(annotated));
  std::vector<bool> isSupported(answers.size());
  for (size_t i = 0; i < answers.size(); ++i)
    isSupported[i] = answers[i].isOk();
  return isSupported;
}

/// The same, but an operation counts as supported, too, when it is without the
/// others: a device may reject a whole graph for one input or output of it.
static Result<std::vector<bool>> askEach(const rt::Device &tested,
                                         const rt::Device &reference,
                                         const rt::TestCase &test,
                                         std::vector<bool> isSupported) {
  NNHAL_ASSIGN_OR_RETURN(Traces traces, traceReference(reference, test));
  for (size_t i = 0; i < isSupported.size(); ++i) {
    if (isSupported[i])
      continue;
    std::vector<bool> isKept(isSupported.size(), false);
    isKept[i] = true;
    rt::TestCase alone = extract(test, traces, isKept);
    // Nothing but contents that mean nothing would be left of it.
    if (alone.model.main.outputIndexes.empty())
      continue;
    NNHAL_ASSIGN_OR_RETURN(std::vector<bool> answer,
                           askSupport(tested, alone.model));
    isSupported[i] = answer[0];
  }
  return isSupported;
}

static bool areAll(const std::vector<bool> &flags) {
  return std::ranges::count(flags, false) == 0;
}

/// Makes constants of what unsupported operations read from model inputs, but
/// for their first operands: those are data.
static uint64_t fixParameters(rt::TestCase &test,
                              const std::vector<bool> &isSupported) {
  std::vector<uint32_t> parameters;
  const rt::Subgraph &main = test.model.main;
  for (size_t i = 0; i < main.operations.size(); ++i)
    for (size_t k = 1; !isSupported[i] && k < main.operations[i].inputs.size();
         ++k)
      parameters.push_back(main.operations[i].inputs[k]);
  uint64_t fixed = 0;
  for (size_t position = main.inputIndexes.size(); position-- > 0;)
    if (std::ranges::count(parameters, main.inputIndexes[position]) != 0)
      fixed += makeConstant(test, position);
  return fixed;
}

Result<Cut> randomgraph::cutToSupported(const rt::Device &tested,
                                        const rt::Device &reference,
                                        rt::TestCase test) {
  Cut cut;
  auto drop = [&](const std::vector<bool> &isKept) {
    const auto &operations = test.model.main.operations;
    for (size_t i = 0; i < operations.size(); ++i)
      if (!isKept[i])
        ++cut.dropped[operations[i].type];
  };
  NNHAL_ASSIGN_OR_RETURN(std::vector<bool> isSupported,
                         askSupport(tested, test.model));
  if (test.expectFailure) {
    if (areAll(isSupported))
      cut.test = std::move(test);
    else
      drop(std::vector<bool>(isSupported.size(), false));
    return cut;
  }
  if (areAll(isSupported)) {
    cut.test = std::move(test);
    return cut;
  }
  NNHAL_ASSIGN_OR_RETURN(Traces traces, traceReference(reference, test));
  rt::TestCase stated = test;
  bool isChanged = makeStatic(stated, traces);
  if (!isChanged && stated.examples.size() > 1) {
    // Examples with other extents cannot be executed any more.
    stated.examples.resize(1);
    traces.resize(1);
    isChanged = makeStatic(stated, traces);
  }
  if (isChanged) {
    test = std::move(stated);
    cut.wasMadeStatic = true;
    NNHAL_ASSIGN_OR_RETURN(isSupported, askSupport(tested, test.model));
  }
  cut.fixedParameters = fixParameters(test, isSupported);
  if (cut.fixedParameters != 0) {
    NNHAL_ASSIGN_OR_RETURN(isSupported, askSupport(tested, test.model));
  }
  // What is cut changes inputs and outputs, and those may matter, too.
  for (bool isFirst = true; !areAll(isSupported); isFirst = false) {
    if (isFirst) {
      NNHAL_ASSIGN_OR_RETURN(isSupported, askEach(tested, reference, test,
                                                  std::move(isSupported)));
    }
    drop(isSupported);
    if (std::ranges::count(isSupported, true) == 0)
      return cut;
    NNHAL_ASSIGN_OR_RETURN(traces, traceReference(reference, test));
    test = extract(test, traces, isSupported);
    NNHAL_ASSIGN_OR_RETURN(isSupported, askSupport(tested, test.model));
  }
  cut.test = std::move(test);
  return cut;
}
