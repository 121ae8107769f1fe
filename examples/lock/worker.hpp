// The role of a worker process: moves money between accounts, under their locks, until it is told to end.
//
// It tells what it does on standard output, one line per event:
//   session ID              opened; a new one replaces one that was lost
//   waiting ACCOUNT         asked for the account's lock
//   granted ACCOUNT TOKEN   has it
//   dwelling FROM TO        has read both accounts and now waits, holding both locks, for "go"
//   moved FROM TO AMOUNT    both accounts are written
//   refused FROM TO VALID   the fence refused the write; VALID is 1 if the guards still thought they held
//   released ACCOUNT        is about to give the lock back
//   lost                    the session ran out
//   done REQUESTS           told to end: session closed; so many requests sent in all
//   failed REASON           anything else; the process then ends with status 1
// and listens on standard input: "dwell", "go", "end".
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

namespace demo {

int run_worker(const std::string& name, const std::string& endpoint, std::uint64_t seed);

}  // namespace demo
