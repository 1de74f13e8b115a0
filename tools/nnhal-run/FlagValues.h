//===- FlagValues.h - Values of options -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_FLAGVALUES_H
#define NNHAL_TOOLS_NNHAL_RUN_FLAGVALUES_H

#include "Flags.h"

namespace nnhal::run {

inline constexpr uint64_t maxCount = 1'000'000'000;

// Each stores the value of the option that it is named after; invalidArgument
// says what is wrong with the value.
rt::Status setInput(Flags &flags, std::string_view value);
rt::Status setExpect(Flags &flags, std::string_view value);
rt::Status setTolerance(Flags &flags, std::string_view value);
rt::Status setShape(Flags &flags, std::string_view value);
rt::Status setRounding(Flags &flags, std::string_view value);
rt::Status setTime(Flags &flags, std::string_view value);
rt::Status setExplain(Flags &flags, std::string_view value);
rt::Status setDevices(Flags &flags, std::string_view value);
rt::Status setPlanner(Flags &flags, std::string_view value);
rt::Status setCompileThreads(Flags &flags, std::string_view value);
rt::Status setThreads(Flags &flags, std::string_view value);
rt::Status setMode(Flags &flags, std::string_view value);
rt::Status setDeferred(Flags &flags, std::string_view value);
rt::Status setStages(Flags &flags, std::string_view value);
rt::Status setPrintOutputs(Flags &flags, std::string_view value);
rt::Status setTop(Flags &flags, std::string_view value);
rt::Status setImageCrop(Flags &flags, std::string_view value);
rt::Status setImageMean(Flags &flags, std::string_view value);
rt::Status setImageDeviation(Flags &flags, std::string_view value);
rt::Status setLoopTimeout(Flags &flags, std::string_view value);
rt::Status setPreference(Flags &flags, std::string_view value);
rt::Status setPriority(Flags &flags, std::string_view value);
rt::Status setDeadline(Flags &flags, std::string_view value);
rt::Status setFenceAfter(Flags &flags, std::string_view value);
rt::Status setPools(Flags &flags, std::string_view value);
rt::Status setVerify(Flags &flags, std::string_view value);
rt::Status setWays(Flags &flags, std::string_view value);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_FLAGVALUES_H
