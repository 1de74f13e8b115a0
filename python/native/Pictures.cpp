//===- Pictures.cpp - Pictures as arrays ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pictures.h"

#include "Exceptions.h"

#include "Tools/Images/ModelMetadata.h"

#include "Runtime/Support/Errors.h"

#include <pybind11/stl.h>

#include <cstring>

using namespace nnhal;
using namespace nnhal::python;

static py::array readPicture(const std::string &path) {
  auto image = [&] {
    py::gil_scoped_release unlocked;
    return tools::readImage(path);
  }();
  tools::Image read = unwrap(std::move(image));
  py::array_t<uint8_t> pixels(
      {py::ssize_t(read.height), py::ssize_t(read.width), py::ssize_t(3)});
  std::memcpy(pixels.mutable_data(), read.pixels.data(), read.pixels.size());
  return pixels;
}

/// The pixels of \p picture. Throws InvalidArgumentError for another array.
static tools::Image imageOf(const py::array &picture) {
  std::vector<py::ssize_t> shape(picture.shape(),
                                 picture.shape() + picture.ndim());
  if (!py::isinstance<py::array_t<uint8_t>>(picture) || shape.size() != 3 ||
      shape[2] != 3 || picture.size() == 0)
    check(rt::badData(
        "a picture is an array of uint8 with shape (height, width, 3), found "
        "{} with shape ({})",
        py::str(picture.dtype()).cast<std::string>(), fmt::join(shape, ", ")));
  if (uint64_t(picture.size()) / 3 > tools::maxPixels)
    check(rt::badData("the picture has {}x{} pixels, more than {}", shape[1],
                      shape[0], tools::maxPixels));
  auto plain = py::array_t<uint8_t, py::array::c_style>::ensure(picture);
  tools::Image image;
  image.height = uint32_t(shape[0]);
  image.width = uint32_t(shape[1]);
  image.pixels.assign(plain.data(), plain.data() + plain.size());
  return image;
}

py::array python::preparePicture(const Model &model, const py::array &picture,
                                 size_t index,
                                 std::optional<std::array<double, 3>> mean,
                                 std::optional<std::array<double, 3>> deviation,
                                 std::optional<double> crop) {
  tools::Image image = imageOf(picture);
  const rt::InterfaceTensor &input = model.interface().inputs[index];
  tools::PictureSettings settings = {crop, mean, deviation};
  auto prepared = [&]() -> rt::Result<std::vector<std::byte>> {
    py::gil_scoped_release unlocked;
    const rt::Result<tools::ModelMetadata> &metadata = model.metadata();
    NNHAL_RETURN_IF_ERROR(metadata.status());
    std::optional<tools::Normalization> stated;
    if (index < metadata->normalizations.size())
      stated = metadata->normalizations[index];
    return tools::preprocess(image, input,
                             tools::preprocessingFor(input, settings, stated));
  }();
  std::vector<std::byte> bytes = unwrap(std::move(prepared));
  std::vector<py::ssize_t> shape(input.dimensions.begin(),
                                 input.dimensions.end());
  py::array values(Model::typeOf(input), shape);
  std::memcpy(values.mutable_data(), bytes.data(), bytes.size());
  return values;
}

std::vector<std::vector<std::string>> python::labelsOf(
    const Model &model,
    std::vector<std::vector<std::string>> tools::ModelMetadata::*kind) {
  const rt::Result<tools::ModelMetadata> &metadata = [&]() -> const auto & {
    py::gil_scoped_release unlocked;
    return model.metadata();
  }();
  check(metadata.status());
  std::vector<std::vector<std::string>> labels = (*metadata).*kind;
  labels.resize(model.interface().outputs.size());
  return labels;
}

void python::bindPictures(py::module_ &module) {
  module.def("read_picture", &readPicture, py::arg("path"));
  module.def(
      "read_lines",
      [](const std::string &path) { return unwrap(tools::readLines(path)); },
      py::arg("path"));
}
