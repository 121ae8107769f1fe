// Which writes of one session may yet lock an item, worked out from what its network shows.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dynalease::simulation::item_locks {

/// A take, or the intent of one, is open from the moment it is sent until an answer shows that it was applied, or that
/// no copy of it can be applied any more: its token is not above the item's floor, the grant that it is handed over
/// from is over, or it was refused for certain. One of several items is applied to all of them or to none, and so
/// closed on all by what closes it on one; a claim on several that is left behind may be used for one of them, and that
/// take is another.
class open_takes {
public:
    void sent(const any_request& request, time_point now);
    void answered(const any_request& request, const result<any_response>& answer);
    /// One is open that was sent since then for these items together, in that order, or for the only one.
    bool any_since(const std::vector<std::size_t>& items, time_point began) const;
    /// Another session begins.
    void forget() { by_item_.clear(); }

private:
    struct take {
        std::vector<std::size_t> items{};
        std::int64_t token = 0;
        time_point sent{};
        unsigned under_way = 0;
        bool unanswered = false;
        bool shut_out = false;  ///< by the floor, or by the end of the grant that it is handed over from; a copy under
                                ///< way may have been applied before
    };
    using of_an_item =
        std::map<std::pair<std::int64_t, bool>, std::shared_ptr<take>>;  ///< by token, and whether of several
    void close(const std::shared_ptr<take>& what);
    void note_floor(const item& shown, std::size_t index);
    void note_sight(const std::optional<item>& shown, std::size_t index);
    void shut_out_up_to(std::size_t index, std::int64_t token);
    void note_shown(const any_request& request, const result<any_response>& answer);

    std::map<std::size_t, of_an_item> by_item_;
};

}  // namespace dynalease::simulation::item_locks
