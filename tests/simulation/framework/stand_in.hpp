// The type of a function that stands in for one of the library's: a member's object comes first. What declares such
// functions, `real::f` and `mutated::f`, is made of the stand_ins.txt of each primitive by framework/stand_ins.
// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace dynalease::simulation {

template <class Pointer>
struct stand_in;
template <class R, class... A>
struct stand_in<R (*)(A...)> {
    using type = R(A...);
};
template <class R, class... A>
struct stand_in<R (*)(A...) noexcept> {
    using type = R(A...);
};
template <class R, class C, class... A>
struct stand_in<R (C::*)(A...)> {
    using type = R(C&, A...);
};
template <class R, class C, class... A>
struct stand_in<R (C::*)(A...) &&> {
    using type = R(C&, A...);
};
template <class R, class C, class... A>
struct stand_in<R (C::*)(A...) const> {
    using type = R(const C&, A...);
};
template <class R, class C, class... A>
struct stand_in<R (C::*)(A...) noexcept> {
    using type = R(C&, A...);
};
template <class R, class C, class... A>
struct stand_in<R (C::*)(A...) const noexcept> {
    using type = R(const C&, A...);
};

/// Of several functions of a name, the one of an argument of that type.
template <class Argument, class R>
auto one_of_several(R (*function)(Argument&)) {
    return function;
}
template <class Argument, class R>
auto one_of_several(R (*function)(Argument&) noexcept) {
    return function;
}

}  // namespace dynalease::simulation
