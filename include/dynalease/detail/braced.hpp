// What GCC 12 makes of braces in an awaited expression, and how this library lives with it.
//
// A temporary that is made from braces, be it written there or a default argument, and the object of a lambda that
// captures, GCC 12 copies as bytes into the frame of the coroutine, and then it ends both. A string in it is freed
// twice; a short one, which points into itself, not even once. GCC 13 and later, and clang, do it right.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <new>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease::detail {

// The installed library says what it was built with: a program of another compiler must see the same structs.
#if (defined(DYNALEASE_BRACED_MEMBERS) && DYNALEASE_BRACED_MEMBERS) || \
    (!defined(DYNALEASE_BRACED_MEMBERS) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13)

/// A T that knows a copy of its bytes from itself: that is read like a T, copied where a T would be moved, and not
/// freed. It holds for as long as the T that it was copied from, which is to the end of the awaited expression: so
/// whoever takes options by value moves them as a whole, before giving a member away as a plain T.
template <class T>
class braced : public T {
public:
    using T::T;
    braced() = default;
    braced(const T& value) : T(value) {}
    braced(T&& value) noexcept(std::is_nothrow_move_constructible_v<T>) : T(std::move(value)) {}
    braced(const braced& other) : T(static_cast<const T&>(other)) {}
    braced(braced&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : T(taken(other)) {}
    braced& operator=(const braced& other) {
        own() = static_cast<const T&>(other);
        return *this;
    }
    braced& operator=(braced&& other) noexcept(std::is_nothrow_move_assignable_v<T>) {
        own() = taken(other);
        return *this;
    }
    template <class Value>
        requires(!std::same_as<std::remove_cvref_t<Value>, braced> && std::is_assignable_v<T&, Value>)
    braced& operator=(Value&& value) {
        own() = std::forward<Value>(value);
        return *this;
    }
    ~braced() { own(); }

private:
    static T taken(braced& other) {
        return other.self_ == &other ? T(std::move(static_cast<T&>(other))) : T(static_cast<const T&>(other));
    }
    /// Forgets what belongs to another.
    T& own() {
        if (self_ != this) ::new (static_cast<T*>(this)) T;
        self_ = this;
        return *this;
    }

    const braced* self_ = this;
};

template <class T, std::same_as<braced<T>> Same>
bool operator==(const braced<T>& one, const Same& other) {
    return static_cast<const T&>(one) == static_cast<const T&>(other);
}

/// As what it is, for overloads by type.
template <class T>
T& plain(braced<T>& value) {
    return value;
}
template <class T>
const T& plain(const braced<T>& value) {
    return value;
}

#else

template <class T>
using braced = T;

#endif

template <class T>
T& plain(T& value) {
    return value;
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
/// Whether what the library cannot change may be a temporary of an awaited expression.
template <class Argument>
inline constexpr bool may_be_temporary =
    std::is_lvalue_reference_v<Argument> || std::is_trivially_destructible_v<std::remove_cvref_t<Argument>>;
#else
template <class Argument>
inline constexpr bool may_be_temporary = true;
#endif

/// A user's struct that only a name makes safe.
template <class Struct>
concept refused_as_temporary = std::is_aggregate_v<Struct> && !may_be_temporary<Struct>;

/// For those who take a user's function or struct: what would corrupt the heap is not compiled.
template <class Argument>
constexpr void check_temporary() {
    static_assert(
        may_be_temporary<Argument>,
        "GCC 12 frees twice what a lambda captures, or a struct in braces holds, inside an awaited expression: "
        "give it a name in a statement of its own, and pass that name, without std::move");
}

#if (defined(DYNALEASE_BRACED_MEMBERS) && DYNALEASE_BRACED_MEMBERS) || \
    (!defined(DYNALEASE_BRACED_MEMBERS) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13)

/// The same of a function: none that only a name makes safe. It cannot be called itself: a function would hold it as
/// what it calls, be it empty or not.
template <class Hook>
class braced_hook {
public:
    braced_hook() = default;
    template <class Function>
        requires(!std::same_as<std::remove_cvref_t<Function>, braced_hook> && std::is_constructible_v<Hook, Function>)
    braced_hook(Function&& told) : held_(std::forward<Function>(told)) {
        check_temporary<Function>();
    }
    braced_hook(const braced_hook& other) : held_(other.held_) {}
    braced_hook(braced_hook&& other) noexcept : held_(taken(other)) {}
    braced_hook& operator=(const braced_hook& other) {
        own() = other.held_;
        return *this;
    }
    braced_hook& operator=(braced_hook&& other) noexcept {
        own() = taken(other);
        return *this;
    }
    /// In a statement of its own.
    template <class Function>
        requires(!std::same_as<std::remove_cvref_t<Function>, braced_hook> && std::is_assignable_v<Hook&, Function>)
    braced_hook& operator=(Function&& told) {
        own() = std::forward<Function>(told);
        return *this;
    }
    ~braced_hook() { own(); }

    explicit operator bool() const noexcept { return static_cast<bool>(held_); }
    operator Hook() const& { return held_; }
    operator Hook() && { return taken(*this); }
    const Hook& plain() const noexcept { return held_; }

private:
    static Hook taken(braced_hook& other) { return other.self_ == &other ? std::move(other.held_) : Hook(other.held_); }
    /// Forgets what belongs to another.
    Hook& own() {
        if (self_ != this) ::new (&held_) Hook;
        self_ = this;
        return held_;
    }

    Hook held_{};
    const braced_hook* self_ = this;
};

template <class Hook>
const Hook& plain(const braced_hook<Hook>& value) {
    return value.plain();
}

#else

template <class Hook>
using braced_hook = Hook;

#endif

}  // namespace dynalease::detail
#pragma GCC visibility pop
