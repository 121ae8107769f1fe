// Room http: storage of one response.
// SPDX-License-Identifier: BSL-1.0
#include "http/response.hpp"

#include <boost/beast/core/string.hpp>

namespace dynalease::http {

std::string_view response::header(std::string_view name) const noexcept {
    for (const auto& one : fields_) {
        if (one.name_size != name.size()) continue;
        const std::string_view text(text_);
        if (boost::beast::iequals(text.substr(one.begin, one.name_size), name)) {
            return text.substr(one.begin + one.name_size, one.value_size);
        }
    }
    return {};
}

void response::clear() {
    status_ = 0;
    text_.clear();
    fields_.clear();
    body_.clear();
    if (body_.capacity() > kept_capacity) body_.shrink_to_fit();
}

void response::add_header(std::string_view name, std::string_view value) {
    fields_.push_back({text_.size(), name.size(), value.size()});
    text_.append(name).append(value);
}

}  // namespace dynalease::http
