// Answers over HTTP, and the DynamoDB answer in them. The first byte says how large the portions are that they come
// in; it must not matter.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "client/attempt.hpp"
#include "http/response_parser.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace {

using namespace dynalease;

constexpr std::uint32_t most_held = 512;

struct parsed {
    bool done = false;
    bool broken = false;
    http::response what;
};

parsed parse(std::string_view text, std::size_t portion) {
    parsed out;
    http::response_parser parser(out.what, {.head = most_held, .body = 65536});
    parser.reset();
    boost::beast::flat_buffer buffer;
    boost::system::error_code error;
    while (!text.empty() && !error && !parser.done()) {
        const auto part = text.substr(0, portion);
        text.remove_prefix(part.size());
        buffer.commit(boost::asio::buffer_copy(buffer.prepare(part.size()), boost::asio::buffer(part)));
        parser.feed(buffer, error);
        fuzz::require(error || parser.done() || buffer.size() <= most_held, "no more is held than a head may have");
    }
    // As the connection does: an end without a beginning is no answer.
    if (!error && !parser.done() && parser.started()) parser.feed_end(error);
    out.done = !error && parser.done();
    out.broken = static_cast<bool>(error);
    return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    const std::size_t portion = 1 + in.byte() % 64;
    const auto operation = in.byte() % std::variant_size_v<any_request>;
    const auto whole = parse(in.rest(), std::max<std::size_t>(in.rest().size(), 1));
    const auto piecemeal = parse(in.rest(), portion);
    // A line that is too long to be held may be taken where it comes at once.
    fuzz::require(whole.done == piecemeal.done || in.rest().size() > most_held, "portions do not matter");
    if (!whole.done || !piecemeal.done) return 0;
    fuzz::require(whole.what.status() == piecemeal.what.status(), "nor to the status");
    fuzz::require(whole.what.body() == piecemeal.what.body(), "nor to the body");
    for (const bool is_write : {false, true}) {
        const auto got = detail::read_answer(whole.what, operation, is_write);
        fuzz::require(got.answer.has_value() != static_cast<bool>(got.why.code), "an answer or a failure");
    }
    return 0;
}
