// A small world for one operation on a versioned item that is disturbed at one point.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/stage.hpp"
#include "simulation/versioned/recorder.hpp"
#include "simulation/versioned/user.hpp"

#include <dynalease/versioned.hpp>

#include <cstdint>
#include <optional>

namespace dynalease::simulation::versions {

/// Process `a` does what is disturbed; `b` is the other one. Two items; everything is told to the checker of worlds.
class stage final : public simulation::stage {
public:
    stage() : stage(removal::tombstone) {}
    explicit stage(removal how);

    struct actor {
        actor(stage& on, const char* name, std::uint64_t seed, std::int64_t drift_ppm, removal how);

        testing::node machine;
        versions::recorder recorder;
        std::optional<versioned<account>> accounts;
        std::int64_t number = 0;  ///< of the write that is under way
        std::optional<loaded<account>> base{};
        pending_write<account> pending{};
        error_code told{};
    };

    versions::item_history item_history;
    actor a;
    actor b;

    static key_values key(std::size_t item = 0) { return item_history::key_of(item); }
    /// What is intended from here on, by whom.
    std::int64_t intend(actor& who, intent what, std::size_t item = 0, bool from_base = true);
    /// For the end of a verb: tells the checker what the caller was told.
    auto keep(actor& who, std::size_t item = 0) {
        return [this, &who, item, number = who.number](error_code code, write_result<account> result) {
            learn(who, number, item, code, std::move(result));
        };
    }
    void learn(actor& who, std::int64_t number, std::size_t item, error_code code, write_result<account> result);
    /// As an answer that brought no item.
    void learn(std::int64_t number, std::size_t item, answer what);

    /// `who` makes the item, or loads it into its base, or writes it once more; the world goes on until that is done.
    void make(actor& who, std::size_t item = 0);
    void load(actor& who, std::size_t item = 0);
    void write(actor& who, std::size_t item = 0);

    std::vector<testing::node*> nodes() override { return {&a.machine, &b.machine}; }
    void destroy_handles() override;
    void conclude() override;

private:
    void look() override;
};

}  // namespace dynalease::simulation::versions
