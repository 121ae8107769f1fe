// The fingerprint: two differently seeded hashes over an unambiguous walk of the request.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/fingerprint.hpp"

#include <string_view>

namespace dynalease::local {

namespace {

class walk {
public:
    void operator()(std::string_view text) {
        length(text.size());
        for (const char byte : text) take(static_cast<unsigned char>(byte));
    }
    void operator()(const std::string& text) { (*this)(std::string_view(text)); }
    void operator()(const number& value) { (*this)(value.text()); }
    void operator()(const binary& bytes) {
        length(bytes.size());
        for (const std::byte byte : bytes) take(std::to_integer<unsigned char>(byte));
    }
    void operator()(bool value) { take(value ? 1 : 0); }
    void operator()(null) { take(0); }
    void operator()(const attribute_value& value) { variant(value.get()); }
    template <class... Alternatives>
    void variant(const std::variant<Alternatives...>& value) {
        length(value.index());
        std::visit(*this, value);
    }
    template <class Key, class Value, class Compare>
    void operator()(const std::map<Key, Value, Compare>& map) {
        length(map.size());
        for (const auto& [key, value] : map) {
            (*this)(key);
            (*this)(value);
        }
    }
    template <class Range>
        requires requires(const Range& range) { *range.begin(); }
    void operator()(const Range& range) {
        length(range.size());
        for (const auto& each : range) (*this)(each);
    }
    void operator()(const condition_check& action) { common(action.key, action); }
    void operator()(const transact_put& action) { common(action.new_item, action); }
    void operator()(const transact_delete& action) { common(action.key, action); }
    void operator()(const transact_update& action) {
        common(action.key, action);
        (*this)(detail::plain(action.update_expression));
    }

    fingerprint result() const { return state_; }

private:
    template <class Action>
    void common(const item& subject, const Action& action) {
        (*this)(detail::plain(action.table_name));
        (*this)(subject);
        (*this)(detail::plain(action.condition_expression));
        (*this)(detail::plain(action.names));
        (*this)(detail::plain(action.values));
        (*this)(action.current_on_refusal);
    }

    void length(std::size_t value) {
        for (int shift = 0; shift < 32; shift += 8) take(static_cast<unsigned char>(value >> shift));
    }

    void take(unsigned char byte) {
        state_[0] = (state_[0] ^ byte) * 0x100000001b3U;
        state_[1] = (state_[1] + byte + 1) * 0x9e3779b97f4a7c15U;
        state_[1] ^= state_[1] >> 29U;
    }

    fingerprint state_{0xcbf29ce484222325U, 0x2545f4914f6cdd1dU};
};

}  // namespace

fingerprint fingerprint_of(const transact_write_items_request& request) {
    walk visitor;
    for (const transact_write& action : request.actions) visitor.variant(action);
    return visitor.result();
}

}  // namespace dynalease::local
