// Somebody in a process who loads items, thinks, and writes them in one way or another.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/user.hpp"
#include "simulation/versioned/history.hpp"

#include <dynalease/versioned.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/describe/class.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::versions {

class process;

/// Newer programs keep more in it, and older ones less.
struct bank_card {
    std::string holder{};
    std::map<std::string, std::int64_t> uses{};
};
BOOST_DESCRIBE_STRUCT(bank_card, (), (holder, uses))

}  // namespace dynalease::simulation::versions

template <>
struct dynalease::member_traits<&dynalease::simulation::versions::bank_card::uses> : dynalease::default_member_traits {
    static constexpr bool keeps_default = true;
};

namespace dynalease::simulation::versions {

/// What the application keeps in its table.
struct account {
    std::string pk{};
    std::string sk{};
    std::vector<std::int64_t> entries{};
    std::optional<std::string> note{};
    std::optional<bank_card> card{};
};
BOOST_DESCRIBE_STRUCT(account, (), (pk, sk, entries, note, card))

class user final : public simulation::user {
public:
    explicit user(process& at);

    /// Goes on until everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<user> self);

    /// The write that is under way; 0: none.
    std::int64_t number() const noexcept { return number_; }
    /// Updates that succeeded since the calm began.
    bool served() const noexcept { return served_; }

private:
    using outcome_of_write = std::tuple<error_code, write_result<account>>;
    struct known {
        std::size_t item = 0;
        loaded<account> value{};
        serial state = 0;
    };

    boost::asio::awaitable<void> act();
    boost::asio::awaitable<void> load(std::size_t item, bool consistent);
    /// All items in one go; that one is kept.
    boost::asio::awaitable<void> load_all(std::size_t kept, bool consistent);
    std::optional<known> note_loaded(std::size_t item, const std::optional<loaded<account>>& found, serial since,
                                     bool consistent);
    boost::asio::awaitable<void> create(std::size_t item);
    boost::asio::awaitable<void> save(known base, save_scope scope);
    boost::asio::awaitable<void> save_revision(known base);
    boost::asio::awaitable<void> touch(known base);
    boost::asio::awaitable<void> remove(known base);
    boost::asio::awaitable<void> update(std::size_t item);
    boost::asio::awaitable<void> blind(std::size_t item, bool exact);
    boost::asio::awaitable<void> clobber(known base, bool upsert);
    boost::asio::awaitable<void> clobber_remove(std::size_t item);
    boost::asio::awaitable<void> joint(known base);
    boost::asio::awaitable<void> resolve_joint();
    void join_foreign(versioned_writes& together);
    save_options own_condition();
    /// A change of something that newer programs know more of, and older ones less.
    static void sign(account& value, std::int64_t number, const std::string& user);
    void join(versioned_writes& together, std::size_t item, const std::optional<known>& base);
    boost::asio::awaitable<void> resolve(bool close);

    /// Before the request: what is intended, and perhaps a change of mind on the way.
    void begin(std::size_t item, intent what, std::optional<serial> base = {});
    void end(std::size_t item, outcome_of_write done, bool shows_its_own = true);
    void tell(std::size_t item, answer what, std::optional<serial> shown);
    std::optional<serial> serial_of(std::size_t item, const std::optional<loaded<account>>& shown);
    void remember(std::size_t item, const std::optional<loaded<account>>& value);
    key_values key_of(std::size_t item) const;
    static loaded<account> blank(std::size_t item);

    process& process_;
    versioned<account> accounts_;
    std::int64_t number_ = 0;
    intent intends_{};  ///< of that number, the last one of several items
    serial since_ = 0;
    std::optional<known> held_;  ///< as last loaded or saved
    std::optional<known> old_;   ///< kept for long
    struct doubt {
        std::size_t item = 0;
        std::int64_t number = 0;
        pending_write<account> write{};
        bool by_text = false;
    };
    std::optional<doubt> doubt_;
    struct joint_doubt {
        std::size_t item = 0;
        std::int64_t number = 0;
        pending_joint_write write{};
    };
    std::optional<joint_doubt> joint_doubt_;
    bool served_ = false;
};

}  // namespace dynalease::simulation::versions
