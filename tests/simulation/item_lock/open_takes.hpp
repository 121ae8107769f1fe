// Which writes of one session may yet lock an item, worked out from what its network shows.
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>

namespace dynalease::simulation::item_locks {

/// A take is open from the moment it is sent until an answer shows that it was applied, or that no copy of it can be
/// applied any more: its token is not above the item's floor, or it was refused for certain.
class open_takes {
public:
    void sent(const any_request& request, time_point now);
    void answered(const any_request& request, const result<any_response>& answer);
    /// One is open that was sent since then.
    bool any_since(std::size_t item, time_point began) const;
    /// Another session begins.
    void forget() { by_item_.clear(); }

private:
    struct take {
        time_point sent{};
        unsigned under_way = 0;
        bool unanswered = false;
    };
    void note_floor(const item& shown, std::size_t index);

    std::map<std::size_t, std::map<std::int64_t, take>> by_item_;  ///< and by token
};

}  // namespace dynalease::simulation::item_locks
