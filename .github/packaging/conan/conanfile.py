# Builds this very tree: conan create .github/packaging/conan --build=missing
# SPDX-License-Identifier: BSL-1.0
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir
from conan.tools.scm import Version


class Dynalease(ConanFile):
    name = "dynalease"
    version = "0.1.0"
    description = "Locks, queues, item locks, optimistic updates and transactions on DynamoDB for Boost.Asio servers"
    license = "BSL-1.0"
    topics = ("dynamodb", "aws", "lock", "asio", "coroutines")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "with_tools": [True, False]}
    # Of Boost only headers are used.
    default_options = {"shared": False, "fPIC": True, "with_tools": False, "boost/*:header_only": True}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "include/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self, src_folder=".")

    def requirements(self):
        self.requires("boost/1.88.0", transitive_headers=True)
        self.requires("openssl/[>=3 <4]")
        self.requires("zlib/[>=1.2.11 <2]")
        self.requires("rapidjson/cci.20230929", visible=False)
        if self.options.with_tools:
            self.requires("sqlite3/[>=3.40 <4]", visible=False)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("dynalease needs Linux: its leases count by CLOCK_BOOTTIME")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option in ("TESTS", "EXAMPLES"):
            toolchain.cache_variables[f"DYNALEASE_BUILD_{option}"] = False
        toolchain.cache_variables["DYNALEASE_BUILD_TOOLS"] = bool(self.options.with_tools)
        toolchain.cache_variables["DYNALEASE_WARNINGS_AS_ERRORS"] = False
        toolchain.cache_variables["DYNALEASE_UNITY_BUILD"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        for generated in ("cmake", "pkgconfig"):  # Conan makes its own
            rmdir(self, os.path.join(self.package_folder, "lib", generated))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "dynalease")
        braced = self.settings.compiler == "gcc" and Version(self.settings.compiler.version) < 13
        for name, library, uses in (
            ("dynalease", "dynalease", ["boost::headers", "openssl::openssl", "zlib::zlib"]),
            ("local", "dynalease_local", ["dynalease"]),
            ("testing", "dynalease_testing", ["local"]),
        ):
            part = self.cpp_info.components[name]
            part.set_property("cmake_target_name", f"dynalease::{name}")
            part.set_property("pkg_config_name", "dynalease" if name == "dynalease" else f"dynalease-{name}")
            part.libs = [library]
            part.requires = uses
            part.system_libs = ["pthread"]
            # What the library was built with; see dynalease/detail/braced.hpp.
            part.defines = [f"DYNALEASE_BRACED_MEMBERS={int(braced)}"]
        if self.options.with_tools:
            # Conan wants each of the recipe's requirements to be used by a component.
            self.cpp_info.components["tools"].requires = ["sqlite3::sqlite3"]
