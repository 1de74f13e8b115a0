//===- Ways.cpp - The ways in which cases are executed --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ways.h"

#include "Tools/Options/Values.h"

#include "Runtime/Support/SplitAt.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tools;

static constexpr Choice<Way> allWays[] = {
    {"sync", Way::sync},
    {"async", Way::async},
    {"fenced", Way::fenced},
    {"burst", Way::burst},
    {"buffers", Way::buffers},
    {"cached", Way::cached},
    {"insufficient", Way::insufficient},
};

std::string_view tools::nameOf(Way way) {
  return std::ranges::find(allWays, way, &Choice<Way>::value)->word;
}

bool Ways::contains(Way way) const {
  return std::ranges::find(list, way) != list.end();
}

rt::Result<Ways> tools::parseWays(std::string_view text) {
  Ways ways;
  ways.isAll = text == "all";
  if (ways.isAll) {
    for (const Choice<Way> &choice : allWays)
      ways.list.push_back(choice.value);
    return ways;
  }
  for (std::string_view word : rt::splitAt(text, ',')) {
    const auto *found = std::ranges::find(allWays, word, &Choice<Way>::word);
    if (found == std::end(allWays)) {
      std::vector<std::string_view> words;
      for (const Choice<Way> &choice : allWays)
        words.push_back(choice.word);
      words.emplace_back("all");
      return notAmong(word, words);
    }
    ways.list.push_back(found->value);
  }
  return ways;
}
