// Passing requests and answers through what changes them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/rewriting_database.hpp"

namespace dynalease::simulation {

namespace {
std::size_t processes = 0;
notes present;
}  // namespace

rewriting_database::rewriting_database(std::shared_ptr<database_backend> network) : network_(std::move(network)) {
    ++processes;
}

rewriting_database::~rewriting_database() {
    if (--processes == 0) present = {};
}

boost::asio::awaitable<result<any_response>> rewriting_database::perform(any_request request, call_options options) {
    const auto meaning = purpose_of(request);
    change_request(request, meaning);
    auto answer = co_await network_->perform(request, options);
    change_answer(answer, request, meaning);
    co_return answer;
}

notes& notes_of_this_world() {
    return present;
}

}  // namespace dynalease::simulation
