// What versioned items give and take: loaded values, the answers to writes, and what is thrown when one is refused.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/typed_item.hpp>
#include <dynalease/versioned/versioned_operations.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// What can be kept in a table of versioned items: a described struct, or an item as it is.
template <class T>
concept versionable = std::same_as<T, item> || described<T>;

namespace detail {
/// A struct that is not described is told what is missing, before anything else of it fails to compile.
template <class T>
struct must_be_described {
    static_assert(versionable<T>,
                  "describe the struct behind its definition: BOOST_DESCRIBE_STRUCT(book, (), (isbn, title, pages)); "
                  "or take versioned_items, for items as they are");
};
}  // namespace detail

/// A value and the state of the item that it was made from. Change `value` and save it; nothing else changes it.
template <class T>
struct loaded : item_version {
    T value;
    /// The whole item. Saves keep what the value does not know of it, inside nested structs, lists and maps too; and
    /// inside nested structs and maps, which are changed where they differ, what others have put there since. Elements
    /// of a list, which have no key, are matched by likeness and place, and the list is written whole.
    item attributes;
    /// It was read by a projection, `load_options::members_only` or another: `attributes` may not be the whole item. A
    /// save keeps all the same what it does not know.
    bool partial = false;
};

/// Items that came together, those that are no T apart.
template <class T>
struct loaded_items {
    std::vector<loaded<T>> values;  ///< those that fit
    std::vector<misfit> misfits;    ///< those that do not
};

namespace detail {

/// @throws dynalease::error of `verb` with `errc::bad_attribute` that names table, key and member; `stored` stays then.
template <class T>
loaded<T> as_loaded(const versioned_impl& core, stored_item&& stored, std::string_view verb) {
    if constexpr (std::same_as<T, item>) {
        auto own = user_attributes(core, stored.attributes);
        return {std::move(stored.state), std::move(own), std::move(stored.attributes), stored.partial};
    } else {
        try {
            auto value = from_item<T>(stored.attributes);
            return {std::move(stored.state), std::move(value), std::move(stored.attributes), stored.partial};
        } catch (const std::exception& why) {
            throw unfit_item(core, stored.attributes, why, verb);
        }
    }
}

template <class T>
loaded<T> as_loaded(const versioned_impl& core, const stored_item& stored, std::string_view verb) {
    return as_loaded<T>(core, stored_item(stored), verb);
}

/// Adds what the item is.
template <class T>
void sort_into(loaded_items<T>& out, const versioned_impl& core, item shown) {
    std::optional<stored_item> stored;
    try {
        stored = stored_from(core, std::move(shown));
        if (stored) out.values.push_back(as_loaded<T>(core, *std::move(stored), "versioned.from_all"));
    } catch (const error& why) {
        out.misfits.push_back(misfit_of(core, stored ? std::move(stored->attributes) : std::move(shown), why));
    }
}

/// Empty where another writer's item is no T: a conflict stays one all the same. @param unfit null, or where to say
/// why.
template <class T>
std::optional<loaded<T>> as_loaded_if_possible(const versioned_impl& core, std::optional<stored_item> stored,
                                               std::string* unfit = nullptr) {
    if (!stored) return std::nullopt;
    try {
        return as_loaded<T>(core, *std::move(stored), {});
    } catch (const error& why) {
        if (unfit) *unfit = why.diagnostics().message;
        return std::nullopt;
    }
}

/// Makes what a compiled verb yields into what the caller's handler takes.
template <class Raw, class Typed, class Convert>
struct typed_handler {
    handler_for<Typed> handler;
    Convert convert;
    diagnostics* details;

    void operator()(error_code code, Raw raw) && {
        Typed value{};
        try {
            value = convert(std::move(raw));
        } catch (const error& why) {
            if (!code && details) *details = why.diagnostics();
            if (!code) code = why.code();
        } catch (const std::exception& why) {
            if (!code && details) details->message = why.what();
            if (!code) code = errc::bad_attribute;
        }
        std::move(handler)(code, std::move(value));
    }
};

template <class Raw, class Typed, class Verb, class Convert>
struct typed_verb {
    Verb verb;
    Convert convert;

    void operator()(diagnostics* details, handler_for<Typed> handler) && {
        using wrapper = typed_handler<Raw, Typed, Convert>;
        std::move(verb)(details, handler_for<Raw>(wrapper{std::move(handler), std::move(convert), details}));
    }
};

}  // namespace detail

