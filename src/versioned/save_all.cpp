// Several versioned writes in one transaction.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/versioned/save_all.hpp>

#include "database/called_verb.hpp"
#include "versioned/joint_plan.hpp"
#include "versioned/writing_process.hpp"

#include <tuple>
#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::joint_entry;
using detail::joint_plan;

joint_result::entry entry_of(protocol::joint_outcome::fate&& how) {
    auto& facts = how.facts;
    return {how.code,    std::move(facts.saved), std::move(facts.current), facts.expected,
            facts.found, std::move(facts.holder)};
}

awaitable<runtime::completion<joint_result>> run_save_all(database target, std::vector<joint_entry> entries,
                                                          diagnostics* details) {
    runtime::completion<joint_result> done;
    auto planned = detail::plan_jointly(std::move(entries));
    if (!planned) {
        done.code = detail::report(planned.error(), details);
        co_return done;
    }
    const auto plan = std::make_shared<joint_plan>(*std::move(planned));
    protocol::joint_outcome end;
    detail::writing_process process(target);
    co_await process.run(protocol::write_together(process, process.steps(), *plan, end));
    if (end.why) done.code = detail::report(*end.why, details);
    for (auto& each : end.each) done.value.entries().push_back(entry_of(std::move(each)));
    if (end.in_doubt) done.value.pending() = pending_joint_write(target, plan);
    co_return done;
}

awaitable<runtime::completion<resolution>> run_resolve(database target, std::shared_ptr<const joint_plan> plan,
                                                       diagnostics* details) {
    runtime::completion<resolution> done;
    protocol::resolved_together end;
    detail::writing_process process(target);
    co_await process.run(protocol::resolve_together(process.steps(), *plan, end));
    if (end.why) done.code = detail::report(*end.why, details);
    done.value = end.became;
    co_return done;
}

awaitable<joint_result> await_save_all(database target, versioned_writes writes) {
    diagnostics details;
    const auto executor = target.get_executor();
    detail::save_all_verb verb{std::move(target), writes.entries()};
    auto done = co_await detail::initiate<joint_result>(executor, std::move(verb), details,
                                                        boost::asio::as_tuple(boost::asio::deferred));
    const auto code = std::get<0>(done);
    auto result = std::get<1>(std::move(done));
    if (result.pending()) throw joint_in_doubt(code, std::move(details), std::move(result.pending()));
    if (code && result.size() > 0) throw joint_conflict(code, std::move(details), std::move(result));
    if (code) throw error(code, std::move(details));
    co_return result;
}

}  // namespace

void detail::save_all_verb::operator()(diagnostics* details, handler_for<joint_result> handler) && {
    const auto executor = target.get_executor();
    start_verb<joint_result>(executor, {details, "save_all"},
                             run_save_all(std::move(target), std::move(entries), details), std::move(handler));
}

pending_joint_write::pending_joint_write(database target, std::shared_ptr<const detail::joint_plan> plan)
    : target_(std::move(target)), plan_(std::move(plan)) {}

awaitable<resolution> pending_joint_write::resolve() const {
    auto verb = resolving();
    auto where = target_->get_executor();
    return detail::await_verb<resolution>(std::move(where), std::move(verb));
}

detail::joint_resolve_verb pending_joint_write::resolving() const {
    if (plan_) return {*target_, plan_};
    diagnostics details;
    details.operation = "pending_joint_write";
    details.message = "no write is in doubt here";
    throw error(errc::not_held, std::move(details));
}

void detail::joint_resolve_verb::operator()(diagnostics* details, handler_for<resolution> handler) && {
    const auto executor = target.get_executor();
    start_verb<resolution>(executor, {details, "pending_joint_write.resolve"},
                           run_resolve(std::move(target), std::move(plan), details), std::move(handler));
}

awaitable<joint_result> save_all(database target, versioned_writes writes) {
    return await_save_all(std::move(target), std::move(writes));
}

}  // namespace dynalease
