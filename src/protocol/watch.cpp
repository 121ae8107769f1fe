// The clock of a watched session: what starts it, and what it says.
#include "protocol/watch.hpp"

namespace dynalease::protocol {

void session_watch::sight(const std::optional<session_row>& row, time_point now) {
    if (over_) return;
    if (!row || !row->alive) {
        over_ = true;
        return;
    }
    looked_ = now;
    lease_ = row->lease;
    if (beat_ != row->beat) {
        beat_ = row->beat;
        since_ = now;
    }
}

std::optional<std::int64_t> session_watch::due_for_mark(time_point now) const {
    if (over_ || !beat_ || now - since_ < lease_) return {};
    return beat_;
}

}  // namespace dynalease::protocol
