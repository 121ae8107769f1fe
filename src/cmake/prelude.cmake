# Preludes: standard and third-party headers that most files include, precompiled once for all targets that compile in
# the same way. Nothing of ours stands in one, so that a change in the tree recompiles what includes it and no more. A
# file includes what it needs all the same: clang's builds go without, but for instrumented ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU OR CMAKE_BUILD_TYPE STREQUAL None)
  set(has_preludes TRUE)
endif()
set(standard_headers <algorithm> <array> <atomic> <chrono> <cstddef> <cstdint> <deque> <functional> <map> <memory>
                     <optional> <random> <set> <span> <stdexcept> <string> <string_view> <tuple> <unordered_map>
                     <utility> <variant> <vector>)
set(asio_headers
  <boost/asio/any_completion_handler.hpp> <boost/asio/as_tuple.hpp> <boost/asio/awaitable.hpp>
  <boost/asio/bind_cancellation_slot.hpp> <boost/asio/bind_executor.hpp> <boost/asio/cancellation_signal.hpp>
  <boost/asio/co_spawn.hpp> <boost/asio/deferred.hpp> <boost/asio/detached.hpp> <boost/asio/io_context.hpp>
  <boost/asio/ip/tcp.hpp> <boost/asio/post.hpp> <boost/asio/steady_timer.hpp> <boost/asio/strand.hpp>
  <boost/asio/this_coro.hpp> <boost/asio/use_awaitable.hpp>)

# dynalease_prelude(NAME [LINK ...] [HEADERS ...]): those headers, and more that come with LINK.
function(dynalease_prelude name)
  if(NOT has_preludes)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 prelude "" "" "LINK;HEADERS")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE dynalease_project_options dynalease_asio ${prelude_LINK})
  target_precompile_headers(${name} PRIVATE ${standard_headers} ${asio_headers} ${prelude_HEADERS})
endfunction()

# dynalease_starts_with(TARGET PRELUDE): each file of the target, a program's, as if it included the prelude first.
function(dynalease_starts_with target prelude)
  if(has_preludes)
    target_precompile_headers(${target} REUSE_FROM ${prelude})
  endif()
endfunction()
