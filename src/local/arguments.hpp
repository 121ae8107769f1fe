// The command line of `dynalease-local`.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/local/server.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dynalease::local {

/// Where clients look first, as they do for every DynamoDB that runs on a developer's machine.
inline constexpr std::uint16_t usual_port = 8000;

struct arguments {
    server_options options{};
    bool has_port = false;  ///< one was asked for; else it is the usual one if that is free
    std::string file{};     ///< where the tables are kept; empty: in memory only
    bool help = false;
    bool version = false;
    std::string fault{};  ///< what is wrong with them; empty: nothing
};

/// The variable of the environment that may hold the secret key, which others see on a command line.
inline constexpr const char* secret_key_variable = "DYNALEASE_LOCAL_SECRET_KEY";

/// @param words without the program's name.
/// @param secret_key of the environment; null, or empty: none. What stands among the words counts for more.
arguments parse_arguments(std::span<const char* const> words, const char* secret_key = nullptr);

/// What whoever starts it so should know; empty: nothing.
std::string warning_of(const server_options& options);

std::string_view help_text() noexcept;

}  // namespace dynalease::local
