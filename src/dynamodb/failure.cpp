// What is thrown when the value of a failed result is asked for.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/failure.hpp>

#include <boost/throw_exception.hpp>

namespace dynalease {

void throw_exception_from_error(const failure& why, const boost::source_location& where) {
    boost::throw_exception(error(why.code, why.details), where);
}

}  // namespace dynalease
