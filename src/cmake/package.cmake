# The installed libraries: dynalease::dynalease, dynalease::local, dynalease::testing.
function(dynalease_library name)
  cmake_parse_arguments(PARSE_ARGV 1 lib "" "EXPORT_NAME" "ROOMS;LINK")
  list(TRANSFORM lib_ROOMS PREPEND dynalease_ OUTPUT_VARIABLE targets)
  set(objects "")
  foreach(target IN LISTS targets)
    list(APPEND objects "$<TARGET_OBJECTS:${target}>")
  endforeach()
  add_library(${name} ${objects})
  add_library(dynalease::${lib_EXPORT_NAME} ALIAS ${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${name} PUBLIC Boost::headers Threads::Threads ${lib_LINK})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME ${lib_EXPORT_NAME}
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endfunction()

dynalease_library(dynalease EXPORT_NAME dynalease ROOMS ${core_rooms} LINK OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB)
dynalease_library(dynalease_local_library EXPORT_NAME local ROOMS local LINK dynalease)
dynalease_library(dynalease_testing_library EXPORT_NAME testing ROOMS testing LINK dynalease_local_library)
