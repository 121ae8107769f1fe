# The installed libraries dynalease::dynalease, dynalease::local, dynalease::testing; their headers, and how CMake,
# pkg-config and Debian find them. Components: runtime (what programs load), development, tools.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/dynalease")
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# See dynalease/detail/braced.hpp.
set(has_braced_members
    "$<AND:$<STREQUAL:${CMAKE_CXX_COMPILER_ID},GNU>,$<VERSION_LESS:${CMAKE_CXX_COMPILER_VERSION},13>>")

# dynalease_pkgconfig(NAME WHAT LIBRARY file [USES packages] [HIDES packages]): NAME.pc of a library. What it hides, only
# programs that link it statically need.
function(dynalease_pkgconfig name what)
  cmake_parse_arguments(PARSE_ARGV 2 pc "" "LIBRARY;USES;HIDES" "")
  if(NOT BUILD_SHARED_LIBS)
    string(JOIN ", " pc_USES ${pc_USES} ${pc_HIDES})
    set(pc_HIDES "")
  endif()
  file(RELATIVE_PATH prefix "/${pkgconfig_dir}" "/")
  string(REGEX REPLACE "/$" "" prefix "${prefix}")
  get_target_property(boost_include Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
  if(boost_include AND NOT boost_include IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set(boost_flag " -I${boost_include}")
  endif()
  configure_file(cmake/library.pc.in "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc.in" @ONLY)
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" INPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc.in")
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${pkgconfig_dir}" COMPONENT development)
endfunction()

# dynalease_library(TARGET EXPORT_NAME name ROOMS ... LINK ...): a library made of rooms.
function(dynalease_library target)
  cmake_parse_arguments(PARSE_ARGV 1 lib "" "EXPORT_NAME;OUTPUT_NAME" "ROOMS;LINK")
  set(objects ${lib_ROOMS})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:dynalease_\\1>")
  add_library(${target} ${objects})
  add_library(dynalease::${lib_EXPORT_NAME} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_definitions(${target} INTERFACE "DYNALEASE_BRACED_MEMBERS=${has_braced_members}")
  target_link_libraries(${target} PUBLIC Boost::headers Threads::Threads ${lib_LINK})
  # Only a shared library looks at it: what is not of this library (and of Asio, of which a program has one) stays inside.
  target_link_options(${target} PRIVATE "LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/exports.map")
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX EXPORT_NAME ${lib_EXPORT_NAME} OUTPUT_NAME ${lib_OUTPUT_NAME}
    LINK_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/cmake/exports.map"
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} EXPORT dynalease
          LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
          ARCHIVE COMPONENT development)
endfunction()

dynalease_library(dynalease EXPORT_NAME dynalease OUTPUT_NAME dynalease
                  ROOMS ${core_rooms} LINK OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB)
dynalease_library(dynalease_local_library EXPORT_NAME local OUTPUT_NAME dynalease_local
                  ROOMS local local_codec LINK dynalease)
dynalease_library(dynalease_testing_library EXPORT_NAME testing OUTPUT_NAME dynalease_testing
                  ROOMS testing LINK dynalease_local_library)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" TYPE INCLUDE COMPONENT development FILES_MATCHING PATTERN "*.hpp")

configure_package_config_file(cmake/dynalease-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/dynalease-config.cmake"
                              INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/dynalease-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/dynalease-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/dynalease-config-version.cmake"
        DESTINATION "${package_dir}" COMPONENT development)
install(EXPORT dynalease NAMESPACE dynalease:: FILE dynalease-targets.cmake
        DESTINATION "${package_dir}" COMPONENT development)

dynalease_pkgconfig(dynalease "Locks, queues and transactions on DynamoDB for Boost.Asio" LIBRARY dynalease
                    HIDES "libssl, libcrypto, zlib")
dynalease_pkgconfig(dynalease-local "A DynamoDB inside the process, for tests" LIBRARY dynalease_local
                    USES "dynalease = ${PROJECT_VERSION}")
dynalease_pkgconfig(dynalease-testing "Virtual time and faults for tests of what uses dynalease"
                    LIBRARY dynalease_testing USES "dynalease-local = ${PROJECT_VERSION}")

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/debian.cmake)
endif()
