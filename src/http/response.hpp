// One HTTP response, in memory that the next one on the same connection uses again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::http {

/// Memory beyond this is given back after an exchange: one huge item must not cost its size for a connection's life.
inline constexpr std::size_t kept_capacity = 64 * 1024;

class response {
public:
    unsigned status() const noexcept { return status_; }
    std::string_view body() const noexcept { return body_; }
    /// The value of the first header field of that name, case ignored; empty if there is none.
    std::string_view header(std::string_view name) const noexcept;

    void clear();
    void set_status(unsigned status) noexcept { status_ = status; }
    void add_header(std::string_view name, std::string_view value);
    void reserve_body(std::size_t size) { body_.reserve(size); }
    void add_body(std::string_view bytes) { body_.append(bytes); }

private:
    struct field {
        std::size_t begin;
        std::size_t name_size;
        std::size_t value_size;
    };

    unsigned status_ = 0;
    std::string text_;  // names and values, one after the other
    std::vector<field> fields_;
    std::string body_;
};

}  // namespace dynalease::http
