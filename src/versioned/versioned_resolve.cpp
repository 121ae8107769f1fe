// What became of a write that was in doubt.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "versioned/protocol/version_sequences.hpp"
#include "versioned/versioned_impl.hpp"
#include "versioned/writing_process.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

boost::asio::awaitable<runtime::completion<resolve_report>> run_resolve(std::shared_ptr<const write_intent> intent,
                                                                        bool closes, diagnostics* details) {
    runtime::completion<resolve_report> done;
    protocol::resolved_write end;
    writing_process process(intent->core->target());
    auto& steps = process.steps();
    auto resolving =
        closes ? protocol::close_item(process, steps, *intent, end) : protocol::resolve_item(steps, *intent, end);
    co_await process.run(std::move(resolving));
    if (end.why) done.code = report(*end.why, details);
    done.value = {.verdict = end.became, .current = std::move(end.current)};
    co_return done;
}

}  // namespace

void resolve_verb::operator()(diagnostics* details, handler_for<resolve_report> handler) && {
    const auto executor = intent->core->world().executor;
    called_verb called{details, closes ? "pending_write.close" : "pending_write.resolve", text_of(intent->key),
                       intent->core->options().table};
    start_verb<resolve_report>(executor, std::move(called), run_resolve(std::move(intent), closes, details),
                               std::move(handler));
}

}  // namespace dynalease::detail
