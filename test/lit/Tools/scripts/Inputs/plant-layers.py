"""Plants, for each row of the layer tables, an include of a folder and one of a
library that the row does not allow, and expects scripts/check-layers to name them.

usage: plant-layers.py REPOSITORY SCRATCH
"""

import importlib.machinery
import importlib.util
import shutil
import sys
from pathlib import Path

repository, scratch = Path(sys.argv[1]), Path(sys.argv[2])
loader = importlib.machinery.SourceFileLoader("layers", str(repository / "scripts/check-layers"))
layers = importlib.util.module_from_spec(importlib.util.spec_from_loader("layers", loader))
sys.dont_write_bytecode = True
loader.exec_module(layers)

SAMPLES = {"fmt": "fmt/format.h", "nlohmann/json": "nlohmann/json.hpp", "FlatBuffers": "flatbuffers/flatbuffers.h",
           "OpenSSL": "openssl/evp.h", "SQLite": "sqlite3.h", "FarmHash": "farmhash.h", "MLIR": "mlir/IR/Value.h",
           "lld": "lld/Common/Driver.h", "GoogleTest": "gtest/gtest.h", "Google Benchmark": "benchmark/benchmark.h",
           "Cap'n Proto": "capnp/message.h", "libseccomp": "seccomp.h", "libjpeg-turbo": "turbojpeg.h", "libpng": "png.h", "minizip": "minizip/unzip.h",
           "pybind11": "pybind11/pybind11.h", "gRPC": "grpcpp/grpcpp.h", "cpp-httplib": "httplib.h",
           "prometheus-cpp": "prometheus/registry.h"}
assert SAMPLES.keys() == layers.LIBRARIES.keys()

shutil.rmtree(scratch, ignore_errors=True)
(scratch / "docs").mkdir(parents=True)
shutil.copy(repository / "docs/Architecture.md", scratch / "docs")
rows = layers.readTable(scratch / "docs/Architecture.md")


def stub(path):
    """A header at the place of a row, which is a folder or a file."""
    file = scratch / path if Path(path).suffix else scratch / path / "Stub.h"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    return file


def spelled(file):
    """How a source names the header."""
    name = file.relative_to(scratch).as_posix()
    return name.removeprefix("include/").removeprefix("lib/").removeprefix("tools/")


stubs = {row: stub(row) for row in rows}
errors = layers.check(scratch.resolve())
assert not errors, errors


def expect(row, include, message):
    source = stubs[row].parent / "Planted.cpp"
    source.write_text(f"#include {include}\n")
    found = layers.check(scratch.resolve())
    assert len(found) == 1 and message in found[0], (row, include, found)
    source.unlink()


for row, (allowed, libraries) in rows.items():
    foreign = next(other for other in rows if other.startswith(("lib/", "include/"))
                   and not any(layers.under(other, one) for one in [row, *allowed]))
    expect(row, f'"{spelled(stubs[foreign])}"', f"{row} may not include")
    library = next(name for name in SAMPLES if name not in libraries)
    expect(row, f"<{SAMPLES[library]}>", f"{row} may not use {library}")

(scratch / "lib/Nowhere").mkdir()
(scratch / "lib/Nowhere/A.h").touch()
assert layers.check(scratch.resolve()) == ["lib/Nowhere/A.h: no row of docs/Architecture.md is about this folder"]
shutil.rmtree(scratch / "lib/Nowhere")
row = next(iter(rows))
stubs[row].unlink()
assert f"docs/Architecture.md: `{row}` has no sources" in layers.check(scratch.resolve())
print(f"{len(rows)} rows: every violation is found")
