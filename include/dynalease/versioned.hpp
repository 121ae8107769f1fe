// Optimistic writes: `versioned` tables of structs, what was loaded from them, and several saves at once.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/versioned/fit_check.hpp>
#include <dynalease/versioned/loaded.hpp>
#include <dynalease/versioned/loaded_pages.hpp>
#include <dynalease/versioned/save_all.hpp>
#include <dynalease/versioned/versioned.hpp>
#include <dynalease/versioned/versioned_options.hpp>
