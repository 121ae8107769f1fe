// The role of a clerk: a process that changes the order, in its turn, several times.
//
// It tells what it does on standard output, one line per event:
//   enters              asks for a ticket
//   turn TICKET BEFORE  its turn has come; so many were before it when it drew the ticket
//   changed TICKET      the order is written, under the fence of the turn
//   stays TICKET        was told to: keeps the turn until it is killed
//   done                all its turns are over
//   failed REASON       anything else
// and listens on standard input: "stay".
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

namespace tickets {

int run_clerk(const std::string& name, const std::string& endpoint);

}  // namespace tickets
