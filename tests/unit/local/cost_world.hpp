// Requests that are measured in a process of their own: what each may cost the server at most.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/http/request_service.hpp"
#include "support/asked_service.hpp"

#include <dynalease/local/engine.hpp>

#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dynalease::local::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_measured = false;  // the sanitizers' own work and memory would count
#else
constexpr bool is_measured = true;
#endif

constexpr std::size_t small_request = 64 * 1024;

inline std::string repeated(const std::string& piece, std::size_t times, const std::string& between = "") {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += (i == 0 ? "" : between) + piece;
    return out;
}

/// `make(0)`, `make(1)` and so on.
inline std::string listed(std::size_t count, const std::function<std::string(std::string)>& make,
                          const std::string& between = ",") {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : between) + make(std::to_string(i));
    return out;
}

inline std::string packed(const std::string& body) {
    constexpr int window_with_gzip_header = 15 + 16;
    constexpr int memory = 8;
    z_stream stream{};
    ::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_with_gzip_header, memory, Z_DEFAULT_STRATEGY);
    std::string out(::deflateBound(&stream, body.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
    stream.avail_in = static_cast<uInt>(body.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
}

struct cost {
    bool ended = false;  ///< the process, rather than the request
    unsigned status = 0;
    double seconds = 0;
    double of_system = 0;
    double mebibytes = 0;
};

/// Tables made as somebody may make them within the limits, and requests that are measured in a process of their own.
class measured_world {
public:
    measured_world() {
        for (const char* name : {"things", "small"}) {
            create_table_request request;
            request.table_name = name;
            request.key.hash.name = "pk";
            request.key.range = key_attribute{"sk", scalar_type::n};
            request.global_indexes.push_back({.name = "other", .key = {.hash = {"h"}}});
            ask(request);
        }
    }

    /// With as many indexes as a table can have, of each kind.
    void create_indexed(const std::string& name, const secondary_index& like) {
        create_table_request request;
        request.table_name = name;
        request.key.hash.name = "pk";
        request.key.range = key_attribute{"sk", scalar_type::n};
        for (int i = 0; i < 20; ++i) request.global_indexes.push_back(like);
        for (int i = 0; i < 5; ++i) {
            request.local_indexes.push_back(like);
            request.local_indexes.back().key = {.hash = {"pk"}, .range = like.key.hash};
        }
        int number = 0;
        for (auto* group : {&request.global_indexes, &request.local_indexes}) {
            for (auto& each : *group) each.name = "index" + std::to_string(number++);
        }
        ask(request);
    }

    void put(const std::string& table, item attributes) {
        put_item_request request;
        request.table_name = table;
        request.new_item = std::move(attributes);
        ask(request);
    }

    /// An item of 400 KB, of as many values as it can have.
    void put_large(int sk, const std::string& name = "a") {
        put("things", {{"pk", "x"}, {"sk", sk}, {name, attribute_list(200'000, null{})}});
    }
    void put_small(int count) {
        for (int i = 0; i < count; ++i) put("small", {{"pk", "x"}, {"sk", i}});
    }

    cost of(const std::string& operation, const std::string& body, const std::string& coding = "") {
        CHECK(body.size() <= small_request);
        int answer[2];
        REQUIRE(::pipe(answer) == 0);
        rusage before{};
        ::getrusage(RUSAGE_SELF, &before);
        const pid_t child = ::fork();
        if (child == 0) {
            const unsigned status = answered(operation, body, coding);
            ::_exit(::write(answer[1], &status, sizeof status) == sizeof status ? 0 : 1);
        }
        ::close(answer[1]);
        cost found;
        found.ended = ::read(answer[0], &found.status, sizeof found.status) != sizeof found.status;
        ::close(answer[0]);
        rusage used{};
        int how = 0;
        ::wait4(child, &how, 0, &used);
        const auto seconds = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
        };
        // Apart, for most of the system's time are copies of pages that the fork shares, and no server forks.
        found.seconds = seconds(used.ru_utime);
        found.of_system = seconds(used.ru_stime);
        found.mebibytes = static_cast<double>(used.ru_maxrss - before.ru_maxrss) / 1024;
        return found;
    }

private:
    template <class Request>
    void ask(const Request& request) {
        const auto done = store_->execute(any_request(request), now);
        if (!done) FAIL(done.error().details.message);
    }

    unsigned answered(const std::string& operation, const std::string& body, const std::string& coding) {
        request_service server(store_, std::nullopt);
        return tests::asked(server, operation, body, now, coding).status;
    }

    std::shared_ptr<engine> store_ = std::make_shared<engine>();
    engine::time now{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
};

inline void check(const cost& found) {
    CHECK_FALSE(found.ended);
    CHECK((found.status == 200 || found.status == 400));
    if (!is_measured) return;
    CHECK(found.seconds < 1);
    CHECK(found.of_system < 1);
    CHECK(found.mebibytes < 256);
}

}  // namespace dynalease::local::test
