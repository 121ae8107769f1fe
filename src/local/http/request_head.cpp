// Beast's parser with our own fields: nothing is copied.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/request_head.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <functional>

namespace dynalease::local {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using beast_error = beast::error_code;
using beast_text = beast::string_view;

namespace {

/// From Boost 1.92 on Beast has this function, too; it is for what follows a body, of which nothing is read here.
class trailing_parser : public http::basic_parser<true> {
    virtual void on_trailer_field_impl(http::field, beast_text, beast_text, beast_error&) {}
};

class head_parser final : public trailing_parser {
public:
    head_parser(std::string_view bytes, aws::request_view& into) : bytes_(bytes), into_(into) {
        header_limit(largest_head);
        body_limit(largest_body);
        into_.headers.clear();
    }

    bool expects_continue() const noexcept { return expects_continue_; }
    /// In a coding that is not chunked the body has no end that could be known: what follows may be more of it.
    bool has_unknown_coding() const { return is_encoded_ && !chunked(); }
    bool has_right_host() const noexcept { return hosts_ == 1 || (hosts_ == 0 && !wants_host_); }

private:
    void on_request_impl(http::verb, beast_text method, beast_text target, int version, beast_error&) override {
        constexpr int first_with_host = 11;
        wants_host_ = version >= first_with_host;
        const std::string_view whole(target.data(), target.size());
        const std::size_t mark = whole.find('?');
        into_.method = {method.data(), method.size()};
        into_.path = whole.substr(0, mark);
        into_.query = mark == std::string_view::npos ? std::string_view{} : whole.substr(mark + 1);
    }

    void on_field_impl(http::field field, beast_text name, beast_text value, beast_error& error) override {
        // A value folded over several lines lies in a buffer of the parser's own: obsolete, and not worth a copy.
        const bool ours = value.empty() || (std::less_equal<>{}(bytes_.data(), value.data()) &&
                                            std::less_equal<>{}(value.data(), bytes_.data() + bytes_.size()));
        if (!ours) {
            error = http::error::bad_value;
            return;
        }
        into_.headers.push_back({{name.data(), name.size()}, {value.data(), value.size()}});
        if (field == http::field::expect) expects_continue_ = beast::iequals(value, "100-continue");
        if (field == http::field::transfer_encoding) is_encoded_ = true;
        if (field == http::field::host) ++hosts_;
    }

    void on_response_impl(int, beast_text, int, beast_error&) override {}
    void on_header_impl(beast_error&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, beast_error&) override {}
    std::size_t on_body_impl(beast_text, beast_error&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, beast_text, beast_error&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, beast_text, beast_error&) override { return 0; }
    void on_finish_impl(beast_error&) override {}

    std::string_view bytes_;
    aws::request_view& into_;
    bool expects_continue_ = false;
    bool is_encoded_ = false;
    bool wants_host_ = false;
    int hosts_ = 0;
};

}  // namespace

request_head parse_head(std::string_view bytes, aws::request_view& into) {
    request_head head;
    head_parser parser(bytes, into);
    beast_error error;
    head.size = parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (error == http::error::need_more) return head;
    if (error == http::error::body_limit) {
        head.what = request_head::status::too_large;
    } else if (error || parser.has_unknown_coding() || !parser.has_right_host()) {
        head.what = request_head::status::malformed;
    } else if (parser.chunked()) {
        head.what = request_head::status::no_length;
    } else {
        head.what = request_head::status::complete;
        head.content_length = static_cast<std::size_t>(parser.content_length().value_or(0));
        head.keep_alive = parser.keep_alive();
        head.expects_continue = parser.expects_continue();
    }
    return head;
}

}  // namespace dynalease::local
