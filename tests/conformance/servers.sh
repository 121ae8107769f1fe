# Shell functions for foreign servers and clients: install a pinned version when it is asked for, start it on a free
# port of the loopback, end it. Source it from the top of the tree.

conformance_cache=${DYNALEASE_CONFORMANCE_CACHE:-$PWD/build/conformance}
dynoxide_version=3.2.0
moto_version=5.2.5
boto3_version=1.44.5
aws_sdk_js_version=3.1162.0

# What CTest takes for "not run".
not_available=77

say() { printf '%s\n' "$*" >&2; }

# install_once NAME COMMAND...: runs the command, whose last argument is the folder to fill, unless it is filled already.
install_once() {
    local name=$1 folder=$conformance_cache/$1
    shift
    [ -e "$folder/.complete" ] && return 0
    if [ "${DYNALEASE_CONFORMANCE_INSTALL-yes}" = no ]; then
        say "skipped: $name is not in $conformance_cache; tests/conformance/run installs it"
        return $not_available
    fi
    say "installing $name in $folder"
    rm -rf "$folder"
    mkdir -p "$folder"
    if ! "$@" "$folder" > "$folder.log" 2>&1 < /dev/null; then
        tail -n 5 "$folder.log" >&2
        say "skipped: could not install $name; is there a network? All of it: $folder.log"
        return $not_available
    fi
    touch "$folder/.complete"
}

# has_cargo: dynoxide needs Rust 1.88.
has_cargo() {
    local version
    version=$(cargo --version 2> /dev/null | sed -n 's/^cargo 1\.\([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 88 ] && return 0
    say "skipped: dynoxide needs cargo 1.88 or newer, and a C compiler"
    return $not_available
}

cargo_install() {
    cargo install dynoxide-rs --version "$dynoxide_version" --locked --no-default-features \
        --features native-sqlite,http-server,cli --root "$1"
}
pip_install() { python3 -m venv "$2" && "$2/bin/pip" install --quiet "$1"; }
npm_install() { npm install --silent --no-audit --no-fund --prefix "$2" "$1"; }

# install_server NAME
install_server() {
    case $1 in
        dynoxide)
            [ -e "$conformance_cache/dynoxide-$dynoxide_version/.complete" ] || has_cargo || return
            install_once "dynoxide-$dynoxide_version" cargo_install ;;
        moto)
            install_once "moto-$moto_version" pip_install "moto[server,dynamodb]==$moto_version" ;;
        *)
            say "no server \"$1\"; there are: dynoxide moto, or a URL"
            return 1 ;;
    esac
}

# free_port: one that nobody listens on just now, below those that the kernel gives to connections.
free_port() {
    local port
    while :; do
        port=$((RANDOM % 12000 + 20000))
        (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null || { echo "$port"; return; }
    done
}

# start_server NAME: sets server_url and server_pid, and says which version runs.
start_server() {
    local port folder
    port=$(free_port)
    folder=$conformance_cache
    case $1 in
        dynoxide)
            "$folder/dynoxide-$dynoxide_version/bin/dynoxide" --log quiet --port "$port" > "$folder/dynoxide.out" 2>&1 &
            ;;
        moto)
            "$folder/moto-$moto_version/bin/moto_server" -H 127.0.0.1 -p "$port" > "$folder/moto.out" 2>&1 & ;;
    esac
    server_pid=$!
    server_url=http://127.0.0.1:$port
    local version=${1}_version tries
    for ((tries = 0; tries < 300; tries++)); do
        if (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then
            say "$1 ${!version} listens on $server_url"
            return 0
        fi
        kill -0 "$server_pid" 2> /dev/null || break
        sleep 0.1
    done
    say "$1 does not start:"
    tail -n 5 "$folder/$1.out" >&2
    return 1
}

# stop_server: a server that spins does not hear TERM.
stop_server() {
    [ -n "${server_pid-}" ] || return 0
    kill "$server_pid" 2> /dev/null || return 0
    local tries
    for ((tries = 0; tries < 30; tries++)); do
        kill -0 "$server_pid" 2> /dev/null || return 0
        sleep 0.1
    done
    kill -KILL "$server_pid" 2> /dev/null || true
}
