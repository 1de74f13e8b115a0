//===- Conv3D.cpp - Convolutions of volumes -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CONV_3D and CONV_3D_TRANSPOSE of floats. Both walk over pairs of elements of
// a coarse and a fine volume, the output and the input of CONV_3D; the window
// lies in the fine one.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FixedPoint.h"
#include "Window.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet floatsOnly = elementSet(Element::float32);

/// The window along depth, height and width; the filter has its extents.
using Windows = std::array<WindowAxis, 3>;
Windows windowsOf(const Use &use) {
  bool isSame = use.integer("padding") == 0;
  return {{{use.extent(1, 0), use.integer("stride_d"),
            use.integer("dilation_d"), isSame},
           {use.extent(1, 1), use.integer("stride_h"),
            use.integer("dilation_h"), isSame},
           {use.extent(1, 2), use.integer("stride_w"),
            use.integer("dilation_w"), isSame}}};
}

/// Checks that input, filter and bias are about the same channels.
Status checkOperands(const Use &use, size_t input, size_t bias,
                     int64_t inputAxis, int64_t channelAxis) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, floatsOnly));
  for (size_t tensor : {input, size_t(1)}) {
    NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, floatsOnly));
    NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 5, 5));
  }
  NNHAL_RETURN_IF_ERROR(use.checkExtent(1, inputAxis, use.extent(input, 4)));
  if (!use.has(bias))
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(use.checkElement(bias, floatsOnly));
  NNHAL_RETURN_IF_ERROR(use.checkRank(bias, 1, 1));
  return use.checkExtent(bias, 0, use.extent(1, channelAxis));
}

Result<Types> checkConv3D(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkOperands(use, 0, 2, 3, 4));
  Windows windows = windowsOf(use);
  Extents extents = use.input(0).dimensions;
  extents[4] = use.extent(1, 4);
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t &extent = extents[axis + 1];
    if (windows[axis].size == unknownExtent)
      extent = unknownExtent;
    NNHAL_ASSIGN_OR_RETURN(extent, windowPlaces(windows[axis], extent));
  }
  return onlyResult(use, std::move(extents));
}

Result<Types> checkTranspose(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(0, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(checkOperands(use, 2, 3, 4, 3));
  int64_t channels = use.extent(1, 3);
  std::optional<Extents> shape = use.integers(0);
  if (!shape)
    return onlyResult(use, {use.extent(2, 0), unknownExtent, unknownExtent,
                            unknownExtent, channels});
  if (shape->size() != 5)
    return refuse(use.nameOf(0), " has ", shape->size(),
                  " elements, but must have 5");
  for (int64_t extent : *shape)
    if (extent < 1)
      return refuse("extent ", extent, " of the output must be positive");
  if (!mayEqual((*shape)[0], use.extent(2, 0)) ||
      !mayEqual((*shape)[4], channels))
    return refuse("output shape ", extentsText(*shape), " must have batch ",
                  use.extent(2, 0), " and depth ", channels);
  return onlyResult(use, std::move(*shape));
}

/// Numbers of elements of both volumes and of the filter, without channels.
struct Tap {
  int64_t coarse = 0, fine = 0, filter = 0;
};

struct Walk {
  Windows windows;
  const Extents &coarse, &fine;

  /// Calls \p function(tap) for each element of the window at each place that
  /// lies inside, for dimension \p axis and those behind it.
  template <size_t axis, typename Function>
  void forEachTap(Tap tap, const Function &function) const {
    if constexpr (axis == 3) {
      function(tap);
    } else {
      const WindowAxis &window = windows[axis];
      int64_t extent = fine[axis + 1], before = window.before(extent);
      for (int64_t place = 0; place < coarse[axis + 1]; ++place)
        for (int64_t index = 0; index < window.size; ++index) {
          int64_t inside =
              place * window.stride - before + index * window.dilation;
          if (inside < 0 || inside >= extent)
            continue;
          forEachTap<axis + 1>({tap.coarse * coarse[axis + 1] + place,
                                tap.fine * extent + inside,
                                tap.filter * window.size + index},
                               function);
        }
    }
  }
};

/// Adds the bias and applies the activation.
void finish(const Run &run, size_t bias, float *to) {
  const Use &use = run.use;
  auto activation = Activation(use.integer("activation"));
  int64_t channels = run.types[0].dimensions[4];
  int64_t count = elementCount(run.types[0]);
  for (int64_t index = 0; index < count; ++index) {
    float added =
        use.has(bias) ? use.data<float>(bias)[index % channels] : 0.0f;
    to[index] = activated(to[index] + added, activation);
  }
}

Status runConv3D(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  std::fill_n(to, elementCount(run.types[0]), 0.0f);
  Walk walk = {windowsOf(use), run.types[0].dimensions,
               use.input(0).dimensions};
  int64_t depth = use.extent(0, 4), channels = use.extent(1, 4);
  const auto *from = use.data<float>(0), *filter = use.data<float>(1);
  for (int64_t batch = 0; batch < use.extent(0, 0); ++batch)
    walk.forEachTap<0>({batch, batch, 0}, [&](const Tap &tap) {
      float *sums = to + tap.coarse * channels;
      for (int64_t index = 0; index < depth; ++index) {
        float value = from[tap.fine * depth + index];
        const float *weights = filter + (tap.filter * depth + index) * channels;
        for (int64_t channel = 0; channel < channels; ++channel)
          sums[channel] += value * weights[channel];
      }
    });
  finish(run, 2, to);
  return Status::ok();
}

Status runTranspose(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  std::fill_n(to, elementCount(run.types[0]), 0.0f);
  Walk walk = {windowsOf(use), use.input(2).dimensions,
               run.types[0].dimensions};
  int64_t depth = use.extent(2, 4), channels = use.extent(1, 3);
  const auto *from = use.data<float>(2), *filter = use.data<float>(1);
  for (int64_t batch = 0; batch < use.extent(2, 0); ++batch)
    walk.forEachTap<0>({batch, batch, 0}, [&](const Tap &tap) {
      const float *values = from + tap.coarse * depth;
      for (int64_t channel = 0; channel < channels; ++channel) {
        const float *weights =
            filter + (tap.filter * channels + channel) * depth;
        float &sum = to[tap.fine * channels + channel];
        for (int64_t index = 0; index < depth; ++index)
          sum += values[index] * weights[index];
      }
    });
  finish(run, 3, to);
  return Status::ok();
}

constexpr OptionRow options[] = {paddingOption,
                                 positiveOption("stride_d"),
                                 positiveOption("stride_w"),
                                 positiveOption("stride_h"),
                                 activationOption,
                                 positiveOption("dilation_d"),
                                 positiveOption("dilation_w"),
                                 positiveOption("dilation_h")};

constexpr OperatorRow rows[] = {
    {132, "CONV_3D", "input filter bias? ", 0, floatsOnly, options, 1,
     checkConv3D, runConv3D},
    {141, "CONV_3D_TRANSPOSE", "output_shape filter input bias? ", 2,
     floatsOnly, options, 1, checkTranspose, runTranspose},
};

} // namespace

Rows tflite::conv3DRows() { return rows; }
