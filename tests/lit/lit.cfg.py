"""Tests of IR: kowari-opt on *.mlir and *.test files, checked by FileCheck or --verify-diagnostics."""

import os

import lit.formats

config.name = "Kowari"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.kowari_binary_dir, "tests", "lit")
config.environment["PATH"] = os.pathsep.join(
    [config.kowari_tools_dir, config.llvm_tools_dir, os.environ["PATH"]]
)
config.substitutions += [
    ("%kowari_source", config.kowari_source_dir),
    ("%llvm_dir", os.path.dirname(config.llvm_tools_dir)),
    ("%plugin_dir", config.kowari_plugin_dir),
    ("%python", config.python_executable),
]
# Tests that compile a network and look into the artifact need both programs, which check-lit does not build.
if all(os.path.exists(os.path.join(config.kowari_tools_dir, tool)) for tool in ("kowari", "kowari-compile")):
    config.available_features.add("kowari")
