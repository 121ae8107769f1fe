// One class for each control.
// SPDX-License-Identifier: BSL-1.0
#include "payments/repositories/make_repository.hpp"

#include "payments/repositories/optimistic_repository.hpp"
#include "payments/repositories/unguarded_repository.hpp"

namespace payments {

std::unique_ptr<intent_repository> make_repository(control how, const tables& where, dynalease::session& session,
                                                   locking locks) {
    switch (how) {
        case control::none:
            break;
        case control::optimistic:
            return std::make_unique<optimistic_repository>(where);
        case control::pessimistic:
            return std::make_unique<pessimistic_repository>(where, session, locks);
    }
    return std::make_unique<unguarded_repository>(where);
}

}  // namespace payments