template <class T>
struct resolved {
    resolution verdict = resolution::open;
    std::optional<loaded<T>> current{};  ///< the item as it was found, or left
};

/// A write that was sent and never answered for certain. Copyable; may outlive the handle it came from.
template <class T>
class pending_write {
public:
    pending_write() = default;
    pending_write(std::shared_ptr<detail::versioned_impl> core, std::shared_ptr<const detail::write_intent> intent)
        : core_(std::move(core)), intent_(std::move(intent)) {}

    /// Whether there is one.
    explicit operator bool() const noexcept { return intent_ != nullptr; }

    /// What the item says of it now. Errors: `errc::not_held` without one, thrown at the call with a token; those of a
    /// read. Cost: 1 read.
    boost::asio::awaitable<resolved<T>> resolve() const { return await_resolved(core_, intent_, false); }
    template <class... Tail>
        requires verb_tail<resolved<T>, Tail...>
    auto resolve(Tail&&... tail) const {
        return run(false, std::forward<Tail>(tail)...);
    }
    /// Takes the state away from it by a write of the same kind without changes, so that it can never land; then tells.
    /// A creation, a blind update and a clobbering cannot be closed: this is `resolve` for them. Errors: as `resolve`,
    /// and those of a write. Cost: 1 write.
    boost::asio::awaitable<resolved<T>> close() const { return await_resolved(core_, intent_, true); }
    template <class... Tail>
        requires verb_tail<resolved<T>, Tail...>
    auto close(Tail&&... tail) const {
        return run(true, std::forward<Tail>(tail)...);
    }

private:
    struct as_resolved {
        std::shared_ptr<detail::versioned_impl> core;
        resolved<T> operator()(detail::resolve_report report) const {
            return {report.verdict, detail::as_loaded_if_possible<T>(*core, std::move(report.current))};
        }
    };

    template <class... Tail>
    auto run(bool closes, Tail&&... tail) const {
        using typed = detail::typed_verb<detail::resolve_report, resolved<T>, detail::resolve_verb, as_resolved>;
        const auto where = detail::executor_of(intent_);
        return detail::initiate<resolved<T>>(where, typed{{intent_, closes}, {core_}}, std::forward<Tail>(tail)...);
    }
    static boost::asio::awaitable<resolved<T>> await_resolved(std::shared_ptr<detail::versioned_impl> core,
                                                              std::shared_ptr<const detail::write_intent> intent,
                                                              bool closes) {
        detail::resolve_verb verb{std::move(intent), closes};
        auto report = co_await detail::await_verb(std::move(verb));
        co_return as_resolved{std::move(core)}(std::move(report));
    }

    std::shared_ptr<detail::versioned_impl> core_;
    std::shared_ptr<const detail::write_intent> intent_;
};

/// What a write with a completion token yields beside its `error_code`.
template <class T>
struct write_result {
    /// On success, but for removals; also empty if what the write left is no T, was removed by another since, or could
    /// not be read: `unread` tells.
    std::optional<loaded<T>> saved{};
    std::string unread{};                    ///< on success without `saved`: why
    bool superseded = false;                 ///< it was applied, and others wrote since: `saved` is what they left
    std::optional<loaded<T>> current{};      ///< on refusal: what is there now, at no extra read
    std::optional<std::int64_t> expected{};  ///< the version it was made from
    std::optional<std::int64_t> found{};     ///< the version of `current`
    std::string holder{};                    ///< on `errc::locked`: "<session>.…", a grant's nonce; "transaction <id>"
    pending_write<T> pending{};              ///< on `errc::in_doubt`
    std::exception_ptr thrown{};             ///< by the function of an update
};

/// What may follow the arguments of a write: nothing, diagnostics, a token, or both.
template <class T, class... Tail>
concept write_tail = sizeof...(Tail) == 0 || verb_tail<write_result<T>, Tail...>;

/// Thrown when the item is not as the write demands: `errc::conflict`, `errc::exists`, `errc::condition_failed` or
/// `errc::locked`. Nothing was written, and nothing of it will be; but the last two close nothing: the item is as the
/// write demands, so that a copy of it which the network made on its own may still land. Nor does a conflict that found
/// the version that it expected, of the same life: a map in which something was to be changed is gone, by the hand of
/// one who raises no version.
template <class T>
class conflict : public error {
public:
    conflict(error_code code, dynalease::diagnostics details, write_result<T> result)
        : error(code, std::move(details)), result_(std::make_shared<write_result<T>>(std::move(result))) {}

