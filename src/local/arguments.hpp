// The command line of `dynalease-local`.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/local/server.hpp>

#include <span>
#include <string>
#include <string_view>

namespace dynalease::local {

struct arguments {
    server_options options{};
    bool help = false;
    std::string fault{};  ///< what is wrong with them; empty: nothing
};

/// @param words without the program's name.
arguments parse_arguments(std::span<const char* const> words);

/// What whoever starts it so should know; empty: nothing.
std::string warning_of(const server_options& options);

std::string_view help_text() noexcept;

}  // namespace dynalease::local
