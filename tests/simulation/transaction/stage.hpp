// The stage for the fault points of transactions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/stage.hpp"
#include "simulation/transaction/recorder.hpp"
#include "simulation/transaction/user.hpp"

#include <dynalease/transaction.hpp>
#include <dynalease/versioned.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::transfers {

/// Process `a` does what is disturbed; `b` is another one, and `c` sees to what is left. Two accounts and two tokens,
/// of which the second is there; everything is told to the checker of worlds.
class stage final : public simulation::stage {
public:
    stage();

    struct actor {
        actor(stage& on, const char* name, std::uint64_t seed, std::int64_t drift_ppm);

        testing::node machine;
        transfers::recorder recorder;
        std::optional<versioned<account>> accounts;
        std::optional<transactions> all;
        std::optional<transaction> tx{};
        std::int64_t call = 0;
        std::int64_t attempt = 0;
        error_code told{};
    };

    transfers::item_history item_history;
    actor a;
    actor b;
    actor c;

    static constexpr std::size_t payer = 0;
    static constexpr std::size_t payee = 1;
    static constexpr std::size_t absent = 2;
    static constexpr std::size_t present = 3;
    static key_values key(std::size_t item) { return {item_history::name_of(item), "-"}; }

    /// Begins a transaction for these effects. What the body reads and writes comes next.
    std::int64_t wish(actor& who, std::vector<effect> effects, run_options how = {});
    /// What the body has read.
    std::optional<account> read(actor& who, std::size_t item);
    /// The body has ended.
    void ready(actor& who) { ready(who, who.tx->id()); }
    void ready(actor& who, const std::string& id);
    /// A body that runs, and may run again, for the wish. What it reads is kept for `ready`.
    void run_anew(actor& who);
    void saw(std::size_t item, const std::optional<account>& found);
    /// For the end of a commit.
    auto keep(actor& who) {
        return [this, &who, call = who.call](error_code code) { learn(who, call, code); };
    }
    /// ... and of a coroutine.
    auto keep_thrown(actor& who) {
        return [this, &who, call = who.call](std::exception_ptr thrown) { learn(who, call, code_of(thrown)); };
    }

    /// Somebody who dies when it has sent so many requests of its commit. @returns its id
    const std::string& leave_behind(actor& who, std::size_t requests);
    static testing::fault_plan silent_after(std::size_t requests);

    std::vector<testing::node*> nodes() override { return {&a.machine, &b.machine, &c.machine}; }
    void destroy_handles() override;
    void conclude() override;

private:
    void look() override;
    void learn(actor& who, std::int64_t call, error_code code);
    static error_code code_of(const std::exception_ptr& thrown);
    void make_token();

    std::vector<seen_item> read_;
    std::string left_;
};

}  // namespace dynalease::simulation::transfers
