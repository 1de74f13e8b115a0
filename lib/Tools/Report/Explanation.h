//===- Explanation.h - What becomes of each operation -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_REPORT_EXPLANATION_H
#define NNHAL_LIB_TOOLS_REPORT_EXPLANATION_H

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Partition.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// The form in which an explanation is printed.
enum class ExplainFormat { none, text, json };

/// The answer to --explain: what becomes of each operation of a model.
class Explanation {
public:
  /// Asks \p device about \p model.
  static rt::Result<Explanation> create(const rt::AnnotatedModel &model,
                                        const rt::Device &device);

  /// Tells \p plan, which divides \p model.
  static Explanation create(const rt::AnnotatedModel &model,
                            const rt::PartitionPlan &plan);

  /// Adds the compiler's remark about \p operation; see
  /// CompileObserver::remark.
  void addRemark(uint32_t operation, std::string_view text);

  /// One line per device of a divided model and one per operation, each ending
  /// with a newline, or a JSON object with the same.
  std::string text(ExplainFormat format) const;

private:
  struct Line {
    std::string operation;
    bool isSupported = false;
    /// The device that executes it; none where no device supports it.
    std::string device;
    std::optional<uint32_t> step;
    std::optional<rt::AssignmentReason> reason;
    /// The reason in words: why no device supports it, or what decided.
    std::string detail;
    std::string remark;
  };

  std::string asText() const;
  std::string asJson() const;

  /// The devices of a divided model.
  std::optional<rt::PlanExplanation> division;
  std::vector<Line> lines;
  bool wasCompiled = false;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_REPORT_EXPLANATION_H
