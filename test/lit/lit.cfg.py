"""Configuration of the lit tests; lit.site.cfg.py in the build tree loads it."""

import os
import platform
import shutil
import subprocess
import sys

import lit.formats

config.name = "NNHal"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".json"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.nnhal_binary_dir, "test", "lit")

# The project's tools first, then LLVM's.
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.nnhal_binary_dir, "bin"),
        config.llvm_tools_dir,
        config.environment.get("PATH", os.environ.get("PATH", "")),
    ]
)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%models", os.path.join(config.nnhal_source_dir, "test", "Models")))
config.substitutions.append(("%test_data", os.path.join(config.nnhal_source_dir, "test")))
config.substitutions.append(("%{serving}", os.path.join(config.nnhal_source_dir, "lib", "Serving")))
config.substitutions.append(("%scripts", os.path.join(config.nnhal_source_dir, "scripts")))
config.substitutions.append(("%{mlir-library}", os.path.join(config.nnhal_source_dir, "lib", "MLIR")))
config.substitutions.append(("%examples", os.path.join(config.nnhal_source_dir, "examples")))
config.substitutions.append(("%build", config.nnhal_binary_dir))
config.substitutions.append(("%shared", config.nnhal_shared_data))
config.substitutions.append(("%llvm_lib", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")))
config.substitutions.append(("%nnhal_lib", os.path.join(config.nnhal_binary_dir, "lib")))

# The plug-in of examples/, as the unit tests build it.
example_plugin = os.path.join(config.nnhal_binary_dir, "test", "Unit", "Core", "Inputs", "NNHalExampleDevice.so")
config.substitutions.append(("%{example-plugin}", example_plugin))
config.substitutions.append(("%{plugins}", os.path.dirname(example_plugin)))
if os.path.exists(example_plugin):
    config.available_features.add("example-plugin")

# The sample of an extension.
fibonacci = os.path.join(config.nnhal_binary_dir, "test", "Plugins", "NNHalFibonacci.so")
config.substitutions.append(("%{fibonacci}", fibonacci))
config.substitutions.append(("%{fibonacci-extension}", fibonacci.replace(".so", "Extension.so")))
config.substitutions.append(("%examples", os.path.join(config.nnhal_source_dir, "examples")))
if os.path.exists(fibonacci):
    config.available_features.add("fibonacci")

# Plug-ins of nnhal-opt.
config.substitutions.append(("%{extension-halves}", os.path.join(config.nnhal_binary_dir, "lib", "nnhal", "extensions")))
config.substitutions.append(("%{compiler-plugins}", os.path.join(config.nnhal_binary_dir, "test", "Plugins")))

config.substitutions.append(("%{other-machine}", "x86_64" if platform.machine() == "aarch64" else "aarch64"))

config.available_features.add("compiler")
# A user without rights of this one, as whom a test can run a program: where the
# tests run as root, and that user can reach the build tree.
other_user = "setpriv --reuid=65534 --regid=65534 --clear-groups"
probe = other_user.split() + [os.path.join(config.nnhal_binary_dir, "bin", "nnhal-cache"), "--version"]
if os.geteuid() == 0 and shutil.which("setpriv") and subprocess.run(probe, capture_output=True).returncode == 0:
    config.available_features.add("other-user")
config.substitutions.append(("%{other-user}", other_user))
for program, feature in (("dot", "dot"), ("spirv-val", "spirv-val"), ("clang-format-22", "clang-format"), ("clang-tidy-22", "clang-tidy"), ("curl", "curl"), ("openssl", "openssl")):
    if shutil.which(program):
        config.available_features.add(feature)
# A driver of Vulkan that serves, Mesa's in software for want of a GPU.
config.environment.setdefault("MESA_SHADER_CACHE_DIR", os.path.join(config.nnhal_binary_dir, "shader-cache"))
lister = os.path.join(config.nnhal_binary_dir, "bin", "nnhal-run")
if os.path.exists(lister):
    listed = subprocess.run([lister, "--list-devices"], capture_output=True, text=True, check=False, env=config.environment)
    if "nnhal-vulkan:" in listed.stdout:
        config.available_features.add("vulkan")
if os.path.exists(os.path.join(config.nnhal_binary_dir, "bin", "nnhal-serve")):
    config.available_features.add("serving")
    if config.nnhal_grpc == "ON":
        config.available_features.add("grpc")
# Clients in Python are made by protoc for the Python of Debian.
grpc_plugin = shutil.which("grpc_python_plugin") or ""
config.substitutions.append(("%{grpc-python-plugin}", grpc_plugin))
config.substitutions.append(("%{python-of-debian}", config.nnhal_python))
if grpc_plugin and shutil.which("protoc") and os.path.exists(config.nnhal_python):
    if subprocess.run([config.nnhal_python, "-c", "import grpc, google.protobuf"], capture_output=True).returncode == 0:
        config.available_features.add("grpc-client")
if os.path.isdir(os.path.join(config.nnhal_shared_data, "models")):
    config.available_features.add("shared-models")
if os.path.exists(os.path.join(config.nnhal_binary_dir, "bin", "nnhal-benchmark-roofs")):
    config.available_features.add("benchmarks")
with open("/proc/cpuinfo", encoding="utf-8") as cpus:
    if "avx512vl" in cpus.read():
        config.available_features.add("avx512")
if config.nnhal_sanitize:
    config.available_features.add("sanitizer")
elif config.nnhal_build_type == "Release":
    config.available_features.add("release")
