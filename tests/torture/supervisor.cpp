// All children die with this process, however it ends.
// SPDX-License-Identifier: BSL-1.0
#include "torture/supervisor.hpp"

#include "torture/settings.hpp"
#include "torture/terms.hpp"
#include "torture/torments.hpp"
#include "torture/workload.hpp"

#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"

#include <dynalease/client.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <optional>
#include <utility>

namespace torture {
namespace {

namespace asio = boost::asio;

class supervisor {
public:
    explicit supervisor(const ordeal& what_to_do)
        : what_to_do_(what_to_do),
          judge_({support::own_path(), "judge", what_to_do.primitive, std::to_string(what_to_do.seed),
                  what_to_do.history_file}),
          judge_port_(static_cast<std::uint16_t>(std::stoul(support::read_line(judge_.output())))),
          tell_(std::in_place, io_.get_executor(), judge_port_, std::string()),
          store_(io_.get_executor()) {}

    int run() {
        if (support::run(io_, io_.get_executor(), play()) != 0) return 1;
        for (auto line = support::read_line(judge_.output()); !line.empty();
             line = support::read_line(judge_.output())) {
            std::puts(line.c_str());
        }
        return judge_.wait() == 0 && all_ended_ ? 0 : 1;
    }

private:
    asio::awaitable<void> play();
    dynalease::database straight_to_store() {
        const auto& where = store_.address().endpoint;
        const auto endpoint = "http://127.0.0.1:" + std::to_string(where.port());
        return dynalease::client(io_.get_executor(), support::local_client_options(endpoint));
    }

    const ordeal& what_to_do_;
    asio::io_context io_{1};
    support::child_process judge_;
    std::uint16_t judge_port_;
    std::optional<witness> tell_;
    store store_;
    std::deque<link> links_;
    std::optional<crew> workers_;
    bool all_ended_ = false;
};

asio::awaitable<void> supervisor::play() {
    const auto executor = io_.get_executor();
    co_await store_.start();
    const auto kind = make_workload(what_to_do_.primitive);
    co_await kind->prepare(straight_to_store());
    for (std::size_t i = 0; i < worker_count; ++i) {
        auto place = std::to_string(i);
        weather conditions(dice(what_to_do_.seed, "link " + place));
        links_.emplace_back(executor, store_.address(), *tell_, std::move(place), std::move(conditions));
    }
    const worker_orders common{.judge = judge_port_, .primitive = what_to_do_.primitive, .seed = what_to_do_.seed};
    workers_.emplace(executor, links_, *tell_, common);

    // Long enough that somebody who waits in vain is noticed.
    const auto free_within = promised_terms(what_to_do_.primitive).free_within;
    const auto quiet = std::chrono::ceil<std::chrono::milliseconds>(free_within) + std::chrono::seconds(1);
    torments all(executor, store_, links_, *workers_, *tell_, what_to_do_.seed, quiet);
    if (kind->needs_its_tables()) all.spare_tables();
    co_await all.run(what_to_do_.time);

    // Whoever waits still has its turn before it ends.
    all_ended_ = co_await workers_->dismiss(std::chrono::ceil<std::chrono::seconds>(quiet) + std::chrono::seconds(1));
    if (!all_ended_) std::fputs("a worker did not end when it was told to\n", stderr);
    co_await kind->take_stock(straight_to_store(), *tell_);
    tell_.reset();  // the judge goes to work when nobody has more to tell
    io_.stop();
}

}  // namespace

int run_supervisor(const ordeal& what_to_do) {
    supervisor self(what_to_do);
    return self.run();
}

}  // namespace torture
