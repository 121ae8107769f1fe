// The client behind the database port: joins codec, signature, connections and retry decisions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "client/call_counters.hpp"
#include "client/call_log.hpp"
#include "client/configuration.hpp"
#include "client/credentials/credentials_cache.hpp"
#include "client/lanes.hpp"
#include "client/request_writer.hpp"
#include "runtime/context_end.hpp"
#include "runtime/waiter_list.hpp"

#include <dynalease/aws/clock_skew.hpp>
#include <dynalease/aws/retry_policy.hpp>
#include <dynalease/client.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dynalease {

class client::backend final : public database_backend, public std::enable_shared_from_this<backend> {
public:
    static std::shared_ptr<backend> make(dynalease::environment world, client_options options) {
        auto configuration = detail::configure(world, std::move(options));
        return std::make_shared<backend>(std::move(world), std::move(configuration));
    }
    backend(dynalease::environment world, detail::client_configuration configuration);
    ~backend() override;

    const dynalease::environment& environment() const noexcept override { return world_; }
    wall_time wall() const noexcept override { return skew_.corrected(world_.clock->wall()); }
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;

    client_counters counters() const;
    /// On the environment's executor, at once or posted.
    void close() noexcept;

private:
    using time_point = clock::time_point;

    /// One call in progress.
    struct call {
        const any_request& request;
        std::string_view operation;
        bool is_write;
        dynalease::lane lane;
        time_point deadline;
        clock::duration attempt_timeout;
        unsigned attempts_allowed;
        std::string body;
        unsigned forks;  // when it began
        attempt_watch* watch;
        aws::retry_budget budget{};
        unsigned tried = 0;
        bool doubt = false;
        aws::shared_credentials signed_by{};  // of the last attempt
    };

    enum class next_step { answer, again_at_once, pause, give_up };
    struct decision {
        next_step step;
        std::chrono::milliseconds pause{0};
    };

    call begin(const any_request& request, const call_options& options) const;
    void write_request(http::connection& to, const call& what, const credentials& who);
    detail::attempt read(const http::connection& from, const call& what, std::chrono::milliseconds signed_with);
    static detail::attempt unsent(errc why);
    decision decide(call& what, detail::attempt& done);
    void log_retry(const call& what, const detail::attempt& done, std::chrono::milliseconds pause);
    failure give_up(const call& what, detail::attempt done);
    failure call_off(call& what, detail::attempt done);
    void shut_down();

    dynalease::environment world_;
    detail::shared_source_context source_context_;  // null: the keys are another's matter
    std::shared_ptr<detail::credentials_cache> credentials_;
    detail::call_limits limits_;
    std::size_t waiting_;
    std::string url_;
    detail::call_log log_;

    detail::request_writer writer_;
    aws::retry_policy policy_;
    aws::clock_skew skew_;
    detail::call_counters counters_;

    detail::lanes lanes_;
    runtime::waiter_list<runtime::unit> pausing_;
    std::shared_ptr<runtime::context_end> context_;
    bool closed_ = false;
};

}  // namespace dynalease
