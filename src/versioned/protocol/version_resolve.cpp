// What became of a write that was in doubt.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/reply.hpp"
#include "versioned/protocol/version_sequences.hpp"

#include <utility>

namespace dynalease::protocol {

namespace {

void judge_item(const write_intent& intent, std::optional<item> found, resolved_write& end) {
    auto sight = visible_in(*intent.layout, std::move(found));
    if (!sight) {
        end.why = std::move(sight).error();
        return;
    }
    end.became = resolution_of(decide(intent, *sight ? &**sight : nullptr, false));
    end.current = stored_in(*std::move(sight));
}

}  // namespace

sequence<void> resolve_item(stepper& steps, const write_intent& intent, resolved_write& end) {
    read_step look{.request = intent.requests().look(intent.key, true)};
    auto read = co_await asking<read_step>(steps, std::move(look));
    if (read.answer)
        judge_item(intent, std::move(read.answer->found), end);
    else
        end.why = std::move(read.answer).error();
}

sequence<void> close_item(writer_view& process, stepper& steps, const write_intent& intent, resolved_write& end) {
    if (intent.how != write_intent::test::checked) {
        co_await resolve_item(steps, intent, end);
        co_return;
    }
    auto write = intent.write;
    write.mine = process.new_stamp();
    write_step touch{.request = intent.requests().save(intent.key, write, {})};
    touch.request.returned = return_values::all_new;
    auto sent = co_await asking<write_step>(steps, std::move(touch));
    if (sent.answer) {
        end.became = resolution::not_applied;
        auto sight = visible_in(*intent.layout, std::move(sent.answer->attributes));
        if (sight) end.current = stored_in(*std::move(sight));
        co_return;
    }
    auto why = std::move(sent.answer).error();
    if (detail::classify(why) == detail::answer::refused)
        judge_item(intent, std::move(why.current), end);
    else
        end.why = std::move(why);
}

}  // namespace dynalease::protocol
