# Within a unity build a name of one file shadows that of another.
add_library(dynalease_names_of_other_files INTERFACE)
target_compile_options(dynalease_names_of_other_files INTERFACE $<$<BOOL:${DYNALEASE_UNITY_BUILD}>:-Wno-shadow>)

# dynalease_compile_soon(TARGET [APART ...]): for what tests the library, or shows it, and is not measured. It is not
# optimised as what users have of it: -O2 is half of the time that it takes to compile. A unity build compiles several of
# its files at once, so that what each coroutine needs of Asio is made once for them; but not those that stand APART, which
# have names that others have, too.
function(dynalease_compile_soon target)
  cmake_parse_arguments(PARSE_ARGV 1 soon "" "" "APART")
  # An instrumented build is clang's, which takes twice as long with -O1 as without.
  # With -Og GCC 12 takes the empty optional map of a failure for one that is read.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og> $<$<AND:$<CONFIG:None>,$<CXX_COMPILER_ID:Clang>>:-O0>
                         $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
  set_target_properties(${target} PROPERTIES UNITY_BUILD "${DYNALEASE_UNITY_BUILD}")
  set_source_files_properties(${soon_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  get_target_property(merged ${target} SOURCES)
  list(REMOVE_ITEM merged ${soon_APART})
  list(LENGTH merged merged)
  if(merged GREATER 1)
    target_link_libraries(${target} PRIVATE dynalease_names_of_other_files)
  endif()
endfunction()
