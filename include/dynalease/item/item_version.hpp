// Which state of an item a value was made from: its version, and the life of the item in which that version counts.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// Names one write for ever: 12 random bytes, never used again.
using item_stamp = std::array<std::byte, 12>;

/// A version number alone names no state: it starts again when an item is removed and created anew. The stamp of its
/// creation beside it does, for ever.
struct item_version {
    std::optional<std::int64_t> version{};  ///< empty: no versioned writer has touched the item yet
    std::optional<item_stamp> born{};       ///< of the write that created the item; empty: another library's
    std::optional<item_stamp> stamp{};      ///< of the last write
    std::vector<item_stamp> trail{};        ///< of the (up to three) writes before it, newest first

    /// "7-<base64 of born>": the state as text, for an ETag or a form. An `item_revision` made of it is
    /// taken by `save` and `remove` in place of a loaded item.
    std::string revision() const;

    friend bool operator==(const item_version&, const item_version&) = default;
};

/// A state of an item that has travelled as text, without the item itself.
class item_revision {
public:
    /// @throws dynalease::error with `errc::invalid_name` if it is not what `item_version::revision` gives.
    explicit item_revision(std::string_view text);

    /// Version and birth; the stamps are not known.
    const item_version& state() const noexcept { return state_; }

private:
    item_version state_;
};

}  // namespace dynalease
#pragma GCC visibility pop
