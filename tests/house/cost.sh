# What compiling costs. Source it, with $compiler and $include set.

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT='%U'

compile() { "$compiler" -std=c++20 -O0 -I "$include" -c "$scratch/source.cpp" -o "$scratch/object" 2> /dev/null; }
# cost: the CPU seconds of compiling standard input at -O0, the better of two tries.
cost() {
    cat > "$scratch/source.cpp"
    local first second
    first=$({ time compile; } 2>&1) || { echo "does not compile: $(head -n 1 "$scratch/source.cpp")" >&2; return 1; }
    second=$({ time compile; } 2>&1)
    printf '%s\n' "$first" "$second" | sort -g | head -n 1
}
