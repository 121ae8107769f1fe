# What Doxygen reads of a header: the first line as the file's own description, without constraints, which it does not
# understand, and with words for what every class has and for what names.awk found.
# Usage: awk -v insertions=FILE -f filter.awk HEADER
function documented() { return previous ~ /^ *(\/\/\/|\*\/)/ }
function indent_of(line) { match(line, /^ */); return substr(line, 1, RLENGTH) }

# The words for a function come before its template line.
function emit(text) {
    lines++
    if (lines in words) said = words[lines]
    if (text ~ /^ *template <.*>$/) { waiting = waiting text "\n"; return }
    if (said != "") print (previous ~ /[^ ].*\/\/\/</ ? "\n" : "") indent_of(text) "/// " said
    printf "%s", waiting
    print text
    said = waiting = ""
}

BEGIN {
    while (insertions != "" && (getline line < insertions) > 0) {
        split(line, part, "\t")
        if (part[1] == ARGV[1]) words[part[2]] = part[3]
    }
}

FNR == 1 { emit("/// @file"); sub(/^\/\/ /, "/// ") }

# A doc comment's @param lines name some parameters; that the others need no word is the writer's choice.
/^ *template </ && !documented() { held = $0; next }

held != "" {
    if ($0 ~ /^ *requires[ (]/) { constraint = 1; depth = 0 }
    if (constraint) {
        line = $0
        depth += gsub(/[({]/, "&", line) - gsub(/[)}]/, "", line)
        if (depth <= 0 && $0 !~ /(&&|\|\|)$/) constraint = 0
        next
    }
    if ($0 ~ /Tail&&\.\.\. tail/)
        emit(indent_of($0) "/// The same, which completes by an Asio token; `diagnostics` may come before it.")
    emit(held)
    held = ""
}

/^ *requires[ (]/ { next }
/^ *using executor_type = / && !documented() { emit(indent_of($0) "/// Of `get_executor`.") }
/ get_executor\(\) const/ && !documented() {
    emit(indent_of($0) "/// Where handlers run that have no executor of their own.")
}
# A comment behind a line would go on in the comment before the next.
previous ~ /[^ ].*\/\/\/</ && /^ *\/\/\/( |$)/ { emit("") }
{ emit($0); previous = $0 }
