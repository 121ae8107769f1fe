# Packages for Debian and its like: libdynalease0, libdynalease-dev, dynalease-tools. `cmake --preset debian`, build it,
# `cpack --preset debian`. Programs are told to need the very version they were built with, as long as it is 0.x.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dynalease)
set(CPACK_PACKAGE_VENDOR dynalease)
set(CPACK_PACKAGE_CONTACT "The authors of dynalease <authors@dynalease.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL development tools)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

if(BUILD_SHARED_LIBS)
  list(PREPEND CPACK_COMPONENTS_ALL runtime)
  set(library_package "libdynalease0 (= ${PROJECT_VERSION}), ")
endif()
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libdynalease0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdynalease-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${library_package}libboost${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev, libssl-dev, zlib1g-dev")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME dynalease-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION database)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)

set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Locks, queues and transactions on DynamoDB for Boost.Asio servers
 The libraries that programs load.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Locks, queues and transactions on DynamoDB for Boost.Asio servers (headers)
 Headers, and what CMake and pkg-config need to find the libraries.")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "A DynamoDB in memory, for tests
 The program dynalease-local serves DynamoDB's protocol to any client.")
include(CPack)
