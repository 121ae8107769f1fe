// The switch between the controls. Nothing else in the program knows the classes behind it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/repositories/intent_repository.hpp"
#include "payments/repositories/pessimistic_repository.hpp"

#include <dynalease/session.hpp>

#include <memory>

namespace payments {

/// @param session that holds the locks of the pessimistic control; it must outlive the repository, as the tables must.
std::unique_ptr<intent_repository> make_repository(control how, const tables& where, dynalease::session& session,
                                                   locking locks);

}  // namespace payments
