# Shell functions of the run scripts: install what is missing, configure, build with progress. Source it; it works
# from the top of the tree and speaks on stderr, so that stdout is left to the results.

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '%s\n' "$*" >&2; }

# What every build needs, from Debian's own repositories, beside Boost.
build_packages=(g++ cmake ninja-build ccache libssl-dev zlib1g-dev rapidjson-dev libsqlite3-dev catch2)
least_boost=81

# apt_get ARGUMENTS...: as root; its words only where it fails.
apt_get() {
    local as_root=() log code=0
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    log=$(mktemp)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$@" < /dev/null > "$log" 2>&1 || code=$?
    [ "$code" = 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$code"
}

# Once a run. A failed update may still leave all that is wanted within reach; the installation decides.
lists_updated=
update_lists() {
    [ -z "$lists_updated" ] || return 0
    lists_updated=yes
    apt_get update || true
}

# install_packages NAME...: installs those that are missing; silent when there is nothing to do.
install_packages() {
    command -v dpkg-query > /dev/null || return 0  # a build names what it misses
    local missing
    missing=$(comm -23 <(printf '%s\n' "$@" | sort) \
        <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2> /dev/null | sed -n 's/ installed$//p' | sort))
    [ -n "$missing" ] || return 0
    say "installing:" $missing
    update_lists
    apt_get install -y --no-install-recommends $missing || { say "could not install:" $missing; return 1; }
}

# Any Boost that is there and new enough will do; else the newest that the system offers.
install_boost() {
    local present offered
    present=$(sed -n 's/^#define BOOST_VERSION //p' /usr/include/boost/version.hpp 2> /dev/null || true)
    [ "${present:-0}" -lt $((100000 + least_boost * 100)) ] || return 0
    command -v apt-cache > /dev/null || return 0  # CMake looks elsewhere, and says what it misses
    update_lists
    offered=$(apt-cache pkgnames libboost1. | sed -n 's/^libboost1\.\([0-9]*\)-dev$/\1/p' | sort -n | tail -n 1)
    if [ "${offered:-0}" -lt "$least_boost" ]; then
        say "no Boost from 1.$least_boost on, neither installed nor on offer by this system"
        return 1
    fi
    install_packages "libboost1.$offered-dev"
}

# What a build needs and does not find, one a line. The compiler tells by its preprocessor.
missing_here() {
    local compiler=${CXX:-c++} cmake
    cmake=$(cmake --version 2> /dev/null | sed -n '1s/[^0-9]*//p' || true)
    if [ "$(printf '3.25\n%s\n' "$cmake" | sort -V | head -n 1)" != 3.25 ]; then
        echo "CMake 3.25 or later${cmake:+ (here is $cmake)}"
    fi
    command -v ninja > /dev/null || echo ninja
    command -v "$compiler" > /dev/null || { echo "a C++ compiler ($compiler): GCC 12 or later, clang 16 or later"; return; }
    [ -z "${CMAKE_PREFIX_PATH-}${BOOST_ROOT-}${Boost_ROOT-}" ] || return 0  # only CMake knows then
    "$compiler" -std=c++20 -E -P -x c++ - <<END | sed -e '/^ *$/d' -e 's/"//g'
#if defined(__clang__) ? __clang_major__ < 16 : __GNUC__ < 12
GCC 12 or later, or clang 16 or later (here is $compiler of major version $("$compiler" -dumpversion))
#endif
#if !__has_include(<boost/version.hpp>)
Boost 1.$least_boost or later (boost/version.hpp)
#else
#include <boost/version.hpp>
#if BOOST_VERSION < 100000 + 100 * $least_boost
Boost 1.$least_boost or later (here is BOOST_LIB_VERSION)
#endif
#endif
#if !__has_include(<openssl/ssl.h>)
OpenSSL 3 (openssl/ssl.h)
#endif
#if !__has_include(<zlib.h>)
zlib (zlib.h)
#endif
#if !__has_include(<rapidjson/document.h>)
RapidJSON (rapidjson/document.h)
#endif
#if !__has_include(<sqlite3.h>)
SQLite 3 (sqlite3.h)
#endif
#if !__has_include(<catch2/catch.hpp>) && !__has_include(<catch2/catch_all.hpp>)
Catch2 (catch2/catch.hpp, catch2/catch_all.hpp)
#endif
END
}

# Of a build's output, passes on a status line every ten seconds, and whatever is no status line.
show_progress() {
    local line last='' shown=$SECONDS
    while IFS= read -r line; do
        case $line in
            'ninja: Entering directory'*) ;;
            'ninja: no work to do.') ;;
            '['*/*']'*)
                last=$line
                if ((SECONDS - shown >= 10)); then say "$line"; shown=$SECONDS; last=''; fi ;;
            *) say "$line" ;;
        esac
    done
    if [ -n "$last" ]; then say "$last"; fi
}

# build PRESET [TARGET...]: configures build/PRESET if need be, and builds the targets, or everything.
build() {
    local preset=$1 directory=build/$1 missing
    shift
    install_packages "${build_packages[@]}"
    install_boost
    missing=$(missing_here)
    if [ -n "$missing" ]; then
        say "a build needs what is not here:"
        say "$missing"
        command -v apt-get > /dev/null || say "there is no apt-get to install it with; do so by the means of this system"
        return 1
    fi
    if [ ! -e "$directory/build.ninja" ] || [ CMakePresets.json -nt "$directory/build.ninja" ]; then
        say "configuring $directory"
        mkdir -p "$directory"
        cmake --preset "$preset" > "$directory/configure.log" 2>&1 ||
            { cat "$directory/configure.log" >&2; say "could not configure $directory"; return 1; }
    fi
    say "building $directory"
    if [ -t 2 ]; then
        ninja -C "$directory" "$@" >&2
    else
        ninja -C "$directory" "$@" 2>&1 | show_progress
    fi
}