    /// What is there now, at no extra read; null if it is no T.
    const loaded<T>* current() const noexcept { return result_->current ? &*result_->current : nullptr; }
    std::optional<std::int64_t> expected() const noexcept { return result_->expected; }
    std::optional<std::int64_t> found() const noexcept { return result_->found; }
    /// On `errc::locked`: who holds the item.
    const std::string& holder() const noexcept { return result_->holder; }

private:
    std::shared_ptr<const write_result<T>> result_;  // exceptions must be copyable without a throw
};

/// Thrown when a write was applied, and there is nothing to return: what it left is no T, was removed by another since,
/// or could not be read. Its code is `errc::in_doubt`, for those who look at nothing else: read before deciding. Its
/// words say that the write was applied.
class applied_unread : public error {
public:
    applied_unread(dynalease::diagnostics details, const std::string& why);
    /// What became of the write, and why what it left cannot be shown.
    const char* what() const noexcept override { return text_->c_str(); }

private:
    std::shared_ptr<const std::string> text_;  // exceptions must be copyable without a throw
};

/// Thrown for `errc::in_doubt`: the write was sent, and nobody knows what became of it.
template <class T>
class write_in_doubt : public error {
public:
    write_in_doubt(error_code code, dynalease::diagnostics details, pending_write<T> pending)
        : error(code, std::move(details)), pending_(std::move(pending)) {}

    const pending_write<T>& pending() const noexcept { return pending_; }

private:
    pending_write<T> pending_;
};

namespace detail {

/// The typed form of a report. A write that was applied stays applied, whatever stands there now.
template <class T>
write_result<T> as_result(const std::shared_ptr<versioned_impl>& core, write_report report) {
    write_result<T> result;
    result.unread = std::move(report.unread);
    result.saved = as_loaded_if_possible<T>(*core, std::move(report.saved), &result.unread);
    result.superseded = report.superseded;
    result.current = as_loaded_if_possible<T>(*core, std::move(report.current));
    result.expected = report.expected;
    result.found = report.found;
    result.holder = std::move(report.holder);
    if (report.pending) result.pending = pending_write<T>(core, std::move(report.pending));
    result.thrown = std::move(report.thrown);
    return result;
}

template <class T>
[[noreturn]] void throw_refusal(error_code code, diagnostics details, write_result<T> result) {
    if (result.thrown) std::rethrow_exception(result.thrown);
    if (result.pending) throw write_in_doubt<T>(code, std::move(details), std::move(result.pending));
    if (result.current || result.found) throw conflict<T>(code, std::move(details), std::move(result));
    throw error(code, std::move(details));
}

/// A write that is awaited without a token.
template <class T>
boost::asio::awaitable<loaded<T>> await_saved(std::shared_ptr<versioned_impl> core,
                                              boost::asio::awaitable<awaited_write> write,
                                              diagnostics* told = nullptr) {
    if (told) *told = {};
    auto done = co_await std::move(write);
    if (told) *told = done.details;
    auto result = as_result<T>(core, std::move(done.report));
    if (!done.code && !result.saved) throw applied_unread(std::move(done.called), result.unread);
    if (done.code) throw_refusal(done.code, std::move(done.details), std::move(result));
    co_return *std::move(result.saved);
}
template <class T>
boost::asio::awaitable<void> await_removed(std::shared_ptr<versioned_impl> core,
                                           boost::asio::awaitable<awaited_write> write, diagnostics* told = nullptr) {
    if (told) *told = {};
    auto done = co_await std::move(write);
    if (told) *told = done.details;
    if (!done.code) co_return;
    auto result = as_result<T>(core, std::move(done.report));
    throw_refusal(done.code, std::move(done.details), std::move(result));
}

}  // namespace detail
}  // namespace dynalease
#pragma GCC visibility pop

/// The wrapped handler's executor, cancellation slot and allocator are the wrapper's own.
template <template <class, class> class Associator, class Raw, class Typed, class Convert, class Default>
struct boost::asio::associator<Associator, dynalease::detail::typed_handler<Raw, Typed, Convert>, Default>
    : Associator<dynalease::detail::handler_for<Typed>, Default> {
    static auto get(const dynalease::detail::typed_handler<Raw, Typed, Convert>& self,
                    const Default& otherwise = Default()) noexcept {
        return Associator<dynalease::detail::handler_for<Typed>, Default>::get(self.handler, otherwise);
    }
};
