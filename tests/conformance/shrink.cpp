// Takes away call after call, then part after part of what is left, as long as the finding stays.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/shrink.hpp"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dynalease::conformance {

namespace {

namespace asio = boost::asio;

/// Each change makes a request simpler, in one place.
template <class Request>
class simplification {
public:
    explicit simplification(const Request& from) : from_(from) {}

    std::vector<Request> all() {
        texts();
        elements();
        switches();
        return std::move(out_);
    }

private:
    void add(auto change) {
        Request simpler = from_;
        change(simpler);
        out_.push_back(std::move(simpler));
    }

    void texts() {
        if constexpr (requires { from_.condition_expression; }) {
            if (!from_.condition_expression.empty()) add([](auto& r) { r.condition_expression.clear(); });
        }
        if constexpr (requires { from_.filter_expression; }) {
            if (!from_.filter_expression.empty()) add([](auto& r) { r.filter_expression.clear(); });
        }
        if constexpr (requires { from_.projection_expression; }) {
            if (!from_.projection_expression.empty()) add([](auto& r) { r.projection_expression.clear(); });
        }
        if constexpr (requires { from_.values; }) erase_each(&Request::values);
        if constexpr (requires { from_.names; }) erase_each(&Request::names);
    }

    template <class Map>
    void erase_each(Map Request::* map) {
        for (const auto& [name, value] : from_.*map) add([&](auto& r) { (r.*map).erase(name); });
    }

    void elements() {
        if constexpr (requires { from_.new_item; }) erase_each(&Request::new_item);
        if constexpr (requires { from_.actions; }) erase_elements(&Request::actions);
        if constexpr (requires { from_.gets; }) erase_elements(&Request::gets);
        if constexpr (requires { from_.tables; }) {
            erase_each(&Request::tables);
            for (const auto& [name, held] : from_.tables) erase_batched(name);
        }
    }

    template <class List>
    void erase_elements(List Request::* list) {
        for (std::size_t i = 0; i < (from_.*list).size(); ++i) {
            add([&](auto& r) { (r.*list).erase((r.*list).begin() + static_cast<std::ptrdiff_t>(i)); });
        }
    }

    void erase_batched(const std::string& table) {
        const auto erase = [&](auto&& list_of) {
            for (std::size_t i = 0; i < list_of(from_).size(); ++i) {
                add([&](auto& r) {
                    auto& list = list_of(r);
                    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
                });
            }
        };
        if constexpr (requires { from_.tables.at(table).keys; }) {
            erase([&](auto& r) -> auto& { return r.tables.at(table).keys; });
        } else if constexpr (requires { from_.tables.at(table).size(); }) {
            erase([&](auto& r) -> auto& { return r.tables.at(table); });
        }
    }

    void switches() {
        if constexpr (requires { from_.returned; }) {
            if (from_.returned != return_values::none) add([](auto& r) { r.returned = return_values::none; });
        }
        if constexpr (requires { from_.current_on_refusal; }) {
            if (from_.current_on_refusal) add([](auto& r) { r.current_on_refusal = false; });
        }
        if constexpr (requires { from_.report_capacity; }) {
            if (from_.report_capacity) add([](auto& r) { r.report_capacity = false; });
        }
        if constexpr (requires { from_.limit; }) {
            if (from_.limit) add([](auto& r) { r.limit.reset(); });
        }
    }

    const Request& from_;
    std::vector<Request> out_;
};

std::vector<call> simpler_calls(const call& what) {
    std::vector<call> out;
    if (!what.raw.empty()) return out;
    std::visit(
        [&]<class Request>(const Request& request) {
            for (auto& each : simplification<Request>(request).all()) {
                out.push_back({any_request(std::move(each)), {}, what.to_the_end});
            }
        },
        what.request);
    return out;
}

class search {
public:
    search(stage& on, program what, finding found) : on_(on), best_{std::move(what), std::move(found)} {}

    asio::awaitable<shrunk> run() {
        best_.smallest.calls.resize(best_.found.at + 1);
        co_await drop_calls();
        for (bool better = true; better && left_ > 0;) better = co_await simplify_calls();
        co_return std::move(best_);
    }

private:
    asio::awaitable<bool> attempt(program candidate) {
        if (left_ == 0) co_return false;
        --left_;
        program copy = candidate;
        auto came = co_await on_.run(std::move(copy));
        if (came.findings.empty() || came.findings.front().signature != best_.found.signature) co_return false;
        best_ = {std::move(candidate), std::move(came.findings.front())};
        co_return true;
    }

    asio::awaitable<void> drop_calls() {
        for (std::size_t at = best_.smallest.calls.size(); at-- > 0;) {
            program candidate = best_.smallest;
            if (at >= candidate.calls.size()) continue;
            candidate.calls.erase(candidate.calls.begin() + static_cast<std::ptrdiff_t>(at));
            co_await attempt(std::move(candidate));
        }
    }

    asio::awaitable<bool> simplify_calls() {
        bool better = false;
        for (std::size_t at = 0; at < best_.smallest.calls.size(); ++at) {
            auto candidates = simpler_calls(best_.smallest.calls[at]);
            for (auto& each : candidates) {
                program candidate = best_.smallest;
                candidate.calls[at] = std::move(each);
                const bool stays = co_await attempt(std::move(candidate));
                if (!stays) continue;
                better = true;
                break;
            }
        }
        co_return better;
    }

    stage& on_;
    shrunk best_;
    unsigned left_ = 150;  ///< runs; enough for a program that can still be read
};

}  // namespace

asio::awaitable<shrunk> shrink(stage& on, program what, finding found) {
    search from(on, std::move(what), std::move(found));
    co_return co_await from.run();
}

}  // namespace dynalease::conformance
