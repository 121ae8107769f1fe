// One program on both sides, and what came of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/answer.hpp"
#include "conformance/known_differences.hpp"
#include "conformance/program.hpp"
#include "conformance/side.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace dynalease::conformance {

/// A difference that nothing justifies.
struct finding {
    std::size_t at = 0;  ///< the call of the program
    call what;
    answer ours;
    answer theirs;
    std::string path;
    /// The same for differences that have, most likely, the same cause.
    std::string signature;
};

struct trial {
    std::size_t calls = 0;
    std::vector<const known_difference*> listed;
    std::vector<finding> findings;  ///< none, or the first one
};

/// Runs programs; each run has tables of its own, on both sides.
class stage {
public:
    /// @param server the name by which known differences are looked up
    stage(side& foreign, std::string server) : foreign_(foreign), server_(std::move(server)) {}

    boost::asio::awaitable<trial> run(program what);

private:
    /// Until an answer differs in a way that makes all that follows differ.
    boost::asio::awaitable<void> play(const program& what, trial& out);
    bool judge(std::size_t at, const call& what, const answer& ours, const answer& theirs, trial& out) const;

    side& foreign_;
    std::string server_;
    std::size_t runs_ = 0;
};

/// The answer of one side.
boost::asio::awaitable<answer> perform(side& on, const call& what);

}  // namespace dynalease::conformance
