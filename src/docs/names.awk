# Reads the warnings of Doxygen. Usage: awk -f names.awk names.txt warnings.log
# prints what names.txt puts before which line of which header: "FILE LINE TEXT", separated by tabs; with -v judge=1
# all warnings that count, so that a run is good if nothing is printed.
FNR == 1 { file++ }
file == 1 {
    bar = index($0, " | ")
    if ($0 ~ /^#/ || !bar) next
    words[substr($0, 1, bar - 1)] = substr($0, bar + 3)
    next
}

# What has no words and needs none: copies and moves, and what only the library itself can call.
function needs_none(text, name) {
    return name == "operator=" || text ~ /&&\) *(noexcept)?(=default)? *\(function\)/ && text ~ "Member " name "\\(" name ||
           text ~ /detail::/
}

function words_for(scope, name,   parts, n, key) {
    n = split(scope, parts, "::")
    for (key = scope "::" name; ; key = substr(key, index(key, "::") + 2)) {
        if (key in words) return words[key]
        if (!index(key, "::")) break
    }
    for (key in words) {
        if (key !~ /^\*/) continue
        tail = substr(key, 2)
        if (length(name) > length(tail) && substr(name, length(name) - length(tail) + 1) == tail) return words[key]
    }
    return ""
}

/ is not documented\.$/ {
    match($0, /:[0-9]+: warning: /)
    place = substr($0, 1, RSTART - 1)
    line = substr($0, RSTART + 1) + 0
    text = substr($0, RSTART + RLENGTH)
    if (text ~ /^Compound /) {
        scope = text
        sub(/^Compound /, "", scope)
        sub(/ is not documented\.$/, "", scope)
        sub(/<.*/, "", scope)
        name = scope
        sub(/.*::/, "", name)
        scope = index(scope, "::") ? substr(scope, 1, length(scope) - length(name) - 2) : ""
    } else {
        name = text
        sub(/^Member /, "", name)
        if (name !~ /^operator/) sub(/[( ].*/, "", name)
        else sub(/ *\(.*/, "", name)
        scope = text
        sub(/.*\) of [a-z]+ /, "", scope)
        sub(/ is not documented\.$/, "", scope)
    }
    if (needs_none(text, name)) next
    said = words_for(scope, name)
    if (judge) print
    else if (said != "" && !((place, line) in seen)) print place "\t" line "\t" said
    seen[place, line] = 1
    next
}

# Specialisations of what belongs to other libraries are in a scope that it has not read.
judge && /warning: / && !/Internal inconsistency: scope for/ && !/No output formats selected/
