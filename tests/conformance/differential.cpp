// The program behind tests/conformance/run: random programs on our engine and on a foreign server.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/shrink.hpp"
#include "conformance/trial.hpp"

#include "dynamodb/codec.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace {

namespace asio = boost::asio;
using namespace dynalease;
using namespace dynalease::conformance;

struct options {
    std::string server = "server";
    std::string url;
    std::uint64_t programs = 300;
    std::uint64_t seed = 1;
};

options parse(int argc, char** argv) {
    options out;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        if (name == "--server") out.server = argv[i + 1];
        if (name == "--url") out.url = argv[i + 1];
        if (name == "--programs") out.programs = std::strtoull(argv[i + 1], nullptr, 10);
        if (name == "--seed") out.seed = std::strtoull(argv[i + 1], nullptr, 10);
    }
    return out;
}

void print(const call& what) {
    std::cerr << "  " << operation_name(what.request) << (what.to_the_end ? " to the last page " : " ")
              << (what.raw.empty() ? codec::encode_request(what.request) : what.raw) << '\n';
}

class campaign {
public:
    campaign(options how, side& foreign) : how_(std::move(how)), asked_(asked_of(how_)), stage_(foreign, how_.server) {}

    asio::awaitable<void> work() {
        while (next_ < how_.programs) {
            const auto what = random_program(how_.seed + next_++, asked_);
            program copy = what;
            auto came = co_await stage_.run(std::move(copy));
            calls_ += came.calls;
            for (const auto* known : came.listed) ++listed_[known];
            if (came.findings.empty()) continue;
            ++differences_;
            cause& same = failed_[came.findings.front().signature];
            if (++same.times == 1) same.first = {what, std::move(came.findings.front())};
        }
    }

    /// Of many findings with one cause, one is shown.
    asio::awaitable<void> explain() {
        for (const auto* known : all_known(how_.server)) {
            const auto found = listed_.find(known);
            const auto times = found == listed_.end() ? 0 : found->second;
            std::cerr << "listed, " << times << " times: " << known->reason << '\n';
            never_met_ += times == 0 ? 1 : 0;
        }
        for (const auto& [signature, group] : failed_) {
            std::cerr << "different, " << group.times << " times: " << signature << '\n';
        }
        std::size_t left = 20;
        for (auto& [signature, group] : failed_) {
            if (left-- == 0) break;
            auto small = co_await shrink(stage_, std::move(group.first.smallest), std::move(group.first.found));
            show(small);
        }
    }

    bool report() const {
        std::uint64_t all_listed = 0;
        for (const auto& [known, times] : listed_) all_listed += times;
        std::cout << R"({"programs":)" << how_.programs << R"(,"calls":)" << calls_ << R"(,"differences":)"
                  << differences_ << R"(,"listed":)" << all_listed << R"(,"never_met":)" << never_met_ << "}"
                  << std::endl;
        // What a long run does not meet is gone, and would only hide something new.
        return differences_ == 0 && (how_.programs < a_long_run || never_met_ == 0);
    }

    /// How many programs run at once.
    unsigned workers() const { return how_.server == "moto" ? 1 : 4; }

private:
    static abilities asked_of(const options& how) {
        const bool moto = how.server == "moto";
        return {.transactions = !moto, .raw = !moto && how.url.starts_with("http://")};
    }

    void show(const shrunk& small) const {
        std::cerr << "\nDifferent in " << small.found.path << ":\n";
        for (const auto& each : small.smallest.tables) print(call{each});
        for (const auto& each : small.smallest.calls) print(each);
        std::cerr << "  ours:   " << to_text(small.found.ours.body)
                  << "\n  theirs: " << to_text(small.found.theirs.body) << "\n  replay: tests/conformance/run --server "
                  << how_.server << " --programs 1 --seed " << small.smallest.seed << "\n";
    }

    static constexpr std::uint64_t a_long_run = 50'000;

    options how_;
    abilities asked_;
    stage stage_;
    std::uint64_t next_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t differences_ = 0;
    std::uint64_t never_met_ = 0;
    std::map<const known_difference*, std::uint64_t> listed_;
    struct cause {
        std::uint64_t times = 0;
        shrunk first;
    };
    std::map<std::string, cause> failed_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        auto how = parse(argc, argv);
        asio::io_context io{1};
        client database(io.get_executor(), {.endpoint = how.url});
        const auto foreign = foreign_side(database, how.url);
        campaign all(std::move(how), *foreign);
        unsigned at_work = all.workers();
        const auto explained = [&](std::exception_ptr thrown) {
            if (thrown) std::rethrow_exception(thrown);
            database.close();
        };
        const auto worked = [&](std::exception_ptr thrown) {
            if (thrown) std::rethrow_exception(thrown);
            if (--at_work == 0) asio::co_spawn(database.get_executor(), all.explain(), explained);
        };
        for (unsigned i = all.workers(); i > 0; --i) asio::co_spawn(database.get_executor(), all.work(), worked);
        io.run();
        return all.report() ? 0 : 1;
    } catch (const std::exception& why) {
        std::cerr << "conformance: " << why.what() << '\n';
        return 1;
    }
}
