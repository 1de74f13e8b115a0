//===- RuntimePrecompiled.h - What the runtime includes ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The precompiled header of the runtime's components. It holds no header of the
// project, whose changes would compile every component again.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CMAKE_RUNTIMEPRECOMPILED_H
#define NNHAL_CMAKE_RUNTIMEPRECOMPILED_H

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#endif // NNHAL_CMAKE_RUNTIMEPRECOMPILED_H
