// Requests made of pieces that are repeated: a line names the operation, each further one says how often, with what
// between, and which piece. No such request of 64 KB, plain or unpacked from it, costs more than a second of the
// processor; what memory it may take libFuzzer is told when it starts (-rss_limit_mb).
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "local/http/request_service.hpp"
#include "support/asked_service.hpp"

#include <dynalease/local/engine.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace dynalease;

constexpr std::size_t largest = 64 * 1024;
/// The sanitizers make everything slower, and some of it much.
constexpr double most_seconds = 12;

const local::engine::time now{std::chrono::seconds(1'800'000'000)};

double processor_seconds() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

/// A table with an index, items with large attributes of several kinds, and many small ones.
std::shared_ptr<local::engine> populated() {
    auto store = std::make_shared<local::engine>();
    create_table_request create;
    create.table_name = "things";
    create.key = {{"pk"}, key_attribute{"sk", scalar_type::n}};
    create.global_indexes.push_back({.name = "other", .key = {{"h"}}});
    store->execute(any_request(create), now);
    const auto put = [&](int sk, item more) {
        put_item_request request;
        request.table_name = "things";
        request.new_item = std::move(more);
        request.new_item.emplace("pk", "x");
        request.new_item.emplace("sk", sk);
        store->execute(any_request(request), now);
    };
    put(0, {{"a", attribute_list(20'000, null{})}, {"s", std::string(100'000, 'a')}});
    put(1, {{"a", binary(100'000, std::byte{'a'})}, {"m", attribute_map{{"x", attribute_list(1000, 1)}}}});
    string_set words;
    for (int i = 0; i < 2000; ++i) words.insert(std::to_string(i));
    put(2, {{"a", words}, {"h", "y"}});
    for (int i = 3; i < 1000; ++i) put(i, {{"n", i}});
    return store;
}

std::string multiplied(fuzz::input& in) {
    std::string out;
    while (!in.rest().empty()) {
        std::string_view line = in.line();
        std::size_t times = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), times);
        if (error != std::errc{}) times = 1;
        line.remove_prefix(std::min(line.size(), static_cast<std::size_t>(end - line.data()) + 1));
        const auto mark = std::min(line.find('|'), line.size());
        const std::string_view between = line.substr(0, mark);
        const std::string_view piece = line.substr(std::min(mark + 1, line.size()));
        for (std::size_t i = 0; i < times && out.size() + piece.size() < largest; ++i) {
            if (i != 0) out += between;
            out += piece;
            if (piece.empty() && between.empty()) break;
        }
    }
    return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static auto store = populated();
    static std::size_t runs = 0;
    if (++runs % 256 == 0) store = populated();  // what was changed meanwhile comes back
    fuzz::input in(data, size);
    const std::string operation(in.line());
    const std::string body = multiplied(in);
    local::request_service service(store, std::nullopt);
    const double begun = processor_seconds();
    const auto reply = tests::asked(service, operation, body, now);
    fuzz::require(processor_seconds() - begun < most_seconds, "a small request takes little of the processor");
    fuzz::require(reply.status < 500, "no request is our own fault");
    return 0;
}
