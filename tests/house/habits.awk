# Checks what every source file keeps to. Usage: awk -f habits.awk words.txt FILE...   (run at the top of the tree)
# Prints "file:line: what is wrong", one a line; nothing if all is well.

function complain(line, what) { print file ":" line ": " what }

function begins_with_one_of(path, list,   words, n, i) {
    n = split(list, words, " ")
    for (i = 1; i <= n; i++) {
        gsub(/\*/, "[^/]+", words[i])
        if (path ~ "^" words[i]) return 1
    }
    return 0
}

# The line without comment and string contents.
function code_of(line) {
    gsub(/\\"/, "", line)
    gsub(/"[^"]*"/, "\"\"", line)
    sub(/\/\/.*/, "", line)
    return line
}

function end_of_file() {
    if (file == "") return
    if (lines > 400) complain(lines, "longer than 400 lines: split it")
    if (file ~ /\.hpp$/ && !once) complain(1, "a header begins with #pragma once")
    if (!licensed) complain(1, "name the licence: // SPDX-License-Identifier: BSL-1.0")
}

BEGIN {
    owns_memory = "^ *((std::optional<)?std::(string|function|vector|shared_ptr|unique_ptr|map|set)[ <]|[a-z_:]*_hook |item(_key)? |attribute_(map|value) )"
}

FNR == NR {
    if ($0 ~ /^#/ || $0 ~ /^ *$/) next
    if (split($0, column, /  +/) != 4) { print FILENAME ":" FNR ": a row has four columns"; next }
    rules++
    word[rules] = "(^|[^A-Za-z0-9_])(" column[1] ")([^A-Za-z0-9_]|$)"
    where[rules] = column[2]
    but[rules] = column[3]
    why[rules] = column[4]
    next
}

FNR == 1 {
    end_of_file()
    file = FILENAME
    once = 0
    licensed = 0
    for (i = 1; i <= rules; i++) applies[i] = begins_with_one_of(file, where[i]) && !begins_with_one_of(file, but[i])
    if ($0 !~ /^\/\/ ./) complain(1, "the first line is a // comment that says what lives here")
}

{
    lines = FNR
    if ($0 ~ /^#pragma once$/) once = 1
    if ($0 ~ /^\/\/ SPDX-License-Identifier: BSL-1\.0$/) licensed = 1
    if ($0 ~ /(^|[^A-Za-z])(TODO|FIXME|XXX)([^A-Za-z]|$)/ && file !~ /^tests\/house\//) complain(FNR, "finish it, or write it into an issue")
    if ($0 ~ /^[ \t]*#[ \t]*define/ && file ~ /^(include|src)\//) complain(FNR, "no macros")
    code = code_of($0)
    if (code ~ /^[ \t]*#[ \t]*include/) next
    if (file ~ /^include\// && file !~ /\/testing\//) {
        if (code ~ /^ *struct [a-z_]*_options \{/) in_options = 1
        else if (code ~ /^ *};/) in_options = 0
        else if (in_options && code ~ owns_memory) complain(FNR, "GCC 12 frees it twice in an awaited expression: detail::braced")
    }
    for (i = 1; i <= rules; i++) {
        if (!applies[i] || !match(code, word[i])) continue
        found = substr(code, RSTART, RLENGTH)
        gsub(/^[^A-Za-z0-9_]+|[^A-Za-z0-9_]+$/, "", found)
        complain(FNR, found ": " why[i])
    }
}

END { end_of_file() }
