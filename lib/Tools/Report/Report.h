//===- Report.h - Standard output -------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_REPORT_REPORT_H
#define NNHAL_LIB_TOOLS_REPORT_REPORT_H

#include "Tools/Execution/Execute.h"
#include "Tools/Execution/Load.h"

namespace nnhal::tools {

/// The form in which times are printed.
enum class TimeFormat { none, text, json };

/// "output 0 ('y') TENSOR_FLOAT32 [1,3]: 0.5 1 2 ..." with \p count values.
std::string describeOutput(const OutputTensor &output, size_t index,
                           uint64_t count);

/// The answer to --top: a line for each of the \p count highest values of
/// \p output, with the label of its place along the last dimension. Empty where
/// \p labels are those of another output, whose last extent is another.
std::string describeTop(const OutputTensor &output, size_t index,
                        const rt::InterfaceTensor &tensor, uint64_t count,
                        std::span<const std::string> labels);

/// The answer to --top for an output whose values are numbers of classes: a
/// line for each of the first \p count, with the class's label if it has one.
std::string describeClasses(const OutputTensor &output, size_t index,
                            const rt::InterfaceTensor &tensor, uint64_t count,
                            std::span<const std::string> labels);

/// The answer to --time, ending with a newline: a table with one row per mode,
/// or one JSON object per line.
std::string describeTimes(const LoadOutcome &loaded,
                          std::span<const Executed> executions,
                          TimeFormat format);

/// The answer to --list-devices for one device.
std::string describeDevice(const rt::Device &device);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_REPORT_REPORT_H
