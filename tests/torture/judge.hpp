// Whether a history keeps the promises that can be seen from outside.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/case_file.hpp"
#include "torture/terms.hpp"

#include <vector>

namespace torture {

/// All violations, the earliest first.
std::vector<violation> judge(const case_file& facts, const terms& promised);

// Its parts, each of one promise.

/// P1: no two grants of a lock are valid at the same moment. Waived where the table was lost under the session of
/// one of them: for all others it is over then, and itself it learns so from its next heartbeat.
void judge_exclusion(const case_file& facts, std::vector<violation>& found);
/// P2: tokens rise in the order of the grants, for ever, even when the table is lost; none comes twice.
void judge_tokens(const case_file& facts, std::vector<violation>& found);
/// P3: once a newer grant has touched what the lock protects, no older one changes it, and no update is lost.
void judge_fence(const case_file& facts, std::vector<violation>& found);
/// P4: no guard is valid beyond its session's deadline, and the loss is told when it passes.
void judge_deadlines(const case_file& facts, const terms& promised, std::vector<violation>& found);
/// P6 and P7: a lock that nobody holds any more is granted to one of those who wait, and in time.
void judge_progress(const case_file& facts, const terms& promised, std::vector<violation>& found);

/// A sum over all accounts, read in one transaction, is the same always, and so it is at the end, where each account
/// holds what the receipts say. A transfer happens once, and its receipt is there if and only if that was told. Nothing
/// is held by a transaction when all have ended.
void judge_transactions(const case_file& facts, std::vector<violation>& found);

/// Nobody is told that he has given back what was another's by then. Waived as P1.
void judge_telling(const case_file& facts, std::vector<violation>& found);

}  // namespace torture
