# The installed libraries: dynalease::dynalease, dynalease::local, dynalease::testing; their headers and the package.
include(CMakePackageConfigHelpers)

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
  # See dynalease/detail/braced.hpp.
  target_compile_definitions(${target} INTERFACE
    "DYNALEASE_BRACED_MEMBERS=$<AND:$<STREQUAL:${CMAKE_CXX_COMPILER_ID},GNU>,$<VERSION_LESS:${CMAKE_CXX_COMPILER_VERSION},13>>")
  target_link_libraries(${target} PUBLIC Boost::headers Threads::Threads ${lib_LINK})
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX EXPORT_NAME ${lib_EXPORT_NAME} OUTPUT_NAME ${lib_OUTPUT_NAME}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} EXPORT dynalease)
endfunction()

dynalease_library(dynalease EXPORT_NAME dynalease OUTPUT_NAME dynalease
                  ROOMS ${core_rooms} LINK OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB)
dynalease_library(dynalease_local_library EXPORT_NAME local OUTPUT_NAME dynalease_local
                  ROOMS local local_codec LINK dynalease)
dynalease_library(dynalease_testing_library EXPORT_NAME testing OUTPUT_NAME dynalease_testing
                  ROOMS testing LINK dynalease_local_library)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/dynalease")
configure_package_config_file(cmake/dynalease-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/dynalease-config.cmake"
                              INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/dynalease-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/dynalease-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/dynalease-config-version.cmake"
        DESTINATION "${package_dir}")
install(EXPORT dynalease NAMESPACE dynalease:: FILE dynalease-targets.cmake DESTINATION "${package_dir}")
