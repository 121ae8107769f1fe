// The strands that a serial executor may be.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/serial_executor.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

namespace dynalease::runtime {

namespace asio = boost::asio;

namespace {

template <class Inner>
bool stands_on(const asio::any_io_executor& serial, asio::any_io_executor& found) {
    const auto* const strand = serial.target<asio::strand<Inner>>();
    if (strand != nullptr) found = strand->get_inner_executor();
    return strand != nullptr;
}

template <class Executor>
bool is_of_type(const asio::any_completion_executor& executor, asio::any_io_executor& found) {
    const auto* const typed = executor.target<Executor>();
    if (typed != nullptr) found = *typed;
    return typed != nullptr;
}

template <class Executor>
bool is_or_strand_on(const asio::any_completion_executor& executor, asio::any_io_executor& found) {
    return is_of_type<Executor>(executor, found) || is_of_type<asio::strand<Executor>>(executor, found);
}

}  // namespace

asio::any_io_executor serial_executor(const asio::any_io_executor& executor) {
    const auto* const of_context = executor.target<asio::io_context::executor_type>();
    if (of_context != nullptr) return asio::make_strand(*of_context);
    return asio::make_strand(executor);
}

asio::any_io_executor outside(const asio::any_io_executor& serial) {
    auto found = serial;
    stands_on<asio::any_io_executor>(serial, found) || stands_on<asio::io_context::executor_type>(serial, found) ||
        stands_on<asio::thread_pool::executor_type>(serial, found);
    return found;
}

asio::any_io_executor postable(const asio::any_completion_executor& executor) {
    asio::any_io_executor found;
    is_or_strand_on<asio::io_context::executor_type>(executor, found) ||
        is_or_strand_on<asio::thread_pool::executor_type>(executor, found) ||
        is_or_strand_on<asio::any_io_executor>(executor, found);
    return found;
}

}  // namespace dynalease::runtime
