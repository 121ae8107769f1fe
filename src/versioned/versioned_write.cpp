// One versioned write, carried out.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "versioned/protocol/version_sequences.hpp"
#include "versioned/versioned_impl.hpp"
#include "versioned/writing_process.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

boost::asio::awaitable<runtime::completion<write_report>> run_write(std::shared_ptr<versioned_impl> core,
                                                                    write_order order, diagnostics* details) {
    runtime::completion<write_report> done;
    auto planned = plan_write(*core, std::move(order));
    if (!planned) {
        done.code = report(planned.error(), details);
        co_return done;
    }
    protocol::write_outcome end;
    writing_process process(core->target());
    co_await process.run(protocol::write_item(process, process.steps(), core->options().resolve_within, *planned, end));
    if (end.why) {
        core->explain(*end.why);
        done.code = report(*end.why, details);
    }
    done.value = report_of(std::move(core), std::move(end), *std::move(planned));
    co_return done;
}

}  // namespace

void write_verb::operator()(diagnostics* details, handler_for<write_report> handler) && {
    const auto executor = core->world().executor;
    called_verb called{details, verb_of(order.what), text_of(key_in(*core, order)), core->options().table};
    start_verb<write_report>(executor, std::move(called), run_write(std::move(core), std::move(order), details),
                             std::move(handler));
}

}  // namespace dynalease::detail
