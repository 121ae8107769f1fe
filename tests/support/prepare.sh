# Shell functions of the run scripts: install what is missing, configure, build with progress. Source it; it works
# from the top of the tree and speaks on stderr, so that stdout is left to the results.

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '%s\n' "$*" >&2; }

# What every build needs, from Debian's own repositories.
build_packages=(g++ cmake ninja-build ccache libboost1.81-dev libssl-dev zlib1g-dev rapidjson-dev catch2)

# install_packages NAME...: installs those that are missing; silent when there is nothing to do.
install_packages() {
    command -v dpkg-query > /dev/null || { say "no Debian packages here; assuming these are present: $*"; return 0; }
    local missing
    missing=$(comm -23 <(printf '%s\n' "$@" | sort) \
        <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2> /dev/null | sed -n 's/ installed$//p' | sort))
    [ -n "$missing" ] || return 0
    say "installing:" $missing
    local as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    local log
    log=$(mktemp)
    # A failed update may still leave all that is wanted within reach; the installation decides.
    "${as_root[@]}" apt-get update < /dev/null > "$log" 2>&1 || true
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing \
        < /dev/null >> "$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        say "could not install:" $missing
        return 1
    fi
    rm -f "$log"
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
    local preset=$1 directory=build/$1
    shift
    install_packages "${build_packages[@]}"
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
